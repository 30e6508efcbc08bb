//! What a report and its pictures are made of: the files of a run, read back.

use std::collections::BTreeMap;

use gflowcausal::flow::Progress;
use gflowcausal::graph::{Dag, Edge};
use gflowcausal::{Discovery, Draw, Error, ResultObject, RunDir, RunFile, Training, read_log, stored_run};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use crate::layout::{Layout, label, width_of};

/// A finished run, as its files tell it.
pub struct Record {
    pub(crate) result: Stored,
    pub(crate) draws: Vec<Drawn>,
    pub(crate) run: Option<RunFile>,
    /// The best graph's edges, likeliest first.
    pub(crate) edges: Vec<BestEdge>,
    /// The likeliest graphs.
    pub(crate) top: Vec<Vec<Edge>>,
    /// The true graph's edges, if they are known.
    pub(crate) truth: Option<Vec<Edge>>,
    history: Vec<Progress>,
    order: Vec<usize>,
    graph: Dag,
}

/// The parts of `result.json` that a report shows.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Stored {
    pub(crate) version: String,
    pub(crate) method: String,
    pub(crate) seed: u64,
    pub(crate) data: StoredData,
    graph: StoredGraph,
    order: Vec<String>,
    pub(crate) score: StoredScore,
    pub(crate) posterior: StoredPosterior,
    pub(crate) sortability: Option<StoredSortability>,
    pub(crate) metrics: Option<Map<String, Value>>,
    truth: Option<Vec<(String, String)>>,
    pub(crate) training: Option<Training>,
    #[serde(default)]
    pub(crate) findings: Vec<Value>,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct StoredData {
    pub(crate) name: String,
    pub(crate) rows: usize,
    pub(crate) variables: Vec<String>,
    pub(crate) sha256: String,
}

#[derive(Debug, Clone, Deserialize)]
struct StoredGraph {
    edges: Vec<StoredEdge>,
}

