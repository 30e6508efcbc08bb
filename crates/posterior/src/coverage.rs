//! Coverage: a policy against a reference by `ln Z`, log-ratios on the reference's draws and edge probabilities; and how many of its
//! own draws count.

use serde::{Deserialize, Serialize};

use crate::Source;

/// By how much `ln Z` of policy and reference may differ.
const LOG_Z_TOLERANCE: f64 = 0.1;

/// The largest median of `ln target − ln policy` on draws of the reference, in nats.
const LOG_RATIO_TOLERANCE: f64 = 1.0;

/// The largest mean difference of edge probabilities.
const EDGE_TOLERANCE: f64 = 0.02;

/// The fewest effective draws: an edge of probability ½ then has a standard error of at most [`EDGE_TOLERANCE`].
const LEAST_EFFECTIVE_DRAWS: f64 = 0.25 / (EDGE_TOLERANCE * EDGE_TOLERANCE);

/// Why a policy's probabilities are not to be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Refusal {
    /// `ln Z` differs from that of the reference, or one of them is not known.
    LogZ,
    /// Draws of the reference are less likely under the policy than they should be, or how likely they are is not known.
    LogRatio,
    /// Edge probabilities differ from those of the reference.
    Edges,
    /// A few draws of large weight carry the policy's probabilities, which are noise then.
    EffectiveDraws,
}

/// A policy held against an independent reference.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Coverage {
    /// `ln Z` estimated from the policy's weights.
    pub log_z_policy: f64,
    /// `ln Z` of the reference: the exact one, or by bridge sampling between its draws and the policy's, which is right whatever
    /// the policy leaves out.
    pub log_z_reference: Option<f64>,
    /// Where the reference comes from.
    pub reference: Source,
    /// The median of `ln target − ln policy` over draws that did not come from the policy, both normalised.
    pub median_log_ratio: Option<f64>,
    /// The mean absolute difference of edge probabilities over all ordered pairs.
    pub edges_mean_difference: f64,
    /// The largest difference of an edge probability.
    pub edges_largest_difference: f64,
    /// The effective sample size of all the weighted draws that the policy's probabilities rest on; not known of runs of earlier
    /// versions.
    #[serde(default)]
    pub effective_draws: Option<f64>,
    /// The potential scale reduction factor of the reference, if it is a set of chains.
    pub r_hat: Option<f64>,
}

impl Coverage {
    /// Whether policy and reference agree, and the policy's own draws are precise enough.
    #[must_use]
    pub fn agrees(&self) -> bool {
        self.refusals().is_empty()
    }

    /// Every criterion that the policy does not meet. What is not known does not count as met.
    #[must_use]
    pub fn refusals(&self) -> Vec<Refusal> {
        let log_z =
            self.log_z_reference.is_some_and(|log_z| (log_z - self.log_z_policy).abs() < LOG_Z_TOLERANCE);
        let ratio = self.median_log_ratio.is_some_and(|median| median.abs() < LOG_RATIO_TOLERANCE);
        let edges = self.edges_mean_difference <= EDGE_TOLERANCE;
        let draws = self.effective_draws.is_some_and(|draws| draws >= LEAST_EFFECTIVE_DRAWS);
        let criteria = [
            (Refusal::LogZ, log_z),
            (Refusal::LogRatio, ratio),
            (Refusal::Edges, edges),
            (Refusal::EffectiveDraws, draws),
        ];
        criteria.into_iter().filter(|(_, is_met)| !is_met).map(|(refusal, _)| refusal).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn good() -> Coverage {
        Coverage {
            log_z_policy: -10.0,
            log_z_reference: Some(-10.05),
            reference: Source::Exact,
            median_log_ratio: Some(0.2),
            edges_mean_difference: 0.004,
            edges_largest_difference: 0.03,
            effective_draws: Some(5000.0),
            r_hat: None,
        }
    }

    #[test]
    fn a_policy_that_misses_a_mode_does_not_agree() {
        let good = good();
        assert!(good.agrees());
        // One of two equal modes: ln Z is low by ln 2, and half of the reference's draws have no probability.
        assert!(!Coverage { log_z_policy: -10.05 - 2_f64.ln(), ..good }.agrees());
        assert!(!Coverage { median_log_ratio: Some(f64::INFINITY), ..good }.agrees());
        assert!(!Coverage { median_log_ratio: None, ..good }.agrees());
        assert!(!Coverage { log_z_reference: None, ..good }.agrees());
        assert!(!Coverage { edges_mean_difference: 0.05, ..good }.agrees());
    }

    /// ER2 with 30 variables and 1000 rows, seed 515: median, ln Z and edges were within the tolerances, and yet 220 of 10,000 draws
    /// counted.
    #[test]
    fn a_policy_whose_probabilities_rest_on_a_few_draws_is_refused() {
        assert_eq!(Coverage { effective_draws: Some(220.0), ..good() }.refusals(), [Refusal::EffectiveDraws]);
        assert_eq!(Coverage { effective_draws: None, ..good() }.refusals(), [Refusal::EffectiveDraws]);
        assert!(Coverage { effective_draws: Some(626.0), ..good() }.agrees());
    }
}
