//! Graphs drawn from a policy and their importance weights: reward over probability, self-normalised.

use std::collections::BTreeMap;

use gflowcausal_graph::{Dag, Edge, Order};
use serde::{Deserialize, Serialize};

/// One graph drawn from a policy.
#[derive(Debug, Clone, PartialEq)]
pub struct GraphSample {
    /// The causal order, where the sampler has one.
    pub order: Order,
    /// The graph.
    pub dag: Dag,
    /// Logarithm of its reward: score over temperature.
    pub log_reward: f64,
    /// Logarithm of the probability with which the policy draws it (up to a constant shared by all draws).
    pub log_prob: f64,
    /// How often it was drawn.
    pub count: u32,
}

/// How drawn graphs are weighted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Weighting {
    /// Self-normalised importance weights.
    Importance,
    /// Every draw counts the same: the draws are exact, or importance weights would rest on a handful of them.
    Equal,
    /// Every draw counts the same, and they come from chains of Gibbs steps that start at the best order, because
    /// importance weights of the policy's own draws would rest on a handful of them.
    Chains,
    /// Nothing was drawn: the method gives one graph, and a probability says no more than whether the edge is in it.
    Single,
}

impl GraphSample {
    /// Joins draws of the same order and graph, in the order of their first appearance.
    ///
    /// Where different trajectories led to it, their importance weights are averaged: the joined draw weighs what they weigh
    /// together.
    #[must_use]
    pub fn merged(draws: Vec<Self>) -> Vec<Self> {
        let mut places: BTreeMap<(Vec<usize>, Vec<Edge>), usize> = BTreeMap::new();
        let mut merged: Vec<Self> = Vec::new();
        for draw in draws {
            let key = (draw.order.as_slice().to_vec(), draw.dag.edges().collect());
            let place = *places.entry(key).or_insert(merged.len());
            match merged.get_mut(place) {
                Some(known) => known.join(&draw),
                None => merged.push(draw),
            }
        }
        merged
    }

    /// Counts `other` too: `1/p` becomes the mean of both, each as often as it was drawn.
    fn join(&mut self, other: &Self) {
        let (own, others) = (f64::from(self.count), f64::from(other.count));
        self.count += other.count;
        if self.log_prob != other.log_prob {
            let least = self.log_prob.min(other.log_prob);
            let mean = own * (least - self.log_prob).exp() + others * (least - other.log_prob).exp();
            self.log_prob = least - (mean / (own + others)).ln();
        }
    }
}

pub(crate) fn total_count(draws: &[GraphSample]) -> u64 {
    draws.iter().map(|draw| u64::from(draw.count)).sum()
}

/// The share of each draw (all its repetitions together) in the total of `exp(log_weight)`.
pub(crate) fn shares(draws: &[GraphSample], log_weight: impl Fn(&GraphSample) -> f64) -> Vec<f64> {
    let logs: Vec<f64> = draws.iter().map(log_weight).collect();
    let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> =
        logs.iter().zip(draws).map(|(log, draw)| f64::from(draw.count) * (log - largest).exp()).collect();
    let total: f64 = weights.iter().sum();
    weights.iter().map(|weight| weight / total).collect()
}

/// Kish: `(Σ w)² / Σ w²` over single draws.
pub(crate) fn effective_sample_size(draws: &[GraphSample], shares: &[f64]) -> f64 {
    let squares: f64 =
        draws.iter().zip(shares).map(|(draw, share)| share * share / f64::from(draw.count)).sum();
    if squares > 0.0 { 1.0 / squares } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trajectories_to_the_same_graph_weigh_what_they_weigh_together() {
        let dag = Dag::from_edges(3, [Edge::new(0, 1)]).unwrap();
        let sample = |log_prob| GraphSample {
            order: dag.topological_order(),
            dag: dag.clone(),
            log_reward: 0.0,
            log_prob,
            count: 1,
        };
        let samples = [-1.0, -2.5, -2.5, -0.3].map(sample);
        let apart: f64 = samples.iter().map(|sample| (-sample.log_prob).exp()).sum();
        let joined = GraphSample::merged(samples.to_vec());
        assert_eq!((joined.len(), joined[0].count), (1, 4));
        assert!((4.0 * (-joined[0].log_prob).exp() - apart).abs() < 1e-12);
    }
}
