//! What a run of chains is asked for.

use serde::{Deserialize, Serialize};

use super::Summary;

/// The options of the chains.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ChainsConfig {
    /// The same seed gives the same draws.
    pub seed: u64,
    /// Independent starts.
    pub starts: usize,
    /// Copies of a start at falling inverse temperatures; one: no tempering.
    pub copies: usize,
    /// The inverse temperature of the hottest copy.
    pub hottest: f64,
    /// Sweeps in a round; a sweep moves each variable about once in every copy.
    pub sweeps: u64,
    /// Proposals of whole DAGs in a sweep, up to 20 variables and where they pay; none of them: heated copies alone.
    pub proposals: usize,
    /// The share of the rounds, from the first, that is not used.
    pub burn_in: f64,
    /// The most DAGs kept for each start.
    pub max_draws: usize,
    /// The starts agree when no edge has a larger potential scale reduction factor.
    pub max_r_hat: f64,
    /// The effective sample size that every uncertain edge must reach.
    pub min_ess: f64,
    /// The largest mean of the Monte Carlo standard errors over all pairs.
    pub max_mean_error: f64,
}

impl Default for ChainsConfig {
    fn default() -> Self {
        Self {
            seed: 0,
            starts: 4,
            copies: 4,
            hottest: 0.3,
            sweeps: 20,
            proposals: 16,
            burn_in: 0.25,
            max_draws: 1000,
            max_r_hat: 1.1,
            min_ess: 200.0,
            max_mean_error: 1.0,
        }
    }
}

/// Why chains cannot run.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "a variant's sentence names its fields")]
pub enum ChainsError {
    /// An option that is out of range.
    #[error("chains: {option} is {value}, but must be {range}")]
    Option { option: &'static str, value: f64, range: &'static str },
    /// A start that the constraints or the candidate parents exclude.
    #[error("chains: start {start} has a variable whose parents are not allowed")]
    Start { start: usize },
    /// A stored state that does not fit.
    #[error("chains: the stored state of start {start} does not belong to this problem")]
    State { start: usize },
}

impl ChainsConfig {
    /// Refuses options that are out of range.
    ///
    /// # Errors
    /// The first such option.
    pub fn check(&self) -> Result<(), ChainsError> {
        let one_or_more = |option, value: usize| range(option, value as f64, value > 0, "at least 1");
        one_or_more("starts", self.starts)?;
        one_or_more("copies", self.copies)?;
        one_or_more("max_draws", self.max_draws)?;
        range("sweeps", self.sweeps as f64, self.sweeps > 0, "at least 1")?;
        let heated = self.hottest > 0.0 && self.hottest <= 1.0;
        range("hottest", self.hottest, heated, "above 0 and at most 1")?;
        let share = (0.0..1.0).contains(&self.burn_in);
        range("burn_in", self.burn_in, share, "at least 0 and below 1")
    }

    /// The inverse temperature of a copy: a geometric series from 1 to the hottest.
    pub(super) fn inverse_temperature(&self, copy: usize) -> f64 {
        if copy == 0 {
            return 1.0;
        }
        self.hottest.powf(copy as f64 / (self.copies - 1) as f64)
    }

    /// Whether the starts agree, the effective sample sizes suffice and errors are small on average.
    #[must_use]
    pub fn is_converged(&self, summary: &Summary) -> bool {
        summary.largest_r_hat <= self.max_r_hat
            && summary.smallest_ess >= self.min_ess
            && summary.mean_error <= self.max_mean_error
    }
}

fn range(option: &'static str, value: f64, holds: bool, range: &'static str) -> Result<(), ChainsError> {
    if holds { Ok(()) } else { Err(ChainsError::Option { option, value, range }) }
}
