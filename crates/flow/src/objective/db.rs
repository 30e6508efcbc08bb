//! Detailed balance: the flow over each step is the same seen from either end.

use super::{FlowGradient, TrajectoryFlows};

/// For each step `(ln F(s_t, a_t) − ln F(s_{t+1}) − ln P_B(s_t | s_{t+1}))²`.
pub(super) fn evaluate(flows: &TrajectoryFlows, gradient: &mut FlowGradient) -> f64 {
    let steps = flows.steps();
    let mut loss = 0.0;
    for t in 0..steps {
        let forward = flows.taken[t] + flows.gathered[t] + flows.log_partition;
        let excess = forward - flows.state_flow(t + 1) - flows.backward[t];
        let slope = 2.0 * excess / steps as f64;
        loss += excess * excess;
        gradient.taken[t] += slope;
        match gradient.outflow.get_mut(t + 1) {
            Some(outflow) => *outflow -= slope,
            None => gradient.log_partition += slope,
        }
    }
    loss / steps as f64
}
