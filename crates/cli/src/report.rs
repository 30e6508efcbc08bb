//! `report`: the HTML report of a run, written anew.

use std::path::PathBuf;

use clap::Args;
use gflowcausal::RunResult;
use gflowcausal_report::{REPORT, write_report};

use crate::failure::Failure;
use crate::input::open_run;
use crate::output::{Common, print_text};

/// Write the HTML report of a run anew.
///
/// `discover --out` writes it with the other files of the run; this verb makes it again from them. It is one file that
/// opens offline in any browser.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  gflowcausal discover sachs --out run   # writes run/report.html, too
  gflowcausal report run")]
pub(crate) struct Arguments {
    /// The directory of a run that `discover --out` wrote.
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// Leave out the rows of the data from which pictures of two columns are drawn.
    #[arg(long)]
    without_rows: bool,
    #[command(flatten)]
    pub(crate) common: Common,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let dir = open_run(&arguments.run)?;
    let mut result = RunResult::read(&dir)?;
    if arguments.without_rows {
        result.preview = None;
    }
    write_report(&dir, &result)?;
    print_text(&format!("{}\n", dir.file(REPORT).display()))
}
