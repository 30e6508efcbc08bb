//! The shape of noise: a smooth density of standardised residuals, skewed, heavy- or light-tailed as the data ask.

use std::array;
use std::sync::LazyLock;

use pulp::{Arch, Simd, WithSimd};

use crate::lanes::{LANES, each_chunk};
use crate::student_t::student_gain;

/// How many shape parameters the density has beyond location and scale.
pub(crate) const SHAPE_PARAMETERS: usize = 4;

/// `z, z², s, z/s, 1/s², z/s²` with `s = √(1 + z²)`: location, scale, and the parameters of shape.
const STATISTICS: usize = 2 + SHAPE_PARAMETERS;

/// The coordinate of `z²`.
const SQUARE: usize = 1;

/// The coordinate of `s`. With a mean below this, tails are so heavy that Student's t is tried: that of normal values is 1.35,
/// of Laplacian and exponential ones 1.32, of Student's t with three, two and one degrees of freedom 1.29, 1.22 and 1.07.
const ROOT: usize = 2;
const HEAVY_ROOT: f64 = 1.25;

/// Trapezoidal rule in `u` for `z = 0.75 sinh u`, up to |z| = 101: exact to 1e−10 for the normal density.
const POINTS: usize = 57;
const STEP: f64 = 0.2;
const STRETCH: f64 = 0.75;

/// The log-likelihood of a standard normal variable, on average: `−½ ln(2πe)`.
const NORMAL: f64 = -1.418_938_533_204_672_7;

/// The normal density is kept without a search if so many times the quadratic estimate of the gain would not pay.
const OPTIMISM: f64 = 4.0;

/// No density gains more than this a row over the normal one: the points of the quadrature lie too far apart for narrower
/// peaks, and the values of a column with two of them would have infinitely high ones.
const MOST_GAIN: f64 = 3.0;

/// Newton's method stops when it expects to gain less than this a row.
const ENOUGH: f64 = 1e-7;

/// It also stops after so many steps.
const MOST_STEPS: usize = 40;

type Vector = [f64; STATISTICS];
type Matrix = [Vector; STATISTICS];

/// How many nats the density of the noise's own shape gains over the normal one, shape parameters paid for; never
/// below zero. `residuals` need no particular scale.
///
/// The density is `p(z) ∝ exp(θ·T(z))`, `T(z) = (z, z², s, z/s, 1/s², z/s²)` with `s = √(1 + z²)` and `θ` by maximum
/// likelihood, which is a concave problem in the means of `T`; the normal density is the case of a single `z²`. Each of
/// the four parameters of shape costs `½ ln n`. Costs one pass over the rows, and for noise that is not nearly normal
/// some ten passes over 57 points.
///
/// Where Student's t is likelier, it takes the place of this density, at the same cost: in units of standard deviations the
/// rows between tails as heavy as Cauchy's are too narrow a peak for the quadrature.
pub(crate) fn shape_gain(residuals: &[f64]) -> f64 {
    let rows = residuals.len() as f64;
    let Some((means, deviation)) = mean_statistics(residuals) else { return 0.0 };
    let penalty = 0.5 * SHAPE_PARAMETERS as f64 * rows.ln();
    let Some(density) = fitted_density(&means, penalty / rows) else { return 0.0 };
    let exponential = rows * density.gain();
    let has_heavy_tails = means[ROOT] < HEAVY_ROOT;
    let student = has_heavy_tails.then(|| student_gain(residuals, deviation, exponential)).flatten();
    (student.unwrap_or(exponential).max(exponential) - penalty).max(0.0)
}

/// The means of the statistics of the standardised residuals, and their standard deviation; none if they do not vary.
fn mean_statistics(residuals: &[f64]) -> Option<(Vector, f64)> {
    let rows = residuals.len() as f64;
    let [mean, square] = Arch::new().dispatch(Moments(residuals)).map(|sum| sum / rows);
    let deviation = (square - mean * mean).sqrt();
    // Also false for NaN.
    if !(deviation > 1e-150 && deviation.is_finite()) {
        return None;
    }
    let sums = Arch::new().dispatch(Shape { residuals, mean, scale: deviation.recip() });
    let [s, odd, peak, skew] = sums.map(|sum| sum / rows);
    Some(([0.0, 1.0, s, odd, peak, skew], deviation))
}

