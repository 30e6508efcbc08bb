//! The one word for each kind of error, which programs may rely on.

use gflowcausal_flow::CheckpointError;

use super::Error;
use crate::run_dir::file_code;

impl Error {
    /// The kind of problem, as a stable word.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Read(error) => error.code(),
            Self::Option(error) => error.code(),
            Self::Simulation(error) => error.code(),
            Self::GraphFile { source, .. } => source.code(),
            Self::Graph { source, .. } => source.code(),
            Self::GraphWrite { source, .. } => source.code(),
            Self::UnknownFormat(_) => "unknown-extension",
            Self::KnowledgeFile { source, .. } => source.code(),
            Self::Knowledge(error) => error.code(),
            Self::Score(_)
            | Self::NoVariance { .. }
            | Self::NeedsNumbers { .. }
            | Self::OrdersOnly { .. } => "bad-score",
            Self::Combination { .. } | Self::NeedsRows { .. } | Self::OtherWalk { .. } => "bad-combination",
            Self::NoEffect { .. } => "option-without-effect",
            Self::Value { .. } | Self::Unknown { .. } | Self::Transform(_) => "bad-option",
            Self::UnknownMethod(_) => "unknown-method",
            Self::NeedsDecomposable { .. } | Self::NeedsEquivalence { .. } | Self::NotScoreEquivalent(_) => {
                "bad-combination"
            }
            Self::MethodNeedsNumbers { .. } | Self::Test(_) => "bad-test",
            Self::CannotSatisfy { .. } => "cannot-satisfy",
            Self::NeedsCompleteRows { .. } => "missing-values",
            Self::Lingam(_) => "dependent-columns",
            Self::TooManyVariables(_) | Self::Exact(_) => "too-many-variables",
            Self::Chains(_) => "damaged-checkpoint",
            Self::Doctor(finding) => finding.code,
            Self::Table(_) => "bad-table",
            Self::Checkpoint(error) => checkpoint_code(error),
            Self::OtherData { .. } | Self::OtherTable(_) => "checkpoint-of-other-data",
            Self::BuiltinOptions(_) => "option-without-effect",
            Self::DamagedLog(_) => "damaged-checkpoint",
            Self::DamagedRun { .. } => "damaged-run",
            Self::HoldsRun { .. } => "holds-a-run",
            Self::InUse { .. } => "run-in-use",
            Self::UnfinishedRun { .. } => "unfinished-run",
            Self::OtherVersion { .. } => "run-of-another-version",
            Self::NotInRun { .. } => "not-in-run",
            Self::NoEffects { .. } => "no-effects",
            Self::TooManyValues { .. } => "too-many-values",
            Self::Intervention { .. } => "bad-option",
            Self::Picture { .. } => "no-picture",
            Self::ConfigFile { .. } => "bad-config-file",
            Self::Interventions(error) => error.code(),
            Self::Missing(error) => error.code(),
            Self::Moments(error) => error.code(),
            Self::Training(_) => "bad-option",
            Self::Train(_) => "training-failed",
            Self::NothingFound => "stopped-too-early",
            Self::File(error) => error.code(),
        }
    }
}

fn checkpoint_code(error: &CheckpointError) -> &'static str {
    match error {
        CheckpointError::Truncated { .. } => "truncated-checkpoint",
        CheckpointError::Foreign { .. } => "foreign-checkpoint",
        CheckpointError::Version { .. } | CheckpointError::Program { .. } => "checkpoint-of-another-version",
        CheckpointError::OtherSettings { .. } => "checkpoint-of-other-settings",
        CheckpointError::OtherProblem { .. } | CheckpointError::OtherNodes { .. } => {
            "checkpoint-of-other-data"
        }
        CheckpointError::File { source, .. } => file_code(source),
        _ => "damaged-checkpoint",
    }
}
