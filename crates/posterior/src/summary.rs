//! `Posterior`: edge and ancestor probabilities of exact sums, chains or weighted draws, with their convergence.

use std::collections::BTreeMap;

use gflowcausal_graph::{Dag, Edge};
use gflowcausal_score::ParentSetTables;
use serde::{Deserialize, Serialize};

use crate::effective_sample_size::effective_sample_size;
use crate::importance::{GraphSample, Source, log_mean_weight, shares, total_count};
use crate::{Coverage, Exact, Summary};

/// What a posterior is a distribution over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Objects {
    /// DAGs, each counted once.
    Dags,
    /// Orders, for scores that have no value for graphs or where a pruning turns orders into graphs.
    Orders,
}

/// How far chains agree with each other.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Convergence {
    /// The largest potential scale reduction factor of an edge.
    pub r_hat: f64,
    /// The mean over the uncertain edges.
    pub mean_r_hat: f64,
    /// The median effective sample size of the uncertain edges.
    pub median_effective_sample_size: f64,
    /// The largest Monte Carlo standard error of an edge probability.
    pub largest_error: f64,
    /// How many chains never came near the others' probability and are not used.
    #[serde(default)]
    pub left_out: usize,
    /// The expected number of edges whose cause is none of the effect's candidate parents: where it is not small, parent
    /// sets that were not considered may matter.
    #[serde(default)]
    pub edges_from_outside: f64,
}

/// That parents were chosen among candidates, not among all variables.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CandidateLimit {
    /// The most candidates of a variable.
    pub most: usize,
    /// The expected number of edges whose cause is none of the effect's candidate parents.
    pub edges_from_outside: f64,
}

/// That the parent sets of expensive scores were not all evaluated when time ran out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParentSets {
    /// How many were evaluated; graphs with others have probability zero.
    pub evaluated: usize,
    /// How many there are.
    pub wanted: usize,
}

/// A graph and the weight of all draws that ended in it.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The graph.
    pub dag: Dag,
    /// Its share of the total weight.
    pub weight: f64,
    /// The best log-reward of the draws that ended in it.
    pub log_reward: f64,
}

/// What is known of every edge.
#[derive(Debug, Clone, PartialEq)]
pub struct Posterior {
    /// What it is a distribution over.
    pub objects: Objects,
    /// Where the probabilities come from.
    pub source: Source,
    /// How many graphs were drawn.
    pub samples: u64,
    /// Of the weights (Kish), or of the least certain edge of chains.
    pub effective_sample_size: f64,
    /// `ln Z`, where it is known or estimated.
    pub log_z: Option<f64>,
    /// How far chains agree.
    pub convergence: Option<Convergence>,
    /// Whether exact sums are over some parents alone.
    pub candidate_limit: Option<CandidateLimit>,
    /// How many parent sets they rest on, where time ran out before all were evaluated.
    pub parent_sets: Option<ParentSets>,
    /// Edges whose cause is none of the effect's candidate parents although they would have a probability that matters.
    pub missed_parents: Vec<(Edge, f64)>,
    /// How a policy compares with a reference.
    pub coverage: Option<Coverage>,
    /// Why the probabilities come from there, where that was left open.
    pub reason: Option<String>,
    /// Distinct graphs among the draws, heaviest first.
    pub candidates: Vec<Candidate>,
    edges: Vec<f64>,
    ancestors: Vec<f64>,
    nodes: usize,
}

impl Posterior {
    /// Draws of a policy, by their importance weights.
    #[must_use]
    pub fn of_policy(nodes: usize, objects: Objects, draws: &[GraphSample]) -> Self {
        let mut posterior = Self::weighted(nodes, draws, objects, Source::Policy);
        posterior.log_z = (!draws.is_empty()).then(|| log_mean_weight(draws));
        posterior
    }

