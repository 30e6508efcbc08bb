//! The sufficient statistics of a Gaussian local score.

use super::Correlation;
use crate::LocalScore;

/// What a Gaussian score needs to know about a variable and its parents.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GaussianStatistics {
    /// How many parents there are.
    pub parents: usize,
    /// The share of the variable's variance that the parents leave unexplained; never below 1e−12.
    pub residual: f64,
    /// The logarithm of the determinant of the parents' second moments, on the data's own scale.
    ///
    /// Without meaning unless the score [uses it](GaussianScore::USES_DETERMINANT).
    pub log_det: f64,
}

/// A local score that is a function of [`GaussianStatistics`] alone, so that all candidate parents can be evaluated in one pass.
pub trait GaussianScore: LocalScore {
    /// Whether the score depends on [`GaussianStatistics::log_det`].
    const USES_DETERMINANT: bool;

    /// The second moments it is computed from.
    fn correlation(&self) -> &Correlation;

    /// The term of `node` for a parent set that fits like that.
    fn term(&self, node: usize, fit: &GaussianStatistics) -> f64;

    /// How good it is to go from `now` to `after`, which has one or two more
    /// parents: above zero if and only if the term of `node`
    /// rises, and larger for the better of two `after` with equally many parents.
    ///
    /// The rise itself will do; a score may answer something that is cheaper to compute.
    fn merit(&self, node: usize, now: &GaussianStatistics, after: &GaussianStatistics) -> f64 {
        self.term(node, after) - self.term(node, now)
    }

    /// A share of the variance that `more` parents must explain for the term to rise: a quick test that spares most
    /// calls of [`merit`](Self::merit). Minus infinity says nothing.
    fn least_explained(&self, _now: &GaussianStatistics, _more: usize) -> f64 {
        f64::NEG_INFINITY
    }
}
