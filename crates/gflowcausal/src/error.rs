//! Everything that can go wrong, each with a code for programs, a sentence for people, and a way out.

use std::path::PathBuf;

use gflowcausal_data::{Finding, MissingError, MomentsError, OptionError, ReadError, SimulationError};
use gflowcausal_flow::{CheckpointError, ConfigError, LatticeError, TrainError};
use gflowcausal_graph::{GraphError, KnowledgeError};
use gflowcausal_graph_io::{FormatError, KnowledgeFileError, WriteError};
use gflowcausal_score::ScoreError;
use gflowcausal_search::{LingamError, NotScoreEquivalent, TestError};

use crate::FileError;
use crate::run_dir::{file_code, file_fix};

/// Why there is no result.
///
/// The text says what and where; [`code`](Self::code) names the kind for programs, [`fix`](Self::fix) says what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "a variant's sentence names its fields")]
pub enum Error {
    /// A table that cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// An option about a table that says nothing sensible.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// A simulation that cannot be made.
    #[error(transparent)]
    Simulation(#[from] SimulationError),
    /// A graph file that cannot be read.
    #[error("graph file '{}': {source}", path.display())]
    GraphFile { path: PathBuf, source: FormatError },
    /// Two graphs that cannot be compared, or a graph that is not what is needed.
    #[error("graph '{}': {source}", path.display())]
    Graph { path: PathBuf, source: GraphError },
    /// A graph that a file format cannot hold.
    #[error("cannot write '{}': {source}", path.display())]
    GraphWrite { path: PathBuf, source: WriteError },
    /// A file name that does not say the format.
    #[error("'{}' does not say which graph format to write", .0.display())]
    UnknownFormat(PathBuf),
    /// A knowledge file that cannot be read.
    #[error("knowledge file '{}': {source}", path.display())]
    KnowledgeFile { path: PathBuf, source: KnowledgeFileError },
    /// Constraints that cannot be obeyed.
    #[error(transparent)]
    Knowledge(#[from] KnowledgeError),
    /// A score that cannot be made of these data.
    #[error(transparent)]
    Score(#[from] ScoreError),
    /// A score that needs numbers in every column.
    #[error("score '{score}' needs real numbers in every column")]
    NeedsNumbers { score: &'static str },
    /// A score that has no value for a graph.
    #[error("score '{score}' judges orders, not graphs")]
    OrdersOnly { score: &'static str },
    /// An option that needs the rows, where only means and covariances are given.
    #[error("--{option} {value} needs the rows of the table, and not their means and covariances alone")]
    NeedsRows { option: &'static str, value: String },
    /// Two options that make no sense together.
    #[error("--{option} {value} does not go with score '{with}'")]
    Combination { option: &'static str, value: &'static str, with: &'static str },
    /// A walk that the method has no use for.
    #[error("method {method} does not take walk {walk}: it takes {}", takes.join(", "))]
    OtherWalk { method: &'static str, walk: &'static str, takes: Vec<&'static str> },
    /// An option that nothing would read.
    #[error("--{option} has no effect with {with}")]
    NoEffect { option: &'static str, with: String },
    /// A number outside its range.
    #[error("--{option} is {value}, but must be {range}")]
    Value { option: &'static str, value: f64, range: &'static str },
    /// A method that is not in the registry.
    #[error("there is no method '{0}'")]
    UnknownMethod(String),
    /// A method that needs a score of another kind.
    #[error("method '{method}' needs a score that is a sum over variables, which '{score}' is not")]
    NeedsPlacements { method: &'static str, score: &'static str },
    /// A method that needs a score which equivalent graphs share.
    #[error("method '{method}' needs a score that is the same for equivalent graphs, which '{score}' is not")]
    NeedsEquivalence { method: &'static str, score: &'static str },
    /// A search that was given a score which equivalent graphs do not share.
    #[error(transparent)]
    NotScoreEquivalent(#[from] NotScoreEquivalent),
    /// A method that needs numbers in every column.
    #[error("method '{method}' needs real numbers in every column")]
    MethodNeedsNumbers { method: &'static str },
    /// A test of independence that cannot be made of these data.
    #[error(transparent)]
    Test(#[from] TestError),
    /// Knowledge that a method cannot obey.
    #[error("method '{method}' cannot obey --{option}")]
    CannotObey { method: &'static str, option: &'static str },
    /// A method that looks at rows, given some with gaps.
    #[error("method '{method}' needs complete rows: it does not look at means and covariances alone")]
    NeedsCompleteRows { method: &'static str },
    /// Columns without an order of independent causes.
    #[error(transparent)]
    Lingam(#[from] LingamError),
    /// More variables than a method can hold.
    #[error(transparent)]
    TooManyVariables(#[from] LatticeError),
    /// Data that make no sense for causal discovery.
    #[error("{}", .0.what)]
    Doctor(Finding),
    /// A finding to ignore that the doctor does not know, or a column to exclude that is not there.
    #[error("--{option} {value}: there is no such {what}")]
    Unknown { option: &'static str, value: String, what: &'static str },
    /// Columns that make no table.
    #[error("{0}")]
    Table(String),
    /// A checkpoint that cannot be written, read or used for this run.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// A policy of other data.
    #[error("'{}' was trained on other data or with another score", path.display())]
    OtherData { path: PathBuf },
    /// A log of training that does not fit its checkpoint.
    #[error("'{}' is damaged: it does not fit the checkpoint", .0.display())]
    DamagedLog(PathBuf),
    /// A file of a finished run that is not what the program wrote.
    #[error("'{}' is damaged: {reason}", path.display())]
    DamagedRun { path: PathBuf, reason: String },
    /// Something to show that the run does not have.
    #[error("this run has no {what}: method '{method}' gives none")]
    NotInRun { what: &'static str, method: String },
    /// A picture or page that cannot be made.
    #[error("cannot make the picture: {reason}")]
    Picture { reason: String },
    /// A configuration file that cannot be used.
    #[error("config file '{}': {reason}", path.display())]
    ConfigFile { path: PathBuf, reason: String },
    /// Missing values that cannot be dealt with as asked.
    #[error(transparent)]
    Missing(#[from] MissingError),
    /// A value that is missing or infinite where numbers are needed.
    #[error(transparent)]
    Moments(#[from] MomentsError),
    /// Training settings that cannot be.
    #[error(transparent)]
    Training(ConfigError),
    /// Training that cannot start or go on.
    #[error(transparent)]
    Train(#[from] TrainError),
    /// Training was stopped before its first iteration.
    #[error("stopped before the first iteration: nothing was found yet")]
    NothingFound,
    /// A file or directory that the system refuses.
    #[error(transparent)]
    File(#[from] FileError),
}

impl From<ConfigError> for Error {
    /// A setting that is an option of ours is refused by the option's name.
    fn from(error: ConfigError) -> Self {
        let ConfigError::Range { setting, value, range } = error else { return Self::Training(error) };
        let option = match setting {
            "iterations" => "iterations",
            "batch_size" => "batch-size",
            "network.width" => "hidden",
            "optimizer.learning_rate" => "learning-rate",
            "temperature.target" => "temperature",
            _ => return Self::Training(error),
        };
        Self::Value { option, value, range }
    }
}

impl Error {
    /// The kind of problem, as a stable word.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Read(error) => error.code(),
            Self::Option(_) => "bad-option",
            Self::Simulation(SimulationError::NoEffect { .. } | SimulationError::Categories(_)) => {
                "option-without-effect"
            }
            Self::Simulation(_) => "impossible-simulation",
            Self::GraphFile { source, .. } => source.code(),
            Self::Graph { source, .. } => source.code(),
            Self::GraphWrite { source, .. } => source.code(),
            Self::UnknownFormat(_) => "unknown-extension",
            Self::KnowledgeFile { source, .. } => source.code(),
            Self::Knowledge(error) => error.code(),
            Self::Score(_) | Self::NeedsNumbers { .. } | Self::OrdersOnly { .. } => "bad-score",
            Self::Combination { .. } | Self::OtherWalk { .. } | Self::NeedsRows { .. } => "bad-combination",
            Self::NoEffect { .. } => "option-without-effect",
            Self::Value { .. } | Self::Unknown { .. } => "bad-option",
            Self::UnknownMethod(_) => "unknown-method",
            Self::NeedsPlacements { .. } | Self::NeedsEquivalence { .. } | Self::NotScoreEquivalent(_) => {
                "bad-combination"
            }
            Self::MethodNeedsNumbers { .. } | Self::Test(_) => "bad-test",
            Self::CannotObey { .. } => "cannot-obey",
            Self::NeedsCompleteRows { .. } => "missing-values",
            Self::Lingam(_) => "dependent-columns",
            Self::TooManyVariables(_) => "too-many-variables",
            Self::Doctor(finding) => finding.code,
            Self::Table(_) => "bad-table",
            Self::Checkpoint(error) => checkpoint_code(error),
            Self::OtherData { .. } => "checkpoint-of-other-data",
            Self::DamagedLog(_) => "damaged-checkpoint",
            Self::DamagedRun { .. } => "damaged-run",
            Self::NotInRun { .. } => "not-in-run",
            Self::Picture { .. } => "no-picture",
            Self::ConfigFile { .. } => "bad-config-file",
            Self::Missing(error) => error.code(),
            Self::Moments(_) => "bad-value",
            Self::Training(_) => "bad-option",
            Self::Train(_) => "training-failed",
            Self::NothingFound => "stopped-too-early",
            Self::File(error) => error.code(),
        }
    }

    /// A way out, in one sentence, where there is one.
    #[must_use]
    pub fn fix(&self) -> Option<String> {
        match self {
            Self::Read(error) => Some(error.advice().phrase(flag)),
            Self::GraphFile { source, .. } => Some(source.advice().phrase(flag)),
            Self::Graph { source, .. } => Some(source.advice().phrase(flag)),
            Self::GraphWrite { source, .. } => Some(source.advice().phrase(flag)),
            Self::UnknownFormat(_) => {
                Some("end the name in .json .csv .dot .graphml .npy or .tetrad, or name the format".into())
            }
            Self::KnowledgeFile { source, .. } => Some(source.advice().phrase(flag)),
            Self::Knowledge(error) => Some(error.advice().phrase(flag)),
            Self::File(error) => error.fix(),
            Self::NeedsNumbers { .. } => Some(CATEGORIES_WAY_OUT.into()),
            Self::Score(error) => Some(score_fix(error).into()),
            Self::OrdersOnly { .. } => Some("use --score bic, or bic-equal if scale matters".into()),
            Self::OtherWalk { .. } => Some("leave --walk out: each method has a default".into()),
            Self::Combination { .. } => Some("leave the option out: auto fits the score".into()),
            Self::NoEffect { .. } => Some("leave the option out".into()),
            Self::NeedsRows { .. } => Some("give the table itself, or leave the option out".into()),
            Self::UnknownMethod(_) => {
                let names: Vec<&str> = crate::methods().iter().map(|method| method.name()).collect();
                Some(format!("choose one of {}", names.join(", ")))
            }
            Self::NeedsPlacements { .. } => Some("use --score bic, or another method".into()),
            Self::NeedsEquivalence { .. } | Self::NotScoreEquivalent(_) => {
                Some("use --score bic, bge, bdeu or dg, or --method boss".into())
            }
            Self::MethodNeedsNumbers { .. } => {
                Some("use --method boss or ges, which take categories too".into())
            }
            Self::Test(TestError::MissingCells(_)) => Some("use --missing drop".into()),
            Self::Test(_) => Some("give --test the kind of the columns, or use --method boss or ges".into()),
            Self::CannotObey { .. } => Some("leave it out, or use --method ges or boss".into()),
            Self::NeedsCompleteRows { .. } => Some("use --missing drop".into()),
            Self::Lingam(_) => Some("leave one of them out with --exclude".into()),
            Self::TooManyVariables(_) => Some("use --method gflowcausal".into()),
            Self::Doctor(finding) => {
                Some(format!("{}; or go on with --ignore {}", finding.fix, finding.code))
            }
            Self::Checkpoint(error) => checkpoint_fix(error),
            Self::OtherData { .. } => Some("give the data that the run began with".into()),
            Self::DamagedLog(_) | Self::DamagedRun { .. } => Some("start the run again".into()),
            Self::NotInRun { .. } => Some("plot another kind".into()),
            Self::ConfigFile { .. } => Some("see the config.toml that --out writes".into()),
            Self::Missing(error) => Some(error.advice().phrase(flag)),
            Self::NothingFound => Some("give it more time".into()),
            Self::Value { range, .. } => Some(format!("give a number that is {range}")),
            Self::Unknown { what, .. } => Some(format!("check the spelling of the {what}")),
            Self::Training(_) => Some("leave it out: the default fits the number of variables".into()),
            Self::Moments(_) | Self::Train(_) => {
                Some("see what `gflowcausal doctor` says of the data".into())
            }
            Self::Option(_) | Self::Table(_) | Self::Simulation(_) | Self::Picture { .. } => None,
        }
    }

    /// Whether what the user gave is at fault, and not the system while running.
    #[must_use]
    pub fn is_input(&self) -> bool {
        match self {
            Self::File(error) => error.action != "write",
            Self::Checkpoint(error) => !matches!(error, CheckpointError::File { action: "write", .. }),
            Self::Read(ReadError::Io(_)) | Self::Train(_) | Self::NothingFound | Self::Picture { .. } => {
                false
            }
            _ => true,
        }
    }
}

/// An option as the command line writes it.
fn flag(option: &'static str, value: Option<&str>) -> String {
    value.map_or_else(|| format!("--{option}"), |value| format!("--{option} {value}"))
}

/// Scores for tables that are not all numbers.
const CATEGORIES_WAY_OUT: &str = "use --score dg, or --score bdeu if all are categories";

fn score_fix(error: &ScoreError) -> &'static str {
    match error {
        ScoreError::NotContinuous { .. } => CATEGORIES_WAY_OUT,
        ScoreError::NotCategorical { .. } => "use --score bic, or --score dg if some are categories",
        ScoreError::MissingCells { .. } => "use --missing drop",
        ScoreError::Penalty(_) => "give auto, or a number such as 1",
        ScoreError::NotFinite { .. } => "divide the column by its largest value",
        _ => "see what `gflowcausal doctor` says of the data",
    }
}

fn checkpoint_code(error: &CheckpointError) -> &'static str {
    match error {
        CheckpointError::Truncated { .. } => "truncated-checkpoint",
        CheckpointError::Foreign { .. } => "foreign-checkpoint",
        CheckpointError::Version { .. } => "checkpoint-of-another-version",
        CheckpointError::OtherSettings { .. } => "checkpoint-of-other-settings",
        CheckpointError::OtherProblem { .. } | CheckpointError::OtherNodes { .. } => {
            "checkpoint-of-other-data"
        }
        CheckpointError::File { source, .. } => file_code(source),
        _ => "damaged-checkpoint",
    }
}

fn checkpoint_fix(error: &CheckpointError) -> Option<String> {
    match error {
        CheckpointError::File { source, .. } => file_fix(source),
        CheckpointError::OtherSettings { .. } => {
            Some("resume with the settings of the run, or start anew".into())
        }
        CheckpointError::OtherProblem { .. } | CheckpointError::OtherNodes { .. } => {
            Some("give the data that the run began with, or start anew".into())
        }
        CheckpointError::Version { .. } => {
            Some("use the version of the program that wrote it, or start anew".into())
        }
        _ => Some("start the run again".into()),
    }
}
