//! What the user can say to `discover`, and how it joins with a configuration file.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use gflowcausal::data::Missing;
use gflowcausal::flow::{ObjectiveName, Walk};
use gflowcausal::{About, Config, DataFile, NetworkName, PruneName, RunFile, ScoreName, TestName};

use crate::failure::Failure;
use crate::input::{Reading, choice, one_of};
use crate::output::{Common, Shape};

/// Find causal graphs in a table.
///
/// Reads the table, checks it, trains a sampler of graphs on it, and prints the best graph with how sure to be of each
/// edge. Everything that is not said is chosen by the data and printed.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  gflowcausal discover sachs
  gflowcausal discover data.csv --truth truth.csv --format json
  gflowcausal discover data.parquet --forbid 'Age->Sex' --max-parents 4 --time-budget 60s --out run
  gflowcausal discover --resume run")]
pub(crate) struct Arguments {
    /// A table: .csv .tsv .txt (also .gz) .parquet .arrow .feather .npy, `-` for CSV on standard input, or `sachs`.
    #[arg(value_name = "DATA", required_unless_present_any = ["config", "resume"])]
    data: Option<String>,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    settings: Settings,
    /// Stop in time with the best so far, such as 60s, 5m or 1h.
    #[arg(long, value_name = "TIME", value_parser = checked_duration)]
    time_budget: Option<String>,
    /// The true graph, to print metrics too.
    #[arg(long, value_name = "FILE")]
    truth: Option<PathBuf>,
    /// A directory to write the run to.
    #[arg(long, value_name = "DIR", help_heading = "Files")]
    pub(super) out: Option<PathBuf>,
    /// Take any of these options from a file in TOML; the command line wins.
    #[arg(long, value_name = "FILE.toml", help_heading = "Files")]
    config: Option<PathBuf>,
    /// Go on with the run in a directory, interrupted or finished; it takes its options from there.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["out", "config"], help_heading = "Files")]
    pub(super) resume: Option<PathBuf>,
    /// The shape of the result.
    #[arg(long, value_enum, default_value_t = Shape::Text)]
    pub(super) format: Shape,
    #[command(flatten)]
    pub(crate) common: Common,
}

