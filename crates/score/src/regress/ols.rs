//! Least squares with intercept, from the covariance and the number of rows alone.

use gflowcausal_graph::NodeSet;
use statrs::function::beta::beta_reg;

use crate::Correlation;
use crate::gaussian::Inverse;

/// The least-squares fit of one variable on some parents.
///
/// A parent that depends linearly on those before it has coefficient 0 and t 0.
#[derive(Debug, Clone, PartialEq)]
pub struct Ols {
    /// The parents, in ascending order; the vectors below follow them.
    pub parents: Vec<usize>,
    /// Slopes in the data's own units.
    pub coefficients: Vec<f64>,
    /// Slopes when every column has standard deviation 1.
    pub standardized: Vec<f64>,
    /// Student's t of each slope; zero without residual degrees of freedom.
    pub t: Vec<f64>,
    /// Rows less parents less one, not below zero.
    pub residual_df: u64,
    /// The share of the variance that is left.
    pub residual: f64,
}

impl Ols {
    /// Regresses `node` on `parents`. Costs `O(k³/2)`.
    #[must_use]
    pub fn new(correlation: &Correlation, rows: u64, node: usize, parents: &NodeSet) -> Self {
        let inverse = Inverse::new(correlation, node, parents.iter());
        let count = inverse.members.len();
        let residual_df = rows.saturating_sub(count as u64 + 1);
        let unit = |index: usize| {
            (correlation.log_scale(node) - correlation.log_scale(inverse.members[index])).exp()
        };
        let residual = inverse.fit.residual;
        let t = |index: usize| {
            (inverse.loss(index) / residual * residual_df as f64).sqrt().copysign(inverse.coefficient(index))
        };
        let standardized: Vec<f64> = (0..count).map(|index| inverse.coefficient(index)).collect();
        Self {
            coefficients: (0..count).map(|index| standardized[index] * unit(index)).collect(),
            t: (0..count).map(t).collect(),
            parents: inverse.members,
            standardized,
            residual_df,
            residual,
        }
    }

    /// The two-sided p-value of the slope at `index`; 1 without residual degrees of freedom.
    #[must_use]
    pub fn p_value(&self, index: usize) -> f64 {
        if self.residual_df == 0 {
            return 1.0;
        }
        let residual_df = self.residual_df as f64;
        let share = residual_df / (residual_df + self.t[index].powi(2));
        beta_reg(0.5 * residual_df, 0.5, share)
    }
}
