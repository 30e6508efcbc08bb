//! Second moments on one scale: the correlation matrix, and the logarithm of what each column was divided by.

use gflowcausal_data::Moments;

use super::simd::padded;
use crate::ScoreError;

/// The smallest share of a variance that is distinguished from zero.
///
/// A candidate with less than this share of its variance left is a linear function of the parents: it explains
/// nothing more. And no set of parents is credited with leaving less than this share of a variable's variance, so an
/// exact function of its parents has a finite score. Rounding in the covariance is a few hundred times smaller.
pub(crate) const RESOLUTION: f64 = 1e-12;

/// A column whose standard deviation is below this share of its mean is constant up to rounding.
const CONSTANT: f64 = 1e-13;

/// A symmetric matrix of second moments scaled to a diagonal of ones.
///
/// Everything is computed on this scale, so columns in units of 1e−150 and 1e150 stand side by side. A constant
/// column is uncorrelated with everything and has scale 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Correlation {
    nodes: usize,
    /// Row by row, each filled up with zeros to whole lanes.
    values: Vec<f64>,
    log_scale: Vec<f64>,
}

impl Correlation {
    /// The correlations of the columns behind `moments`.
    ///
    /// # Errors
    /// When there are no rows, or a column whose variance is not finite.
    pub fn of_moments(moments: &Moments) -> Result<Self, ScoreError> {
        if moments.rows() == 0 {
            return Err(ScoreError::NoRows);
        }
        let mut correlation = Self::of_matrix(moments.columns(), &moments.covariance())?;
        for (column, mean) in moments.mean().iter().enumerate() {
            if correlation.log_scale[column] <= (CONSTANT * mean.abs()).ln() {
                correlation.isolate(column);
            }
        }
        Ok(correlation)
    }

    /// The `nodes × nodes` positive semidefinite `matrix`, row by row, scaled to a diagonal of ones.
    ///
    /// # Errors
    /// When an entry is not finite.
    pub fn of_matrix(nodes: usize, matrix: &[f64]) -> Result<Self, ScoreError> {
        if let Some(cell) = matrix.iter().position(|value| !value.is_finite()) {
            return Err(ScoreError::NotFinite {
                column: first_infinite(nodes, matrix).unwrap_or(cell / nodes),
            });
        }
        let scale: Vec<f64> = (0..nodes).map(|i| matrix[i * nodes + i].max(0.0).sqrt()).collect();
        let log_scale = scale.iter().map(|scale| scale.ln()).collect();
        let mut correlation = Self { nodes, values: vec![0.0; nodes * padded(nodes)], log_scale };
        for (i, row) in matrix.chunks_exact(nodes.max(1)).enumerate() {
            for (j, value) in row.iter().enumerate() {
                correlation.set(i, j, (value / scale[i] / scale[j]).clamp(-1.0, 1.0));
            }
            correlation.set(i, i, 1.0);
        }
        (0..nodes).filter(|&i| scale[i] <= 0.0).for_each(|i| correlation.isolate(i));
        Ok(correlation)
    }

    fn set(&mut self, i: usize, j: usize, value: f64) {
        self.values[i * padded(self.nodes) + j] = value;
    }

    /// Cuts the ties of a constant column.
    fn isolate(&mut self, column: usize) {
        for other in 0..self.nodes {
            let tie = f64::from(u8::from(other == column));
            self.set(column, other, tie);
            self.set(other, column, tie);
        }
        self.log_scale[column] = 0.0;
    }

    /// How many variables there are.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// The correlations of `node` with every variable.
    #[must_use]
    #[inline]
    pub fn row(&self, node: usize) -> &[f64] {
        &self.padded_row(node)[..self.nodes]
    }

    /// The same, filled up with zeros to whole lanes.
    #[inline]
    pub(super) fn padded_row(&self, node: usize) -> &[f64] {
        let stride = padded(self.nodes);
        &self.values[node * stride..(node + 1) * stride]
    }

    /// The natural logarithm of what `node` was divided by (its standard deviation).
    #[must_use]
    #[inline]
    pub fn log_scale(&self, node: usize) -> f64 {
        self.log_scale[node]
    }
}

/// The first column whose own variance is not finite: the culprit, when a covariance is not finite either.
fn first_infinite(nodes: usize, matrix: &[f64]) -> Option<usize> {
    (0..nodes).find(|i| !matrix[i * nodes + i].is_finite())
}