/// Sums of the values and of their squares.
struct Moments<'a>(&'a [f64]);

impl WithSimd for Moments<'_> {
    type Output = [f64; 2];

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> [f64; 2] {
        let mut sums = [[0.0; LANES]; 2];
        each_chunk(self.0, 0.0, |x| {
            sums[0] = array::from_fn(|i| sums[0][i] + x[i]);
            sums[1] = array::from_fn(|i| sums[1][i] + x[i] * x[i]);
        });
        sums.map(|lanes| lanes.iter().sum())
    }
}

/// Sums of `s, z/s, 1/s², z/s²`.
struct Shape<'a> {
    residuals: &'a [f64],
    mean: f64,
    scale: f64,
}

impl WithSimd for Shape<'_> {
    type Output = [f64; SHAPE_PARAMETERS];

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> [f64; SHAPE_PARAMETERS] {
        let mut sums = [[0.0; LANES]; SHAPE_PARAMETERS];
        each_chunk(self.residuals, self.mean, |x| {
            let z: [f64; LANES] = array::from_fn(|i| (x[i] - self.mean) * self.scale);
            let square: [f64; LANES] = array::from_fn(|i| 1.0 + z[i] * z[i]);
            let s: [f64; LANES] = array::from_fn(|i| square[i].sqrt());
            let inverse: [f64; LANES] = array::from_fn(|i| square[i].recip());
            sums[0] = array::from_fn(|i| sums[0][i] + s[i]);
            sums[1] = array::from_fn(|i| sums[1][i] + z[i] * s[i] * inverse[i]);
            sums[2] = array::from_fn(|i| sums[2][i] + inverse[i]);
            sums[3] = array::from_fn(|i| sums[3][i] + z[i] * inverse[i]);
        });
        // What fills the last chunk up has z = 0, so s = 1/s² = 1.
        let filled = (self.residuals.len().next_multiple_of(LANES) - self.residuals.len()) as f64;
        let mut sums = sums.map(|lanes| lanes.iter().sum::<f64>());
        sums[0] -= filled;
        sums[2] -= filled;
        sums
    }
}

/// The points of the quadrature with their statistics, the logarithms of their weights, and the normal start.
struct Quadrature {
    statistics: [[f64; POINTS]; STATISTICS],
    log_weights: [f64; POINTS],
}

static QUADRATURE: LazyLock<Quadrature> = LazyLock::new(|| {
    let u = |point: usize| STEP * (point as f64 - (POINTS / 2) as f64);
    let points: [Vector; POINTS] = array::from_fn(|point| statistics(STRETCH * u(point).sinh()));
    Quadrature {
        statistics: array::from_fn(|k| array::from_fn(|point| points[point][k])),
        log_weights: array::from_fn(|point| (STRETCH * STEP * u(point).cosh()).ln()),
    }
});

fn statistics(z: f64) -> Vector {
    let square = 1.0 + z * z;
    let s = square.sqrt();
    [z, z * z, s, z / s, square.recip(), z / square]
}

/// The density of greatest likelihood; none if a quick estimate says that its gain a row stays far below `penalty`.
fn fitted_density(means: &Vector, penalty: f64) -> Option<Point> {
    let mut now = Point::at(means, normal());
    for step in 0..MOST_STEPS {
        let (direction, decrement) = now.newton();
        if step == 0 && OPTIMISM * 0.5 * decrement < penalty {
            return None;
        }
        if decrement < ENOUGH {
            break;
        }
        let Some(next) = now.improved(means, &direction) else { break };
        now = next;
    }
    Some(now)
}

/// The parameters of the standard normal density.
fn normal() -> Vector {
    let mut parameters = [0.0; STATISTICS];
    parameters[SQUARE] = -0.5;
    parameters
}

/// Where Newton's method stands.
struct Point {
    parameters: Vector,
    log_likelihood: f64,
    gradient: Vector,
    /// The covariance of the statistics under the density.
    information: Matrix,
}

impl Point {
    /// The log-likelihood a row less that of the standard normal.
    fn gain(&self) -> f64 {
        (self.log_likelihood - NORMAL).clamp(0.0, MOST_GAIN)
    }

