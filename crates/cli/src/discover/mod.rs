//! `discover`: the main job, data in, graphs out.

mod arguments;

use std::time::Instant;

use cpu_time::ProcessTime;
use gflowcausal::graph::Dag;
use gflowcausal::graph_io::ReadOptions;
use gflowcausal::{
    Checkpoints, Clock, Config, DataResult, Discovery, Error, Problem, RunDir, RunFile, RunResult, Step,
    fingerprint, problem_fingerprint, read_truth, stored_run, write_outputs,
};
use gflowcausal_report::{ColorMode, result_text, write_report};

use self::arguments::Wanted;
pub(crate) use self::arguments::{Arguments, Penalty, penalty};
use crate::failure::Failure;
use crate::input::Data;
use crate::interrupt;
use crate::output::{Shape, print_json, print_text};
use crate::progress::Progress;

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let wanted = arguments.wanted()?;
    let data = read(&wanted, arguments)?;
    let truth = truth(&wanted, &data)?;
    let budget = wanted.time_budget()?;
    let config = &wanted.file.config;
    let start = Instant::now();
    // Whatever is wrong with data or options is found here, before anything is written.
    let problem = Problem::new(&data.table, config)?;
    let score = start.elapsed().as_secs_f64();
    let dir = open_dir(arguments, &wanted, &data)?;
    let mut clock = Clock::new(start, budget, dir.is_some());
    clock.seconds.score = score;
    let found =
        train(problem, &mut clock, dir.as_ref(), &problem_fingerprint(&data.table, config), arguments)?;
    let mut result = found.to_result(config, describe(&data, &found), truth.as_ref());
    clock.seconds.total = start.elapsed().as_secs_f64();
    clock.seconds.cpu = ProcessTime::now().as_duration().as_secs_f64();
    result.seconds = clock.seconds;
    if let Some(dir) = &dir {
        write_outputs(dir, &found, &result)?;
        result.run = stored_run(dir);
        write_report(dir, &result)?;
    }
    match arguments.format {
        Shape::Json => print_json(&result)?,
        Shape::Text => print_text(&text(&result, config, dir.as_ref()))?,
    }
    if interrupt::is_requested() { Err(Failure::interrupted()) } else { Ok(()) }
}

/// The result, where its files are, and how long it took.
fn text(result: &RunResult, config: &Config, dir: Option<&RunDir>) -> String {
    let files = dir.map(|dir| format!("files in {}\n", dir.path().display()));
    let seconds = result.seconds.total;
    format!(
        "{}{}{seconds:.1} s\n",
        result_text(result, config, ColorMode::Terminal),
        files.unwrap_or_default()
    )
}

fn read(wanted: &Wanted, arguments: &Arguments) -> Result<Data, Failure> {
    let data = wanted.reading().read(&wanted.data.path)?;
    match (&wanted.data.sha256, &arguments.resume) {
        (Some(expected), Some(_)) if *expected != fingerprint(&data.table) => {
            let message = format!("'{}' is not what the run began with", wanted.data.path);
            Err(Failure::input("checkpoint-of-other-data", message)
                .with_help("give the original data, or start a new run"))
        }
        _ => Ok(data),
    }
}

fn truth(wanted: &Wanted, data: &Data) -> Result<Option<Dag>, Failure> {
    let excluded = &wanted.file.config.exclude;
    let names: Vec<&str> =
        data.table.names().filter(|name| !excluded.iter().any(|other| other == name)).collect();
    match &wanted.file.about.truth {
        Some(path) => Ok(Some(read_truth(path, &ReadOptions::default(), &names)?)),
        None if excluded.is_empty() => Ok(data.truth.clone()),
        None => Ok(None),
    }
}

/// The run's directory with its configuration in it, if one is wanted.
fn open_dir(arguments: &Arguments, wanted: &Wanted, data: &Data) -> Result<Option<RunDir>, Failure> {
    let dir = match (&arguments.resume, &arguments.out) {
        (Some(path), _) => RunDir::resume(path),
        (None, Some(path)) => RunDir::begin(path, &run_file(wanted, data)),
        (None, None) => return Ok(None),
    };
    Ok(Some(dir.map_err(Error::from)?))
}

/// All that is needed to repeat the run.
fn run_file(wanted: &Wanted, data: &Data) -> RunFile {
    let mut file = wanted.file.clone();
    file.about.version = Some(env!("CARGO_PKG_VERSION").to_owned());
    file.about.truth = file.about.truth.map(|path| std::path::absolute(&path).unwrap_or(path));
    file.about.data = Some(wanted.data.clone().pinned(fingerprint(&data.table)));
    file
}

fn describe(data: &Data, found: &Discovery) -> DataResult {
    DataResult {
        name: data.name.clone(),
        rows: data.table.rows(),
        variables: found.names.clone(),
        sha256: fingerprint(&data.table),
    }
}

fn train(
    problem: Problem<'_>,
    clock: &mut Clock,
    dir: Option<&RunDir>,
    fingerprint: &str,
    arguments: &Arguments,
) -> Result<Discovery, Failure> {
    let stop = interrupt::listen();
    let checkpoints = dir.map(|dir| Checkpoints { dir, fingerprint, resumes: arguments.resume.is_some() });
    let mut progress = Progress::new(&arguments.common);
    let mut watch = |step: Step| {
        progress.show(step);
        clock.tell(step, stop)
    };
    let mut run = gflowcausal::Run { watch: &mut watch, stop, checkpoints };
    Ok(problem.discover(&mut run)?)
}
