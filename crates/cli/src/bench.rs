//! `bench`: the paper's tables and figures and our own, from simulated data to one table, by one command.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use gflowcausal_bench::{Bench, BenchError, Event, MOST_SEEDS, Page, Request, csv};
use indicatif::{ProgressBar, ProgressStyle};

use crate::failure::Failure;
use crate::interrupt;
use crate::output::{Common, print_json, print_stderr, print_text};

/// The longest limit: the seconds of a year.
const YEAR: u64 = 31_536_000;

/// The shape of the tables on standard output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people, each suite as it is done.
    Text,
    /// For documents, each suite as it is done.
    Markdown,
    /// All runs as one table, then the table of each study.
    Csv,
    /// One array for programs.
    Json,
}

/// Rebuild the paper's tables and figures, ours beside the others.
#[derive(Debug, Args)]
#[command(
    after_help = "Every run is a process of its own on one thread; its time is CPU seconds. Data and finished runs are kept in \
--out: a bench that was stopped goes on where it was. Beside the methods stand the paper's figures (a ! marks those \
that no graph can have) and the limit: what the true order gives after pruning; where there is chance, random orders \
pruned by the same rule. ± is from one graph to the next. With --peers, other Python packages \
(causal-learn, lingam, gcastle, dagma, CausalDisco) run on the same files; the first time they are installed into an \
environment of their own in the user's cache (python3 with venv, and network). Their time is that of the fit \
alone. SHD, TPR and FDR take directed graphs as they are; what pc, ges and other packages leave undirected counts as right \
if the truth joins the pair, and 'class SHD' counts every method's reversible edges in that way. E-SHD and AUROC are of \
methods that draw.

Suites that begin with fig, and ablation, speed, calibration and exactness, measure inside the program, what is timed on one \
thread; their figures are written as SVG, PNG and the CSV of their points. A study that was stopped begins anew. \
--methods and --standardize ask for runs alone. The date under a table is that of the table; runs that were kept are older.

Files: results.csv results.md results.json (of the last call) SUITE.md SUITE.json SUITE-runs.csv SUITE.csv (studies) \
paper.md paper.html (of bench paper) runs.jsonl data/ studies/ FIGURE.svg FIGURE.png FIGURE-points.csv

Examples:
  gflowcausal bench --list
  gflowcausal bench table1
  gflowcausal bench fig-case fig-diverse fig-sampling fig-loss
  gflowcausal bench table1 standardised --methods gflowcausal,boss --seeds 3
  gflowcausal bench paper --quick
  gflowcausal bench all --quick
  gflowcausal bench table5 --peers
  gflowcausal bench table1 --peers=dagma,causal-learn --peer-seconds 60
  gflowcausal bench mine.toml --format markdown"
)]
pub(crate) struct Arguments {
    /// The suites by name, `all` for every one, `paper` alone for the whole paper in one report, or files of one's own like those in crates/bench/suites of the source (NAME.toml).
    #[arg(value_name = "SUITE")]
    suites: Vec<String>,
    /// Show the suites and stop.
    #[arg(long)]
    list: bool,
    /// One graph of few data sets, with short runs.
    #[arg(long)]
    quick: bool,
    /// How many graphs for each kind of data, in runs, ablation and fig-sampling [default: by the suite].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=MOST_SEEDS))]
    seeds: Option<u64>,
    /// Iterations of every run that trains; studies keep their own [default: by the method and --quick].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    iterations: Option<u64>,
    /// Only methods whose names begin like this.
    #[arg(long, value_name = "A,B,…", value_delimiter = ',')]
    methods: Vec<String>,
    /// Run other packages on the same files too: all that the suite names, or only those that begin like this.
    #[arg(long, value_name = "A,B,…", value_delimiter = ',', num_args = 0.., require_equals = true)]
    peers: Option<Vec<String>>,
    /// CPU seconds after which a run of another package is given up.
    #[arg(long, value_name = "SECONDS", default_value_t = 300, requires = "peers", value_parser = clap::value_parser!(u64).range(1..=YEAR))]
    peer_seconds: u64,
    /// Standardised columns only.
    #[arg(long)]
    standardize: bool,
    /// CPU seconds after which a run is given up [default: 600].
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=YEAR))]
    limit: Option<u64>,
    /// Where data, runs and tables are kept.
    #[arg(long, value_name = "DIR", default_value = "bench-results")]
    out: PathBuf,
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    #[command(flatten)]
    pub(crate) common: Common,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    if arguments.list {
        return print_text(&Bench::list());
    }
    let request = arguments.request();
    let bench = Bench::new(&request, &|event| arguments.show(event, &ProgressBar::hidden()))?;
    let stop = interrupt::listen().as_atomic();
    let (mut pages, mut failure) = (Vec::new(), None);
    for index in 0..bench.suites() {
        let first = pages.len();
        let bar = arguments.bar();
        let outcome = bench.run(index, &mut pages, stop, &|event| arguments.show(event, &bar));
        bar.finish_and_clear();
        if let Err(error) = outcome {
            // The last is reported at the end.
            if let Some(before) = failure.replace(Failure::from(error)) {
                before.report();
            }
        }
        arguments.format.show(&pages[first..])?;
        if interrupt::is_requested() {
            break;
        }
    }
    arguments.format.show_all(&pages)?;
    if let Some(summary) = bench.conclude(&pages)?
        && matches!(arguments.format, Format::Text | Format::Markdown)
    {
        print_text(&summary)?;
    }
    if interrupt::is_requested() {
        return Err(BenchError::Interrupted.into());
    }
    if let Some(failure) = failure {
        return Err(failure);
    }
    if pages.iter().any(Page::has_no_graph) && pages.iter().all(Page::has_no_graph) {
        return Err(BenchError::NoResult.into());
    }
    Ok(())
}

