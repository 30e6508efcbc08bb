//! What a run found, as the one object that JSON, the run directory, reports and other languages show.

use gflowcausal_data::{Finding, Severity};
use gflowcausal_graph::{
    Cpdag, Dag, Edge, Metrics, NamedGraph, Pdag, auprc, auroc, evaluate, expected_shd, shd,
};
use gflowcausal_score::{Correlation, Ols, Sortability};
use serde::{Deserialize, Deserializer, Serialize};

use crate::config::option;
use crate::discover::{Discovery, Training};
use crate::method::method;
use crate::posterior::{Consensus, Convergence, Coverage, GraphSample, Objects, RunnerUp, Source};
use crate::{Config, Error, RunFile};

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
    /// The best graph.
    pub graph: GraphResult,
    /// The graphs that data and knowledge cannot tell from it: its compelled and its reversible edges.
    pub cpdag: CpdagResult,
    /// Its causal order.
    pub order: Vec<String>,
    /// What it is worth.
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
    /// The configuration and the data's file, where there is a `config.toml`.
    #[serde(skip)]
    pub run: Option<RunFile>,
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
    /// What to do, in one sentence.
    pub fix: String,
}

impl FindingResult {
    fn new(finding: &Finding) -> Self {
        Self {
            code: finding.code.to_string(),
            severity: finding.severity,
            columns: finding.columns.clone(),
            what: finding.what.clone(),
            fix: finding.fix.to_string(),
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
    /// The variables.
    pub variables: Vec<String>,
    /// A fingerprint of names and values.
    pub sha256: String,
}

/// A graph as a list of edges.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GraphResult {
    /// The edges, likeliest first.
    pub edges: Vec<EdgeResult>,
}

/// A class of equivalent graphs, as pairs of names.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CpdagResult {
    /// Edges with the same direction in all of them.
    pub directed: Vec<(String, String)>,
    /// Edges whose direction differs among them.
    pub undirected: Vec<(String, String)>,
}

/// One edge and why it is there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EdgeResult {
    /// The cause.
    pub from: String,
    /// The effect.
    pub to: String,
    /// The least-squares slope given the effect's other parents, in the data's units; for continuous data.
    pub weight: Option<f64>,
    /// How likely this edge is.
    pub probability: f64,
    /// How likely the reversed edge is.
    pub reverse_probability: f64,
    /// How likely neither is there.
    pub absent_probability: f64,
    /// Whether every equivalent graph has the edge in this direction.
    pub compelled: bool,
    /// By how much the score falls without the edge.
    pub delta_score: Option<f64>,
    /// By how much the score falls when the edge is reversed; none if that closes a cycle.
    pub delta_reversed: Option<f64>,
}

/// What the best graph is worth.
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
}

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
    /// How a trained policy compares with a reference.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage: Option<Coverage>,
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

/// Whether scale gives the directions away.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SortabilityResult {
    /// By variance.
    #[serde(deserialize_with = "number")]
    pub variance: f64,
    /// By R².
    #[serde(deserialize_with = "number")]
    pub r2: f64,
    /// What that means.
    pub verdict: String,
}

