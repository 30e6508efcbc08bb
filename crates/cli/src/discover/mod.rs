//! `discover`: the main job, data in, graphs out.

mod arguments;

use gflowcausal::graph::Dag;
use gflowcausal::graph_io::ReadOptions;
use gflowcausal::{
    Config, Error, FrontEnd, NamedTable, Observer, Phase, RunData, RunDir, RunOutcome, RunRequest, RunResult,
    read_truth,
};
use gflowcausal_report::{ColorMode, Extent, TextStyle, result_text, write_report};

pub(crate) use self::arguments::Arguments;
use self::arguments::ResolvedOptions;
use crate::failure::Failure;
use crate::input::free_memory;
use crate::interrupt;
use crate::output::{Shape, print_json, print_text};
use crate::progress::Progress;

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let options = arguments.resolve()?;
    let data = options.data.read(free_memory())?;
    let truth = truth(&options, &data)?;
    let request = RunRequest {
        file: options.file,
        data: RunData::Rows(&data.table),
        name: data.name,
        truth,
        time_budget: options.time_budget,
        out: arguments.resume.as_ref().or(arguments.out.as_ref()).cloned(),
        begin: arguments.begin(),
    };
    let outcome = request.run(&mut Watcher(Progress::new(&arguments.common)), interrupt::listen())?;
    match arguments.format {
        Shape::Json => print_json(&outcome.result)?,
        Shape::Text => print_text(&text(&outcome, arguments.extent()))?,
    }
    match outcome.unwritten {
        Some(error) => Err(error.into()),
        None if interrupt::is_requested() => Err(Failure::interrupted()),
        None => Ok(()),
    }
}

/// Shows the progress of a run and writes its report.
struct Watcher(Progress);

impl Observer for Watcher {
    fn observe(&mut self, phase: Phase) {
        self.0.show(phase);
    }

    fn write(&mut self, dir: &RunDir, result: &RunResult) -> Result<(), Error> {
        write_report(dir, result)
    }
}

/// The result, where its files are, and how long it took.
fn text(outcome: &RunOutcome, extent: Extent) -> String {
    let RunOutcome { result, file, dir, .. } = outcome;
    let files = dir.as_ref().map(|dir| format!("files in {}\n", dir.path().display()));
    let seconds = result.seconds.total;
    let style = TextStyle { color: ColorMode::Terminal, extent, front_end: FrontEnd::CommandLine };
    format!("{}{}{seconds:.1} s\n", result_text(result, &file.config, style), files.unwrap_or_default())
}

/// The graph that comes with the data, if all variables are kept.
fn known_truth(data: &NamedTable, config: &Config) -> Option<Dag> {
    data.truth.clone().filter(|_| config.exclude.is_empty())
}

/// The true graph of the variables that are kept, if it is known.
fn truth(options: &ResolvedOptions, data: &NamedTable) -> Result<Option<Dag>, Failure> {
    let config = &options.file.config;
    let names: Vec<&str> = data.table.names().filter(|name| config.is_variable(name)).collect();
    match &options.file.about.truth {
        Some(path) => Ok(Some(read_truth(path, &ReadOptions::default(), &names)?)),
        None => Ok(known_truth(data, config).filter(|dag| dag.nodes() == names.len())),
    }
}
