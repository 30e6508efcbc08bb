//! `bic-equal`: the Gaussian log-likelihood with one noise variance for all variables, less a penalty for each edge.

use gflowcausal_data::Moments;
use gflowcausal_graph::{Dag, NodeSet, Order};

use super::schur::{Elimination, InsertionResiduals};
use super::{Correlation, Penalty, residual_fit};
use crate::order_score::relative_to_current;
use crate::{GraphScore, OrderScore, ScoreError};

/// `−(nd/2) ln(ΣRSS/(nd)) − (edges/2)·penalty`: the score of RL-BIC2 and CORL, higher is better.
///
/// The logarithm of a sum over variables is not a sum of local terms, so this is a score of a graph or of an order
/// (by its fully connected graph), not a [`LocalScore`](crate::LocalScore). It depends on the columns' scales.
#[derive(Debug, Clone, PartialEq)]
pub struct BicEqual {
    correlation: Correlation,
    rows: u64,
    penalty_per_parent: f64,
    /// The logarithm of the largest variance.
    log_unit: f64,
    /// Each variance, in units of the largest.
    variances: Vec<f64>,
}

/// What the score of a graph depends on: the sum of its residual variances, in units of the largest variance, and its edges.
#[derive(Debug, Clone, Copy, Default)]
struct Parts {
    variance: f64,
    edges: usize,
}

impl BicEqual {
    /// The score of the rows behind `moments`.
    ///
    /// # Errors
    /// No rows, a column without a finite variance, or a penalty below zero.
    pub fn new(moments: &Moments, penalty: Penalty) -> Result<Self, ScoreError> {
        let correlation = Correlation::of_moments(moments)?;
        let penalty_per_parent = penalty.per_parent(moments.rows(), correlation.nodes())?;
        let logs: Vec<f64> = (0..correlation.nodes()).map(|i| 2.0 * correlation.log_scale(i)).collect();
        let log_unit = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let variances = logs.iter().map(|log| (log - log_unit).exp()).collect();
        Ok(Self { correlation, rows: moments.rows(), penalty_per_parent, log_unit, variances })
    }

    /// The score of a graph with these parts. Costs one logarithm.
    fn total(&self, parts: Parts) -> f64 {
        let nodes = self.variances.len() as f64;
        if nodes == 0.0 {
            return 0.0;
        }
        let log_variance = self.log_unit + (parts.variance / nodes).ln();
        -0.5 * (self.rows as f64 * nodes * log_variance + parts.edges as f64 * self.penalty_per_parent)
    }

    /// The score of any arrows, cycles or not, by the parents of each variable.
    #[must_use]
    pub fn of_parents(&self, parents: &[NodeSet]) -> f64 {
        self.total(sum(parents.iter().enumerate().map(|(node, parents)| self.part(node, parents))))
    }

    fn part(&self, node: usize, parents: &NodeSet) -> Parts {
        let fit = residual_fit(&self.correlation, node, parents, false);
        Parts { variance: self.variances[node] * fit.residual, edges: fit.parents }
    }

    fn complete(&self, variance: f64) -> f64 {
        let nodes = self.variances.len();
        self.total(Parts { variance, edges: nodes * nodes.saturating_sub(1) / 2 })
    }
}

impl GraphScore for BicEqual {
    fn graph(&self, dag: &Dag) -> f64 {
        let parents: Vec<NodeSet> = (0..dag.nodes()).map(|node| dag.parents(node).clone()).collect();
        self.of_parents(&parents)
    }
}

impl OrderScore for BicEqual {
    /// One elimination: `O(d³/6)`.
    fn score(&self, order: &Order) -> f64 {
        let mut elimination = Elimination::new(&self.correlation, order.as_slice());
        let mut variance = 0.0;
        for (position, node) in order.iter().enumerate() {
            variance += self.variances[node] * elimination.residual(position);
            elimination.place();
        }
        self.complete(variance)
    }

    /// One elimination for all positions: `O(d³/6)`.
    fn insertion_deltas(&self, order: &Order, node: usize) -> Vec<f64> {
        let residuals = InsertionResiduals::new(&self.correlation, order, node);
        let sums = residuals.totals(|other, residual| self.variances[other] * residual, node);
        let totals: Vec<f64> = sums.into_iter().map(|variance| self.complete(variance)).collect();
        relative_to_current(&totals, order, node)
    }
}

fn sum(parts: impl Iterator<Item = Parts>) -> Parts {
    parts.fold(Parts::default(), |total, part| Parts {
        variance: total.variance + part.variance,
        edges: total.edges + part.edges,
    })
}
