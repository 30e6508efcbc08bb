//! Correct, reversed, missing and extra edges, counted in words of 64 pairs, and the rates made of them.

use crate::{Dag, NodeSet, Pdag};

/// What becomes of the pairs that the estimate, the truth or both join.
pub(super) struct Counts {
    pub(super) correct: usize,
    pub(super) reversed: usize,
    pub(super) true_edges: usize,
    pub(super) predicted_edges: usize,
    pairs: usize,
}

impl Counts {
    pub(super) fn between(estimate: &Pdag, truth: &Dag) -> Self {
        assert_eq!(estimate.nodes(), truth.nodes(), "graphs over different variables");
        let nodes = truth.nodes();
        let shared = |other: &dyn Fn(usize) -> NodeSet| -> usize {
            (0..nodes).map(|node| truth.children(node).intersection_len(&other(node))).sum()
        };
        Self {
            correct: shared(&|node| united(estimate.children(node), estimate.neighbours(node))),
            reversed: shared(&|node| estimate.parents(node).clone()),
            true_edges: truth.edge_count(),
            predicted_edges: estimate.edge_count(),
            pairs: nodes * nodes.saturating_sub(1) / 2,
        }
    }

    pub(super) fn missing(&self) -> usize {
        self.true_edges - self.correct - self.reversed
    }

    pub(super) fn extra(&self) -> usize {
        self.predicted_edges - self.correct - self.reversed
    }

    pub(super) fn shd(&self) -> usize {
        self.extra() + self.missing() + self.reversed
    }

    pub(super) fn recall(&self) -> f64 {
        share(self.correct, self.true_edges)
    }

    pub(super) fn precision(&self) -> f64 {
        share(self.correct, self.predicted_edges)
    }

    /// `2·precision·recall / (precision + recall)`, which is this wherever that is defined.
    pub(super) fn f1(&self) -> f64 {
        share(2 * self.correct, self.true_edges + self.predicted_edges)
    }

    pub(super) fn false_discovery_rate(&self) -> f64 {
        (self.reversed + self.extra()) as f64 / self.predicted_edges.max(1) as f64
    }

    pub(super) fn false_positive_rate(&self) -> f64 {
        let unjoined = self.pairs - self.true_edges;
        (self.reversed + self.extra()) as f64 / unjoined.max(1) as f64
    }
}

/// `part / whole`, and 1 for all of nothing.
fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

fn united(a: &NodeSet, b: &NodeSet) -> NodeSet {
    let mut union = a.clone();
    union.union_with(b);
    union
}
