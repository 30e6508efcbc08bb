//! `bic-equal`: the Gaussian log-likelihood with one noise variance for all variables, less a penalty for each edge.

use gflowcausal_data::Moments;
use gflowcausal_graph::{Constraints, Dag, NodeSet, Order};

use super::schur::{Elimination, InsertionFits};
use super::{Bic, Correlation, Penalty, residual_fit};
use crate::order::{relative_to_current, without};
use crate::{BestParents, GraphScore, GrowShrinkTrees, OrderScore, ScoreError};

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

/// What a graph is judged by: the sum of its residual variances, in units of the largest variance, and its edges.
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
    fn name(&self) -> &'static str {
        "bic-equal"
    }

    fn nodes(&self) -> usize {
        self.variances.len()
    }

    fn graph(&self, dag: &Dag) -> f64 {
        self.total(sum((0..dag.nodes()).map(|node| self.part(node, dag.parents(node)))))
    }
}

impl OrderScore for BicEqual {
    fn name(&self) -> &'static str {
        "bic-equal"
    }

    fn nodes(&self) -> usize {
        self.variances.len()
    }

    /// One elimination: `O(d³/6)`.
    fn score(&self, order: &Order) -> f64 {
        let mut elimination = Elimination::new(&self.correlation, order.as_slice());
        let mut variance = 0.0;
        for (position, node) in order.iter().enumerate() {
            variance += self.variances[node] * elimination.fit(position).residual;
            elimination.place(&self.correlation, node);
        }
        self.complete(variance)
    }

    /// One elimination for all positions: `O(d³/6)`.
    fn insertion_deltas(&self, order: &Order, node: usize) -> Vec<f64> {
        let fits = InsertionFits::new(&self.correlation, order, node);
        let sums = fits.totals(|other, fit| self.variances[other] * fit.residual, node);
        let totals: Vec<f64> = sums.into_iter().map(|variance| self.complete(variance)).collect();
        relative_to_current(&totals, order, node)
    }
}

/// `bic-equal` of the parent sets that `bic` picks among a variable's predecessors.
#[derive(Debug)]
pub struct SparseBicEqual {
    equal: BicEqual,
    parents: GrowShrinkTrees<Bic>,
}

impl SparseBicEqual {
    /// The score of the rows behind `moments`, parents chosen within `constraints`.
    ///
    /// # Errors
    /// As [`BicEqual::new`].
    pub fn new(moments: &Moments, penalty: Penalty, constraints: Constraints) -> Result<Self, ScoreError> {
        let parents = GrowShrinkTrees::new(Bic::new(moments, penalty)?, constraints);
        Ok(Self { equal: BicEqual::new(moments, penalty)?, parents })
    }

    /// The search for parents behind the score.
    #[must_use]
    pub fn parents(&self) -> &GrowShrinkTrees<Bic> {
        &self.parents
    }

    /// Infinite when a required parent does not come before `node`.
    fn part(&self, node: usize, before: &NodeSet) -> Parts {
        match self.parents.best_parents(node, before) {
            Some(parents) => self.equal.part(node, &parents),
            None => Parts { variance: f64::INFINITY, edges: 0 },
        }
    }
}

impl OrderScore for SparseBicEqual {
    fn name(&self) -> &'static str {
        "bic-equal"
    }

    fn nodes(&self) -> usize {
        self.equal.variances.len()
    }

    fn score(&self, order: &Order) -> f64 {
        let mut before = NodeSet::empty(order.nodes());
        self.equal.total(sum(order.iter().map(|node| {
            let part = self.part(node, &before);
            before.insert(node);
            part
        })))
    }

    /// `3d` queries for parents.
    fn insertion_deltas(&self, order: &Order, node: usize) -> Vec<f64> {
        let rest = without(order, node);
        let mut before = NodeSet::empty(order.nodes());
        let (mut moving, mut alone, mut joined) = (Vec::new(), Vec::new(), Vec::new());
        for &other in &rest {
            moving.push(self.part(node, &before));
            alone.push(self.part(other, &before));
            joined.push(self.part(other, &before.with(node)));
            before.insert(other);
        }
        moving.push(self.part(node, &before));
        let at = |position: usize| {
            let others = alone[..position].iter().chain(&joined[position..]);
            self.equal.total(sum(others.chain([&moving[position]]).copied()))
        };
        relative_to_current(&(0..order.nodes()).map(at).collect::<Vec<f64>>(), order, node)
    }
}

fn sum(parts: impl Iterator<Item = Parts>) -> Parts {
    parts.fold(Parts::default(), |total, part| Parts {
        variance: total.variance + part.variance,
        edges: total.edges + part.edges,
    })
}
