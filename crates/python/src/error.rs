//! Errors as Python exceptions: one class for each kind, with the same words, a code and a remedy.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use gflowcausal::data::ReadError;
use gflowcausal::graph::GraphError;
use gflowcausal::{Error, FrontEnd};
use pyo3::prelude::*;

/// Why a call has no result.
#[derive(Debug)]
pub(crate) enum Failure {
    /// What the library says.
    Known(Error),
    /// What is wrong with a graph that comes from no file.
    Graph(GraphError),
    /// What Python says.
    Python(PyErr),
    /// An option or argument that only this boundary reads.
    Argument(String),
    /// A bug of ours.
    Panic(String),
}

impl<E: Into<Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::Known(error.into())
    }
}

impl Failure {
    pub(crate) fn unsupported(column: &str, kind: &str) -> Self {
        ReadError::UnsupportedType { column: column.to_owned(), kind: kind.to_owned() }.into()
    }

    /// What a thread that panicked left behind.
    pub(crate) fn of_panic(left: &(dyn Any + Send)) -> Self {
        let text = left.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| left.downcast_ref::<&str>().copied());
        Self::Panic(text.unwrap_or("no words").to_owned())
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        Python::attach(|py| match &failure {
            Failure::Known(error) => {
                let fix = error.fix().map(|advice| FrontEnd::Python.phrase(&advice));
                exception(py, class(error), &error.message(FrontEnd::Python), error.code(), fix)
            }
            Failure::Graph(error) => {
                let fix = Some(FrontEnd::Python.phrase(&error.advice()));
                exception(py, "GraphError", &error.to_string(), error.code(), fix)
            }
            Failure::Argument(text) => exception(py, "ArgumentError", text, "bad-option", None),
            Failure::Panic(text) => exception(py, "InternalError", text, "internal-error", None),
            Failure::Python(error) => error.clone_ref(py),
        })
    }
}

fn exception(py: Python<'_>, class: &str, text: &str, code: &str, fix: Option<String>) -> PyErr {
    let made = py
        .import("gflowcausal._errors")
        .and_then(|errors| errors.getattr(class))
        .and_then(|class| class.call1((text, code, fix)));
    made.map_or_else(|error| error, PyErr::from_value)
}

/// The class of `gflowcausal._errors` for an error.
fn class(error: &Error) -> &'static str {
    match error {
        Error::Read(_) => "ReadError",
        Error::Option(_) => "ReadOptionError",
        Error::Simulation(_) => "SimulationError",
        Error::GraphFile { .. } => "GraphFileError",
        Error::Graph { .. } => "GraphError",
        Error::GraphWrite { .. } => "GraphWriteError",
        Error::UnknownFormat(_) => "UnknownFormatError",
        Error::KnowledgeFile { .. } => "KnowledgeFileError",
        Error::Knowledge(_) => "KnowledgeError",
        Error::Score(_) => "ScoreError",
        Error::NoVariance { .. } => "NoVarianceError",
        Error::NeedsNumbers { .. } => "NeedsNumbersError",
        Error::OrdersOnly { .. } => "OrdersOnlyError",
        Error::NeedsRows { .. } => "NeedsRowsError",
        Error::Combination { .. } => "CombinationError",
        Error::OtherWalk { .. } => "OtherWalkError",
        Error::NoEffect { .. } => "NoEffectError",
        Error::Value { .. } => "OptionValueError",
        Error::UnknownMethod(_) => "UnknownMethodError",
        Error::NeedsDecomposable { .. } => "NeedsDecomposableError",
        Error::TooManyVariables(_) => "TooManyVariablesError",
        Error::Exact(_) => "ExactPosteriorError",
        Error::Chains(_) => "ChainsError",
        Error::Doctor(_) => "DoctorError",
        Error::Transform(_) => "TransformError",
        Error::Unknown { .. } => "UnknownNameError",
        Error::Table(_) => "TableError",
        Error::Checkpoint(_) => "CheckpointError",
        Error::OtherData { .. } => "OtherDataError",
        Error::OtherTable(_) => "OtherTableError",
        Error::BuiltinOptions(_) => "BuiltinOptionsError",
        Error::DamagedLog(_) => "DamagedLogError",
        Error::ConfigFile { .. } => "ConfigFileError",
        Error::Missing(_) => "MissingValuesError",
        Error::Moments(_) => "MomentsError",
        Error::Training(_) => "TrainingOptionError",
        Error::Train(_) => "TrainingError",
        Error::NothingFound => "NothingFoundError",
        Error::NeedsEquivalence { .. } => "NeedsEquivalenceError",
        Error::NotScoreEquivalent(_) => "NotScoreEquivalentError",
        Error::MethodNeedsNumbers { .. } => "MethodNeedsNumbersError",
        Error::Test(_) => "IndependenceTestError",
        Error::CannotSatisfy { .. } => "CannotSatisfyError",
        Error::NeedsCompleteRows { .. } => "NeedsCompleteRowsError",
        Error::Lingam(_) => "LingamError",
        Error::DamagedRun { .. } => "DamagedRunError",
        Error::HoldsRun { .. } => "HoldsRunError",
        Error::InUse { .. } => "RunInUseError",
        Error::UnfinishedRun { .. } => "UnfinishedRunError",
        Error::OtherVersion { .. } => "OtherVersionError",
        Error::NotInRun { .. } => "NotInRunError",
        Error::NoEffects { .. } => "NoEffectsError",
        Error::Intervention { .. } => "InterventionError",
        Error::TooManyValues { .. } => "TooManyValuesError",
        Error::Interventions(_) => "InterventionsError",
        Error::Picture { .. } => "PictureError",
        Error::File(_) => "FileError",
        _ => "GFlowCausalError",
    }
}

/// Runs `work`; a panic becomes a failure.
pub(crate) fn guarded<T>(work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|left| Err(Failure::of_panic(&*left)))
}
