//! What effects need of a finished run: its graphs, and the moments or the rows that it was made of.

use std::borrow::Cow;
use std::collections::BTreeMap;

use gflowcausal_data::{Moments, Table};
use gflowcausal_graph::{Dag, Edge};
use gflowcausal_score::Regressor;
use serde::{Deserialize, Serialize};

use super::{EffectModel, EffectRequest, EffectsResult, Mechanism};
use crate::posterior::{GraphSample, WeightedDag};
use crate::prepare::{complete, without_excluded};
use crate::{Config, DataFile, Discovery, Error, Problem, RunDir, RunFile, RunResult, fingerprint};

/// Means and covariances of a run's rows, so that effects can be had where the data are not.
pub(crate) const MOMENTS: &str = "moments.json";

/// The effects of all pairs, where there are not too many.
pub(crate) const EFFECTS: &str = "effects.json";

/// Up to how many variables a run writes the effects of all pairs.
const MOST_PAIRED: usize = 40;

/// Up to how many variables a run writes the curves of all pairs.
const MOST_CURVES: usize = 12;

/// The same where they are Gaussian processes, which take a hundredth of a second each.
const MOST_PROCESSES: usize = 6;

/// More variables than this, and their covariances make a file that nobody wants.
const MOST_STORED: usize = 1000;

/// The file of moments.
#[derive(Serialize, Deserialize)]
pub(crate) struct StoredMoments<'a> {
    variables: Cow<'a, [String]>,
    moments: Cow<'a, Moments>,
}

impl<'a> StoredMoments<'a> {
    /// What is stored of `found`, where it has moments of a moderate size.
    pub(crate) fn of(found: &'a Discovery) -> Option<Self> {
        let moments = found.moments.as_ref().filter(|_| found.names.len() <= MOST_STORED)?;
        Some(Self { variables: Cow::Borrowed(&found.names), moments: Cow::Borrowed(moments) })
    }
}

/// What is read of a line of `samples.jsonl`.
#[derive(Deserialize)]
struct StoredGraph {
    edges: Vec<(String, String)>,
    log_reward: Option<f64>,
    #[serde(default)]
    log_weight: f64,
    count: u32,
}

impl EffectModel {
    /// The effects of the finished run in `dir`. Where moments are not enough, the rows are read again from the file of the
    /// run, or from `data` if they have moved.
    ///
    /// # Errors
    /// A run that is not finished or damaged, data that are not those of the run, or a score without effects.
    pub fn of_run(dir: &RunDir, data: Option<String>, memory_limit: Option<u64>) -> Result<Self, Error> {
        let result = RunResult::read(dir)?;
        let samples = dir.read_checked("samples.jsonl")?;
        let graphs = stored_graphs(&samples, &result.data.variables)?;
        if Mechanism::of(&result.score.name) == Mechanism::Linear && dir.file(MOMENTS).exists() {
            let bytes = dir.read_checked(MOMENTS)?;
            let damaged = |reason: String| Error::DamagedRun { path: dir.file(MOMENTS), reason };
            let stored: StoredMoments<'_> =
                serde_json::from_slice(&bytes).map_err(|error| damaged(error.to_string()))?;
            if *stored.variables != *result.data.variables {
                return Err(damaged("it is of other variables".to_owned()));
            }
            return Self::new(&result, graphs, Some(&stored.moments), None);
        }
        let file = RunFile::read_run(dir)?;
        let stored = file.about.data.clone().unwrap_or_default();
        let path = data.unwrap_or_else(|| stored.path.clone());
        let table = DataFile { path: path.clone(), ..stored }.read(memory_limit)?.table;
        if fingerprint(&table) != result.data.sha256 {
            return Err(Error::OtherTable(path));
        }
        Self::of_problem(&result, &samples, &Problem::new(&table, &file.config)?)
    }