    /// Takes over the probabilities and `ln Z` that `others`, which rest on more draws of the same policy, have, and the
    /// share of them that counts: rare draws of large weight show only among many.
    pub fn refine(&mut self, others: &Self) {
        let share = others.effective_sample_size / others.samples.max(1) as f64;
        self.effective_sample_size = share * self.samples as f64;
        self.edges.clone_from(&others.edges);
        self.ancestors.clone_from(&others.ancestors);
        self.log_z = others.log_z;
    }

    /// Exact probabilities, and `draws` to show.
    #[must_use]
    pub fn of_exact(exact: &Exact, draws: &[GraphSample]) -> Self {
        let mut posterior = Self::weighted(exact.nodes(), draws, Objects::Dags, Source::Exact);
        posterior.edges = unit(exact.edges());
        posterior.ancestors = unit(exact.ancestors());
        posterior.log_z = Some(exact.log_z());
        posterior
    }

    /// The edge probabilities of chains, and `draws` of them for ancestors and graphs.
    #[must_use]
    pub fn of_chains(tables: &ParentSetTables, summary: &Summary, draws: &[GraphSample]) -> Self {
        let mut posterior = Self::weighted(tables.nodes(), draws, Objects::Dags, Source::Chains);
        posterior.edges = unit(&summary.edge_probabilities);
        posterior.effective_sample_size = summary.smallest_ess;
        posterior.convergence = Some(Convergence {
            r_hat: summary.largest_r_hat,
            mean_r_hat: summary.mean_r_hat,
            median_effective_sample_size: summary.median_ess,
            largest_error: summary.largest_error,
            left_out: summary.left_out,
            edges_from_outside: edges_from_outside(tables, &summary.edge_probabilities),
        });
        posterior
    }

    /// Says that parents were limited to the candidates of `tables`.
    pub fn limit_candidates(&mut self, tables: &ParentSetTables) {
        self.candidate_limit = Some(CandidateLimit {
            most: (0..self.nodes).map(|node| tables.candidates(node).len()).max().unwrap_or(0),
            edges_from_outside: edges_from_outside(tables, &self.edges),
        });
    }

    /// Draws of the exact distribution over orders, and their exact edge probabilities.
    #[must_use]
    pub fn of_orders(nodes: usize, edges: &[f64], draws: &[GraphSample]) -> Self {
        let mut posterior = Self::weighted(nodes, draws, Objects::Orders, Source::Exact);
        posterior.edges = unit(edges);
        posterior
    }

    /// One graph of a method that says nothing of others.
    #[must_use]
    pub fn single(graph: &GraphSample) -> Self {
        Self::weighted(graph.dag.nodes(), std::slice::from_ref(graph), Objects::Dags, Source::None)
    }