/// The best graph and the draws against the truth.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MetricsResult {
    /// Of the best graph.
    #[serde(flatten)]
    pub graph: Metrics,
    /// The SHD of its equivalence class: a reversible edge counts as right if the truth joins the pair.
    pub class_shd: usize,
    /// Area under the ROC curve of the edge probabilities.
    #[serde(deserialize_with = "number")]
    pub auroc: f64,
    /// Area under the precision–recall curve of the edge probabilities.
    #[serde(deserialize_with = "number")]
    pub auprc: f64,
    /// The mean SHD of the draws.
    #[serde(deserialize_with = "number")]
    pub expected_shd: f64,
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

    /// Everything about the run in one object; with metrics if the `truth` is known.
    #[must_use]
    pub fn to_result(&self, config: &Config, data: DataResult, truth: Option<&Dag>) -> RunResult {
        RunResult {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            method: config.method.clone(),
            seed: config.seed,
            data,
            graph: GraphResult { edges: self.edge_results() },
            cpdag: self.cpdag_result(),
            order: self.order.iter().map(|node| self.names[node].clone()).collect(),
            score: ScoreResult {
                name: self.model.score_name().name().to_owned(),
                value: self.score,
                graph: self.model.graph_score(&self.graph),
                temperature: self.model.temperature(),
                prune: prunes(&config.method).then(|| self.model.prune_name().name().to_owned()),
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
            run: None,
        }
    }

    /// The class that the method found, or that of its graph: an arrow points the same way in all members that obey
    /// the knowledge.
    #[must_use]
    pub fn class(&self) -> Pdag {
        self.class.clone().unwrap_or_else(|| self.class_of(&self.graph))
    }

    fn class_of(&self, dag: &Dag) -> Pdag {
        let mut class = Cpdag::of(dag).into_pdag();
        let constraints = self.model.constraints();
        let known = dag.edges().filter(|edge| !constraints.allows(edge.reversed()));
        class.orient_with(known).expect("a graph's own directions agree with its class");
        class
    }

    fn edge_results(&self) -> Vec<EdgeResult> {
        let class = self.class();
        let weights = self.weights();
        let mut edges: Vec<EdgeResult> =
            self.graph.edges().map(|edge| self.edge_result(edge, &class, weights.of(edge))).collect();
        edges.sort_by(|a, b| b.probability.total_cmp(&a.probability));
        edges
    }

    fn cpdag_result(&self) -> CpdagResult {
        let class = self.class();
        let shown = |edge: Edge| if self.graph.contains(edge) { edge } else { edge.reversed() };
        CpdagResult {
            directed: class.directed().map(|edge| self.pair(edge)).collect(),
            undirected: class.undirected().map(|edge| self.pair(shown(edge))).collect(),
        }
    }

    /// The names of an edge's ends.
    fn pair(&self, edge: Edge) -> (String, String) {
        (self.names[edge.from].clone(), self.names[edge.to].clone())
    }

    /// An edge and its probabilities; of one that the best graph has also what the score loses without it.
    fn edge_result(&self, edge: Edge, class: &Pdag, weight: Option<f64>) -> EdgeResult {
        let (probability, reverse) = (self.posterior.edge(edge), self.posterior.edge(edge.reversed()));
        let (delta_score, delta_reversed) = self.score_differences(edge);
        EdgeResult {
            from: self.names[edge.from].clone(),
            to: self.names[edge.to].clone(),
            weight,
            probability,
            reverse_probability: reverse,
            absent_probability: (1.0 - probability - reverse).max(0.0),
            compelled: class.has_directed(edge),
            delta_score,
            delta_reversed,
        }
    }

    /// By how much the best graph scores lower without `edge`, and with it reversed; none where it does not have the
    /// edge, or a reversal closes a cycle.
    fn score_differences(&self, edge: Edge) -> (Option<f64>, Option<f64>) {
        let mut without = self.graph.clone();
        if !without.remove(edge) {
            return (None, None);
        }
        let mut reversed = without.clone();
        let is_reversible = reversed.insert(edge.reversed()).is_ok();
        let fall = |dag: &Dag| self.model.score_difference(dag, &self.graph);
        (fall(&without), if is_reversible { fall(&reversed) } else { None })
    }

    fn weights(&self) -> Weights {
        let moments = self.moments.as_ref();
        let Some((rows, correlation)) =
            moments.and_then(|moments| Some((moments.rows(), Correlation::of_moments(moments).ok()?)))
        else {
            return Weights(Vec::new());
        };
        let fit = |node| Ols::new(&correlation, rows, node, self.graph.parents(node));
        Weights((0..self.graph.nodes()).map(fit).collect())
    }

    fn posterior_result(&self) -> PosteriorResult {
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
            coverage: posterior.coverage,
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

    fn class_result(&self, ranked: &RunnerUp) -> ClassResult {
        let probability = self.posterior.log_z.and_then(|log_z| ranked.share(log_z));
        ClassResult { probability, class_size: ranked.class_size }
    }

    fn runner_up_result(&self, runner_up: &RunnerUp) -> RunnerUpResult {
        let class = self.class_of(&runner_up.graph);
        RunnerUpResult {
            edges: runner_up.graph.edges().map(|edge| self.pair(edge)).collect(),
            compelled: runner_up.graph.edges().map(|edge| class.has_directed(edge)).collect(),
            score: self.model.graph_score(&runner_up.graph).unwrap_or(f64::NAN),
            class: self.class_result(runner_up),
        }
    }

    /// The consensus, each edge with its probabilities; slopes and score differences where the best graph has it.
    fn consensus_result(&self) -> ConsensusResult {
        let consensus = Consensus::new(self.posterior.edges(), self.model.constraints());
        let (class, weights) = (self.class(), self.weights());
        let list = |edges: &mut dyn Iterator<Item = Edge>| -> Vec<EdgeResult> {
            edges.map(|edge| self.edge_result(edge, &class, weights.of(edge))).collect()
        };
        let mut edges = list(&mut consensus.graph.edges());
        edges.sort_by(|a, b| b.probability.total_cmp(&a.probability));
        ConsensusResult {
            edges,
            sure: list(&mut consensus.sure.into_iter()),
            direction_open: list(&mut consensus.direction_open.into_iter()),
            unsure: list(&mut consensus.unsure.into_iter()),
        }
    }

    fn sortability(&self) -> Option<SortabilityResult> {
        let sortability = Sortability::new(&self.graph, self.moments.as_ref()?).ok()?;
        let Sortability { variance, r2 } = sortability;
        Some(SortabilityResult { variance, r2, verdict: sortability.verdict() })
    }

    fn metrics(&self, truth: &Dag) -> MetricsResult {
        let samples = self.posterior.candidates.iter().map(|candidate| (&candidate.dag, candidate.weight));
        let estimate = self.class.clone().unwrap_or_else(|| Pdag::from(&self.graph));
        let graph = evaluate(&estimate, truth);
        MetricsResult {
            expected_shd: expected_shd(samples, truth).unwrap_or(graph.shd as f64),
            auroc: auroc(self.posterior.edges(), truth),
            auprc: auprc(self.posterior.edges(), truth),
            class_shd: shd(&self.class(), truth),
            graph,
        }
    }
}

/// The least-squares fits of the variables on their parents; none where columns are not numbers.
struct Weights(Vec<Ols>);

impl Weights {
    /// The slope of the effect on the cause, given its other parents.
    fn of(&self, edge: Edge) -> Option<f64> {
        let fit = self.0.get(edge.to)?;
        let at = fit.parents.iter().position(|&parent| parent == edge.from)?;
        Some(fit.coefficients[at])
    }
}

/// Whether the method called `name` finds orders, and graphs from them.
fn prunes(name: &str) -> bool {
    method(name).is_ok_and(|method| method.options().contains(&option::prune))
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
