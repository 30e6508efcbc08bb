//! The native half of the Python package: conversions, and nothing that the other front ends do differently.
#![expect(clippy::needless_pass_by_value, reason = "arguments from Python are owned")]

mod arrow;
mod columns;
mod error;
mod fit;
mod graph;
mod moments;
mod options;
mod run;
mod table;

use pyo3::prelude::*;

use crate::error::Failure;

/// `value` in JSON; numbers keep every digit.
fn json(value: &impl serde::Serialize) -> Result<String, Failure> {
    serde_json::to_string(value).map_err(|error| Failure::Argument(error.to_string()))
}

#[pymodule]
mod _native {
    use std::ffi::OsString;
    use std::path::PathBuf;
    use std::sync::Arc;
    use std::time::Duration;

    use gflowcausal::graph::Dag;
    use gflowcausal::{DataFile, DirectoryMode, RunFile, RunSettings, data, score_graph, with_threads};
    use numpy::PyArray2;
    use pyo3::prelude::*;
    use pyo3::types::PyDict;

    #[pymodule_export]
    use crate::fit::Fit;
    #[pymodule_export]
    use crate::graph::Graph;
    #[pymodule_export]
    use crate::moments::Moments;
    #[pymodule_export]
    use crate::table::Table;

    use crate::error::Failure;
    use crate::run::{RunRequest, Source, run_interruptible};

    /// The version of this package.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");

    /// Runs the command line and gives its exit code.
    #[pyfunction]
    fn command_line(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
        py.detach(|| gflowcausal_cli::run(arguments))
    }

    /// Name and description of each method, the default first.
    #[pyfunction]
    fn methods() -> Vec<(&'static str, &'static str)> {
        gflowcausal::methods().iter().map(|method| (method.name(), method.about())).collect()
    }

    /// The text of a knowledge file of Tetrad's.
    #[pyfunction]
    fn read_knowledge(path: PathBuf) -> PyResult<String> {
        Ok(gflowcausal::read_knowledge(&path).map_err(Failure::from)?)
    }

    /// Finds graphs: what was found, and an exception to raise all the same.
    #[pyfunction]
    #[expect(clippy::too_many_arguments, reason = "keywords of one Python call")]
    #[pyo3(signature = (data, options, *, truth, time_budget, threads, out, resume, overwrite, notify))]
    fn discover(
        py: Python<'_>,
        data: &Bound<'_, PyAny>,
        options: &Bound<'_, PyDict>,
        truth: Option<&Bound<'_, Graph>>,
        time_budget: Option<f64>,
        threads: usize,
        out: Option<PathBuf>,
        resume: bool,
        overwrite: bool,
        notify: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<(Option<Fit>, Option<Py<PyAny>>)> {
        let config = crate::options::config(options)?;
        let (source, again, name, known, file) = data_of(data, &config)?;
        let names = kept(&source, &config);
        let truth = truth.map(|truth| truth.get().dag_over(&names)).transpose()?.or(known);
        let about = RunSettings {
            time_budget: time_budget.map(|budget| format!("{budget}s")),
            data: file,
            ..RunSettings::default()
        };
        let file = RunFile { config: config.clone(), about };
        let time_budget = time_budget.map(seconds).transpose()?;
        let begin = match (resume, overwrite) {
            (true, _) => DirectoryMode::Resume,
            (false, true) => DirectoryMode::Overwrite,
            (false, false) => DirectoryMode::New,
        };
        let request = RunRequest { source, name, file, truth, time_budget, threads, out, begin };
        let (outcome, raised) = request.run(py, notify)?;
        let fit = outcome.map(|outcome| Fit::new(outcome, again, &config)).transpose()?;
        Ok((fit, raised.map(|error| error.into_value(py).into_any())))
    }

    type RunInput = (Source, Source, String, Option<Dag>, Option<DataFile>);

    /// The data of a run, twice, with their name, the graph held to be true and the file they come from.
    fn data_of(data: &Bound<'_, PyAny>, config: &gflowcausal::Config) -> PyResult<RunInput> {
        if let Ok(table) = data.cast::<Table>() {
            let table = table.get();
            let kept = table.table.names().filter(|name| config.is_variable(name)).count();
            let is_whole = |dag: &Dag| config.exclude.is_empty() && dag.nodes() == kept;
            let truth = table.truth.clone().filter(is_whole);
            let rows = || Source::Rows(Arc::clone(&table.table));
            return Ok((rows(), rows(), table.name.clone(), truth, table.file.clone()));
        }
        let moments = data.cast::<Moments>()?.get();
        let source = || Source::Moments(moments.names.clone(), moments.moments.clone());
        Ok((source(), source(), "moments".into(), None, None))
    }

    /// The variables that a run keeps.
    fn kept(source: &Source, config: &gflowcausal::Config) -> Vec<String> {
        let names: Vec<String> = match source {
            Source::Rows(table) => table.names().map(str::to_owned).collect(),
            Source::Moments(names, _) => names.clone(),
        };
        names.into_iter().filter(|name| config.is_variable(name)).collect()
    }

    fn seconds(time: f64) -> Result<Duration, Failure> {
        let wrong =
            |_| Failure::Argument(format!("time_budget is {time}, but must be seconds, not below zero"));
        Duration::try_from_secs_f64(time).map_err(wrong)
    }

    type Simulated<'py> = (Table, Graph, Option<Bound<'py, PyArray2<f64>>>);

