//! How far the probabilities of a run can be trusted, in the same words for text and page.

use std::fmt::Write;

use gflowcausal::{RunResult, Weighting};

/// How far probabilities can be trusted.
pub(crate) struct Trust {
    /// Whether they rest on too few effective draws.
    pub(crate) is_low: bool,
    /// What they come from, as a clause.
    pub(crate) text: String,
}

/// How far the probabilities of `result` can be trusted.
pub(crate) fn trust(result: &RunResult) -> Trust {
    let ess = result.posterior.effective_sample_size;
    let (is_low, mut text) = match result.posterior.weighting {
        Weighting::Importance => (false, format!("importance weights, effective sample size {ess:.0}")),
        Weighting::Equal if result.training.is_none() => (false, "exact".to_owned()),
        Weighting::Equal => (
            true,
            format!(
                "the policy's own, not reweighted: importance weights would have an effective sample size of {ess:.1}"
            ),
        ),
        Weighting::Single => (false, "none, the method gives one graph".to_owned()),
        Weighting::Chains => (
            true,
            format!(
                "the policy's draws miss the best order or have too small an effective sample size ({ess:.1}): these come \
                 from Gibbs steps around the best order, which do not see distant modes"
            ),
        ),
    };
    push_distance(&mut text, result);
    Trust { is_low, text }
}

fn push_distance(text: &mut String, result: &RunResult) {
    let Some(distance) = result.posterior.distance_to_exact else { return };
    // Writing to a string cannot fail.
    let _ = write!(
        text,
        "; {:.4} from the exact ones on average, {:.3} at most",
        distance.mean, distance.largest
    );
    if let Some(nats) = distance.divergence {
        let _ = write!(text, " (the policy itself: KL {nats:.4})");
    }
}
