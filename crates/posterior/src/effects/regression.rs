//! The posterior of a linear regression on some parents under the reference prior, from correlations alone.

use gflowcausal_determinism::StreamRng;
use gflowcausal_graph::NodeSet;
use gflowcausal_score::Correlation;
use rand_distr::{ChiSquared, Distribution, StandardNormal};

/// A parent with less than this share of its variance left is a linear function of those before it: its slope is 0.
const DEPENDENT: f64 = 1e-10;

/// The least share of the variance that a fit leaves.
const LEAST_RESIDUAL: f64 = 1e-12;

/// What is known of the slopes and the noise of one variable given its parents, every column at unit variance.
///
/// With `n` rows, `k` parents and the prior `p(β, σ²) ∝ 1/σ²`, `σ²` is `RSS/χ²` with `n − 1 − k` degrees of freedom and `β` given
/// `σ²` normal about least squares with covariance `σ² (XᵀX)⁻¹`: the intervals are those of Student's t.
#[derive(Debug, Clone)]
pub(super) struct Regression {
    /// Lower Cholesky factor of the parents' correlations, row by row; a dependent parent has a pivot of zero.
    factor: Vec<f64>,
    /// `L⁻¹ r`, with the correlations `r` of parents and variable.
    innovations: Vec<f64>,
    /// The share of the variance that is left.
    residual: f64,
    degrees_of_freedom: f64,
}

/// Slopes on the parents, and how far the mean given them is off the observed one.
pub(super) struct Coefficients {
    pub(super) slopes: Vec<f64>,
    pub(super) shift: f64,
}

impl Regression {
    /// Costs `O(k³/3)`.
    pub(super) fn new(correlation: &Correlation, rows: u64, node: usize, parents: &NodeSet) -> Self {
        let parents: Vec<usize> = parents.iter().collect();
        let k = parents.len();
        let mut factor = vec![0.0; k * k];
        let mut innovations = vec![0.0; k];
        let mut residual = 1.0;
        for (i, &parent) in parents.iter().enumerate() {
            let row = correlation.row(parent);
            for (j, &other) in parents[..i].iter().enumerate() {
                let known: f64 = (0..j).map(|t| factor[i * k + t] * factor[j * k + t]).sum();
                let pivot = factor[j * k + j];
                factor[i * k + j] = if pivot > 0.0 { (row[other] - known) / pivot } else { 0.0 };
            }
            let left = 1.0 - factor[i * k..i * k + i].iter().map(|entry| entry * entry).sum::<f64>();
            if left > DEPENDENT {
                let known: f64 = (0..i).map(|t| factor[i * k + t] * innovations[t]).sum();
                factor[i * k + i] = left.sqrt();
                innovations[i] = (row[node] - known) / left.sqrt();
                residual -= innovations[i] * innovations[i];
            }
        }
        let rows = rows.max(1) as f64;
        Self {
            factor,
            innovations,
            residual: residual.max(LEAST_RESIDUAL),
            degrees_of_freedom: (rows - 1.0 - k as f64).max(1.0),
        }
    }

    /// Draws noise variance, slopes and shift of the mean.
    pub(super) fn draw(&self, rng: &mut StreamRng) -> Coefficients {
        let chi: f64 = ChiSquared::new(self.degrees_of_freedom)
            .expect("there is at least one degree of freedom")
            .sample(rng);
        let error = (self.residual / chi).sqrt();
        let mut noise = || -> f64 { StandardNormal.sample(rng) };
        let shift = error * noise();
        let moved = self.innovations.iter().map(|innovation| innovation + error * noise()).collect();
        Coefficients { slopes: self.back_substitute(moved), shift }
    }

    /// `L⁻ᵀ b`, with zeros for dependent parents.
    fn back_substitute(&self, mut b: Vec<f64>) -> Vec<f64> {
        let k = b.len();
        for i in (0..k).rev() {
            let pivot = self.factor[i * k + i];
            b[i] = if pivot > 0.0 { b[i] / pivot } else { 0.0 };
            for t in 0..i {
                b[t] -= self.factor[i * k + t] * b[i];
            }
        }
        b
    }
}

#[cfg(test)]
mod tests {
    use gflowcausal_data::Moments;
    use gflowcausal_determinism::{Stream, stream};

    use super::*;

    /// `params[1:]` and `bse[1:]` of `statsmodels.api.OLS(y, add_constant(np.c_[a, b])).fit()` on the columns below.
    const EXPECTED: [(f64, f64); 2] =
        [(1.954_921_801_165_6, 0.250_877_468_713_1), (-0.946_944_732_489_8, 0.187_994_942_854_6)];

    #[test]
    fn slopes_and_their_errors_are_those_of_least_squares() {
        let rows = 40;
        let a: Vec<f64> = (0..rows).map(|i| f64::from(i * 7 % 11)).collect();
        let b: Vec<f64> = (0..rows).map(|i| f64::from(i * i % 13)).collect();
        let y: Vec<f64> = (0..rows)
            .map(|i| 2.0 * f64::from(i * 7 % 11) - f64::from(i * i % 13) + f64::from(i * 5 % 17))
            .collect();
        let moments = Moments::of_columns(&[&a, &b, &y]);
        let correlation = Correlation::of_moments(&moments).unwrap();
        let regression = Regression::new(&correlation, rows as u64, 2, &NodeSet::of(3, [0, 1]));
        let scale = moments.deviations();
        let mut rng = stream(5, Stream::Test { k: 0 });
        let draws: Vec<Coefficients> = (0..20_000).map(|_| regression.draw(&mut rng)).collect();
        for (parent, (slope, error)) in EXPECTED.into_iter().enumerate() {
            let drawn = draws.iter().map(|draw| draw.slopes[parent] * scale[2] / scale[parent]);
            let mean = drawn.clone().sum::<f64>() / 20_000.0;
            // The variance of Student's t with 37 degrees of freedom is 37/35.
            let deviation =
                (drawn.map(|value| (value - mean).powi(2)).sum::<f64>() / 20_000.0 / (37.0 / 35.0)).sqrt();
            assert!((mean - slope).abs() < 4.0 * error / 141.0, "{mean} is not {slope}");
            assert!((deviation / error - 1.0).abs() < 0.03, "{deviation} is not {error}");
        }
    }

    #[test]
    fn a_parent_that_repeats_another_has_no_slope_of_its_own() {
        let a = [1.0, 2.0, 4.0, 8.0, 3.0, 0.0];
        let twice = a.map(|value| 2.0 * value + 1.0);
        let y = [1.0, 3.0, 4.0, 9.0, 2.0, 1.0];
        let moments = Moments::of_columns(&[&a, &twice, &y]);
        let correlation = Correlation::of_moments(&moments).unwrap();
        let draw = |parents: &[usize]| {
            let set = NodeSet::of(3, parents.iter().copied());
            Regression::new(&correlation, 6, 2, &set).draw(&mut stream(1, Stream::Test { k: 1 })).slopes
        };
        assert_eq!(draw(&[0, 1])[1], 0.0);
        assert!(draw(&[0, 1])[0].is_finite());
    }
}
