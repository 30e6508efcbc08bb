//! What a run found, kept so that more graphs can be drawn, also after it was pickled.

use std::sync::Arc;

use gflowcausal::data::{self, Missing};
use gflowcausal::flow::Policy;
use gflowcausal::graph::{Dag, Edge, UnknownChoice};
use gflowcausal::{
    Config, EffectModel, EffectRequest, EffectsResult, Error, FrontEnd, Problem, PruneName, RunFile,
    RunOutcome, RunResult, SampleSource, ScoringModel, StopFlag, methods, option, with_threads,
    write_samples,
};
use gflowcausal_report::{
    ColorMode, Extent, PlotKind, TextStyle, html_page, low_confidence, plot_pdf, plot_png, plot_svg,
    result_text,
};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::error::Failure;
use crate::run::{Source, run_interruptible};
use crate::table::Table;

/// A finished run.
#[pyclass(frozen, module = "gflowcausal._native")]
pub(crate) struct Fit {
    /// The result, in JSON.
    result: String,
    /// The graphs that were drawn, one line of JSON for each.
    samples: Vec<u8>,
    names: Vec<String>,
    /// A few rows of the data, in JSON.
    preview: Option<String>,
    /// What the model is rebuilt from after unpickling.
    source: Source,
    config: Config,
    /// The trained policy, and the log of its training, if there is one.
    policy: Option<Vec<u8>>,
    log: Option<Vec<u8>>,
    /// The graphs that the policy's tables were built around.
    tables_around: Vec<Dag>,
    /// The options and the data, as in `config.toml`.
    file: String,
}

impl Fit {
    /// Keeps what drawing needs: means and covariances where they are enough, else the rows.
    pub(crate) fn new(outcome: RunOutcome, source: Source, config: &Config) -> Result<Self, Failure> {
        let RunOutcome { found, mut result, file, .. } = outcome;
        for finding in &mut result.findings {
            finding.fix = FrontEnd::Python.phrase(&finding.fix).into();
        }
        let mut samples = Vec::new();
        write_samples(&mut samples, &found.names, &found.draws)
            .map_err(|error| Failure::Argument(error.to_string()))?;
        let (source, config) = match found.moments {
            Some(moments) if is_linear(&found.model) && config.interventions.is_none() => {
                (Source::Moments(found.names.clone(), moments), rowless(config, &found.model, &result))
            }
            _ => (source, with_chosen_score(config, &result)),
        };
        let unwritten = |error: std::io::Error| Failure::Argument(error.to_string());
        let log = found.training.as_ref().map(gflowcausal::Training::log).transpose().map_err(unwritten)?;
        let (policy, tables_around) =
            found.training.map(|training| (training.policy, training.tables_around)).unzip();
        Ok(Self {
            preview: result.preview.as_ref().map(crate::json).transpose()?,
            result: crate::json(&result)?,
            samples,
            names: found.names,
            source,
            config,
            policy: policy.filter(|policy| !policy.is_empty()),
            log,
            tables_around: tables_around.unwrap_or_default(),
            file: file.to_toml(),
        })
    }

    fn problem(&self) -> Result<Problem<'_>, Failure> {
        Ok(match &self.source {
            Source::Rows(table) => Problem::new(table, &self.config)?,
            Source::Moments(names, moments) => {
                Problem::of_moments(names.clone(), moments.clone(), &self.config)?
            }
        })
    }

    fn run_result(&self) -> Result<RunResult, Failure> {
        let log = || Ok(self.log.clone().unwrap_or_default());
        let run = RunFile::parse(&self.file).ok();
        let mut result = RunResult::parse(self.result.as_bytes(), &self.samples, log, run)?;
        result.preview = self.preview.as_deref().and_then(|text| serde_json::from_str(text).ok());
        Ok(result)
    }

    /// The run with the effects of all pairs, as a run directory has them.
    fn result_with_effects(&self) -> Result<RunResult, Failure> {
        let mut result = self.run_result()?;
        let model = self.effect_model(&result).ok();
        result.effects = model.and_then(|model| model.all_pairs(self.config.seed));
        Ok(result)
    }

    fn effects(&self, request: &EffectRequest) -> Result<EffectsResult, Failure> {
        Ok(self.effect_model(&self.run_result()?)?.evaluate(request)?)
    }

    fn effect_model(&self, result: &RunResult) -> Result<EffectModel, Failure> {
        Ok(match &self.source {
            Source::Rows(_) => EffectModel::of_problem(result, &self.samples, &self.problem()?)?,
            Source::Moments(_, moments) => EffectModel::of_moments(result, &self.samples, moments)?,
        })
    }

    fn draw(&self, count: usize, seed: u64, stop: &StopFlag) -> Result<Vec<u8>, Failure> {
        let by = self.run_result()?.posterior.by;
        if by == gflowcausal::Source::None {
            return Err(Error::NotInRun { what: "graphs to draw", method: self.config.method.clone() }.into());
        }
        let problem = self.problem()?;
        let parse = |policy: &Vec<u8>| Policy::parse(policy.clone(), problem.model.constraints());
        let policy = self.policy.as_ref().map(parse).transpose().map_err(Error::from)?;
        let source = SampleSource { by, policy: policy.as_ref(), tables_around: &self.tables_around };
        let draws = problem.sample(source, count, seed, stop)?;
        let mut lines = Vec::new();
        write_samples(&mut lines, &self.names, &draws)
            .map_err(|error| Failure::Argument(error.to_string()))?;
        Ok(lines)
    }
}

