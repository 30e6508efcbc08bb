//! Modified detailed balance, for walks whose every state can stop: no flow of a state is needed, nor `ln Z`.

use super::{FlowGradient, TrajectoryFlows};

/// For each step `G → G'`, `(ln r(G') P_B(G|G') P_F(stop|G) − ln r(G) P_F(G'|G) P_F(stop|G'))²` (Deleu et al. 2022).
///
/// A walk that stops at once has no such step, and no loss.
pub(super) fn evaluate(flows: &TrajectoryFlows, gradient: &mut FlowGradient) -> f64 {
    let steps = flows.steps() - 1;
    let mut loss = 0.0;
    for t in 0..steps {
        let gain = flows.gathered[t + 1] - flows.gathered[t];
        let stop_after = flows.stop[t + 1] - flows.outflow[t + 1];
        let excess = gain + flows.backward[t] + flows.stop[t] - flows.taken[t] - stop_after;
        let slope = 2.0 * excess / steps as f64;
        loss += excess * excess;
        gradient.stop[t] += slope;
        gradient.taken[t] -= slope;
        gradient.stop[t + 1] -= slope;
        gradient.outflow[t + 1] += slope;
    }
    loss / steps.max(1) as f64
}
