//! `compare`: what two runs agree and differ on.

use std::path::PathBuf;

use clap::Args;
use gflowcausal::RunResult;
use gflowcausal_report::Comparison;

use crate::failure::Failure;
use crate::input::open_run;
use crate::output::{Common, Shape, print_json, print_text, write_file};

/// Say what two runs agree and differ on.
///
/// Compares the verdicts on every pair of variables that both runs have: a sure direction, an open one, an unsure edge,
/// or none.
#[derive(Debug, Args)]
#[command(
    after_help = "Verdicts: -> and <- a direction with at least 0.9, -- an edge with at least 0.9 whose direction is \
open, ? an edge with 0.1 to 0.9, none.

Examples:
  gflowcausal discover data.csv --out raw
  gflowcausal discover data.csv --standardize --out scaled
  gflowcausal compare raw scaled
  gflowcausal compare raw scaled --out difference.html"
)]
pub(crate) struct Arguments {
    /// The directory of a run.
    #[arg(value_name = "RUN")]
    first: PathBuf,
    /// The directory of another.
    #[arg(value_name = "RUN")]
    second: PathBuf,
    /// List every pair, not the first of each list.
    #[arg(long)]
    all: bool,
    /// Write a page with both graphs and every difference, too.
    #[arg(long, value_name = "FILE.html")]
    out: Option<PathBuf>,
    /// The shape of the result.
    #[arg(long, value_enum, default_value_t = Shape::Text)]
    format: Shape,
    #[command(flatten)]
    pub(crate) common: Common,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let read = |path: &PathBuf| -> Result<RunResult, Failure> { Ok(RunResult::read(&open_run(path)?)?) };
    let (first, second) = (read(&arguments.first)?, read(&arguments.second)?);
    let comparison = Comparison::new(&first, &second)?;
    if let Some(path) = &arguments.out {
        write_file(path, comparison.page(&first, &second)?.as_bytes())?;
    }
    match arguments.format {
        Shape::Json => print_json(&comparison),
        Shape::Text => {
            let page = arguments.out.as_ref().map(|path| format!("{}\n", path.display()));
            print_text(&format!("{}{}", comparison.text(arguments.all), page.unwrap_or_default()))
        }
    }
}
