//! Coverage: a policy against a reference by `ln Z`, log-ratios on the reference's draws and edge probabilities.

use serde::{Deserialize, Serialize};

use crate::Source;

/// By how much `ln Z` of policy and reference may differ.
const LOG_Z_TOLERANCE: f64 = 0.1;

/// The largest median of `ln target − ln policy` on draws of the reference, in nats.
const LOG_RATIO_TOLERANCE: f64 = 1.0;

/// The largest mean difference of edge probabilities.
const EDGE_TOLERANCE: f64 = 0.02;

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
    /// The potential scale reduction factor of the reference, if it is a set of chains.
    pub r_hat: Option<f64>,
}

impl Coverage {
    /// Whether policy and reference agree: on `ln Z`, on draws of the reference, and on edges.
    ///
    /// What is not known does not count as agreement.
    #[must_use]
    pub fn agrees(&self) -> bool {
        let log_z =
            self.log_z_reference.is_some_and(|log_z| (log_z - self.log_z_policy).abs() < LOG_Z_TOLERANCE);
        let ratio = self.median_log_ratio.is_some_and(|median| median.abs() < LOG_RATIO_TOLERANCE);
        log_z && ratio && self.edges_mean_difference <= EDGE_TOLERANCE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_that_misses_a_mode_does_not_agree() {
        let good = Coverage {
            log_z_policy: -10.0,
            log_z_reference: Some(-10.05),
            reference: Source::Exact,
            median_log_ratio: Some(0.2),
            edges_mean_difference: 0.004,
            edges_largest_difference: 0.03,
            r_hat: None,
        };
        assert!(good.agrees());
        // One of two equal modes: ln Z is low by ln 2, and half of the reference's draws have no probability.
        assert!(!Coverage { log_z_policy: -10.05 - 2_f64.ln(), ..good }.agrees());
        assert!(!Coverage { median_log_ratio: Some(f64::INFINITY), ..good }.agrees());
        assert!(!Coverage { median_log_ratio: None, ..good }.agrees());
        assert!(!Coverage { log_z_reference: None, ..good }.agrees());
        assert!(!Coverage { edges_mean_difference: 0.05, ..good }.agrees());
    }
}
