//! A parent set that grows one variable at a time, with what it leaves of every other variable's variance.

use super::correlation::{Correlation, RESOLUTION};
use crate::LocalScore;

/// What a Gaussian score needs to know about a variable and its parents, on the scale of correlations.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fit {
    /// How many parents there are.
    pub parents: usize,
    /// The share of the variable's variance that the parents leave unexplained; never below 1e−12.
    pub residual: f64,
    /// The logarithm of the determinant of the parents' second moments, on the data's own scale.
    ///
    /// Zero unless the score [uses it](GaussianScore::USES_DETERMINANT).
    pub log_det: f64,
}

/// A local score that is a function of [`Fit`] alone, so that all candidate parents can be judged in one pass.
pub trait GaussianScore: LocalScore {
    /// Whether the score looks at [`Fit::log_det`].
    const USES_DETERMINANT: bool;

    /// The second moments it looks at.
    fn correlation(&self) -> &Correlation;

    /// The term of `node` for a parent set that fits like that.
    fn term(&self, node: usize, fit: &Fit) -> f64;

    /// How much the term of `node` rises from `now` to `after`, which has one parent more.
    ///
    /// A score may answer any number that is not above zero when the term does not rise.
    fn gain(&self, node: usize, now: &Fit, after: &Fit) -> f64 {
        self.term(node, after) - self.term(node, now)
    }
}

/// The left-looking Cholesky factor of a growing parent set, carried along for all variables at once.
///
/// After `k` parents, column `t` holds for every variable its covariance with what was new in parent `t`;
/// `variance` and `covariance` hold what is left of every variable's variance and of its covariance with the target.
/// A further parent costs `O(k·d)` and every candidate can then be judged in `O(1)`.
#[derive(Debug, Default)]
pub(crate) struct Sweep {
    target: usize,
    members: Vec<usize>,
    columns: Vec<f64>,
    variance: Vec<f64>,
    covariance: Vec<f64>,
    log_det: f64,
}

impl Sweep {
    /// Starts over: no parents of `target`.
    pub(crate) fn start(&mut self, correlation: &Correlation, target: usize) {
        self.target = target;
        self.members.clear();
        self.columns.clear();
        self.variance.clear();
        self.variance.resize(correlation.nodes(), 1.0);
        self.covariance.clear();
        self.covariance.extend_from_slice(correlation.row(target));
        self.log_det = 0.0;
    }

    /// The parents, in the order in which they came.
    pub(crate) fn members(&self) -> &[usize] {
        &self.members
    }

    /// How the parents so far fit the target.
    pub(crate) fn fit(&self) -> Fit {
        let residual = self.variance[self.target].max(RESOLUTION);
        Fit { parents: self.members.len(), residual, log_det: self.log_det }
    }

    /// What adding `candidate` would bring the target by `score`.
    #[inline]
    pub(crate) fn gain<S: GaussianScore>(&self, score: &S, now: &Fit, candidate: usize) -> f64 {
        let (left, shared) = (self.variance[candidate], self.covariance[candidate]);
        let explained = if left > RESOLUTION { shared * shared / left } else { 0.0 };
        let residual = (self.variance[self.target] - explained).max(RESOLUTION);
        let log_det = if S::USES_DETERMINANT {
            now.log_det + log_pivot(score.correlation(), candidate, left)
        } else {
            0.0
        };
        score.gain(self.target, now, &Fit { parents: now.parents + 1, residual, log_det })
    }

    /// Makes `parent` a parent of the target. Costs `O(k·d)`.
    pub(crate) fn add(&mut self, correlation: &Correlation, parent: usize) {
        let d = correlation.nodes();
        let left = self.variance[parent];
        self.members.push(parent);
        self.log_det += log_pivot(correlation, parent, left);
        if left <= RESOLUTION {
            return;
        }
        let start = self.columns.len();
        self.columns.extend_from_slice(correlation.row(parent));
        let (done, column) = self.columns.split_at_mut(start);
        for earlier in done.chunks_exact(d) {
            let weight = earlier[parent];
            for (entry, e) in column.iter_mut().zip(earlier) {
                *entry -= weight * e;
            }
        }
        let scale = left.sqrt().recip();
        let weight = column[self.target] * scale;
        for ((entry, variance), covariance) in
            column.iter_mut().zip(&mut self.variance).zip(&mut self.covariance)
        {
            *entry *= scale;
            *variance -= *entry * *entry;
            *covariance -= *entry * weight;
        }
    }
}

/// What a variable with the share `left` of its variance adds to the logarithm of a determinant.
fn log_pivot(correlation: &Correlation, variable: usize, left: f64) -> f64 {
    2.0 * correlation.log_scale(variable) + left.max(RESOLUTION).ln()
}
