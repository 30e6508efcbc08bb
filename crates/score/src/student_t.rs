//! Student's t as the density of noise: tails too heavy for a density in units of standard deviations.

use std::array;
use std::f64::consts::PI;

use pulp::{Arch, Simd, WithSimd};
use statrs::function::gamma::ln_gamma;

use crate::lanes::{LANES, each_chunk};

/// Degrees of freedom, each `√2` times those before: those tried first, and all.
const START: i32 = 1;
const GRID: std::ops::RangeInclusive<i32> = -2..=10;

/// The scale is never less than this share of the median absolute deviation. That of Student's t is one to one and a half
/// of it; without a bound, equal values would have an infinitely high peak.
const LEAST_SCALE: f64 = 0.25;

/// The iteration stops when the scale changes by less than this share.
const ENOUGH: f64 = 1e-3;

/// It also stops after so many steps.
const MOST_STEPS: usize = 40;

/// How many nats a density of Student's t gains over the normal one with the standard `deviation`, location, scale and
/// degrees of freedom by maximum likelihood; none if half of the values are equal, or if it gains less than `least` with
/// degrees of freedom that only heavy tails have.
///
/// Degrees of freedom are found on a grid from ½ to 32, and between its points by a parabola. Costs some five passes over the
/// rows, and with heavy tails some thirty.
pub(crate) fn student_gain(residuals: &[f64], deviation: f64, least: f64) -> Option<f64> {
    let rows = residuals.len() as f64;
    let normal = -rows * (0.5 * (2.0 * PI).ln() + 0.5 + deviation.ln());
    let mut best = StudentT::robust(residuals)?.fitted(residuals, START);
    if best.log_likelihood - normal < least {
        return None;
    }
    let mut sides = [-1, 1].map(|step| best.fitted(residuals, START + step));
    for (side, step) in [(0, -1), (1, 1)] {
        while sides[side].log_likelihood > best.log_likelihood && GRID.contains(&(best.exponent + 2 * step)) {
            let beyond = sides[side].fitted(residuals, best.exponent + 2 * step);
            sides[1 - side] = best;
            best = sides[side];
            sides[side] = beyond;
        }
    }
    let [below, above] = sides.map(|side| side.log_likelihood - best.log_likelihood);
    Some(best.log_likelihood + parabola_top(below, above) - normal)
}

/// How much higher than its middle one the top of the parabola through three points is, the others this much above it.
fn parabola_top(left: f64, right: f64) -> f64 {
    let curvature = left + right;
    if left <= 0.0 && right <= 0.0 && curvature < 0.0 {
        -(right - left).powi(2) / (8.0 * curvature)
    } else {
        0.0
    }
}

/// A density of Student's t.
#[derive(Debug, Clone, Copy)]
struct StudentT {
    location: f64,
    scale: f64,
    least_scale: f64,
    /// Degrees of freedom are `2^(exponent/2)`.
    exponent: i32,
    log_likelihood: f64,
}

impl StudentT {
    /// Median, and median absolute deviation; none if that is zero.
    fn robust(values: &[f64]) -> Option<Self> {
        let mut values = values.to_vec();
        let middle = values.len() / 2;
        let location = *values.select_nth_unstable_by(middle, f64::total_cmp).1;
        values.iter_mut().for_each(|value| *value = (*value - location).abs());
        let scale = *values.select_nth_unstable_by(middle, f64::total_cmp).1;
        let density = Self {
            location,
            scale,
            least_scale: LEAST_SCALE * scale,
            exponent: START,
            log_likelihood: f64::NEG_INFINITY,
        };
        (scale > 0.0 && scale.is_finite()).then_some(density)
    }

    /// Location and scale by maximum likelihood, from those of another density: expectation–maximisation with an expanded
    /// parameter (Meng and van Dyk 1997).
    fn fitted(&self, values: &[f64], exponent: i32) -> Self {
        let freedom = 2.0_f64.powf(0.5 * f64::from(exponent));
        let mut now = Self { exponent, ..*self };
        for _ in 0..MOST_STEPS {
            let [weights, first, second] =
                Arch::new().dispatch(WeightedSums { values, density: &now, freedom });
            let shift = first / weights;
            let scale = (second / weights - shift * shift).max(0.0).sqrt().max(now.least_scale);
            let change = (scale / now.scale - 1.0).abs();
            now.location += shift;
            now.scale = scale;
            if change < ENOUGH {
                break;
            }
        }
        let rows = values.len() as f64;
        let logs = Arch::new().dispatch(LogSum { values, density: &now, freedom });
        let constant = ln_gamma(0.5 * (freedom + 1.0)) - ln_gamma(0.5 * freedom) - 0.5 * (freedom * PI).ln();
        now.log_likelihood = rows * (constant - now.scale.ln()) - 0.5 * (freedom + 1.0) * logs;
        now
    }
}

/// Sums of the weights `(ν + 1)/(ν + z²)`, and of deviations from the location and their squares by these weights.
struct WeightedSums<'a> {
    values: &'a [f64],
    density: &'a StudentT,
    freedom: f64,
}

impl WithSimd for WeightedSums<'_> {
    type Output = [f64; 3];

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> [f64; 3] {
        let Self { values, density: StudentT { location, scale, .. }, freedom } = self;
        let precision = scale.powi(-2);
        let mut sums = [[0.0; LANES]; 3];
        each_chunk(values, *location, |x| {
            let left: [f64; LANES] = array::from_fn(|i| x[i] - location);
            let weight: [f64; LANES] =
                array::from_fn(|i| (freedom + 1.0) / (freedom + left[i] * left[i] * precision));
            sums[0] = array::from_fn(|i| sums[0][i] + weight[i]);
            sums[1] = array::from_fn(|i| sums[1][i] + weight[i] * left[i]);
            sums[2] = array::from_fn(|i| sums[2][i] + weight[i] * left[i] * left[i]);
        });
        let mut sums = sums.map(|lanes| lanes.iter().sum::<f64>());
        // What fills the last chunk up lies at the location.
        let filled = values.len().next_multiple_of(LANES) - values.len();
        sums[0] -= filled as f64 * (freedom + 1.0) / freedom;
        sums
    }
}

/// The sum of `ln(1 + z²/ν)`.
struct LogSum<'a> {
    values: &'a [f64],
    density: &'a StudentT,
    freedom: f64,
}

impl WithSimd for LogSum<'_> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> f64 {
        let Self { values, density: StudentT { location, scale, .. }, freedom } = self;
        let factor = scale.powi(-2) / freedom;
        let mut sum = 0.0;
        // One logarithm for eight values: their product is far from the largest number.
        each_chunk(values, *location, |x| {
            let terms: [f64; LANES] = array::from_fn(|i| 1.0 + (x[i] - location).powi(2) * factor);
            sum += terms.iter().product::<f64>().ln();
        });
        sum
    }
}