    fn at(means: &Vector, parameters: Vector) -> Self {
        let quadrature = &*QUADRATURE;
        let mut density = quadrature.log_weights;
        for (theta, row) in parameters.iter().zip(&quadrature.statistics) {
            density.iter_mut().zip(row).for_each(|(sum, value)| *sum += theta * value);
        }
        let largest = density.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        density.iter_mut().for_each(|value| *value = (*value - largest).exp());
        let total: f64 = density.iter().sum();
        density.iter_mut().for_each(|value| *value /= total);
        let weighted: [[f64; POINTS]; STATISTICS] =
            array::from_fn(|k| array::from_fn(|point| density[point] * quadrature.statistics[k][point]));
        let expected: Vector = array::from_fn(|k| weighted[k].iter().sum());
        let mut information = [[0.0; STATISTICS]; STATISTICS];
        for i in 0..STATISTICS {
            for j in 0..=i {
                let second: f64 = weighted[i].iter().zip(&quadrature.statistics[j]).map(|(a, b)| a * b).sum();
                information[i][j] = second - expected[i] * expected[j];
                information[j][i] = information[i][j];
            }
        }
        let inner: f64 = parameters.iter().zip(means).map(|(theta, mean)| theta * mean).sum();
        Self {
            log_likelihood: inner - largest - total.ln(),
            gradient: array::from_fn(|k| means[k] - expected[k]),
            parameters,
            information,
        }
    }

    /// Newton's step, and the gain that it promises twice over. Tails are never lighter than all rows allow: at its
    /// bound of zero, `z²` stays out.
    fn newton(&self) -> (Vector, f64) {
        let (mut information, mut gradient) = (self.information, self.gradient);
        if self.parameters[SQUARE] >= 0.0 && gradient[SQUARE] > 0.0 {
            information[SQUARE] = [0.0; STATISTICS];
            information.iter_mut().for_each(|row| row[SQUARE] = 0.0);
            information[SQUARE][SQUARE] = 1.0;
            gradient[SQUARE] = 0.0;
        }
        let direction = solve(information, gradient);
        let decrement = direction.iter().zip(&gradient).map(|(step, slope)| step * slope).sum();
        (direction, decrement)
    }

    /// A likelier point in this direction, the step halved as often as it takes.
    fn improved(&self, means: &Vector, direction: &Vector) -> Option<Self> {
        let shorter = |halvings: i32| {
            let share = 0.5_f64.powi(halvings);
            let mut parameters: Vector = array::from_fn(|k| self.parameters[k] + share * direction[k]);
            parameters[SQUARE] = parameters[SQUARE].min(0.0);
            Self::at(means, parameters)
        };
        (0..12).map(shorter).find(|next| next.log_likelihood > self.log_likelihood)
    }
}

/// Solves a symmetric positive definite system by elimination; a direction without information gets no step.
fn solve(mut matrix: Matrix, mut right: Vector) -> Vector {
    let scale: Vector = array::from_fn(|k| matrix[k][k]);
    for pivot in 0..STATISTICS {
        if matrix[pivot][pivot] <= 1e-12 * scale[pivot] {
            matrix[pivot] = [0.0; STATISTICS];
            matrix[pivot][pivot] = 1.0;
            right[pivot] = 0.0;
        }
        for row in pivot + 1..STATISTICS {
            let factor = matrix[row][pivot] / matrix[pivot][pivot];
            let above = matrix[pivot];
            matrix[row].iter_mut().zip(above).skip(pivot).for_each(|(cell, above)| *cell -= factor * above);
            right[row] -= factor * right[pivot];
        }
    }
    for row in (0..STATISTICS).rev() {
        let known: f64 = (row + 1..STATISTICS).map(|column| matrix[row][column] * right[column]).sum();
        right[row] = (right[row] - known) / matrix[row][row];
    }
    right
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_of_two_values_gains_no_more_than_the_quadrature_resolves() {
        for second in [1.0, 0.3, 5e3] {
            let column: Vec<f64> = (0..442).map(|row| if row % 9 < 4 { second } else { -0.044 }).collect();
            let gain = shape_gain(&column);
            assert!((0.0..=442.0 * MOST_GAIN).contains(&gain), "{second}: {gain}");
        }
    }
}
