//! The command line of GFlowCausal: reads arguments, runs one verb, turns its outcome into an exit code.
//!
//! A library, so that the Python package brings the same command.

mod bench;
mod compare;
mod completions;
mod convert;
mod discover;
mod doctor;
mod effect;
mod evaluate;
mod failure;
mod input;
mod interrupt;
mod output;
mod plot;
mod progress;
mod report;
mod sample;
mod score;
mod settings;
mod simulate;

use std::ffi::OsString;
use std::io::IsTerminal;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};

use clap::{Parser, Subcommand};
use gflowcausal_report::wrapped;
use tracing::Level;

use crate::failure::Failure;
use crate::output::{Common, print_stderr};

/// Causal discovery that returns a sampler of graphs: the best graph, the runners-up, and how sure to be of each edge.
#[derive(Debug, Parser)]
#[command(name = "gflowcausal", version, propagate_version = true, arg_required_else_help = true)]
#[command(after_help = "Examples:
  gflowcausal discover sachs
  gflowcausal doctor data.csv && gflowcausal discover data.csv --out run
  gflowcausal plot run --out graph.svg   # and open run/report.html
  gflowcausal effect run --effect outcome   # what moves it, and how sure
  gflowcausal simulate --nodes 30 --degree 2 --seed 1 --out d
  gflowcausal evaluate d/truth.json --truth d/truth.csv
  gflowcausal help discover

Exit codes: 0 done; 2 bad usage or bad input (nothing written); 1 failed while running; \
                        130 interrupted (what was found so far is saved and printed first).")]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Discover(Box<discover::Arguments>),
    Sample(sample::Arguments),
    Simulate(simulate::Arguments),
    Evaluate(evaluate::Arguments),
    Score(score::Arguments),
    Convert(convert::Arguments),
    Doctor(doctor::Arguments),
    Bench(bench::Arguments),
    Report(report::Arguments),
    Plot(plot::Arguments),
    Effect(effect::Arguments),
    Compare(compare::Arguments),
    Completions(completions::Arguments),
}

impl Verb {
    fn common(&self) -> Common {
        match self {
            Self::Discover(arguments) => arguments.common,
            Self::Sample(arguments) => arguments.common,
            Self::Simulate(arguments) => arguments.common,
            Self::Evaluate(arguments) => arguments.common,
            Self::Score(arguments) => arguments.common,
            Self::Convert(arguments) => arguments.common,
            Self::Doctor(arguments) => arguments.common,
            Self::Bench(arguments) => arguments.common,
            Self::Report(arguments) => arguments.common,
            Self::Plot(arguments) => arguments.common,
            Self::Effect(arguments) => arguments.common,
            Self::Compare(arguments) => arguments.common,
            Self::Completions(_) => Common::default(),
        }
    }

    fn run(&self) -> Result<(), Failure> {
        match self {
            Self::Discover(arguments) => discover::run(arguments),
            Self::Sample(arguments) => sample::run(arguments),
            Self::Simulate(arguments) => simulate::run(arguments),
            Self::Evaluate(arguments) => evaluate::run(arguments),
            Self::Score(arguments) => score::run(arguments),
            Self::Convert(arguments) => convert::run(arguments),
            Self::Doctor(arguments) => doctor::run(arguments),
            Self::Bench(arguments) => bench::run(arguments),
            Self::Report(arguments) => report::run(arguments),
            Self::Plot(arguments) => plot::run(arguments),
            Self::Effect(arguments) => effect::run(arguments),
            Self::Compare(arguments) => compare::run(arguments),
            Self::Completions(arguments) => completions::run(arguments),
        }
    }
}

/// Runs the command line with `arguments`, the name of the program first, and gives its exit code.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => {
            if error.use_stderr() && std::io::stderr().is_terminal() {
                print_stderr(format_args!("{}", within_the_terminal(&error.render().ansi().to_string())));
            } else {
                // If standard error is closed, there is nowhere to report that.
                let _ = error.print();
            }
            return u8::try_from(error.exit_code()).unwrap_or(2);
        }
    };
    let common = arguments.verb.common();
    start_log(common);
    interrupt::end_with_caller();
    interrupt::survive_file_limits();
    match guarded(|| gflowcausal::with_threads(common.threads, || arguments.verb.run())) {
        Ok(()) => 0,
        Err(failure) => failure.report(),
    }
}

/// A refusal in lines that a terminal does not break within words: lists of possible values are long.
fn within_the_terminal(refusal: &str) -> String {
    let lines: Vec<String> = refusal.trim_end().lines().map(|line| wrapped(line, "    ")).collect();
    lines.join("\n")
}

/// What the last panic said.
static PANIC: Mutex<String> = Mutex::new(String::new());

/// Runs `work`. A panic is a failure like any other; one that a caller inside the program catches is not reported.
fn guarded(work: impl FnOnce() -> Result<(), Failure>) -> Result<(), Failure> {
    std::panic::set_hook(Box::new(|panic| {
        *PANIC.lock().unwrap_or_else(PoisonError::into_inner) = panic.to_string();
    }));
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        let what = PANIC.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Err(Failure::running("internal-error", what)
            .with_help("this is a bug in the program: please report it"))
    })
}

/// Sends the log to standard error: warnings, or more or less as `-v` and `--quiet` set it.
fn start_log(common: Common) {
    let level = match (common.quiet, common.verbose) {
        (true, _) => Level::ERROR,
        (false, 0) => Level::WARN,
        (false, 1) => Level::INFO,
        (false, _) => Level::DEBUG,
    };
    tracing_subscriber::fmt()
        .log_internal_errors(false)
        .with_max_level(level)
        .with_writer(anstream::stderr)
        .with_target(false)
        .init();
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::output::{COLORS, printable};

    #[test]
    fn lists_and_examples_of_help_are_no_wider_than_a_terminal() {
        for verb in Arguments::command().get_subcommands() {
            let parts = [verb.get_after_help(), verb.get_before_long_help()];
            let text: Vec<String> = parts.into_iter().flatten().map(ToString::to_string).collect();
            let lines = text.iter().flat_map(|part| part.lines());
            let wide: Vec<&str> =
                lines.filter(|line| line.starts_with("  ") && line.chars().count() > 80).collect();
            assert!(wide.is_empty(), "{}: {wide:#?}", verb.get_name());
        }
    }

    #[test]
    fn the_list_of_suites_is_no_wider_than_a_terminal() {
        let list = gflowcausal_bench::Bench::list();
        assert!(list.lines().all(|line| line.chars().count() <= 80), "{list}");
    }

    #[test]
    fn a_coloured_refusal_shows_no_codes() {
        let refusal = Arguments::try_parse_from(["gflowcausal", "discover", "--metod", "pc"]).unwrap_err();
        let text = printable(&within_the_terminal(&refusal.render().ansi().to_string()), &COLORS);
        assert!(text.contains("Usage:") && !text.contains("u{1b}"), "{text}");
    }

    #[test]
    fn a_list_of_possible_values_breaks_between_words() {
        let refusal =
            Arguments::try_parse_from(["gflowcausal", "discover", "sachs", "--method", "pcc"]).unwrap_err();
        let text = within_the_terminal(&refusal.render().to_string());
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        assert!(text.contains("sort-r2,") && text.contains("similar value exists: 'pc'"), "{text}");
    }
}
