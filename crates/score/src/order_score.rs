//! Scores of orders, and how moving one variable within an order changes them.

use gflowcausal_graph::{NodeSet, Order};

/// A gain below this many log-units is rounding, not a reason to move.
const MINIMUM_GAIN: f64 = 1e-6;

/// A score of a causal order: natural logarithm, higher is better.
pub trait OrderScore: Send + Sync {
    /// The score of `order`; −∞ for one that its constraints forbid.
    fn score(&self, order: &Order) -> f64;

    /// How much the score would change if `node` were taken out and put at position 0, 1, …, `d − 1`.
    ///
    /// The value at the present position is zero. `order` must not be one that the constraints forbid. This default
    /// scores each order afresh.
    fn insertion_deltas(&self, order: &Order, node: usize) -> Vec<f64> {
        let totals: Vec<f64> =
            (0..order.nodes()).map(|position| self.score(&moved(order, node, position))).collect();
        relative_to_current(&totals, order, node)
    }
}

/// A score of an order that is a sum over the variables of a term that depends on the variable and the *set* of those
/// before it, whatever their arrangement: the best next variable depends only on what is placed.
pub trait OrderModularScore: Send + Sync {
    /// The term of `node` when exactly `before` come before it; −∞ if the constraints forbid that.
    fn local(&self, node: usize, before: &NodeSet) -> f64;
}

impl<P: OrderModularScore + ?Sized> OrderScore for P {
    /// `d` placements.
    fn score(&self, order: &Order) -> f64 {
        let mut before = NodeSet::empty(order.nodes());
        let mut total = 0.0;
        for node in order.iter() {
            total += self.local(node, &before);
            before.insert(node);
        }
        total
    }

    /// `3d` placements: `node` after each prefix, and every other variable with and without `node` before it.
    ///
    /// Changes are summed outwards from the present position, so a move that changes no term is exactly zero.
    fn insertion_deltas(&self, order: &Order, node: usize) -> Vec<f64> {
        let rest = without(order, node);
        let present = order.iter().position(|other| other == node).expect("the node is in its order");
        let mut before = NodeSet::empty(order.nodes());
        let mut own = Vec::with_capacity(order.nodes());
        let mut crossing = Vec::with_capacity(rest.len());
        for &other in &rest {
            own.push(self.local(node, &before));
            let alone = self.local(other, &before);
            before.insert(node);
            crossing.push((alone, self.local(other, &before)));
            before.remove(node);
            before.insert(other);
        }
        own.push(self.local(node, &before));
        outwards(present, &own, &crossing)
    }
}

/// Sums the changes of every variable that is crossed: `crossing[i]` are its terms without and with the moving one
/// before it.
fn outwards(present: usize, own: &[f64], crossing: &[(f64, f64)]) -> Vec<f64> {
    let mut deltas = vec![0.0; own.len()];
    let mut crossed = 0.0;
    for position in present + 1..own.len() {
        let (alone, joined) = crossing[position - 1];
        crossed += change(joined, alone);
        deltas[position] = crossed + change(own[present], own[position]);
    }
    crossed = 0.0;
    for position in (0..present).rev() {
        let (alone, joined) = crossing[position];
        crossed += change(alone, joined);
        deltas[position] = crossed + change(own[present], own[position]);
    }
    deltas
}

/// `to − from`, and nothing when both are −∞.
fn change(from: f64, to: f64) -> f64 {
    if from == to { 0.0 } else { to - from }
}

/// Differences of the score at every position to the one at the present position of `node`.
pub(crate) fn relative_to_current(totals: &[f64], order: &Order, node: usize) -> Vec<f64> {
    let present = order.iter().position(|other| other == node).expect("the node is in its order");
    totals.iter().map(|&total| change(totals[present], total)).collect()
}

/// The variables of `order` but for `node`.
pub(crate) fn without(order: &Order, node: usize) -> Vec<usize> {
    order.iter().filter(|&other| other != node).collect()
}

/// `order` with `node` taken out and put at `position`.
#[must_use]
pub fn moved(order: &Order, node: usize, position: usize) -> Order {
    let mut sequence = without(order, node);
    sequence.insert(position, node);
    Order::new(sequence).expect("moving one variable keeps a permutation")
}

/// The best place for one variable.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Insertion {
    /// Where to put it.
    pub position: usize,
    /// How much the score rises.
    pub gain: f64,
}

/// The insertion of `node` that raises the score of `order` most; none if no insertion raises it by more than
/// rounding. Of equal ones, the first.
pub fn best_insertion(score: &(impl OrderScore + ?Sized), order: &Order, node: usize) -> Option<Insertion> {
    let deltas = score.insertion_deltas(order, node);
    let mut best = None;
    let mut gain = MINIMUM_GAIN;
    for (position, &delta) in deltas.iter().enumerate() {
        if delta > gain {
            gain = delta;
            best = Some(Insertion { position, gain });
        }
    }
    best
}
