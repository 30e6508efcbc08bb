//! `varsort`: how well an order agrees with the sort by variance. A score of an order only.

use gflowcausal_data::Moments;
use gflowcausal_graph::{NodeSet, Order, Pdag};

use crate::order_score::OrderScore;
use crate::sortability::{agreement, log_deviations};
use crate::{Correlation, ScoreError};

/// What the order that is wrong about every pair is given.
const LEAST: f64 = 0.25;

/// The logarithm of the varsortability of an order's fully connected graph (the paper's eq. `varsor_r1`).
///
/// In the fully connected graph two variables `δ` positions apart are joined by a path of each length up to `δ`, so
/// the pair counts `δ` times: `ν = Σ δ·γ / Σ δ`, with `γ` 1 for an increase in variance, ½ for a tie, 0 for a decrease. Its
/// maximum is *by definition* the sort by variance. The order of decreasing variance has `ν = 0`; it is given a quarter
/// of a path, half of what any other order has at least, so that its logarithm is finite.
#[derive(Debug, Clone, PartialEq)]
pub struct Varsort {
    log_deviation: Vec<f64>,
}

impl Varsort {
    /// The score of the rows behind `moments`.
    ///
    /// # Errors
    /// No rows, or a column without a finite variance.
    pub fn new(moments: &Moments) -> Result<Self, ScoreError> {
        Correlation::of_moments(moments)?;
        Ok(Self { log_deviation: log_deviations(moments) })
    }
}

impl Varsort {
    /// By how much the best order is above the worst.
    #[must_use]
    pub fn range(&self) -> f64 {
        let nodes = self.log_deviation.len() as f64;
        -logarithm(0.0, nodes * (nodes * nodes - 1.0) / 6.0)
    }

    /// The same for any graph of arrows, cycles or not: every pair joined by a walk of `k` edges counts once for each
    /// `k` up to `d − 1`. On the fully connected graph of an order it is the order's score. `O(d⁴/64)`.
    #[must_use]
    pub fn digraph(&self, graph: &Pdag) -> f64 {
        let nodes = graph.nodes();
        let mut reached: Vec<NodeSet> = (0..nodes).map(|node| graph.children(node).clone()).collect();
        let (mut right, mut all) = (0.0, 0.0);
        for _ in 1..nodes {
            for (from, set) in reached.iter().enumerate() {
                for to in set.iter().filter(|&to| to != from) {
                    right += agreement(self.log_deviation[from], self.log_deviation[to]);
                    all += 1.0;
                }
            }
            reached = reached.iter().map(|set| one_step(graph, set)).collect();
        }
        logarithm(right, all)
    }
}

/// The effects of all in `set`.
fn one_step(graph: &Pdag, set: &NodeSet) -> NodeSet {
    let mut next = NodeSet::empty(graph.nodes());
    set.iter().for_each(|node| next.union_with(graph.children(node)));
    next
}

fn logarithm(right: f64, all: f64) -> f64 {
    if all == 0.0 { 0.0 } else { (right.max(LEAST) / all).ln() }
}

impl OrderScore for Varsort {
    /// `O(d²)`.
    fn score(&self, order: &Order) -> f64 {
        let sorted: Vec<f64> = order.iter().map(|node| self.log_deviation[node]).collect();
        let pairs = (0..sorted.len()).flat_map(|late| (0..late).map(move |early| (early, late)));
        let (mut right, mut all) = (0.0, 0.0);
        for (early, late) in pairs {
            let paths = (late - early) as f64;
            right += paths * agreement(sorted[early], sorted[late]);
            all += paths;
        }
        logarithm(right, all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_complete_graph_of_an_order_is_worth_what_the_order_is() {
        let varsort = Varsort { log_deviation: vec![0.3, 0.1, 0.7, 0.7, -0.2] };
        for order in gflowcausal_graph::all_orders(5) {
            let graph = varsort.digraph(&Pdag::from(&order.complete_dag()));
            assert!((graph - varsort.score(&order)).abs() < 1e-12, "{order:?}");
        }
    }

    /// 0 → 1 → 2 → 0: each pair once by one edge, the reverse once by two.
    #[test]
    fn a_cycle_agrees_with_chance() {
        let varsort = Varsort { log_deviation: vec![1.0, 2.0, 3.0] };
        let mut cycle = Pdag::empty(3);
        for (from, to) in [(0, 1), (1, 2), (2, 0)] {
            cycle.insert_directed(gflowcausal_graph::Edge::new(from, to)).unwrap();
        }
        assert!((varsort.digraph(&cycle) - 0.5_f64.ln()).abs() < 1e-12);
    }
}