    fn weighted(nodes: usize, draws: &[GraphSample], objects: Objects, source: Source) -> Self {
        let shares = shares(draws);
        let mut posterior = Self {
            objects,
            source,
            samples: total_count(draws),
            effective_sample_size: effective_sample_size(draws, &shares),
            log_z: None,
            convergence: None,
            candidate_limit: None,
            parent_sets: None,
            missed_parents: Vec::new(),
            coverage: None,
            reason: None,
            candidates: group(draws, &shares),
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
        (self.edges, self.ancestors) = (unit(&self.edges), unit(&self.ancestors));
    }

    /// The mean and the largest absolute difference of the edge probabilities from those of `other`.
    #[must_use]
    pub fn difference_from(&self, other: &Self) -> (f64, f64) {
        let differences = || self.edges.iter().zip(&other.edges).map(|(own, other)| (own - other).abs());
        let pairs = (self.nodes * self.nodes.saturating_sub(1)).max(1);
        (differences().sum::<f64>() / pairs as f64, differences().fold(0.0, f64::max))
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

/// The expected number of edges whose cause is neither a candidate nor required.
fn edges_from_outside(tables: &ParentSetTables, edges: &[f64]) -> f64 {
    let nodes = tables.nodes();
    let is_outside = |cause: usize, effect: usize| {
        !tables.candidates(effect).contains(&cause) && !tables.required(effect).contains(cause)
    };
    let cells = edges.iter().enumerate().filter(|(cell, _)| is_outside(cell / nodes, cell % nodes));
    cells.map(|(_, probability)| probability).sum()
}

/// Probabilities without what rounding adds beyond zero and one.
fn unit(probabilities: &[f64]) -> Vec<f64> {
    probabilities.iter().map(|probability| probability.clamp(0.0, 1.0)).collect()
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

    fn draw(edges: &[(usize, usize)], log_weight: f64, count: u32) -> GraphSample {
        let dag = Dag::from_edges(3, edges.iter().map(|&pair| Edge::from(pair))).unwrap();
        let order = dag.topological_order();
        GraphSample { order, dag, log_reward: 0.0, log_weight, log_prob: None, count }
    }

    #[test]
    fn a_policy_that_draws_too_rarely_is_corrected() {
        // Target 3 : 1, policy 1 : 1, Z = 4.
        let draws = [draw(&[(0, 1)], 6_f64.ln(), 50), draw(&[(0, 1), (1, 2)], 2_f64.ln(), 50)];
        let posterior = Posterior::of_policy(3, Objects::Dags, &draws);
        assert!((posterior.edge(Edge::new(1, 2)) - 0.25).abs() < 1e-12);
        assert!((posterior.edge(Edge::new(0, 1)) - 1.0).abs() < 1e-12);
        assert!((posterior.ancestors()[2] - 0.25).abs() < 1e-12, "0 leads to 2 in the second graph only");
        assert!((posterior.log_z.unwrap() - 4_f64.ln()).abs() < 1e-12);
        // (50·3 + 50)² / (50·9 + 50) = 80.
        assert!((posterior.effective_sample_size - 80.0).abs() < 1e-9);
    }

    #[test]
    fn more_draws_refine_probabilities_and_leave_what_is_shown() {
        let few = [draw(&[(0, 1)], 0.0, 2)];
        let more = [draw(&[(0, 1)], 0.0, 2), draw(&[(0, 1), (1, 2)], 3_f64.ln(), 2)];
        let mut posterior = Posterior::of_policy(3, Objects::Dags, &few);
        assert!((posterior.effective_sample_size - 2.0).abs() < 1e-12);
        posterior.refine(&Posterior::of_policy(3, Objects::Dags, &more));
        assert!((posterior.edge(Edge::new(1, 2)) - 0.75).abs() < 1e-12);
        // (2·1 + 2·3)² / (2·1 + 2·9) = 3.2 of 4, so 1.6 of 2.
        assert!((posterior.effective_sample_size - 1.6).abs() < 1e-12);
        assert_eq!((posterior.samples, posterior.candidates.len()), (2, 1));
    }

    #[test]
    fn draws_of_one_graph_are_one_candidate() {
        let draws = [draw(&[(0, 1)], 0.0, 1), draw(&[(0, 1)], 0.0, 2)];
        let posterior = Posterior::of_policy(3, Objects::Dags, &draws);
        assert_eq!(posterior.candidates.len(), 1);
        assert_eq!(posterior.samples, 3);
    }

    #[test]
    fn one_graph_says_of_each_edge_only_whether_it_is_there() {
        let posterior = Posterior::single(&draw(&[(0, 1), (1, 2)], 0.0, 1));
        assert_eq!((posterior.samples, posterior.source), (1, Source::None));
        assert_eq!(posterior.edges(), [0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
        assert_eq!(posterior.ancestors()[2], 1.0);
    }

    #[test]
    fn no_draws_give_no_nan() {
        let posterior = Posterior::of_policy(2, Objects::Dags, &[]);
        assert_eq!(posterior.edges(), [0.0; 4]);
        assert_eq!((posterior.samples, posterior.log_z), (0, None));
    }
}
