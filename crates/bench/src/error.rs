//! Why a bench cannot be run, or has no result.

use std::path::PathBuf;

use gflowcausal::Error;

use crate::suite::Suite;

/// Why a bench cannot be run, or came to nothing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BenchError {
    /// What the library refuses.
    #[error(transparent)]
    Library(#[from] Error),
    /// What is wrong, and with which data of which suite.
    #[error("{what}: {source}")]
    Within {
        /// The suite and its data.
        what: String,
        /// What is wrong.
        source: Box<BenchError>,
    },
    /// No suite was named.
    #[error("which suite is to be run?")]
    NoSuite,
    /// There is no suite of that name.
    #[error("there is no suite '{name}'")]
    UnknownSuite {
        /// What was asked for.
        name: String,
        /// What there is.
        known: Vec<&'static str>,
    },
    /// A suite of the user's own that cannot be read.
    #[error("{}: {reason}", path.display())]
    BadSuite {
        /// Its file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// Two suites would write the same tables.
    #[error("{file}: another suite is called '{name}' too")]
    SameName {
        /// The second of them.
        file: String,
        /// What both are called.
        name: String,
    },
    /// A beginning that no name has.
    #[error("no {what} of these suites begins with '{name}'")]
    UnknownBeginning {
        /// `method` or `peer`.
        what: &'static str,
        /// What was asked for.
        name: String,
        /// What there is.
        known: Vec<String>,
    },
    /// Standardised columns were asked for, and no method runs on them.
    #[error("these suites have no run on standardised columns")]
    NothingStandardised,
    /// An option that would change nothing.
    #[error("{option} has no effect on {}", suites.join(", "))]
    OptionWithoutEffect {
        /// The option.
        option: &'static str,
        /// The suites that do not read it.
        suites: Vec<String>,
    },
    /// A study that cannot enumerate what it compares with.
    #[error("{0}")]
    TooManyStates(String),
    /// A result without a JSON form.
    #[error("{0}")]
    Json(serde_json::Error),
    /// No run gave a graph.
    #[error("no run gave a graph; the table says why")]
    NoResult,
    /// The user interrupted.
    #[error("interrupted")]
    Interrupted,
}

impl BenchError {
    /// Says which data of which suite the error is about.
    pub(crate) fn within(self, what: String) -> Self {
        Self::Within { what, source: Box::new(self) }
    }

    /// Whether the user's request is at fault, and nothing was written.
    #[must_use]
    pub fn is_input(&self) -> bool {
        match self {
            Self::Library(error) => error.is_input(),
            Self::Within { source, .. } => source.is_input(),
            Self::TooManyStates(_) | Self::Json(_) | Self::NoResult | Self::Interrupted => false,
            _ => true,
        }
    }

    /// The kind of problem, as a stable word.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Library(error) => error.code(),
            Self::Within { source, .. } => source.code(),
            Self::NoSuite => "no-suite",
            Self::UnknownSuite { .. } => "unknown-suite",
            Self::BadSuite { .. } | Self::SameName { .. } => "bad-suite",
            Self::UnknownBeginning { what: "peer", .. } => "unknown-peer",
            Self::UnknownBeginning { .. } => "unknown-method",
            Self::NothingStandardised => "no-method",
            Self::OptionWithoutEffect { .. } => "option-without-effect",
            Self::TooManyStates(_) => "too-many-states",
            Self::Json(_) => "json",
            Self::NoResult => "no-result",
            Self::Interrupted => "interrupted",
        }
    }

    /// How to avoid it, where that is possible.
    #[must_use]
    pub fn fix(&self) -> Option<String> {
        match self {
            Self::Library(error) => error.fix().map(|advice| advice.to_string()),
            Self::Within { source, .. } => source.fix(),
            Self::NoSuite => Some(format!("name one, or all:\n{}", Suite::list())),
            Self::UnknownSuite { known, .. } => {
                Some(format!("known are all, {}, or files that end in .toml", known.join(", ")))
            }
            Self::BadSuite { .. } => Some(
                "the suites that come with the program are examples: crates/bench/suites/*.toml of its source"
                    .to_owned(),
            ),
            Self::SameName { .. } => Some(
                "their tables would have the same name: run one after the other, in different --out"
                    .to_owned(),
            ),
            Self::UnknownBeginning { known, .. } if known.is_empty() => Some("they have none".to_owned()),
            Self::UnknownBeginning { known, .. } => Some(format!("they have {}", known.join("; "))),
            Self::NothingStandardised => Some("leave --standardize out".to_owned()),
            Self::OptionWithoutEffect { option, .. } => Some(format!("leave {option} out")),
            Self::TooManyStates(_) | Self::Json(_) | Self::NoResult => None,
            Self::Interrupted => Some("the same command goes on from here".to_owned()),
        }
    }
}