/// Options with a place in [`Config`]: each wins over the configuration file.
#[derive(Debug, Clone, Default, PartialEq, Args)]
struct Settings {
    /// The way to find a graph [default: gflowcausal].
    #[arg(long, value_parser = method_names())]
    method: Option<String>,
    /// What graphs are judged by [default: auto].
    #[arg(long, value_parser = one_of::<ScoreName>())]
    score: Option<ScoreName>,
    /// What a parent costs, in multiples of ln n; `auto` grows with the number of variables [default: auto].
    #[arg(long, value_parser = penalty)]
    penalty: Option<Penalty>,
    /// How graphs are grown [default: order].
    #[arg(long, value_parser = choice(Walk::ALL, Walk::name))]
    walk: Option<Walk>,
    /// Which balance of flows is learned [default: tb].
    #[arg(long, value_parser = choice(&ObjectiveName::ALL, ObjectiveName::name))]
    objective: Option<ObjectiveName>,
    /// What learns the flows [default: mlp].
    #[arg(long, value_parser = one_of::<NetworkName>())]
    network: Option<NetworkName>,
    /// How an order becomes a graph [default: auto].
    #[arg(long, value_parser = one_of::<PruneName>())]
    prune: Option<PruneName>,
    /// How large a slope must be, with --prune threshold and --method notears or dagma [default: 0.3].
    #[arg(long, value_name = "W")]
    threshold: Option<f64>,
    /// The largest p-value, with --prune t-test or cam [default: 0.001] and with --method pc [default: 0.05].
    #[arg(long, value_name = "P")]
    alpha: Option<f64>,
    /// The most training iterations [default: by the number of variables].
    #[arg(long, value_name = "N")]
    iterations: Option<usize>,
    /// Trajectories an iteration [default: 64; fewer beyond 150 variables].
    #[arg(long, value_name = "N")]
    batch_size: Option<usize>,
    /// Adam's step [default: 0.001].
    #[arg(long, value_name = "RATE")]
    learning_rate: Option<f64>,
    /// Units of each hidden layer [default: by the number of variables].
    #[arg(long, value_name = "N")]
    hidden: Option<usize>,
    /// Graphs are drawn ∝ exp(score / T) [default: 1].
    #[arg(long, value_name = "T")]
    temperature: Option<f64>,
    /// How many graphs are drawn for the probabilities [default: 1000].
    #[arg(long, value_name = "N")]
    samples: Option<usize>,
    /// The weight of the L1 penalty of --method notears [default: 0.1] and dagma [default: 0.03].
    #[arg(long, value_name = "WEIGHT")]
    l1: Option<f64>,
    /// From how many random orders --method boss starts [default: 10 up to 200 variables, 3 beyond].
    #[arg(long, value_name = "N")]
    restarts: Option<usize>,
    /// Let --method ges turn edges too.
    #[arg(long)]
    turning: bool,
    /// The test of independence of --method pc [default: by the columns' types].
    #[arg(long, value_parser = one_of::<TestName>())]
    test: Option<TestName>,
    /// An edge that must be there; may be repeated.
    #[arg(long, value_name = "A->B", help_heading = "Knowledge")]
    require: Vec<String>,
    /// An edge that must not be there; may be repeated.
    #[arg(long, value_name = "A->B", help_heading = "Knowledge")]
    forbid: Vec<String>,
    /// The most parents of a variable.
    #[arg(long, value_name = "K", help_heading = "Knowledge")]
    max_parents: Option<usize>,
    /// A knowledge file in Tetrad's format.
    #[arg(long, value_name = "FILE", help_heading = "Knowledge")]
    knowledge: Option<PathBuf>,
    /// A column to leave out; may be repeated.
    #[arg(long, value_name = "NAME", help_heading = "Reading")]
    exclude: Vec<String>,
    /// Go on in spite of this finding of the doctor's; may be repeated.
    #[arg(long, value_name = "CODE", help_heading = "Reading")]
    ignore: Vec<String>,
    /// What to do about missing values [default: error].
    #[arg(long, value_parser = one_of::<Missing>(), help_heading = "Reading")]
    missing: Option<Missing>,
    /// Scale each column to mean 0 and standard deviation 1 first.
    #[arg(long, help_heading = "Reading")]
    standardize: bool,
    /// The same seed gives the same result [default: 0].
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
}

fn method_names() -> clap::builder::PossibleValuesParser {
    let value = |method: &&dyn gflowcausal::Discover| {
        clap::builder::PossibleValue::new(method.name()).help(method.about())
    };
    gflowcausal::methods().iter().map(value).collect::<Vec<_>>().into()
}

/// A multiplier, or none for `auto`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Penalty(pub(crate) Option<f64>);

pub(crate) fn penalty(text: &str) -> Result<Penalty, String> {
    match text {
        "auto" => Ok(Penalty(None)),
        number => {
            number.parse().map(|factor| Penalty(Some(factor))).map_err(|_| "give auto or a number".into())
        }
    }
}

fn checked_duration(text: &str) -> Result<String, String> {
    duration(text).map(|_| text.to_owned())
}

/// `90`, `90s`, `1.5m`, `2h`, `500ms`.
fn duration(text: &str) -> Result<Duration, String> {
    let digits = text.trim_end_matches(char::is_alphabetic);
    let unit = match &text[digits.len()..] {
        "" | "s" => 1.0,
        "ms" => 1e-3,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        other => return Err(format!("there is no unit '{other}': use ms, s, m or h")),
    };
    let number: f64 = digits.parse().map_err(|_| "give a number and a unit, such as 60s".to_owned())?;
    Duration::try_from_secs_f64(number * unit).map_err(|_| "give a time that is not negative".to_owned())
}

/// Everything said, by whichever way: how, on which data, for how long.
pub(super) struct Wanted {
    pub(super) file: RunFile,
    pub(super) data: DataFile,
}

impl Wanted {
    /// How to read the data.
    pub(super) fn reading(&self) -> Reading {
        let DataFile { no_header, delimiter, types, .. } = self.data.clone();
        Reading { no_header, delimiter, types }
    }

