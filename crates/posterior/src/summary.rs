//! What drawn graphs say: probabilities of edges and ancestors, distinct graphs.

use std::collections::BTreeMap;

use gflowcausal_graph::{Dag, Edge};
use serde::{Deserialize, Serialize};

use crate::importance::{GraphSample, Weighting, effective_sample_size, shares, total_count};

/// The share of the draws below which importance weights are too uneven to be trusted.
const LEAST_EFFECTIVE_SHARE: f64 = 0.02;

/// How far edge probabilities are from the exact ones.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ExactDifference {
    /// The mean absolute difference over all ordered pairs.
    pub mean: f64,
    /// The largest difference.
    pub largest: f64,
    /// `KL(exact ‖ policy)` over orders, in nats, where the policy itself can be asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub divergence: Option<f64>,
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
    /// Kish's effective sample size of the weights.
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
    pub fn of(nodes: usize, draws: &[GraphSample]) -> Self {
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
    pub fn equal(nodes: usize, draws: &[GraphSample]) -> Self {
        let equal = shares(draws, |_| 0.0);
        Self::weighted(nodes, draws, &equal, total_count(draws) as f64, Weighting::Equal)
    }

    /// One graph of a method that says nothing of others.
    #[must_use]
    pub fn single(graph: &GraphSample) -> Self {
        Self::weighted(graph.dag.nodes(), std::slice::from_ref(graph), &[1.0], 1.0, Weighting::Single)
    }

    fn weighted(
        nodes: usize,
        draws: &[GraphSample],
        shares: &[f64],
        effective: f64,
        weighting: Weighting,
    ) -> Self {
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
    pub fn difference_from(&self, exact: &[f64]) -> ExactDifference {
        let differences = || self.edges.iter().zip(exact).map(|(own, exact)| (own - exact).abs());
        let pairs = (self.nodes * self.nodes.saturating_sub(1)).max(1);
        let mean = differences().sum::<f64>() / pairs as f64;
        ExactDifference { mean, largest: differences().fold(0.0, f64::max), divergence: None }
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

fn group(draws: &[GraphSample], shares: &[f64]) -> Vec<Candidate> {
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

    fn draw(edges: &[(usize, usize)], log_reward: f64, log_prob: f64, count: u32) -> GraphSample {
        let dag = Dag::from_edges(3, edges.iter().map(|&pair| Edge::from(pair))).unwrap();
        GraphSample { order: dag.topological_order(), dag, log_reward, log_prob, count }
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
