//! Modified detailed balance, for walks whose every state can stop: no flow of a state is needed, nor `ln Z`.

use super::{FlowGradient, TrajectoryFlows};

/// For each step `G → G'`, `(ln r(G') P_B(G|G') P_F(stop|G) − ln r(G) P_F(G'|G) P_F(stop|G'))²` (Deleu et al. 2022).
///
/// Of an imbalance `r` beyond `limit` not the square counts but `limit·(2r − limit)` (Huber), as in the authors' program: an
/// edge may change the reward by hundreds of nats. A walk that stops at once has no such step, and no loss.
pub(super) fn evaluate(limit: f64, flows: &TrajectoryFlows, gradient: &mut FlowGradient) -> f64 {
    let steps = flows.steps() - 1;
    let mut loss = 0.0;
    for t in 0..steps {
        let delta = flows.partial_log_reward[t + 1] - flows.partial_log_reward[t];
        let stop_after = flows.log_stop_flow[t + 1] - flows.log_outflow[t + 1];
        let residual = delta + flows.log_pb[t] + flows.log_stop_flow[t] - flows.log_edge_flow[t] - stop_after;
        let limited = residual.clamp(-limit, limit);
        let grad = 2.0 * limited / steps as f64;
        loss += limited * (2.0 * residual - limited);
        gradient.log_stop_flow[t] += grad;
        gradient.log_edge_flow[t] -= grad;
        gradient.log_stop_flow[t + 1] -= grad;
        gradient.log_outflow[t + 1] += grad;
    }
    loss / steps.max(1) as f64
}
