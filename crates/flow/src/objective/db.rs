//! Detailed balance: the forward and the backward flow of each step are equal.

use super::{FlowGradient, TrajectoryFlows};

/// For each step `(ln F(s_t, a_t) − ln F(s_{t+1}) − ln P_B(s_t | s_{t+1}))²`.
pub(super) fn evaluate(flows: &TrajectoryFlows, gradient: &mut FlowGradient) -> f64 {
    let steps = flows.steps();
    let mut loss = 0.0;
    for t in 0..steps {
        let forward = flows.log_edge_flow[t] + flows.partial_log_reward[t] + flows.log_partition;
        let residual = forward - flows.log_state_flow(t + 1) - flows.log_pb[t];
        let grad = 2.0 * residual / steps as f64;
        loss += residual * residual;
        gradient.log_edge_flow[t] += grad;
        match gradient.log_outflow.get_mut(t + 1) {
            Some(log_outflow) => *log_outflow -= grad,
            None => gradient.log_partition += grad,
        }
    }
    loss / steps as f64
}