impl Format {
    /// Prints the pages of a suite where each suite is shown when it is done.
    fn show(self, pages: &[Page]) -> Result<(), Failure> {
        match self {
            Self::Text => pages.iter().try_for_each(|page| print_text(&format!("{}\n", page.text()))),
            Self::Markdown => pages.iter().try_for_each(|page| print_text(&page.markdown())),
            Self::Csv | Self::Json => Ok(()),
        }
    }

    /// Prints all pages where all are shown at the end.
    fn show_all(self, pages: &[Page]) -> Result<(), Failure> {
        match self {
            Self::Text | Self::Markdown => Ok(()),
            Self::Csv => print_text(&csv(pages)),
            Self::Json => print_json(&pages),
        }
    }
}

impl Arguments {
    fn request(&self) -> Request {
        Request {
            suites: self.suites.clone(),
            quick: self.quick,
            seeds: self.seeds,
            iterations: self.iterations,
            methods: self.methods.clone(),
            peers: self.peers.clone(),
            peer_seconds: self.peer_seconds,
            standardize: self.standardize,
            limit: self.limit,
            out: self.out.clone(),
        }
    }

    fn bar(&self) -> ProgressBar {
        if self.common.quiet || self.common.no_progress {
            return ProgressBar::hidden();
        }
        let bar = ProgressBar::new_spinner();
        bar.enable_steady_tick(Duration::from_millis(200));
        bar
    }

    fn show(&self, event: Event<'_>, bar: &ProgressBar) {
        match event {
            Event::Installing(_) if self.common.quiet => {}
            Event::Installing(text) => print_stderr(format_args!("{text}")),
            Event::PeersLeftOut(reason) => tracing::warn!("the other packages are left out: {reason}"),
            Event::Runs { suite, done: 0, total } => begin_runs(bar, suite, total),
            Event::Runs { done, .. } => bar.set_position(done as u64),
            Event::Study { suite, step } => bar.set_message(format!("{suite}: {step}")),
        }
    }
}

fn begin_runs(bar: &ProgressBar, suite: &str, total: usize) {
    if let Ok(style) = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} runs, {eta} left") {
        bar.set_style(style);
    }
    bar.set_length(total as u64);
    bar.set_message(suite.to_owned());
}
