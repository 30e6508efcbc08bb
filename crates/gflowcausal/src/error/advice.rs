//! What to do about each error, as data that front ends phrase.

use gflowcausal_data::FINDINGS;
use gflowcausal_flow::{CheckpointError, ConfigError, TrainError};
use gflowcausal_graph::Advice;
use gflowcausal_graph_io::Format;
use gflowcausal_score::ScoreError;
use gflowcausal_search::TestError;

use super::Error;
use crate::options::option;
use crate::run_dir::file_fix;

impl Error {
    /// What to do, in one sentence, where there is something to do.
    #[must_use]
    pub fn fix(&self) -> Option<Advice> {
        Some(match self {
            Self::Read(error) => error.advice(),
            Self::GraphFile { source, .. } => source.advice(),
            Self::Graph { source, .. } => source.advice(),
            Self::GraphWrite { source, .. } => source.advice(),
            Self::UnknownFormat(_) => {
                format!("end the name in {}, or name the format", written_extensions()).into()
            }
            Self::KnowledgeFile { source, .. } => source.advice(),
            Self::Knowledge(error) => error.advice(),
            Self::File(error) => return error.fix().map(Advice::from),
            Self::NeedsNumbers { .. } => scores_for_categories(),
            Self::NoVariance { .. } => "divide the column by its largest value".into(),
            Self::Score(error) => score_fix(error),
            Self::OrdersOnly { .. } => {
                Advice::new("use ").set("score", "bic").then(", or bic-equal if scale matters")
            }
            Self::OtherWalk { .. } => {
                Advice::new("leave ").option("walk").then(" out: each method has a default")
            }
            Self::Combination { .. } => "leave the option out: the default fits".into(),
            Self::NoEffect { .. } => "leave the option out".into(),
            Self::NeedsRows { .. } => "give the table itself, or leave the option out".into(),
            Self::UnknownMethod(_) => {
                let names: Vec<&str> = crate::methods().iter().map(|method| method.name()).collect();
                format!("choose one of {}", names.join(", ")).into()
            }
            Self::NeedsDecomposable { .. } => {
                Advice::new("use ").set("score", "bic").then(", or another method")
            }
            Self::NeedsEquivalence { .. } | Self::NotScoreEquivalent(_) => {
                Advice::new("use ").set("score", "bic").then(", bge, bdeu or dg, or ").set("method", "boss")
            }
            Self::MethodNeedsNumbers { .. } => {
                Advice::new("use ").set("method", "boss").then(" or ges, which take categories too")
            }
            Self::Test(TestError::MissingCells(_)) | Self::NeedsCompleteRows { .. } => drop_rows(),
            Self::Test(_) => Advice::new("give ")
                .option("test")
                .then(" the kind of the columns, or use ")
                .set("method", "boss")
                .then(" or ges"),
            Self::CannotSatisfy { .. } => {
                Advice::new("leave it out, or use ").set("method", "ges").then(" or boss")
            }
            Self::Lingam(_) => Advice::new("leave one of them out with ").option("exclude"),
            Self::TooManyVariables(_) | Self::Exact(_) => Advice::new("use ").set("posterior", "chains"),
            Self::Chains(_) => Advice::new("start the run again"),
            Self::Doctor(finding) => finding.fix.clone().then("; or go on with ").set("ignore", finding.code),
            Self::Checkpoint(error) => return checkpoint_fix(error).map(Advice::from),
            Self::OtherData { .. } => "give the data that the run began with".into(),
            Self::OtherTable(_) => "give the original data, or start a new run".into(),
            Self::DamagedLog(_) | Self::DamagedRun { .. } => "start the run again".into(),
            Self::HoldsRun { .. } => Advice::new("choose another directory, go on with that run by ")
                .option("resume")
                .then(", or replace it with ")
                .option("overwrite"),
            Self::InUse { .. } => "wait for the other run, or choose another directory".into(),
            Self::UnfinishedRun { .. } => Advice::new("go on with it first, by ").option("resume"),
            Self::OtherVersion { .. } => {
                "use the version of the program that wrote it, or start the run again".into()
            }
            Self::NotInRun { .. } => "use a run of a method that gives it, and enough time".into(),
            Self::NoEffects { .. } => {
                Advice::new("run again with ").set("score", "bic").then(", or bdeu if all are categories")
            }
            Self::TooManyValues { .. } => "ask for other variables, or set one at a time".into(),
            Self::Intervention { .. } => "name each variable once, with a value within its data".into(),
            Self::ConfigFile { .. } => Advice::new("see the config.toml that ").option("out").then(" writes"),
            Self::Interventions(error) => error.advice(),
            Self::Missing(error) => error.advice(),
            Self::Transform(error) => error.advice(),
            Self::NothingFound => "give it more time".into(),
            Self::Value { range, .. } => format!("give a number that is {range}").into(),
            Self::Unknown { option: option::ignore, .. } => {
                let codes: Vec<&str> = FINDINGS.iter().map(|(code, _)| *code).collect();
                format!("choose one of {}", codes.join(", ")).into()
            }
            Self::Unknown { what, .. } => format!("check the spelling of the {what}").into(),
            Self::Training(ConfigError::Network { .. }) => {
                Advice::new("choose one of these walks by ").option("walk").then(", or leave the network out")
            }
            Self::Train(TrainError::TooLarge) => Advice::new("give a smaller number for ").option("hidden"),
            Self::Training(_) => "leave it out: the default fits the number of variables".into(),
            Self::BuiltinOptions(_) => "leave them out".into(),
            Self::Option(error) => error.advice(),
            Self::Simulation(error) => error.advice(),
            Self::Moments(error) => error.advice(),
            Self::Train(TrainError::Diverged { .. }) => {
                Advice::new("give a smaller ").option("learning-rate").then(", or leave it out")
            }
            Self::Train(_) => see_doctor(),
            Self::Table(_) | Self::Picture { .. } => return None,
        })
    }
}

/// Scores for tables that are not all numbers.
fn scores_for_categories() -> Advice {
    Advice::new("use ").set("score", "dg").then(", or ").set("score", "bdeu").then(" if all are categories")
}

/// The extensions of graph formats that are written, in words.
fn written_extensions() -> String {
    let of = |format: &Format| format.extensions().first().map(|extension| format!(".{extension}"));
    let all: Vec<String> = Format::written().iter().filter_map(of).collect();
    let (last, others) = all.split_last().expect("some format is written");
    format!("{} or {last}", others.join(" "))
}

fn drop_rows() -> Advice {
    Advice::new("use ").set("missing", "drop")
}

fn see_doctor() -> Advice {
    Advice::new("see what ").verb("doctor").then(" says of the data")
}

fn score_fix(error: &ScoreError) -> Advice {
    match error {
        ScoreError::NotContinuous { .. } => scores_for_categories(),
        ScoreError::NotCategorical { .. } => Advice::new("use ")
            .set("score", "bic")
            .then(", or ")
            .set("score", "dg")
            .then(" if some are categories"),
        ScoreError::MissingCells { .. } => drop_rows(),
        ScoreError::Penalty(_) => "give auto, or a number such as 1".into(),
        _ => see_doctor(),
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
        CheckpointError::Version { .. } | CheckpointError::Program { .. } => {
            Some("use the version of the program that wrote it, or start anew".into())
        }
        _ => Some("start the run again".into()),
    }
}
