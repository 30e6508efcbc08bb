//! `bic`: the Gaussian log-likelihood with a noise variance for each variable, less a penalty for each parent.

use std::sync::atomic::AtomicBool;

use gflowcausal_data::Moments;
use gflowcausal_graph::NodeSet;

use super::{Correlation, GaussianScore, GaussianStatistics, Sweep, residual_fit};
use crate::{LocalScore, ScoreError};

/// How far a quick test may be off by rounding.
const ROUNDING: f64 = 1e-9;

/// What a parent costs.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Penalty {
    /// `ln n + 2 ln d` a parent: the extended BIC of Foygel and Drton (2010) with γ = ½.
    ///
    /// The first half is the ordinary BIC; the second pays for choosing among `d` candidates, and outweighs the first
    /// once `d` passes `√n`. As a multiplier of `ln n`: 1.98 for 30 variables and 1000 rows, 2.33 for 100.
    #[default]
    Auto,
    /// This many times `ln n` a parent; 1 is the ordinary BIC.
    Factor(f64),
}

impl Penalty {
    /// Twice the log-likelihood that one more parent must bring.
    pub(crate) fn per_parent(self, rows: u64, nodes: usize) -> Result<f64, ScoreError> {
        let log_rows = (rows.max(1) as f64).ln();
        match self {
            Self::Auto => Ok(log_rows + 2.0 * (nodes.max(1) as f64).ln()),
            Self::Factor(factor) if factor >= 0.0 && factor.is_finite() => Ok(factor * log_rows),
            Self::Factor(factor) => Err(ScoreError::Penalty(factor)),
        }
    }
}

/// `−(n/2) ln(RSS/n) − (k/2)·penalty`, with RSS of the least-squares fit with intercept.
///
/// It comes from the covariance alone. A parent that is a linear function of the others explains nothing more and
/// still costs its penalty. RSS/n is never taken below 1e−12 of the variable's variance. A constant variable has term 0
/// less its penalties. When there are as many parents as rows allow a perfect fit for anything (`k + 1 ≥ n`), the fit
/// counts for nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct Bic {
    correlation: Correlation,
    rows: u64,
    penalty_per_parent: f64,
    /// One parent, or two, pay off when they leave less than this share of the residual variance.
    worthwhile: [f64; 2],
}

impl Bic {
    /// The score of the rows behind `moments`.
    ///
    /// # Errors
    /// No rows, a column without a finite variance, or a penalty below zero.
    pub fn new(moments: &Moments, penalty: Penalty) -> Result<Self, ScoreError> {
        let correlation = Correlation::of_moments(moments)?;
        let rows = moments.rows();
        let penalty_per_parent = penalty.per_parent(rows, correlation.nodes())?;
        let worthwhile = [1.0, 2.0].map(|parents| (-parents * penalty_per_parent / rows as f64).exp());
        Ok(Self { correlation, rows, penalty_per_parent, worthwhile })
    }

    /// How many rows the data have.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The share of the residual variance below which one or two parents pay off.
    fn worthwhile(&self, parents: usize) -> f64 {
        self.worthwhile[parents - 1]
    }

    /// The share of variance left, unless there are so many parents that anything would be fitted.
    fn credible(&self, fit: &GaussianStatistics) -> f64 {
        if fit.parents as u64 + 1 < self.rows { fit.residual } else { 1.0 }
    }
}

impl LocalScore for Bic {
    fn name(&self) -> &'static str {
        "bic"
    }

    fn nodes(&self) -> usize {
        self.correlation.nodes()
    }

    fn local(&self, node: usize, parents: &NodeSet) -> f64 {
        self.term(node, &residual_fit(&self.correlation, node, parents, false))
    }

    /// One sweep: `O(k·d)`.
    fn with_each(&self, node: usize, parents: &NodeSet, more: &NodeSet) -> Vec<f64> {
        Sweep::with_each(self, node, parents, more)
    }

    /// One branching elimination.
    fn fill_subsets(
        &self,
        node: usize,
        base: &NodeSet,
        optional: &[usize],
        limit: usize,
        terms: &mut [f64],
        _stop: &AtomicBool,
    ) {
        super::subsets::fill_subsets(self, node, base, optional, limit, terms);
    }

    fn is_score_equivalent(&self) -> bool {
        true
    }

    /// A sparse regression has one solution only while `2k < n`.
    fn parent_limit(&self) -> usize {
        usize::try_from((self.rows - 1) / 2).unwrap_or(usize::MAX)
    }
}

impl GaussianScore for Bic {
    const USES_DETERMINANT: bool = false;

    fn correlation(&self) -> &Correlation {
        &self.correlation
    }

    fn term(&self, node: usize, fit: &GaussianStatistics) -> f64 {
        let rows = self.rows as f64;
        let log_variance = 2.0 * self.correlation.log_scale(node) + self.credible(fit).ln();
        -0.5 * (rows * log_variance + fit.parents as f64 * self.penalty_per_parent)
    }

    /// How far what is left stays below what would just pay for the new parents. No logarithm is needed.
    #[inline]
    fn merit(&self, _node: usize, now: &GaussianStatistics, after: &GaussianStatistics) -> f64 {
        self.credible(now) * self.worthwhile(after.parents - now.parents) - self.credible(after)
    }

    fn least_explained(&self, now: &GaussianStatistics, more: usize) -> f64 {
        now.residual * (1.0 - self.worthwhile(more)) * (1.0 - ROUNDING)
    }
}