    /// The effects of the run `result`, whose graphs are the lines `samples`, on the data of `problem`.
    ///
    /// # Errors
    /// Lines that are damaged, or a score without effects.
    pub fn of_problem(result: &RunResult, samples: &[u8], problem: &Problem<'_>) -> Result<Self, Error> {
        let graphs = stored_graphs(samples, &result.data.variables)?;
        let table = match problem.model.interventions() {
            Some(interventions) => Cow::Owned(problem.table.select_rows(&interventions.observational_rows())),
            None => Cow::Borrowed(&*problem.table),
        };
        Self::new(result, graphs, problem.moments.as_ref(), Some(&table))
    }

    /// The effects of a run whose score is linear, from the means and covariances of its data.
    ///
    /// # Errors
    /// When the graphs cannot be read, or the score has no effects.
    pub fn of_moments(result: &RunResult, samples: &[u8], moments: &Moments) -> Result<Self, Error> {
        Self::new(result, stored_graphs(samples, &result.data.variables)?, Some(moments), None)
    }
}

/// Up to how many variables the effects of all pairs are computed unasked.
fn most_paired(score: &str) -> usize {
    match Mechanism::of(score) {
        Mechanism::Nonlinear(Regressor::Joint) => MOST_PROCESSES,
        Mechanism::Nonlinear(_) => MOST_CURVES,
        _ => MOST_PAIRED,
    }
}

impl EffectModel {
    /// The effects of all pairs for a report, with curves where the score has them; none where there are too many.
    #[must_use]
    pub fn all_pairs(&self, seed: u64) -> Option<EffectsResult> {
        let request = EffectRequest { seed, keeps_curves: true, ..EffectRequest::default() };
        (self.names.len() <= most_paired(&self.about.score)).then(|| self.evaluate(&request).ok()).flatten()
    }
}

impl Discovery {
    /// The effects of all pairs, where the score has them and there are few enough; `table` is what the run was given.
    pub(crate) fn all_effects(
        &self,
        result: &RunResult,
        table: Option<&Table>,
        config: &Config,
    ) -> Option<EffectsResult> {
        let mechanism = Mechanism::of(&result.score.name);
        if self.names.len() > most_paired(&result.score.name) {
            return None;
        }
        let graphs = WeightedDag::of_draws(&self.draws);
        let used = match table {
            // With interventions only some of the rows serve; `effect RUN` chooses them.
            Some(_) if config.interventions.is_some() => None,
            Some(table) if mechanism != Mechanism::Linear => {
                Some(complete(without_excluded(table, &config.exclude).ok()?, config).ok()?)
            }
            _ => None,
        };
        let model = EffectModel::new(result, graphs, self.moments.as_ref(), used.as_deref()).ok()?;
        self.in_time(|| model.all_pairs(config.seed)).flatten()
    }
}

/// The graphs of `samples.jsonl`, over the variables `names`.
fn stored_graphs(samples: &[u8], names: &[String]) -> Result<Vec<WeightedDag>, Error> {
    let damaged = |reason: String| Error::DamagedRun { path: "samples.jsonl".into(), reason };
    let places: BTreeMap<&str, usize> =
        names.iter().enumerate().map(|(at, name)| (name.as_str(), at)).collect();
    let place = |name: &str| {
        places.get(name).copied().ok_or_else(|| damaged(format!("there is no variable '{name}'")))
    };
    let mut draws = Vec::new();
    for line in serde_json::Deserializer::from_slice(samples).into_iter::<StoredGraph>() {
        let line = line.map_err(|error| damaged(error.to_string()))?;
        let edges = line.edges.iter().map(|(from, to)| Ok(Edge::new(place(from)?, place(to)?)));
        let edges = edges.collect::<Result<Vec<_>, Error>>()?;
        let dag = Dag::from_edges(names.len(), edges).map_err(|error| damaged(error.to_string()))?;
        let log_reward = line.log_reward.unwrap_or(f64::NAN);
        let draw = GraphSample::of_target(dag.topological_order(), dag, log_reward);
        draws.push(GraphSample { log_weight: line.log_weight, count: line.count, ..draw });
    }
    if draws.is_empty() {
        return Err(damaged("it holds no graph".to_owned()));
    }
    Ok(WeightedDag::of_draws(&draws))
}
