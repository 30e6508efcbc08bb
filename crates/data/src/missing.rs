//! What to do about values that are not there.

use serde::{Deserialize, Serialize};

/// What to do about values that are not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Missing {
    /// Refuse, and say where the first one is.
    #[default]
    Error,
    /// Leave out rows that lack any value.
    Drop,
    /// Estimate mean and covariance by expectation–maximisation.
    Em,
}
