//! Trajectory balance: the forward and the backward flow of a whole trajectory are equal.

use super::{FlowGradient, TrajectoryFlows};

/// `(ln Z + ln P_F(τ) − ln P_B(τ | s_T) − ln r(s_T))²`, with `ln P_F` the taken minus the total outflow.
pub(super) fn evaluate(flows: &TrajectoryFlows, gradient: &mut FlowGradient) -> f64 {
    let residual = flows.log_partition + flows.log_ratio() - flows.log_reward;
    gradient.log_edge_flow.fill(2.0 * residual);
    gradient.log_outflow.fill(-2.0 * residual);
    gradient.log_partition = 2.0 * residual;
    residual * residual
}
