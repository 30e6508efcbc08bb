//! What a run found, as the one object that JSON, the run directory, reports and other languages show.

mod edges;
mod metrics;
mod posterior;

use gflowcausal_data::{Finding, Severity};
use gflowcausal_determinism::interruptible;
use gflowcausal_graph::{Advice, Dag, NamedGraph, Pdag};
use serde::{Deserialize, Deserializer, Serialize};

use crate::discover::Discovery;
use crate::method::method;
use crate::model::{FamilyEvidence, ScoreName, fingerprint_suffix};
use crate::options::option;
use crate::posterior::{GraphSample, Source};
use crate::training_record::Training;
use crate::{Config, EffectsResult, Error, Preview, RunFile};

pub use edges::{CpdagResult, EdgeResult, GraphResult};
pub use metrics::{MetricsResult, SortabilityResult};
pub use posterior::{ClassResult, ConsensusResult, MissedParent, PosteriorResult, RunnerUpResult};

/// Everything about a finished run: `result.json`, and beside it what the other files of the run hold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunResult {
    /// The program's version.
    pub version: String,
    /// The method by its registered name.
    pub method: String,
    /// The seed.
    pub seed: u64,
    /// The data.
    pub data: DataResult,
    /// Rows from experiments, where there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interventions: Option<InterventionsResult>,
    /// The best graph.
    pub graph: GraphResult,
    /// The graphs that data and knowledge cannot tell from it: its compelled and its reversible edges.
    pub cpdag: CpdagResult,
    /// Its causal order.
    pub order: Vec<String>,
    /// Its score.
    pub score: ScoreResult,
    /// One graph that agrees with the probabilities, and what they are sure of; where there are probabilities.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consensus: Option<ConsensusResult>,
    /// The probabilities, and how far to trust them.
    pub posterior: PosteriorResult,
    /// Whether scale gives the directions away; for continuous data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sortability: Option<SortabilityResult>,
    /// The best graph against the truth, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metrics: Option<MetricsResult>,
    /// The true graph's edges, if they are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truth: Option<Vec<(String, String)>>,
    /// How training went, if there was any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub training: Option<Training>,
    /// What is odd about the data.
    #[serde(default)]
    pub findings: Vec<FindingResult>,
    /// How long each part took.
    #[serde(default)]
    pub seconds: Seconds,
    /// The drawn graphs, in a few numbers each: what a report needs of `samples.jsonl`.
    #[serde(skip)]
    pub samples: Vec<SampleSummary>,
    /// The effects of all pairs, where there is an `effects.json`.
    #[serde(skip)]
    pub effects: Option<EffectsResult>,
    /// A few rows of the data, for pictures; `preview.json`.
    #[serde(skip)]
    pub preview: Option<Preview>,
    /// The configuration and the data's file, where there is a `config.toml`.
    #[serde(skip)]
    pub run: Option<RunFile>,
}

/// Rows from experiments, and what they decide.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InterventionsResult {
    /// In how many rows a variable was set from outside.
    pub rows: usize,
    /// The variables that were set.
    pub targets: Vec<String>,
    /// Edges of the best graph whose direction such rows decide: one end was set while the other was not.
    pub decided: Vec<(String, String)>,
}

/// One thing that is wrong or odd in the data, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FindingResult {
    /// The kind, as a stable word.
    pub code: String,
    /// How much it matters.
    pub severity: Severity,
    /// The columns concerned.
    pub columns: Vec<String>,
    /// What was found, in one sentence.
    pub what: String,
    /// What to do, in one sentence; in JSON as the command line writes it.
    pub fix: Advice,
}

impl FindingResult {
    fn new(finding: &Finding) -> Self {
        Self {
            code: finding.code.to_string(),
            severity: finding.severity,
            columns: finding.columns.clone(),
            what: finding.what.clone(),
            fix: finding.fix.clone(),
        }
    }
}

/// A drawn graph in a few numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SampleSummary {
    /// How many edges it has.
    pub edges: usize,
    /// Logarithm of its reward: score over temperature.
    pub log_reward: f64,
    /// Logarithm of its importance weight.
    pub log_weight: f64,
    /// How often it was drawn.
    pub count: u32,
}

impl From<&GraphSample> for SampleSummary {
    fn from(draw: &GraphSample) -> Self {
        let GraphSample { dag, log_reward, log_weight, count, .. } = draw;
        Self { edges: dag.edge_count(), log_reward: *log_reward, log_weight: *log_weight, count: *count }
    }
}

/// How long each part took. The library has no clock: whoever runs it fills this in.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Seconds {
    /// Everything.
    pub total: f64,
    /// Building the score.
    pub score: f64,
    /// Local search before training.
    pub search: f64,
    /// Training.
    pub train: f64,
    /// Drawing graphs.
    pub sample: f64,
    /// Of all processors together.
    pub cpu: f64,
}

