//! Orders within constraints: random ones, and a score that is −∞ for orders that the constraints forbid.

use gflowcausal_determinism::StreamRng;
use gflowcausal_determinism::rand::RngExt;
use gflowcausal_graph::{Constraints, NodeSet, Order};
use gflowcausal_score::OrderScore;

/// A score of orders that gives −∞ to every insertion which the constraints forbid.
pub struct ConstrainedOrderScore<'a> {
    /// The score of orders.
    pub score: &'a dyn OrderScore,
    /// What they have to satisfy.
    pub constraints: &'a Constraints,
}

impl OrderScore for ConstrainedOrderScore<'_> {
    fn score(&self, order: &Order) -> f64 {
        self.score.score(order)
    }

    fn insertion_deltas(&self, order: &Order, node: usize) -> Vec<f64> {
        let mut deltas = self.score.insertion_deltas(order, node);
        let others = order.iter().filter(|&other| other != node);
        let (mut first, mut last) = (0, deltas.len() - 1);
        for (position, other) in others.enumerate() {
            if self.constraints.must_precede(other, node) {
                first = position + 1;
            } else if self.constraints.must_precede(node, other) {
                last = last.min(position);
            }
        }
        for (position, delta) in deltas.iter_mut().enumerate() {
            if !(first..=last).contains(&position) {
                *delta = f64::NEG_INFINITY;
            }
        }
        deltas
    }
}

/// An order that satisfies `constraints`, each next variable drawn evenly from those that may follow.
#[must_use]
pub fn random_order(constraints: &Constraints, rng: &mut StreamRng) -> Order {
    grown_order(constraints, |_, next| {
        let count = next.iter().count();
        next.iter().nth(rng.random_range(0..count)).expect("one of those that may follow")
    })
}

/// The order that takes, among those that may follow what is placed, the one that `choose` names.
pub(crate) fn grown_order(
    constraints: &Constraints,
    mut choose: impl FnMut(&[usize], &NodeSet) -> usize,
) -> Order {
    let mut placed = NodeSet::empty(constraints.nodes());
    let mut sequence = Vec::with_capacity(constraints.nodes());
    while sequence.len() < constraints.nodes() {
        let node = choose(&sequence, &constraints.placeable(&placed));
        placed.insert(node);
        sequence.push(node);
    }
    Order::new(sequence).expect("each variable is placed once")
}

/// Of those that may follow, the one with the smallest `key`.
pub(crate) fn smallest(next: &NodeSet, key: impl Fn(usize) -> f64) -> usize {
    let by_key = |a: &usize, b: &usize| key(*a).total_cmp(&key(*b));
    next.iter().min_by(by_key).expect("one of those that may follow")
}
