//! From sampled graphs to probabilities: importance weights, edges, ancestors, distinct graphs.

use std::collections::BTreeMap;

use gflowcausal_graph::{Dag, Edge, Order};
use serde::{Deserialize, Serialize};

/// The share of the draws below which importance weights are too uneven to be trusted.
const LEAST_EFFECTIVE_SHARE: f64 = 0.02;

/// One graph drawn from a policy.
#[derive(Debug, Clone, PartialEq)]
pub struct Draw {
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

/// Whether draws are weighted by reward over probability.
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

/// How far edge probabilities are from the exact ones.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Distance {
    /// The mean absolute difference over all ordered pairs.
    pub mean: f64,
    /// The largest difference.
    pub largest: f64,
    /// `KL(exact ‖ policy)` over orders, in nats, where the policy itself can be asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub divergence: Option<f64>,
}

impl Draw {
    /// Joins draws of the same order and graph, in the order of their first appearance.
    ///
    /// Where different ways led to it, their importance weights are averaged: the joined draw weighs what they weigh
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
}

impl Draw {
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

/// A graph and the weight of all draws that ended in it.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The graph.
    pub dag: Dag,
    /// Its share of the total weight.
    pub weight: f64,
    /// The best log-reward of the orders that led to it.
    pub log_reward: f64,
}

/// What the draws say about every edge.
#[derive(Debug, Clone, PartialEq)]
pub struct Posterior {
    /// How many graphs were drawn.
    pub samples: u64,
    /// How many equally weighted draws the weighted ones are worth.
    pub effective_sample_size: f64,
    /// How the draws are weighted.
    pub weighting: Weighting,
    /// Distinct graphs, heaviest first.
    pub candidates: Vec<Candidate>,
    edges: Vec<f64>,
    ancestors: Vec<f64>,
    nodes: usize,
}

impl Posterior {
    /// Weighs `draws` by reward over probability, or equally when that would rest on fewer than 2 % of them.
    #[must_use]
    pub fn of(nodes: usize, draws: &[Draw]) -> Self {
        let importance = shares(draws, |draw| draw.log_reward - draw.log_prob);
        let effective = effective_sample_size(draws, &importance);
        let samples = total_count(draws);
        if effective < LEAST_EFFECTIVE_SHARE * samples as f64 {
            let mut posterior = Self::equal(nodes, draws);
            posterior.effective_sample_size = effective;
            return posterior;
        }
        Self::weighted(nodes, draws, &importance, effective, Weighting::Importance)
    }

    /// Gives every draw the same weight.
    #[must_use]
    pub fn equal(nodes: usize, draws: &[Draw]) -> Self {
        let equal = shares(draws, |_| 0.0);
        Self::weighted(nodes, draws, &equal, total_count(draws) as f64, Weighting::Equal)
    }

    /// One graph of a method that says nothing of others.
    #[must_use]
    pub fn single(graph: &Draw) -> Self {
        Self::weighted(graph.dag.nodes(), std::slice::from_ref(graph), &[1.0], 1.0, Weighting::Single)
    }

    fn weighted(nodes: usize, draws: &[Draw], shares: &[f64], effective: f64, weighting: Weighting) -> Self {
        let candidates = group(draws, shares);
        let mut posterior = Self {
            samples: total_count(draws),
            effective_sample_size: effective,
            weighting,
            candidates,
            edges: vec![0.0; nodes * nodes],
            ancestors: vec![0.0; nodes * nodes],
            nodes,
        };
        posterior.add_up();
        posterior
    }

    fn add_up(&mut self) {
        for candidate in &self.candidates {
            for Edge { from, to } in candidate.dag.edges() {
                self.edges[from * self.nodes + to] += candidate.weight;
            }
            for from in 0..self.nodes {
                for to in candidate.dag.descendants(from).iter().filter(|&to| to != from) {
                    self.ancestors[from * self.nodes + to] += candidate.weight;
                }
            }
        }
        // Sums of shares may pass one by a rounding error.
        for probability in self.edges.iter_mut().chain(&mut self.ancestors) {
            *probability = probability.min(1.0);
        }
    }

    /// The same with edge probabilities that are known exactly, `d × d`, row causes column.
    #[must_use]
    pub fn with_exact_edges(mut self, edges: Vec<f64>) -> Self {
        assert_eq!(edges.len(), self.edges.len(), "one probability for each ordered pair");
        self.edges = edges;
        self
    }

    /// How far the edge probabilities are from the `exact` ones.
    #[must_use]
    pub fn distance_to(&self, exact: &[f64]) -> Distance {
        let differences = || self.edges.iter().zip(exact).map(|(own, exact)| (own - exact).abs());
        let pairs = (self.nodes * self.nodes.saturating_sub(1)).max(1);
        let mean = differences().sum::<f64>() / pairs as f64;
        Distance { mean, largest: differences().fold(0.0, f64::max), divergence: None }
    }

    /// How many variables there are.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// The probability of `edge`.
    #[must_use]
    pub fn edge(&self, edge: Edge) -> f64 {
        self.edges[edge.from * self.nodes + edge.to]
    }

    /// The probability of every edge, `d × d`, row causes column.
    #[must_use]
    pub fn edges(&self) -> &[f64] {
        &self.edges
    }

