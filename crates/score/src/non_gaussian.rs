//! `non-gaussian`: linear effects as in `bic`, and noise with a shape of its own.

use gflowcausal_data::{Moments, Table};
use gflowcausal_graph::NodeSet;

use crate::gaussian::GaussianScore;
use crate::noise_shape::shape_gain;
use crate::standard_columns::StandardColumns;
use crate::{Bic, LocalScore, Ols, Penalty, ScoreError};

/// How many rows the shape of noise is estimated from: more are thinned to this many, evenly spaced.
const MAX_ROWS: usize = 10_000;

/// The log-likelihood of a linear model whose noise is skewed, heavy- or light-tailed as the residuals ask.
///
/// The term of [`Bic`], and the gain of the residuals' own density over the normal one, less `½ ln n` for each of its four
/// shape parameters and never below zero: with Gaussian noise it is `Bic`. It distinguishes equivalent graphs, because
/// residuals in the anticausal direction are mixtures of several noises and closer to normal (LiNGAM, Shimizu et al.
/// 2006). The scale of columns does not matter. Slopes are those of least squares.
///
/// The density is an exponential family in `√(1 + z²)` and its like, fitted by maximum likelihood. The entropy
/// approximation of `DirectLiNGAM`, which is none, values Laplacian noise at 1.4 times its negentropy, Student's t with two
/// degrees of freedom at five times, and uniform noise at a third.
#[derive(Debug)]
pub struct NonGaussian {
    bic: Bic,
    data: StandardColumns,
}

impl NonGaussian {
    /// The score of a table of complete real columns, whose means and covariances are `moments`.
    ///
    /// # Errors
    /// No rows, a column that is not real or misses a cell, or a penalty below zero.
    pub fn new(table: &Table, moments: &Moments, penalty: Penalty) -> Result<Self, ScoreError> {
        let data = StandardColumns::thinned(table, MAX_ROWS)?;
        Ok(Self { bic: Bic::new(moments, penalty)?, data })
    }

    /// The same with normal noise.
    pub(crate) fn bic(&self) -> &Bic {
        &self.bic
    }

    /// The residuals of the rows kept, up to location.
    fn residuals(&self, node: usize, parents: &NodeSet) -> Vec<f64> {
        let mut left = self.data.columns[node].clone();
        if parents.is_empty() {
            return left;
        }
        let ols = Ols::new(self.bic.correlation(), self.bic.rows(), node, parents);
        for (&parent, &slope) in ols.parents.iter().zip(&ols.standardized) {
            left.iter_mut().zip(&self.data.columns[parent]).for_each(|(left, value)| *left -= slope * value);
        }
        left
    }
}

impl LocalScore for NonGaussian {
    fn name(&self) -> &'static str {
        "non-gaussian"
    }

    fn nodes(&self) -> usize {
        self.bic.nodes()
    }

    /// `O(n·k + k³)`.
    fn local(&self, node: usize, parents: &NodeSet) -> f64 {
        let gain = if parents.len() > self.parent_limit() {
            0.0
        } else {
            shape_gain(&self.residuals(node, parents))
        };
        self.bic.local(node, parents) + gain
    }

    fn parent_limit(&self) -> usize {
        self.bic.parent_limit()
    }
}
