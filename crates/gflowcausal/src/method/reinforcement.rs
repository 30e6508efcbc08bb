//! What the methods that learn by reinforcement share: the size of their encoder, and what they report.

use gflowcausal_flow::Progress;
use gflowcausal_neural::EncoderSize;

use crate::Config;

/// The encoder of the width that is asked for, with as many heads as divide it.
pub(super) fn encoder(usual: EncoderSize, config: &Config) -> EncoderSize {
    let width = config.hidden.unwrap_or(usual.width);
    let heads = (1..=usual.heads).rev().find(|heads| width.is_multiple_of(*heads)).unwrap_or(1);
    EncoderSize { width, inner: 4 * width, heads, ..usual }
}

/// What an iteration brought, with the mean score of what was visited in it and the best so far.
pub(super) fn progress(
    iteration: usize,
    loss: f64,
    [mean_log_reward, best_log_reward]: [f64; 2],
) -> Progress {
    Progress {
        iteration,
        loss,
        mean_log_reward,
        best_log_reward,
        temperature: 1.0,
        exploration: 0.0,
        log_partition: 0.0,
    }
}
