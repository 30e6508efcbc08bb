//! Why there are no moments.

use gflowcausal_graph::Advice;

use crate::missing::fill_gaps;

/// Why no moments can be had.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "a variant's sentence names its fields")]
pub enum MomentsError {
    /// A column whose values are not numbers.
    #[error("column '{0}' is categorical: means and covariances need numbers")]
    Categorical(String),
    /// A value that is not there.
    #[error("column '{column}' has no value in row {row}")]
    Missing { column: String, row: usize },
    /// A value that is not finite.
    #[error("column '{column}' has an infinite value in row {row}")]
    Infinite { column: String, row: usize },
    /// Stored parts of different sizes.
    #[error("moments of {mean} columns with a scatter matrix of {scatter} cells")]
    Shape { mean: usize, scatter: usize },
}

impl MomentsError {
    /// The kind of problem, as a stable word.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Categorical(_) => "text-column",
            Self::Missing { .. } => "missing-values",
            Self::Infinite { .. } => "infinite-value",
            Self::Shape { .. } => "bad-table",
        }
    }

    /// What helps.
    #[must_use]
    pub fn advice(&self) -> Advice {
        match self {
            Self::Categorical(column) => Advice::new("leave it out: ").set("exclude", column),
            Self::Missing { .. } => fill_gaps(),
            Self::Infinite { .. } => "correct the value, or leave the cell empty".into(),
            Self::Shape { .. } => "give a scatter matrix with one row and one column for each mean".into(),
        }
    }
}
