//! Everything that can go wrong, each with a code for programs, a sentence for people, and advice.

mod advice;
mod code;

use std::path::{Path, PathBuf};

use gflowcausal_data::{
    Finding, InterventionError, MissingError, MomentsError, OptionError, ReadError, SimulationError,
    TransformError,
};
use gflowcausal_flow::{CheckpointError, ConfigError, LatticeError, TrainError};
use gflowcausal_graph::{GraphError, KnowledgeError, Names};
use gflowcausal_graph_io::{FormatError, KnowledgeFileError, WriteError};
use gflowcausal_posterior::{ChainsError, ExactError};
use gflowcausal_score::ScoreError;
use gflowcausal_search::{LingamError, NotScoreEquivalent, TestError};

use crate::{FileError, FrontEnd};

/// Why there is no result.
///
/// The text says what and where; [`code`](Self::code) names the kind for programs, [`fix`](Self::fix) says what to do.
/// `Display` writes options as the command line does, [`message`](Self::message) as any front end does.
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
    /// Knowledge that cannot be read, and the file that it came from.
    #[error("{}: {source}", knowledge_name(path.as_deref()))]
    KnowledgeFile { path: Option<PathBuf>, source: KnowledgeFileError },
    /// Constraints that cannot be satisfied.
    #[error(transparent)]
    Knowledge(#[from] KnowledgeError),
    /// A score that cannot be made of these data.
    #[error(transparent)]
    Score(#[from] ScoreError),
    /// A column whose variance is no number.
    #[error(
        "column '{column}' has no finite variance: its values are too large to be squared, or not all numbers"
    )]
    NoVariance { column: String },
    /// A score that needs numbers in every column.
    #[error("score '{score}' needs real numbers in every column")]
    NeedsNumbers { score: &'static str },
    /// A score that has no value for a graph.
    #[error("score '{score}' scores orders, not graphs")]
    OrdersOnly { score: &'static str },
    /// An option that needs the rows, where only means and covariances are given.
    #[error("{}", needs_rows(FrontEnd::CommandLine, option, value))]
    NeedsRows { option: &'static str, value: String },
    /// Two options that make no sense together.
    #[error("{}", combination(FrontEnd::CommandLine, option, value, with))]
    Combination { option: &'static str, value: &'static str, with: String },
    /// A walk that the method has no use for.
    #[error("method {method} does not take walk {walk}: it takes {}", takes.join(", "))]
    OtherWalk { method: &'static str, walk: &'static str, takes: Vec<&'static str> },
    /// An option that nothing would read.
    #[error("{}", no_effect(FrontEnd::CommandLine, option, with))]
    NoEffect { option: &'static str, with: String },
    /// A number outside its range.
    #[error("{}", out_of_range(FrontEnd::CommandLine, option, value, range))]
    Value { option: &'static str, value: f64, range: String },
    /// A method that is not in the registry.
    #[error("there is no method '{0}'")]
    UnknownMethod(String),
    /// A method that needs a score of another kind.
    #[error("method '{method}' needs a score that is a sum over variables, which '{score}' is not")]
    NeedsDecomposable { method: &'static str, score: &'static str },
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
    /// Knowledge that a method cannot satisfy.
    #[error("{}", cannot_satisfy(FrontEnd::CommandLine, method, option))]
    CannotSatisfy { method: &'static str, option: &'static str },
    /// A method that reads rows, given some with missing values.
    #[error("method '{method}' needs complete rows: means and covariances are not enough for it")]
    NeedsCompleteRows { method: &'static str },
    /// Columns without an order of independent causes.
    #[error(transparent)]
    Lingam(#[from] LingamError),
    /// More variables than a method can hold.
    #[error(transparent)]
    TooManyVariables(#[from] LatticeError),
    /// More variables than the exact posterior takes, or an interrupted one.
    #[error(transparent)]
    Exact(#[from] ExactError),
    /// Chains that cannot start or go on.
    #[error(transparent)]
    Chains(#[from] ChainsError),
    /// Data that make no sense for causal discovery.
    #[error("{}", .0.what)]
    Doctor(Finding),
    /// A finding to ignore that the doctor does not know, or a column to exclude that is not there.
    #[error("{}", unknown(FrontEnd::CommandLine, option, value, what, suggestion.as_deref()))]
    Unknown { option: &'static str, value: String, what: &'static str, suggestion: Option<String> },
    /// A column that cannot be transformed as was asked for.
    #[error(transparent)]
    Transform(#[from] TransformError),
    /// Columns that make no table.
    #[error("{0}")]
    Table(String),
    /// A checkpoint that cannot be written, read or used for this run.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// A policy of other data.
    #[error("'{}' was trained on other data or with another score", path.display())]
    OtherData { path: PathBuf },
    /// A run that is to go on with data that it did not begin with.
    #[error("'{0}' is not what the run began with")]
    OtherTable(String),
    /// Options about reading for data that are not read.
    #[error("the built-in data set '{0}' takes no reading options")]
    BuiltinOptions(String),
    /// A log of training that does not fit its checkpoint.
    #[error("'{}' is damaged: it does not fit the checkpoint", .0.display())]
    DamagedLog(PathBuf),
    /// A file of a finished run that is not what the program wrote.
    #[error("'{}' is damaged: {reason}", path.display())]
    DamagedRun { path: PathBuf, reason: String },
    /// A directory with files of another run.
    #[error("'{}' holds another run: there is a {file} in it", path.display())]
    HoldsRun { path: PathBuf, file: &'static str },
    /// A directory that somebody else writes a run to.
    #[error("'{}' is in use: another run is being written to it", path.display())]
    InUse { path: PathBuf },
    /// A run whose files are not all written.
    #[error("the run in '{}' is not finished", path.display())]
    UnfinishedRun { path: PathBuf },
    /// A run of another version of the program.
    #[error("'{}' was written by version {found} of the program, and this is {}", path.display(), env!("CARGO_PKG_VERSION"))]
    OtherVersion { path: PathBuf, found: String },
    /// Something to show that the run does not have.
    #[error("this run has no {what}: method '{method}' gives none")]
    NotInRun { what: &'static str, method: String },
    /// A score that says nothing about effects.
    #[error(
        "there are no effects for score '{score}': they need linear equations, or categories in every column"
    )]
    NoEffects { score: String },
    /// Tables of probabilities that cannot be summed.
    #[error("the tables behind '{variable}' have too many joint values for an exact sum")]
    TooManyValues { variable: String },
    /// An intervention that cannot be.
    #[error("intervention '{text}': {reason}")]
    Intervention { text: String, reason: String },
    /// A picture or page that cannot be made.
    #[error("cannot make the picture: {reason}")]
    Picture { reason: String },
    /// A configuration file that cannot be used.
    #[error("config file '{}': {reason}", path.display())]
    ConfigFile { path: PathBuf, reason: String },
    /// A column of interventions that cannot be used.
    #[error(transparent)]
    Interventions(#[from] InterventionError),
    /// A treatment of missing values that fails.
    #[error(transparent)]
    Missing(#[from] MissingError),
    /// A value that is missing or infinite where numbers are needed.
    #[error(transparent)]
    Moments(#[from] MomentsError),
    /// Training settings that cannot be.
    #[error(transparent)]
    Training(#[from] ConfigError),
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

impl Error {
    /// An error if an option that is set would have no effect `with` what is in use.
    pub(crate) fn if_without_effect(is_set: &[(&'static str, bool)], with: &str) -> Result<(), Self> {
        let unused = is_set.iter().find(|(_, is_set)| *is_set);
        unused.map_or(Ok(()), |&(option, _)| Err(Self::NoEffect { option, with: with.to_owned() }))
    }

    /// An option that names what is not among `names`; the nearest of them is suggested.
    pub(crate) fn unknown<S: AsRef<str>>(
        option: &'static str,
        value: &str,
        what: &'static str,
        names: &[S],
    ) -> Self {
        let suggestion = Names::new(names).unknown(value).suggestion;
        Self::Unknown { option, value: value.to_owned(), what, suggestion }
    }

    /// What went wrong, with options as `front_end` writes them.
    #[must_use]
    pub fn message(&self, front_end: FrontEnd) -> String {
        match self {
            Self::NeedsRows { option, value } => needs_rows(front_end, option, value),
            Self::Combination { option, value, with } => combination(front_end, option, value, with),
            Self::NoEffect { option, with } => no_effect(front_end, option, with),
            Self::Value { option, value, range } => out_of_range(front_end, option, value, range),
            Self::CannotSatisfy { method, option } => cannot_satisfy(front_end, method, option),
            Self::Unknown { option, value, what, suggestion } => {
                unknown(front_end, option, value, what, suggestion.as_deref())
            }
            _ => self.to_string(),
        }
    }

    /// Whether what the user gave is at fault, and not the system while running.
    #[must_use]
    pub fn is_input(&self) -> bool {
        match self {
            Self::File(error) => error.action != "write" || error.code() == "no-permission",
            Self::Checkpoint(error) => !matches!(error, CheckpointError::File { action: "write", .. }),
            Self::Read(ReadError::Io(_)) | Self::Train(_) | Self::NothingFound | Self::Picture { .. } => {
                false
            }
            _ => true,
        }
    }
}

fn knowledge_name(path: Option<&Path>) -> String {
    path.map_or_else(|| "knowledge".to_owned(), |path| format!("knowledge file '{}'", path.display()))
}

fn needs_rows(front_end: FrontEnd, option: &str, value: &str) -> String {
    let setting = front_end.setting(option, value);
    format!("{setting} needs the rows of the table, and not their means and covariances alone")
}

fn combination(front_end: FrontEnd, option: &str, value: &str, with: &str) -> String {
    format!("{} does not go with {with}", front_end.setting(option, value))
}

fn no_effect(front_end: FrontEnd, option: &str, with: &str) -> String {
    format!("{} has no effect with {with}", front_end.option(option))
}

fn out_of_range(front_end: FrontEnd, option: &str, value: &f64, range: &str) -> String {
    format!("{} is {value}, but must be {range}", front_end.option(option))
}

fn cannot_satisfy(front_end: FrontEnd, method: &str, option: &str) -> String {
    format!("method '{method}' cannot satisfy {}", front_end.option(option))
}

fn unknown(front_end: FrontEnd, option: &str, value: &str, what: &str, suggestion: Option<&str>) -> String {
    let did_you_mean = suggestion.map_or_else(String::new, |name| format!("; did you mean '{name}'?"));
    format!("{}: there is no such {what}{did_you_mean}", front_end.setting(option, value))
}