/// The data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DataResult {
    /// What the user calls it.
    pub name: String,
    /// How many rows it has.
    pub rows: usize,
    /// How many of them the score or the pruning uses, if that is not all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows_used: Option<usize>,
    /// The variables.
    pub variables: Vec<String>,
    /// A fingerprint of names and values.
    pub sha256: String,
}

/// The score of the best graph.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScoreResult {
    /// The score's name.
    pub name: String,
    /// Its value for the best order.
    #[serde(deserialize_with = "number")]
    pub value: f64,
    /// Its value for the best graph, where it has one for graphs; what [`EdgeResult::delta_score`] is taken from.
    pub graph: Option<f64>,
    /// The temperature of the policy.
    pub temperature: f64,
    /// How orders become graphs, where the method finds an order first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prune: Option<String>,
    /// Which family each variable asks for, where that chose the score.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<FamilyEvidence>,
    /// Why families were not compared, where numbers left the score open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_compared: Option<String>,
}

impl ScoreResult {
    /// The options with this score, where they leave it to the data.
    #[must_use]
    pub fn applied_to(&self, config: &Config) -> Config {
        match self.name.parse() {
            Ok(score) if config.score == ScoreName::Auto && !config.paper => {
                config.with_chosen_score(score, self.evidence.as_ref())
            }
            _ => config.clone(),
        }
    }

    /// What evidence added to the fingerprint of the run.
    pub(crate) fn fingerprint_suffix(&self) -> String {
        fingerprint_suffix(&self.name, self.evidence.as_ref())
    }
}

impl Discovery {
    /// The best graph with its names, weights and probabilities.
    ///
    /// # Errors
    /// When names are empty.
    pub fn named_graph(&self) -> Result<NamedGraph, Error> {
        let in_result = |source| Error::Graph { path: "result".into(), source };
        let mut named = NamedGraph::new(self.names.clone(), Pdag::from(&self.graph)).map_err(in_result)?;
        let weights = self.weights();
        for edge in self.graph.edges() {
            named.set_probability(edge, self.posterior.edge(edge)).map_err(in_result)?;
            if let Some(weight) = weights.of(edge).filter(|weight| *weight != 0.0) {
                named.set_weight(edge, weight).map_err(in_result)?;
            }
        }
        Ok(named)
    }

    /// The result of `work`; none if it takes longer than a run that was stopped has.
    pub(crate) fn in_time<T>(&self, work: impl FnOnce() -> T) -> Option<T> {
        interruptible(&self.result_stop, work)
    }

    /// Everything about the run in one object; with metrics if the `truth` is known.
    #[must_use]
    pub fn to_result(&self, config: &Config, data: DataResult, truth: Option<&Dag>) -> RunResult {
        RunResult {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            method: config.method.clone(),
            seed: config.seed,
            data,
            interventions: self.interventions_result(),
            graph: GraphResult { edges: self.edge_results() },
            cpdag: self.cpdag_result(),
            order: self.order.iter().map(|node| self.names[node].clone()).collect(),
            score: ScoreResult {
                name: self.model.score_name().name().to_owned(),
                value: self.score,
                graph: self.in_time(|| self.model.graph_score(&self.graph)).flatten(),
                temperature: self.model.temperature(),
                prune: prunes(&config.method).then(|| self.model.prune_name().name().to_owned()),
                evidence: self.model.evidence().cloned(),
                not_compared: self.model.not_compared().map(str::to_owned),
            },
            consensus: (self.posterior.source != Source::None).then(|| self.consensus_result()),
            posterior: self.posterior_result(),
            sortability: self.sortability(),
            metrics: truth.map(|truth| self.metrics(truth)),
            truth: truth.map(|truth| truth.edges().map(|edge| self.pair(edge)).collect()),
            training: self.training.clone(),
            findings: self.findings.iter().map(FindingResult::new).collect(),
            seconds: Seconds::default(),
            samples: self.draws.iter().map(SampleSummary::from).collect(),
            effects: None,
            preview: None,
            run: None,
        }
    }
}

/// Whether the method called `name` finds orders, and graphs from them.
fn prunes(name: &str) -> bool {
    method(name).is_ok_and(|method| method.reads(option::prune))
}

/// A number; JSON has no NaN and writes `null`.
fn number<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or(f64::NAN))
}

/// A matrix of such numbers.
fn matrix<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Vec<f64>>, D::Error> {
    let rows: Vec<Vec<Option<f64>>> = Vec::deserialize(from)?;
    let number = |cell: Option<f64>| cell.unwrap_or(f64::NAN);
    Ok(rows.into_iter().map(|row| row.into_iter().map(number).collect()).collect())
}
