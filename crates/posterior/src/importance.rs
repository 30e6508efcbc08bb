//! Graphs drawn from a policy and their importance weights: reward over probability, self-normalised.

use std::collections::HashMap;

use gflowcausal_determinism::log_sum_exp;
use gflowcausal_graph::{Dag, Order};
use serde::{Deserialize, Serialize};

/// One graph drawn from the posterior or from a policy.
#[derive(Debug, Clone, PartialEq)]
pub struct GraphSample {
    /// The causal order, where the sampler has one; else an order of the graph.
    pub order: Order,
    /// The graph.
    pub dag: Dag,
    /// Logarithm of its reward: score over temperature, plus the structure prior.
    pub log_reward: f64,
    /// Logarithm of its importance weight, up to a constant shared by all draws; 0 where draws are of the target.
    pub log_weight: f64,
    /// Logarithm of the probability with which the sampler draws this order and graph, where it is known.
    pub log_prob: Option<f64>,
    /// How often it was drawn.
    pub count: u32,
}

/// Where probabilities come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// Sums over all graphs.
    Exact,
    /// Partition MCMC.
    Chains,
    /// Importance-weighted draws of a trained policy.
    Policy,
    /// Nothing was drawn: the method gives one graph, and a probability only says whether the edge is in it.
    None,
}

impl GraphSample {
    /// A draw of the target itself, whose probability is not known.
    #[must_use]
    pub fn of_target(order: Order, dag: Dag, log_reward: f64) -> Self {
        Self { order, dag, log_reward, log_weight: 0.0, log_prob: None, count: 1 }
    }

    /// Joins draws of the same order and graph, in the order of their first appearance.
    ///
    /// Their importance weights are averaged, so the joined draw weighs what they weigh together.
    #[must_use]
    pub fn merged(draws: Vec<Self>) -> Vec<Self> {
        let mut known: HashMap<(&Order, &Dag), usize> = HashMap::with_capacity(draws.len());
        let mut place_of = |draw| {
            let next = known.len();
            *known.entry(draw).or_insert(next)
        };
        let places: Vec<usize> = draws.iter().map(|draw| place_of((&draw.order, &draw.dag))).collect();
        let mut merged: Vec<Self> = Vec::with_capacity(known.len());
        for (draw, place) in draws.into_iter().zip(places) {
            match merged.get_mut(place) {
                Some(known) => known.join(&draw),
                None => merged.push(draw),
            }
        }
        merged
    }

    /// Counts `other` too: the weight becomes the mean of both, each as often as it was drawn.
    fn join(&mut self, other: &Self) {
        let (own, others) = (f64::from(self.count), f64::from(other.count));
        self.count += other.count;
        if self.log_weight != other.log_weight {
            let largest = self.log_weight.max(other.log_weight);
            let total = own * (self.log_weight - largest).exp() + others * (other.log_weight - largest).exp();
            self.log_weight = largest + (total / (own + others)).ln();
        }
    }
}

pub(crate) fn total_count(draws: &[GraphSample]) -> u64 {
    draws.iter().map(|draw| u64::from(draw.count)).sum()
}

/// The share of each draw (all its repetitions together) in the total weight.
pub(crate) fn shares(draws: &[GraphSample]) -> Vec<f64> {
    let largest = draws.iter().map(|draw| draw.log_weight).fold(f64::NEG_INFINITY, f64::max);
    let weight = |draw: &GraphSample| f64::from(draw.count) * (draw.log_weight - largest).exp();
    let total: f64 = draws.iter().map(weight).sum();
    draws.iter().map(|draw| weight(draw) / total).collect()
}

/// `ln` of the mean weight: an estimate of `ln Z` where weights are target over policy.
pub(crate) fn log_mean_weight(draws: &[GraphSample]) -> f64 {
    let logs = draws.iter().map(|draw| draw.log_weight + f64::from(draw.count).ln());
    log_sum_exp(logs) - (total_count(draws) as f64).ln()
}

#[cfg(test)]
mod tests {
    use gflowcausal_graph::Edge;

    use super::*;

    #[test]
    fn draws_of_one_graph_weigh_what_they_weigh_together() {
        let dag = Dag::from_edges(3, [Edge::new(0, 1)]).unwrap();
        let sample = |log_weight: f64| GraphSample {
            order: dag.topological_order(),
            dag: dag.clone(),
            log_reward: 0.0,
            log_weight,
            log_prob: None,
            count: 1,
        };
        let samples = [1.0, 2.5, 2.5, 0.3].map(sample);
        let apart: f64 = samples.iter().map(|sample| sample.log_weight.exp()).sum();
        assert!((log_mean_weight(&samples) - (apart / 4.0).ln()).abs() < 1e-12);
        let joined = GraphSample::merged(samples.to_vec());
        assert_eq!((joined.len(), joined[0].count), (1, 4));
        assert!((4.0 * joined[0].log_weight.exp() - apart).abs() < 1e-12);
    }
}