/// Whether the model is made of means and covariances alone.
fn is_linear(model: &ScoringModel) -> bool {
    !model.score_name().needs_rows() && model.prune_name() != PruneName::Cam
}

/// With the score that was chosen, and what else evidence chose, so that it is not weighed again.
fn with_chosen_score(config: &Config, result: &RunResult) -> Config {
    if reads(config, option::score) { result.score.applied_to(config) } else { config.clone() }
}

/// The configuration that builds the same model from moments of rows that are complete, chosen and scaled already.
fn rowless(config: &Config, model: &ScoringModel, result: &RunResult) -> Config {
    let (missing, standardize, exclude, transform) = (Missing::Error, false, Vec::new(), Vec::new());
    let prune = if reads(config, option::prune) { model.prune_name() } else { config.prune };
    Config { prune, missing, standardize, exclude, transform, ..with_chosen_score(config, result) }
}

fn reads(config: &Config, option: &str) -> bool {
    let method = methods().iter().find(|method| method.name() == config.method);
    method.is_some_and(|method| method.reads(option))
}

fn edges(graph: &Dag) -> Edges {
    graph.edges().map(|edge| (edge.from, edge.to)).collect()
}

type Bytes = Py<PyBytes>;
/// A graph by its edges.
type Edges = Vec<(usize, usize)>;
/// The policy, the log of its training, what its tables were built around, and the options.
type RestoredTraining = (Option<Vec<u8>>, Option<Vec<u8>>, Vec<Edges>, String);
type State = (
    (String, Option<String>),
    Bytes,
    String,
    Vec<String>,
    Option<String>,
    Option<Py<Table>>,
    (Option<Bytes>, Option<Bytes>, Vec<Edges>, String),
);

#[pymethods]
impl Fit {
    /// The result, in JSON.
    #[getter]
    fn result(&self) -> &str {
        &self.result
    }

    /// What was found, in words; all of each list, or the first of it.
    fn summary(&self, all: bool) -> PyResult<String> {
        let extent = if all { Extent::All } else { Extent::Headline };
        let style = TextStyle { color: ColorMode::Plain, extent, front_end: FrontEnd::Python };
        let result = self.run_result()?;
        let config = result.run.as_ref().map_or_else(|| self.config.clone(), |run| run.config.clone());
        Ok(result_text(&result, &config, style))
    }

    /// Why the probabilities are not to be relied on, if so.
    fn caveat(&self) -> PyResult<Option<String>> {
        Ok(low_confidence(&self.run_result()?))
    }

