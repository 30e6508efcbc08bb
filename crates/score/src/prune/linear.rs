//! Pruning by linear regression: `threshold`, `t-test` and `lasso`.

use gflowcausal_data::Moments;
use gflowcausal_graph::{Constraints, NodeSet};

use super::Prune;
use crate::regress::adaptive_lasso;
use crate::{BestParents, Bic, Correlation, GaussianScore, GrowShrinkTrees, Ols, Penalty, ScoreError};

/// What linear prunings know about the data: covariance and number of rows.
#[derive(Debug)]
pub struct LinearModel {
    search: GrowShrinkTrees<Bic>,
}

impl LinearModel {
    /// The model of the rows behind `moments`.
    ///
    /// # Errors
    /// No rows, or a column without a finite variance.
    pub fn new(moments: &Moments) -> Result<Self, ScoreError> {
        let bic = Bic::new(moments, Penalty::Auto)?;
        let constraints = Constraints::none(moments.columns());
        Ok(Self { search: GrowShrinkTrees::with_budget(bic, constraints, 0) })
    }

    fn correlation(&self) -> &Correlation {
        self.search.local_score().correlation()
    }

    fn rows(&self) -> u64 {
        self.search.local_score().rows()
    }

    /// The candidates, or those that grow–shrink picks when there are too few rows to regress on all.
    fn testable(&self, node: usize, candidates: &NodeSet) -> NodeSet {
        if candidates.len() as u64 + 1 < self.rows() {
            return candidates.clone();
        }
        self.search.best_parents(node, candidates).expect("nothing is required")
    }

    fn ols(&self, node: usize, candidates: &NodeSet) -> Ols {
        Ols::new(self.correlation(), self.rows(), node, &self.testable(node, candidates))
    }
}

/// The parents with their strengths, as a list from the strongest down.
fn strongest_first(mut parents: Vec<(usize, f64)>) -> Vec<usize> {
    parents.sort_by(|(i, a), (j, b)| b.abs().total_cmp(&a.abs()).then(i.cmp(j)));
    parents.into_iter().map(|(parent, _)| parent).collect()
}

/// `threshold`: the least-squares slope, in the data's own units, is larger than a threshold.
#[derive(Debug)]
pub struct Threshold<'a> {
    /// The data.
    pub model: &'a LinearModel,
    /// How large a slope must be to stay; 0.3 by custom.
    pub threshold: f64,
}

impl Prune for Threshold<'_> {
    fn keep(&self, node: usize, candidates: &NodeSet) -> Vec<usize> {
        let fit = self.model.ols(node, candidates);
        let slopes = fit.parents.into_iter().zip(fit.coefficients);
        strongest_first(slopes.filter(|(_, slope)| slope.abs() > self.threshold).collect())
    }
}

/// The p-value above which a candidate is no rival to the others.
const SCREEN: f64 = 0.05;

/// `t-test`: the least-squares slope is significant. Does not depend on the columns' scales.
///
/// A cause is hard to tell from its other effects, and with many candidates most are such effects: the slopes are tested
/// a second time beside those candidates alone that pass the first test at 5 %.
#[derive(Debug)]
pub struct TTest<'a> {
    /// The data.
    pub model: &'a LinearModel,
    /// The p-value that a parent must stay below; 0.001 by custom.
    pub alpha: f64,
}

impl TTest<'_> {
    /// The candidates whose slopes have a p-value below `alpha` beside all others, with their t-statistics.
    fn significant(&self, node: usize, candidates: &NodeSet, alpha: f64) -> Vec<(usize, f64)> {
        let fit = self.model.ols(node, candidates);
        let passes = (0..fit.parents.len()).filter(|&index| fit.p_value(index) < alpha);
        passes.map(|index| (fit.parents[index], fit.t[index])).collect()
    }
}

impl Prune for TTest<'_> {
    fn keep(&self, node: usize, candidates: &NodeSet) -> Vec<usize> {
        let screened = self.significant(node, candidates, self.alpha.max(SCREEN));
        let rivals =
            NodeSet::of(self.model.correlation().nodes(), screened.into_iter().map(|(rival, _)| rival));
        strongest_first(self.significant(node, &rivals, self.alpha))
    }
}

/// `lasso`: the adaptive LASSO leaves a slope, with its penalty chosen by BIC.
#[derive(Debug)]
pub struct Lasso<'a> {
    /// The data.
    pub model: &'a LinearModel,
}

impl Prune for Lasso<'_> {
    fn keep(&self, node: usize, candidates: &NodeSet) -> Vec<usize> {
        let testable = self.model.testable(node, candidates);
        strongest_first(adaptive_lasso(self.model.correlation(), self.model.rows(), node, &testable))
    }
}
