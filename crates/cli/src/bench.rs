//! `bench`: the paper's tables and figures and our own, from simulated data to one table, by one command.

mod bounds;
mod growth;
mod mistakes;
mod page;
mod peers;
mod process;
mod runs;
mod study;
mod suite;
mod table;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use gflowcausal::thread_count;
use indicatif::{ProgressBar, ProgressStyle};

use self::bounds::Bounds;
use self::page::{Content, Page, csv, write_results, write_suite};
use self::peers::Environment;
use self::runs::{Run, Store};
use self::study::{Findings, Study};
use self::suite::{Data, MOST_SEEDS, Method, Scale, Suite};
use self::table::Table;
use crate::failure::Failure;
use crate::interrupt;
use crate::output::{Common, print_json, print_text};

/// The CPU seconds of a run, if not said otherwise.
const LIMIT: u64 = 600;

/// The seconds of a year: who waits longer waits for ever.
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
runs.jsonl data/ studies/ FIGURE.svg FIGURE.png FIGURE-points.csv

Examples:
  gflowcausal bench --list
  gflowcausal bench table1
  gflowcausal bench fig-case fig-diverse fig-sampling fig-loss
  gflowcausal bench table1 standardised --methods gflowcausal,boss --seeds 3
  gflowcausal bench all --quick
  gflowcausal bench table5 --peers
  gflowcausal bench table1 --peers=dagma,causal-learn --peer-seconds 60
  gflowcausal bench mine.toml --format markdown"
)]
pub(crate) struct Arguments {
    /// The suites by name, `all` for every one, or files of one's own like those in bench/ of the source (NAME.toml).
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
        return print_text(&Suite::list());
    }
    let mut suites = arguments.suites()?;
    let mut store = Store::open(&arguments.out)?;
    store.environment = arguments.environment();
    if store.environment.is_some() {
        suites.iter_mut().for_each(|suite| suite.add_peers(&arguments.wanted_peers()));
    }
    let (mut pages, mut trouble) = (Vec::new(), None);
    for suite in &suites {
        let first = pages.len();
        if let Err(failure) = arguments.fill(suite, &store, &mut pages) {
            // The last is told at the end.
            if let Some(before) = trouble.replace(failure) {
                before.report();
            }
        }
        let of_suite = &pages[first..];
        if !of_suite.is_empty() {
            write_suite(&arguments.out, &suite.name, of_suite)?;
            write_results(&arguments.out, &pages)?;
        }
        arguments.format.show(of_suite)?;
        if interrupt::is_requested() {
            break;
        }
    }
    arguments.format.show_all(&pages)?;
    if interrupt::is_requested() {
        return Err(Failure::interrupted().with_help("the same command goes on from here"));
    }
    if let Some(trouble) = trouble {
        return Err(trouble);
    }
    if pages.iter().any(Page::is_barren) && pages.iter().all(Page::is_barren) {
        return Err(Failure::running("no-result", "no run gave a graph; the table says why"));
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
    fn suites(&self) -> Result<Vec<Suite>, Failure> {
        if self.suites.is_empty() {
            let message = "which suite is to be run?";
            return Err(Failure::input("no-suite", message)
                .with_help(format!("name one, or all:\n{}", Suite::list())));
        }
        let mut suites = Suite::named(&self.suites)?;
        if self.quick {
            suites = suites.into_iter().map(Suite::quick).collect();
        }
        for suite in &mut suites {
            suite.seeds = self.seeds.unwrap_or(suite.seeds);
            if let Some(iterations) = self.iterations {
                suite.train_for(iterations);
            }
            if !self.methods.is_empty() || self.standardize {
                suite.study = None;
            }
        }
        self.choose_methods(&mut suites)?;
        if self.standardize {
            let is_wanted = |method: &Method| method.on.contains(&Scale::Standardised);
            suites.iter_mut().for_each(|suite| suite.method.retain(is_wanted));
        }
        suites.retain(|suite| !suite.method.is_empty() || suite.study.is_some());
        if suites.is_empty() {
            let message = "these suites have no run on standardised columns";
            return Err(Failure::input("no-method", message).with_help("leave --standardize out"));
        }
        each_begins_one("peer", &self.wanted_peers(), suites.iter().flat_map(Suite::peers))?;
        self.refuse_idle(&suites)?;
        Ok(suites)
    }

    /// Refuses what would change nothing.
    fn refuse_idle(&self, suites: &[Suite]) -> Result<(), Failure> {
        let any = |has: fn(&Suite) -> bool| suites.iter().any(has);
        let given = [
            ("--peers", self.peers.is_some(), any(|suite| suite.peers().next().is_some())),
            ("--limit", self.limit.is_some(), any(|suite| !suite.method.is_empty())),
            ("--iterations", self.iterations.is_some(), any(|suite| suite.method.iter().any(Method::trains))),
            ("--seeds", self.seeds.is_some(), any(Suite::takes_seeds)),
        ];
        let idle = given.into_iter().find(|&(_, is_given, has_effect)| is_given && !has_effect);
        idle.map_or(Ok(()), |(option, ..)| {
            let names: Vec<&str> = suites.iter().map(|suite| suite.name.as_str()).collect();
            let message = format!("{option} has no effect on {}", names.join(", "));
            Err(Failure::input("option-without-effect", message).with_help(format!("leave {option} out")))
        })
    }

    /// Leaves the methods that --methods names.
    fn choose_methods(&self, suites: &mut [Suite]) -> Result<(), Failure> {
        let wanted: Vec<&str> = self.methods.iter().map(|name| name.trim()).collect();
        let methods = suites.iter().flat_map(|suite| &suite.method);
        each_begins_one("method", &wanted, methods.map(|method| method.name.as_str()))?;
        for suite in suites.iter_mut().filter(|_| !wanted.is_empty()) {
            suite.method.retain(|method| wanted.iter().any(|name| method.name.starts_with(name)));
        }
        Ok(())
    }

    /// The beginnings of names that --peers asks for; none for all of them.
    fn wanted_peers(&self) -> Vec<&str> {
        self.peers.iter().flatten().map(|name| name.trim()).collect()
    }

    /// Where other packages run; nothing, with a word about it, where they cannot.
    fn environment(&self) -> Option<Environment> {
        self.peers.as_ref()?;
        let tell = |text: &str| {
            if !self.common.quiet {
                anstream::eprintln!("{text}");
            }
        };
        let ready = Environment::prepare(self.peer_seconds, tell);
        ready.inspect_err(|reason| tracing::warn!("the other packages are left out: {reason}")).ok()
    }

    /// Adds the table of the suite's runs to `pages`, then that of its study.
    fn fill(&self, suite: &Suite, store: &Store, pages: &mut Vec<Page>) -> Result<(), Failure> {
        if !suite.method.is_empty() {
            pages.push(Page::new(Content::Runs(self.table(suite, store)?)));
        }
        if let Some(study) = suite.study.as_ref().filter(|_| !interrupt::is_requested()) {
            pages.push(Page::new(Content::Study(self.findings(suite, study)?)));
        }
        Ok(())
    }

    fn findings(&self, suite: &Suite, study: &Study) -> Result<Findings, Failure> {
        let bar = if self.is_silent() { ProgressBar::hidden() } else { ProgressBar::new_spinner() };
        bar.enable_steady_tick(Duration::from_millis(200));
        let tell = |step: &str| bar.set_message(format!("{}: {step}", suite.name));
        let findings = study.perform(suite, &self.out, &tell);
        bar.finish_and_clear();
        findings
    }

    fn is_silent(&self) -> bool {
        self.common.quiet || self.common.no_progress
    }

    fn table(&self, suite: &Suite, store: &Store) -> Result<Table, Failure> {
        let scales = if self.standardize { vec![Scale::Standardised] } else { Scale::ALL.to_vec() };
        // First, because what is wrong with them should not be found out after hours of runs.
        let bounds = |data: &Data| {
            let about = |error| Failure::from(error).about(&data.title(&suite.name));
            Bounds::of(data, suite.seeds).map_err(about)
        };
        let bounds = suite.data.iter().map(bounds).collect::<Result<Vec<_>, Failure>>()?;
        let runs = Run::all(suite, &scales);
        let bar = self.bar(suite, runs.len());
        let tell = |done: usize| bar.set_position(done as u64);
        let records =
            store.perform(&runs, thread_count(), Duration::from_secs(self.limit.unwrap_or(LIMIT)), &tell)?;
        bar.finish_and_clear();
        Ok(Table::new(suite, &runs, &records, &bounds))
    }

    fn bar(&self, suite: &Suite, runs: usize) -> ProgressBar {
        if self.is_silent() {
            return ProgressBar::hidden();
        }
        let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} runs, {eta} left");
        let bar = ProgressBar::new(runs as u64).with_message(suite.name.clone());
        bar.enable_steady_tick(Duration::from_millis(200));
        style.map_or_else(|_| bar.clone(), |style| bar.clone().with_style(style))
    }
}

/// Refuses a `wanted` name that none of `known` begins with.
fn each_begins_one<'a>(
    what: &str,
    wanted: &[&str],
    known: impl Iterator<Item = &'a str>,
) -> Result<(), Failure> {
    let known: BTreeSet<&str> = known.collect();
    let fits = |wanted: &str| !wanted.is_empty() && known.iter().any(|name| name.starts_with(wanted));
    let Some(unknown) = wanted.iter().find(|wanted| !fits(wanted)) else { return Ok(()) };
    let known: Vec<&str> = known.into_iter().collect();
    let message = format!("no {what} of these suites begins with '{unknown}'");
    let help = if known.is_empty() {
        "they have none".to_owned()
    } else {
        format!("they have {}", known.join("; "))
    };
    Err(Failure::input(format!("unknown-{what}"), message).with_help(help))
}