    /// The graphs that were drawn, one line of JSON for each.
    #[getter]
    fn samples<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.samples)
    }

    /// More graphs from the exact posterior, chains or policy of the run, one line of JSON for each.
    fn sample<'py>(
        slf: &Bound<'py, Self>,
        count: usize,
        seed: u64,
        threads: usize,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let fit = slf.clone().unbind();
        let lines = run_interruptible(slf.py(), move |stop| {
            with_threads(threads, || fit.get().draw(count, seed, stop))
        })?;
        Ok(PyBytes::new(slf.py(), &lines))
    }

    /// The report of the run: one HTML page that needs nothing else.
    fn report(slf: &Bound<'_, Self>) -> PyResult<String> {
        let fit = slf.clone().unbind();
        run_interruptible(slf.py(), move |_| Ok(html_page(&fit.get().result_with_effects()?)?))
    }

    /// Causal effects, in JSON: of pairs, or of all interventions at once if there are any.
    #[pyo3(signature = (causes, effects, interventions, *, level, direct, standardized, seed, threads))]
    #[expect(clippy::too_many_arguments, reason = "each has a name in Python")]
    fn effect(
        slf: &Bound<'_, Self>,
        causes: Vec<String>,
        effects: Vec<String>,
        interventions: Vec<(String, String)>,
        level: f64,
        direct: bool,
        standardized: bool,
        seed: u64,
        threads: usize,
    ) -> PyResult<String> {
        let fit = slf.clone().unbind();
        let (is_direct, is_standardized) = (direct, standardized);
        let keeps_curves = false;
        let request = EffectRequest {
            causes,
            effects,
            interventions,
            level,
            is_direct,
            is_standardized,
            keeps_curves,
            seed,
        };
        run_interruptible(slf.py(), move |_| {
            with_threads(threads, || crate::json(&fit.get().effects(&request)?))
        })
    }

    /// One picture of the run, as `svg`, `png` or `pdf`; edges of graphs below the least probability are left out.
    fn plot<'py>(
        slf: &Bound<'py, Self>,
        kind: &str,
        format: &str,
        least: f64,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let unknown = |error: UnknownChoice| Failure::Argument(error.to_string());
        let kind: PlotKind = kind.parse().map_err(unknown)?;
        let (fit, format) = (slf.clone().unbind(), format.to_owned());
        let picture = run_interruptible(slf.py(), move |_| {
            let result = match kind {
                PlotKind::Effects => fit.get().result_with_effects()?,
                _ => fit.get().run_result()?,
            };
            Ok(match format.as_str() {
                "png" => plot_png(&result, kind, least)?,
                "pdf" => plot_pdf(&result, kind, least)?,
                _ => plot_svg(&result, kind, least)?.into_bytes(),
            })
        })?;
        Ok(PyBytes::new(slf.py(), &picture))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, State)> {
        let bytes = |bytes: &[u8]| PyBytes::new(py, bytes).unbind();
        let (moments, table) = match &self.source {
            Source::Moments(names, moments) => (Some(crate::json(&(names, moments))?), None),
            Source::Rows(table) => (None, Some(Py::new(py, Table::of_shared(table.clone()))?)),
        };
        let state = (
            (self.result.clone(), self.preview.clone()),
            bytes(&self.samples),
            self.config.to_toml(),
            self.names.clone(),
            moments,
            table,
            (
                self.policy.as_deref().map(bytes),
                self.log.as_deref().map(bytes),
                self.tables_around.iter().map(edges).collect(),
                self.file.clone(),
            ),
        );
        Ok((py.import("gflowcausal._data")?.getattr("restore_fit")?, state))
    }

    /// A run that [`__reduce__`](Self::__reduce__) took apart.
    #[staticmethod]
    fn restore(
        texts: (String, Option<String>),
        samples: Vec<u8>,
        config: &str,
        names: Vec<String>,
        moments: Option<&str>,
        table: Option<Py<Table>>,
        training: RestoredTraining,
    ) -> PyResult<Self> {
        let ((result, preview), (policy, log, around, file)) = (texts, training);
        let damaged = |what: String| Failure::Argument(format!("a stored run is damaged: {what}"));
        let config = Config::from_toml(config).map_err(damaged)?;
        let source = match (moments, table) {
            (Some(text), _) => {
                let (names, moments): (Vec<String>, data::Moments) =
                    serde_json::from_str(text).map_err(|error| damaged(error.to_string()))?;
                Source::Moments(names, moments)
            }
            (None, Some(table)) => Source::Rows(Arc::clone(&table.get().table)),
            (None, None) => return Err(damaged("no data".into()).into()),
        };
        let graph = |edges: Edges| {
            let is_known = edges.iter().all(|&(from, to)| from.max(to) < names.len());
            let dag = is_known.then(|| Dag::from_edges(names.len(), edges.into_iter().map(Edge::from)).ok());
            dag.flatten().ok_or_else(|| damaged("a graph of other variables".into()))
        };
        let tables_around = around.into_iter().map(graph).collect::<Result<_, _>>()?;
        Ok(Self { result, preview, samples, names, source, config, policy, log, tables_around, file })
    }
}
