//! Parents drawn for an order: how sure the data are of each set, not only which is best.

use gflowcausal_determinism::StreamRng;
use gflowcausal_determinism::rand::RngExt;
use gflowcausal_graph::{Constraints, NodeSet};
use gflowcausal_score::{BestParents, LocalScore};

/// The best parents of a variable and every set that differs from them by one, each with `score / temperature`.
///
/// Sets further away are left out: with a local score at hand for each, the sum over these is what the sum over all
/// sets amounts to unless the data are very weak.
pub(super) struct Neighbourhood {
    sets: Vec<(NodeSet, f64)>,
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
        let mut others: Vec<NodeSet> = fewer.map(|parent| best.without(parent)).collect();
        if best.len() < constraints.max_parents().min(score.parent_limit()) {
            let mut more = before.clone();
            more.intersect_with(constraints.allowed_parents(node));
            more.subtract(&best);
            others.extend(more.iter().map(|parent| best.with(parent)));
        }
        others.push(best);
        let valued = |set: NodeSet| {
            let value = score.local(node, &set) / temperature;
            (set, value)
        };
        Some(Self { sets: others.into_iter().map(valued).collect() })
    }

    /// `ln Σ exp(score / temperature)` over the sets.
    pub(super) fn log_sum(&self) -> f64 {
        let largest = self.sets.iter().map(|(_, value)| *value).fold(f64::NEG_INFINITY, f64::max);
        largest + self.sets.iter().map(|(_, value)| (value - largest).exp()).sum::<f64>().ln()
    }

    /// One of the sets, drawn with probability ∝ exp(score / temperature).
    pub(super) fn draw(&self, rng: &mut StreamRng) -> NodeSet {
        let total = self.log_sum();
        let mut left: f64 = rng.random();
        for (set, value) in &self.sets {
            left -= (value - total).exp();
            if left < 0.0 {
                return set.clone();
            }
        }
        // Rounding can leave a crumb: the best set takes it.
        self.sets.last().expect("the best set is always there").0.clone()
    }
}