    /// When to stop.
    pub(super) fn time_budget(&self) -> Result<Option<Duration>, Failure> {
        let budget = self.file.about.time_budget.as_deref().map(duration).transpose();
        budget.map_err(|message| Failure::input("bad-option", format!("time-budget: {message}")))
    }
}

impl Arguments {
    /// Joins the command line with the configuration file or the run that it names.
    pub(super) fn wanted(&self) -> Result<Wanted, Failure> {
        let mut file = match (&self.resume, &self.config) {
            (Some(dir), _) => self.resumed(dir)?,
            (None, Some(path)) => read_run_file(path)?,
            (None, None) => RunFile::default(),
        };
        self.settings.apply(&mut file.config)?;
        let About { time_budget, truth, data, .. } = &mut file.about;
        overwrite(time_budget, self.time_budget.clone().map(Some));
        overwrite(truth, self.truth.clone().map(Some));
        let data = self.data_file(data.take())?;
        Ok(Wanted { file, data })
    }

    /// A run's own configuration; it cannot be changed half way.
    fn resumed(&self, dir: &Path) -> Result<RunFile, Failure> {
        if self.settings != Settings::default() {
            let message = "--resume takes the run's own options: no other can be given";
            return Err(Failure::input("option-without-effect", message)
                .with_help("start a new run with --config DIR/config.toml and what you want to change"));
        }
        let mut file = read_run_file(&dir.join("config.toml"))?;
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
        overwrite(&mut file.delimiter, delimiter.map(Some));
        overwrite(&mut file.types, types.map(Some));
        Ok(file)
    }
}

fn read_run_file(path: &Path) -> Result<RunFile, Failure> {
    let text = read_text(path, "config file")?;
    let parsed = RunFile::parse(&text);
    parsed.map_err(|reason| gflowcausal::Error::ConfigFile { path: path.to_owned(), reason }.into())
}

fn read_text(path: &Path, what: &str) -> Result<String, Failure> {
    std::fs::read_to_string(path).map_err(|error| {
        let code = if error.kind() == std::io::ErrorKind::NotFound { "not-found" } else { "unreadable" };
        Failure::input(code, format!("cannot read {what} '{}': {error}", path.display()))
            .with_help("check the path, and that you may read it")
    })
}

fn overwrite<T>(place: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *place = value;
    }
}

impl Settings {
    /// Puts what was said into `config`.
    fn apply(&self, config: &mut Config) -> Result<(), Failure> {
        let knowledge =
            self.knowledge.as_deref().map(|path| read_text(path, "knowledge file")).transpose()?;
        overwrite(&mut config.method, self.method.clone());
        overwrite(&mut config.score, self.score);
        overwrite(&mut config.penalty, self.penalty.map(|penalty| penalty.0));
        overwrite(&mut config.walk, self.walk);
        overwrite(&mut config.objective, self.objective.map(Some));
        overwrite(&mut config.network, self.network);
        overwrite(&mut config.prune, self.prune);
        overwrite(&mut config.threshold, self.threshold.map(Some));
        overwrite(&mut config.alpha, self.alpha.map(Some));
        overwrite(&mut config.iterations, self.iterations.map(Some));
        overwrite(&mut config.batch_size, self.batch_size.map(Some));
        overwrite(&mut config.learning_rate, self.learning_rate.map(Some));
        overwrite(&mut config.hidden, self.hidden.map(Some));
        overwrite(&mut config.temperature, self.temperature);
        overwrite(&mut config.samples, self.samples);
        overwrite(&mut config.l1, self.l1.map(Some));
        overwrite(&mut config.restarts, self.restarts.map(Some));
        config.turning |= self.turning;
        overwrite(&mut config.test, self.test.map(Some));
        config.require.extend(self.require.iter().cloned());
        config.forbid.extend(self.forbid.iter().cloned());
        overwrite(&mut config.max_parents, self.max_parents.map(Some));
        overwrite(&mut config.knowledge, knowledge.map(Some));
        config.exclude.extend(self.exclude.iter().cloned());
        config.ignore.extend(self.ignore.iter().cloned());
        overwrite(&mut config.missing, self.missing);
        config.standardize |= self.standardize;
        overwrite(&mut config.seed, self.seed);
        Ok(())
    }
}
