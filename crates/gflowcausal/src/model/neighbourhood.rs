//! Parent sets drawn around the best one, for an order.

use gflowcausal_determinism::rand::RngExt;
use gflowcausal_determinism::{StreamRng, categorical, log_sum_exp};
use gflowcausal_graph::{Constraints, NodeSet};
use gflowcausal_score::{BestParents, LocalScore};

/// The best parents of a variable and every set that differs from them by one, each with `score / temperature`.
///
/// Sets further away are left out: with a local score at hand for each, the sum over these is what the sum over all
/// sets amounts to unless the data are very weak.
pub(super) struct Neighbourhood {
    best: NodeSet,
    /// Which variable comes in or goes out, if any, and the value of what that makes.
    changes: Vec<(Option<usize>, f64)>,
}

impl Neighbourhood {
    /// The sets around the best parents of `node` among `before`; none if no set is allowed.
    pub(super) fn new(
        search: &dyn BestParents,
        score: &dyn LocalScore,
        constraints: &Constraints,
        temperature: f64,
        (node, before): (usize, &NodeSet),
    ) -> Option<Self> {
        let best = search.best_parents(node, before)?;
        let fewer = best.iter().filter(|&parent| !constraints.required(node).contains(parent));
        let mut changes: Vec<(Option<usize>, f64)> =
            fewer.map(|parent| (Some(parent), score.local(node, &best.without(parent)))).collect();
        if best.len() < constraints.max_parents().min(score.parent_limit()) {
            let mut more = before.clone();
            more.intersect_with(constraints.allowed_parents(node));
            more.subtract(&best);
            changes.extend(more.iter().map(Some).zip(score.with_each(node, &best, &more)));
        }
        changes.push((None, score.local(node, &best)));
        changes.iter_mut().for_each(|(_, value)| *value /= temperature);
        Some(Self { best, changes })
    }

    /// `ln Σ exp(score / temperature)` over the sets.
    pub(super) fn log_sum(&self) -> f64 {
        log_sum_exp(self.changes.iter().map(|(_, value)| *value))
    }

    /// One of the sets, drawn with probability ∝ exp(score / temperature).
    pub(super) fn draw(&self, rng: &mut StreamRng) -> NodeSet {
        let total = self.log_sum();
        let weighted = self.changes.iter().map(|&(change, value)| (change, (value - total).exp()));
        match categorical(weighted, rng.random()).flatten() {
            None => self.best.clone(),
            Some(parent) if self.best.contains(parent) => self.best.without(parent),
            Some(parent) => self.best.with(parent),
        }
    }
}