    /// The probability of a directed path, `d × d`, row leads to column.
    #[must_use]
    pub fn ancestors(&self) -> &[f64] {
        &self.ancestors
    }
}

fn total_count(draws: &[Draw]) -> u64 {
    draws.iter().map(|draw| u64::from(draw.count)).sum()
}

/// The share of each draw (all its repetitions together) in the total of `exp(log_weight)`.
fn shares(draws: &[Draw], log_weight: impl Fn(&Draw) -> f64) -> Vec<f64> {
    let logs: Vec<f64> = draws.iter().map(log_weight).collect();
    let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> =
        logs.iter().zip(draws).map(|(log, draw)| f64::from(draw.count) * (log - largest).exp()).collect();
    let total: f64 = weights.iter().sum();
    weights.iter().map(|weight| weight / total).collect()
}

/// Kish: `(Σ w)² / Σ w²` over single draws.
fn effective_sample_size(draws: &[Draw], shares: &[f64]) -> f64 {
    let squares: f64 =
        draws.iter().zip(shares).map(|(draw, share)| share * share / f64::from(draw.count)).sum();
    if squares > 0.0 { 1.0 / squares } else { 0.0 }
}

fn group(draws: &[Draw], shares: &[f64]) -> Vec<Candidate> {
    let mut groups: BTreeMap<Vec<Edge>, Candidate> = BTreeMap::new();
    for (draw, share) in draws.iter().zip(shares) {
        let candidate = groups.entry(draw.dag.edges().collect()).or_insert_with(|| Candidate {
            dag: draw.dag.clone(),
            weight: 0.0,
            log_reward: f64::NEG_INFINITY,
        });
        candidate.weight += share;
        candidate.log_reward = candidate.log_reward.max(draw.log_reward);
    }
    let mut candidates: Vec<Candidate> = groups.into_values().collect();
    // Stable: equal weights stay in the order of their edges.
    candidates.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    candidates
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draw(edges: &[(usize, usize)], log_reward: f64, log_prob: f64, count: u32) -> Draw {
        let dag = Dag::from_edges(3, edges.iter().map(|&pair| Edge::from(pair))).unwrap();
        Draw { order: dag.topological_order(), dag, log_reward, log_prob, count }
    }

    #[test]
    fn a_policy_that_draws_too_rarely_is_corrected() {
        // Target 3 : 1, policy 1 : 1.
        let half = 0.5_f64.ln();
        let draws = [draw(&[(0, 1)], 3_f64.ln(), half, 50), draw(&[(0, 1), (1, 2)], 0.0, half, 50)];
        let posterior = Posterior::of(3, &draws);
        assert_eq!(posterior.weighting, Weighting::Importance);
        assert!((posterior.edge(Edge::new(1, 2)) - 0.25).abs() < 1e-12);
        assert!((posterior.edge(Edge::new(0, 1)) - 1.0).abs() < 1e-12);
        assert!((posterior.ancestors()[2] - 0.25).abs() < 1e-12, "0 leads to 2 in the second graph only");
        // (50·3 + 50)² / (50·9 + 50) = 80.
        assert!((posterior.effective_sample_size - 80.0).abs() < 1e-9);
    }

    #[test]
    fn one_heavy_draw_does_not_decide_alone() {
        let draws = [draw(&[(0, 1)], 100.0, -1.0, 1), draw(&[(1, 2)], 0.0, -1.0, 99)];
        let posterior = Posterior::of(3, &draws);
        assert_eq!(posterior.weighting, Weighting::Equal);
        assert!((posterior.effective_sample_size - 1.0).abs() < 1e-9);
        assert!((posterior.edge(Edge::new(1, 2)) - 0.99).abs() < 1e-12);
    }

    #[test]
    fn orders_of_one_graph_are_one_candidate() {
        let draws = [draw(&[(0, 1)], 0.0, -1.0, 1), draw(&[(0, 1)], 0.0, -1.0, 2)];
        let posterior = Posterior::of(3, &draws);
        assert_eq!(posterior.candidates.len(), 1);
        assert_eq!(posterior.samples, 3);
    }

    #[test]
    fn ways_to_the_same_graph_weigh_what_they_weigh_together() {
        let ways = [-1.0, -2.5, -2.5, -0.3].map(|log_prob| draw(&[(0, 1)], 0.0, log_prob, 1));
        let apart: f64 = ways.iter().map(|way| (-way.log_prob).exp()).sum();
        let joined = Draw::merged(ways.to_vec());
        assert_eq!((joined.len(), joined[0].count), (1, 4));
        assert!((4.0 * (-joined[0].log_prob).exp() - apart).abs() < 1e-12);
    }

    #[test]
    fn one_graph_says_of_each_edge_only_whether_it_is_there() {
        let posterior = Posterior::single(&draw(&[(0, 1), (1, 2)], -3.0, 0.0, 1));
        assert_eq!((posterior.samples, posterior.weighting), (1, Weighting::Single));
        assert_eq!(posterior.edges(), [0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
        assert_eq!(posterior.ancestors()[2], 1.0);
    }

    #[test]
    fn no_draws_give_no_nan() {
        let posterior = Posterior::of(2, &[]);
        assert_eq!(posterior.edges(), [0.0; 4]);
        assert_eq!(posterior.samples, 0);
    }
}