#[derive(Debug, Clone, Deserialize)]
struct StoredEdge {
    from: String,
    to: String,
    weight: Option<f64>,
    probability: f64,
    reversed_probability: f64,
    compelled: bool,
    delta_score: Option<f64>,
    delta_reversed: Option<f64>,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct StoredScore {
    pub(crate) name: String,
    pub(crate) value: Option<f64>,
    pub(crate) graph: Option<f64>,
    pub(crate) temperature: f64,
    pub(crate) prune: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct StoredPosterior {
    pub(crate) samples: u64,
    pub(crate) distinct: usize,
    pub(crate) effective_sample_size: Option<f64>,
    pub(crate) weighting: String,
    pub(crate) edge_probabilities: Vec<Vec<Option<f64>>>,
    pub(crate) top: Vec<StoredTop>,
    pub(crate) distance_to_exact: Option<StoredDistance>,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct StoredTop {
    pub(crate) weight: f64,
    pub(crate) log_reward: Option<f64>,
    edges: Vec<(String, String)>,
    pub(crate) compelled: Vec<bool>,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct StoredDistance {
    pub(crate) mean: f64,
    pub(crate) largest: f64,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct StoredSortability {
    pub(crate) verdict: String,
}

/// An edge of the best graph and why it is there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct BestEdge {
    pub(crate) edge: Edge,
    pub(crate) weight: Option<f64>,
    pub(crate) probability: f64,
    pub(crate) reversed_probability: f64,
    pub(crate) compelled: bool,
    pub(crate) delta_score: Option<f64>,
    pub(crate) delta_reversed: Option<f64>,
}

/// One line of `samples.jsonl`.
#[derive(Debug, Clone, Deserialize)]
struct SampleLine {
    edges: Vec<IgnoredAny>,
    log_reward: Option<f64>,
    log_prob: Option<f64>,
    count: u32,
}

/// A drawn graph, as charts need it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Drawn {
    /// Score over temperature.
    pub(crate) log_reward: f64,
    /// How many edges it has.
    pub(crate) edges: usize,
    /// Its share of the total weight.
    pub(crate) share: f64,
    log_prob: f64,
    count: u32,
}

impl Record {
    /// Reads the files of the run in `dir`.
    ///
    /// # Errors
    /// When the run is not finished, or its files are damaged.
    pub fn open(dir: &RunDir) -> Result<Self, Error> {
        let result = dir.read("result.json")?;
        let log = || dir.read("training.csv").map_err(Error::from);
        Self::parse(&result, &dir.read("samples.jsonl")?, log, stored_run(dir)).map_err(|error| match error {
            Error::DamagedRun { path, reason } => Error::DamagedRun { path: dir.path().join(path), reason },
            other => other,
        })
    }

    /// The same of the bytes of `result.json` and `samples.jsonl`; `log` gives those of `training.csv`, where there was
    /// training.
    ///
    /// # Errors
    /// When one of them is damaged.
    pub fn parse(
        result: &[u8],
        samples: &[u8],
        log: impl FnOnce() -> Result<Vec<u8>, Error>,
        run: Option<RunFile>,
    ) -> Result<Self, Error> {
        let damaged =
            |name: &'static str| move |reason: String| Error::DamagedRun { path: name.into(), reason };
        let result: Stored =
            serde_json::from_slice(result).map_err(|error| damaged("result.json")(error.to_string()))?;
        let draws = read_samples(samples).map_err(damaged("samples.jsonl"))?;
        let history = match &result.training {
            Some(_) => read_log(&log()?)
                .ok_or_else(|| damaged("training.csv")("it is not a log of training".into()))?,
            None => Vec::new(),
        };
        Self::join(result, draws, history, run).map_err(damaged("result.json"))
    }

    /// The same of a run that is in memory; `run` says on which data it was, where they came from a file.
    ///
    /// # Errors
    /// When the result contradicts itself.
    pub fn of(found: &Discovery, result: &ResultObject, run: Option<RunFile>) -> Result<Self, Error> {
        let damaged = |reason: String| Error::DamagedRun { path: "result".into(), reason };
        let stored = serde_json::to_value(result).and_then(serde_json::from_value);
        let stored = stored.map_err(|error| damaged(error.to_string()))?;
        let history = found.training.as_ref().map(|training| training.history.clone());
        let draws = found.draws.iter().map(Drawn::of).collect();
        Self::join(stored, draws, history.unwrap_or_default(), run).map_err(damaged)
    }

    fn join(
        result: Stored,
        mut draws: Vec<Drawn>,
        history: Vec<Progress>,
        run: Option<RunFile>,
    ) -> Result<Self, String> {
        let variables = Variables::of(&result.data.variables)?;
        let edges = result.graph.edges.iter().map(|edge| variables.best_edge(edge));
        let edges = edges.collect::<Result<Vec<_>, _>>()?;
        let graph = variables.dag(edges.iter().map(|best| best.edge))?;
        let top = result.posterior.top.iter().map(|top| variables.edges(&top.edges));
        let top = top.collect::<Result<Vec<_>, _>>()?;
        let truth = result.truth.as_ref().map(|truth| variables.edges(truth)).transpose()?;
        let order = result.order.iter().map(|name| variables.find(name)).collect::<Result<Vec<_>, _>>()?;
        weigh(&mut draws, result.posterior.weighting == "importance");
        Ok(Self { result, draws, run, edges, top, truth, history, order, graph })
    }

    /// The variables, by index.
    pub(crate) fn names(&self) -> &[String] {
        &self.result.data.variables
    }

    /// What the data are called.
    pub(crate) fn data_name(&self) -> &str {
        &self.result.data.name
    }

    /// The method by its registered name.
    pub(crate) fn method(&self) -> &str {
        &self.result.method
    }

    /// Whether the method gives one graph and no probabilities.
    pub(crate) fn is_single(&self) -> bool {
        self.result.posterior.weighting == "single"
    }

    /// The best graph's causal order.
    pub(crate) fn order(&self) -> &[usize] {
        &self.order
    }

    /// What each iteration of training brought.
    pub(crate) fn history(&self) -> &[Progress] {
        &self.history
    }

    /// The best graph's edges, likeliest first.
    pub(crate) fn edges(&self) -> &[BestEdge] {
        &self.edges
    }

    /// How likely `from` causes `to`.
    pub(crate) fn probability(&self, from: usize, to: usize) -> f64 {
        let row = self.result.posterior.edge_probabilities.get(from);
        row.and_then(|row| *row.get(to)?).unwrap_or(0.0)
    }

    /// Whether `from` causes `to` in the best graph.
    pub(crate) fn has_edge(&self, from: usize, to: usize) -> bool {
        self.graph.contains(Edge::new(from, to))
    }

    /// Where everything of the best graph is drawn.
    pub(crate) fn layout(&self) -> Layout {
        let widths: Vec<f64> = self.names().iter().map(|name| width_of(&label(name))).collect();
        Layout::new(&self.graph, &widths)
    }
}

impl Drawn {
    fn of(draw: &Draw) -> Self {
        let Draw { dag, log_reward, log_prob, count, .. } = draw;
        Self {
            log_reward: *log_reward,
            edges: dag.edge_count(),
            share: 0.0,
            log_prob: *log_prob,
            count: *count,
        }
    }
}

fn read_samples(bytes: &[u8]) -> Result<Vec<Drawn>, String> {
    let lines = serde_json::Deserializer::from_slice(bytes).into_iter::<SampleLine>();
    let drawn = |line: SampleLine| Drawn {
        log_reward: line.log_reward.unwrap_or(f64::NAN),
        edges: line.edges.len(),
        share: 0.0,
        log_prob: line.log_prob.unwrap_or(f64::NAN),
        count: line.count,
    };
    lines.map(|line| line.map(drawn).map_err(|error| error.to_string())).collect()
}

/// Gives every draw its share: by reward over probability where draws are weighted so, else by how often it came.
fn weigh(draws: &mut [Drawn], is_importance: bool) {
    let log_weight = |draw: &Drawn| if is_importance { draw.log_reward - draw.log_prob } else { 0.0 };
    let largest = draws.iter().map(log_weight).fold(f64::NEG_INFINITY, f64::max);
    for draw in &mut *draws {
        draw.share = f64::from(draw.count) * (log_weight(draw) - largest).exp();
    }
    let total: f64 = draws.iter().map(|draw| draw.share).sum();
    draws.iter_mut().for_each(|draw| draw.share /= total);
}

/// Variables by name.
struct Variables<'a>(BTreeMap<&'a str, usize>);

impl<'a> Variables<'a> {
    fn of(names: &'a [String]) -> Result<Self, String> {
        let by_name: BTreeMap<&str, usize> =
            names.iter().enumerate().map(|(index, name)| (name.as_str(), index)).collect();
        if by_name.len() == names.len() {
            Ok(Self(by_name))
        } else {
            Err("two variables share a name".into())
        }
    }

    fn find(&self, name: &str) -> Result<usize, String> {
        self.0.get(name).copied().ok_or_else(|| format!("there is no variable '{name}'"))
    }

    fn edges(&self, pairs: &[(String, String)]) -> Result<Vec<Edge>, String> {
        pairs.iter().map(|(from, to)| Ok(Edge::new(self.find(from)?, self.find(to)?))).collect()
    }

    fn dag(&self, edges: impl Iterator<Item = Edge>) -> Result<Dag, String> {
        Dag::from_edges(self.0.len(), edges).map_err(|error| error.to_string())
    }

    fn best_edge(&self, stored: &StoredEdge) -> Result<BestEdge, String> {
        let StoredEdge { weight, probability, reversed_probability, compelled, .. } = *stored;
        let edge = Edge::new(self.find(&stored.from)?, self.find(&stored.to)?);
        let (delta_score, delta_reversed) = (stored.delta_score, stored.delta_reversed);
        Ok(BestEdge {
            edge,
            weight,
            probability,
            reversed_probability,
            compelled,
            delta_score,
            delta_reversed,
        })
    }
}
