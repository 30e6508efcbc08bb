//! The arguments of `discover`, merged with a configuration file.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use gflowcausal::{DataFile, DirectoryMode, RunFile, parse_duration, request_help};

use gflowcausal_report::Extent;

use crate::failure::Failure;
use crate::input::{Reading, open_run};
use crate::output::{Common, Shape};
use crate::settings::Settings;

/// Find causal graphs in a table.
///
/// Reads the table, checks it, estimates the posterior over causal graphs, and prints which edges are sure, open or
/// unsure, the best graph and the runners-up. Everything that is not said is chosen by the data and printed.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  gflowcausal discover sachs
  gflowcausal discover data.csv --tiers 'age,sex | dose | *' --outcome death
  gflowcausal discover data.csv --truth truth.csv --format json
  gflowcausal discover data.csv --forbid '*->Age' --time-budget 60s --out run
  gflowcausal discover --resume run

-h lists what is needed first; --help also lists pruning, other methods and the training of a policy.")]
pub(crate) struct Arguments {
    /// A table: .csv .tsv .txt (also .gz) .parquet .arrow .feather .npy, `-` for CSV on standard input, or `sachs`.
    #[arg(value_name = "DATA", required_unless_present_any = ["config", "resume"])]
    data: Option<String>,
    #[arg(long, value_name = "TIME", value_parser = checked_duration, help = format!("{}, such as 90s, 5m or 1h", request_help::TIME_BUDGET))]
    time_budget: Option<String>,
    /// The true graph, to print metrics too.
    #[arg(long, value_name = "FILE")]
    truth: Option<PathBuf>,
    /// The shape of the result.
    #[arg(long, value_enum, default_value_t = Shape::Text)]
    pub(super) format: Shape,
    /// List every edge, path and runner-up, not the first of each.
    #[arg(long)]
    all: bool,
    /// A directory to write the run to, with the report.
    #[arg(long, value_name = "DIR", help_heading = "Files")]
    pub(super) out: Option<PathBuf>,
    /// Replace the run that is in the directory: without this it is refused.
    #[arg(long, requires = "out", help_heading = "Files")]
    pub(super) overwrite: bool,
    /// Take any of these options from a file in TOML; the command line wins.
    #[arg(long, value_name = "FILE.toml", help_heading = "Files")]
    config: Option<PathBuf>,
    /// Go on with the run in a directory, interrupted or finished; it takes its options from there.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["out", "config"], help_heading = "Files")]
    pub(super) resume: Option<PathBuf>,
    #[command(flatten)]
    settings: Settings,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    pub(crate) common: Common,
}

fn checked_duration(text: &str) -> Result<String, String> {
    parse_duration(text).map(|_| text.to_owned())
}

/// Everything said, on the command line or in a file: how, on which data, for how long.
pub(super) struct ResolvedOptions {
    pub(super) file: RunFile,
    pub(super) data: DataFile,
    pub(super) time_budget: Option<Duration>,
}

impl Arguments {
    /// Joins the command line with the configuration file or the run that it names.
    pub(super) fn resolve(&self) -> Result<ResolvedOptions, Failure> {
        let mut file = match (&self.resume, &self.config) {
            (Some(dir), _) => self.resumed(dir)?,
            (None, Some(path)) => RunFile::read(path)?,
            (None, None) => RunFile::default(),
        };
        file.config = self.settings.apply(&file.config)?;
        let about = &mut file.about;
        about.time_budget = self.time_budget.clone().or(about.time_budget.take());
        about.truth = self.truth.clone().or(about.truth.take());
        let data = self.data_file(about.data.take())?;
        about.data = Some(data.clone());
        let budget = about.time_budget.as_deref().map(parse_duration).transpose();
        let time_budget =
            budget.map_err(|message| Failure::input("bad-option", format!("time-budget: {message}")))?;
        Ok(ResolvedOptions { file, data, time_budget })
    }

    /// How much of each list is printed.
    pub(super) fn extent(&self) -> Extent {
        if self.all { Extent::All } else { Extent::Headline }
    }

    /// What becomes of a run that is in the directory.
    pub(super) fn begin(&self) -> DirectoryMode {
        match (&self.resume, self.overwrite) {
            (Some(_), _) => DirectoryMode::Resume,
            (None, true) => DirectoryMode::Overwrite,
            (None, false) => DirectoryMode::New,
        }
    }

    /// A run's own configuration; it cannot be changed midway.
    fn resumed(&self, dir: &Path) -> Result<RunFile, Failure> {
        if !self.settings.is_empty() {
            let message = "--resume takes the run's own options: no other can be given";
            return Err(Failure::input("option-without-effect", message)
                .with_help("start a new run with --config DIR/config.toml and what you want to change"));
        }
        let mut file = RunFile::read_run(&open_run(dir)?)?;
        // A budget was for the part of the run that it ended; going on means going on.
        file.about.time_budget = None;
        Ok(file)
    }

    fn data_file(&self, stored: Option<DataFile>) -> Result<DataFile, Failure> {
        let mut file = match (&self.data, stored) {
            (Some(path), Some(stored)) if self.resume.is_some() => DataFile { path: path.clone(), ..stored },
            (Some(path), _) => DataFile { path: path.clone(), ..DataFile::default() },
            (None, Some(stored)) => stored,
            (None, None) => {
                return Err(Failure::input("no-data", "neither DATA nor the file says which data"));
            }
        };
        let Reading { no_header, delimiter, types } = self.reading.clone();
        file.no_header |= no_header;
        file.delimiter = delimiter.or(file.delimiter);
        file.types = types.or(file.types);
        Ok(file)
    }
}