    /// Data with a known graph, and the weights of its edges where they are linear.
    #[pyfunction]
    fn simulate<'py>(
        py: Python<'py>,
        options: &Bound<'_, PyDict>,
        interventions: Option<&str>,
    ) -> PyResult<Simulated<'py>> {
        let config: data::Simulation = crate::options::simulation(options)?;
        let wrong = |advice: String| Failure::Argument(format!("interventions: {advice}"));
        let experiments: Option<data::Experiments> =
            interventions.map(str::parse).transpose().map_err(wrong)?;
        drawn(py, move || match experiments {
            Some(experiments) => {
                let (simulated, targets) = data::simulate_experiments(&config, experiments)?;
                Ok((simulated, Some(targets)))
            }
            None => Ok((data::simulate(&config)?, None)),
        })
    }

    /// Data of a published network.
    #[pyfunction]
    fn simulate_network<'py>(py: Python<'py>, options: &Bound<'_, PyDict>) -> PyResult<Simulated<'py>> {
        let config: data::NetworkSimulation = crate::options::simulation(options)?;
        drawn(py, move || Ok((data::simulate_network(&config)?, None)))
    }

    fn drawn(
        py: Python<'_>,
        draw: impl FnOnce() -> Result<(data::Simulated, Option<data::Column>), Failure> + Send + 'static,
    ) -> PyResult<Simulated<'_>> {
        let (simulated, targets) = run_interruptible(py, move |_| with_threads(0, draw))?;
        let nodes = simulated.dag.nodes();
        let weights = simulated.weights.map(|weights| {
            let weight = |from, to| weights.get(gflowcausal::graph::Edge { from, to });
            let row = |from| (0..nodes).map(|to| weight(from, to)).collect();
            (0..nodes).map(row).collect::<Vec<Vec<f64>>>()
        });
        let weights = weights.map(|rows| PyArray2::from_vec2(py, &rows)).transpose()?;
        let names = simulated.table.names().map(str::to_owned).collect();
        let pdag = gflowcausal::graph::Pdag::from(&simulated.dag);
        let named = gflowcausal::graph::NamedGraph::new(names, pdag).map_err(Failure::Graph)?;
        let table = match targets {
            Some(targets) => {
                let columns = simulated.table.columns().iter().cloned().chain([targets]).collect();
                data::Table::new(columns).map_err(|error| Failure::Argument(error.to_string()))?
            }
            None => simulated.table,
        };
        Ok((Table::unnamed(table), Graph { graph: named }, weights))
    }

    /// The score of a graph on a table, in JSON.
    #[pyfunction]
    fn score(
        py: Python<'_>,
        table: &Bound<'_, Table>,
        graph: &Bound<'_, Graph>,
        options: &Bound<'_, PyDict>,
    ) -> PyResult<String> {
        let config = crate::options::config(options)?;
        let (table, graph) = (Arc::clone(&table.get().table), graph.clone().unbind());
        run_interruptible(py, move |_| {
            let graph = graph.get();
            let names: Vec<String> =
                table.names().filter(|name| config.is_variable(name)).map(str::to_owned).collect();
            let dag = graph.dag_over(&names)?;
            crate::json(&with_threads(0, || score_graph(&table, &dag, &config))?)
        })
    }
}
