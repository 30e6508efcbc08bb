//! The posterior: its probabilities, how far to trust them, the consensus graph and the runners-up.

use gflowcausal_graph::Edge;
use serde::{Deserialize, Serialize};

use super::{EdgeResult, matrix, number};
use crate::discover::Discovery;
use crate::posterior::{
    CandidateLimit, Consensus, Convergence, Coverage, Objects, ParentSets, Refusal, RunnerUp, Source,
};

/// One graph that agrees with the probabilities, and three lists of pairs; each edge points in its likelier direction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConsensusResult {
    /// For each pair the likeliest of `→`, `←` and no edge, made acyclic.
    pub edges: Vec<EdgeResult>,
    /// The direction has a probability of at least 0.9.
    pub sure: Vec<EdgeResult>,
    /// The pair is adjacent with at least 0.9, and neither direction is sure.
    pub direction_open: Vec<EdgeResult>,
    /// The pair is adjacent with a probability between 0.1 and 0.9.
    pub unsure: Vec<EdgeResult>,
    /// Sure directions that rest on what the score assumes of functions and noise alone: which variables are independent leaves them open.
    #[serde(default)]
    pub by_shape: Vec<(String, String)>,
}

/// The probabilities, and how far to trust them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PosteriorResult {
    /// What the distribution is over.
    pub target: Objects,
    /// Where the probabilities come from.
    pub by: Source,
    /// How many graphs were drawn.
    pub samples: u64,
    /// How many different ones.
    pub distinct: usize,
    /// Of the importance weights, or of the least certain edge of chains.
    #[serde(deserialize_with = "number")]
    pub effective_sample_size: f64,
    /// `ln Z`, where it is known or estimated.
    pub log_z: Option<f64>,
    /// The log-odds of an edge in the structure prior.
    pub edge_prior: f64,
    /// How far chains agree with each other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub convergence: Option<Convergence>,
    /// Present where exact sums are over parents among candidates, not among all variables.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub candidate_limit: Option<CandidateLimit>,
    /// How many parent sets the probabilities rest on, where time ran out before all were evaluated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_sets: Option<ParentSets>,
    /// Edges that the probabilities leave out although they matter: the cause is no candidate parent of the effect.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missed_parents: Vec<MissedParent>,
    /// How a trained policy compares with a reference.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage: Option<Coverage>,
    /// Why a trained policy is not used or, where it was asked for, not to be relied on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refusals: Vec<Refusal>,
    /// Why the probabilities come from there, where that was left open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The probability of each edge, row causes column; without probabilities whether it is in the one graph.
    #[serde(deserialize_with = "matrix")]
    pub edge_probabilities: Vec<Vec<f64>>,
    /// The probability of a directed path, row leads to column.
    #[serde(deserialize_with = "matrix")]
    pub ancestor_probabilities: Vec<Vec<f64>>,
    /// The size and the posterior probability of the best graph's class.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub best: Option<ClassResult>,
    /// The next best graphs by their own score, one for each equivalence class.
    pub runners_up: Vec<RunnerUpResult>,
}

/// An edge whose cause is none of the effect's candidate parents.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MissedParent {
    /// The cause.
    pub from: String,
    /// The effect.
    pub to: String,
    /// About the probability that the edge would have, were the cause a candidate.
    pub probability: f64,
}

/// The equivalence class of a graph.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ClassResult {
    /// The posterior probability of the class, from its score and `Z`, where `Z` is known.
    pub probability: Option<f64>,
    /// How many DAGs it holds that the knowledge permits, where they can be counted.
    pub class_size: Option<f64>,
}

/// A graph that scores nearly as high as the best.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunnerUpResult {
    /// Its edges as pairs of names.
    pub edges: Vec<(String, String)>,
    /// For each edge whether its direction is compelled.
    pub compelled: Vec<bool>,
    /// Its score.
    #[serde(deserialize_with = "number")]
    pub score: f64,
    /// The posterior probability and the size of its class.
    #[serde(flatten)]
    pub class: ClassResult,
}

impl Discovery {
    pub(super) fn posterior_result(&self) -> PosteriorResult {
        let nodes = self.names.len();
        let rows = |matrix: &[f64]| matrix.chunks(nodes.max(1)).map(<[f64]>::to_vec).collect();
        let posterior = &self.posterior;
        PosteriorResult {
            target: posterior.objects,
            by: posterior.source,
            samples: posterior.samples,
            distinct: posterior.candidates.len(),
            effective_sample_size: posterior.effective_sample_size,
            log_z: posterior.log_z,
            edge_prior: self.model.edge_log_odds(),
            convergence: posterior.convergence,
            candidate_limit: posterior.candidate_limit,
            parent_sets: posterior.parent_sets,
            missed_parents: self.missed_parents(),
            coverage: posterior.coverage,
            refusals: posterior.coverage.map_or_else(Vec::new, |coverage| coverage.refusals()),
            reason: posterior.reason.clone(),
            edge_probabilities: rows(posterior.edges()),
            ancestor_probabilities: rows(posterior.ancestors()),
            best: self.ranked.first().map(|best| self.class_result(best)),
            runners_up: self
                .ranked
                .iter()
                .skip(1)
                .map(|runner_up| self.runner_up_result(runner_up))
                .collect(),
        }
    }

    fn missed_parents(&self) -> Vec<MissedParent> {
        let missed = self.posterior.missed_parents.iter();
        let name = |node: usize| self.names[node].clone();
        missed
            .map(|&(edge, probability)| MissedParent {
                from: name(edge.from),
                to: name(edge.to),
                probability,
            })
            .collect()
    }

    fn class_result(&self, ranked: &RunnerUp) -> ClassResult {
        let probability = self.posterior.log_z.and_then(|log_z| ranked.share(log_z));
        ClassResult { probability, class_size: ranked.class_size }
    }

    fn runner_up_result(&self, runner_up: &RunnerUp) -> RunnerUpResult {
        let class = self.class_of(&runner_up.graph);
        RunnerUpResult {
            edges: runner_up.graph.edges().map(|edge| self.pair(edge)).collect(),
            compelled: runner_up.graph.edges().map(|edge| class.has_directed(edge)).collect(),
            score: self.in_time(|| self.model.graph_score(&runner_up.graph)).flatten().unwrap_or(f64::NAN),
            class: self.class_result(runner_up),
        }
    }

    /// The consensus, each edge with its probabilities; slopes and score differences where the best graph has it.
    pub(super) fn consensus_result(&self) -> ConsensusResult {
        let consensus = Consensus::new(self.posterior.edges(), self.model.constraints());
        let (class, weights) = (self.class(), self.weights());
        let list = |edges: &mut dyn Iterator<Item = Edge>| -> Vec<EdgeResult> {
            edges.map(|edge| self.edge_result(edge, &class, &weights)).collect()
        };
        let by_shape = if !self.model.is_score_equivalent() {
            let equivalents = self.equivalents_of(&consensus.graph);
            let open = consensus.sure.iter().filter(|&&edge| !equivalents.has_directed(edge));
            open.map(|&edge| self.pair(edge)).collect()
        } else {
            Vec::new()
        };
        let mut edges = list(&mut consensus.graph.edges());
        edges.sort_by(|a, b| b.probability.total_cmp(&a.probability));
        ConsensusResult {
            edges,
            sure: list(&mut consensus.sure.into_iter()),
            direction_open: list(&mut consensus.direction_open.into_iter()),
            unsure: list(&mut consensus.unsure.into_iter()),
            by_shape,
        }
    }
}
