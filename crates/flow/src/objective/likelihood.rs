//! Maximum likelihood: draws of the target become as likely as can be.

use super::{FlowGradient, TrajectoryFlows};

/// `−ln P_F(τ)` of a trajectory to a draw of the target.
///
/// Its mean over the target is the entropy of the target plus the divergence of the policy from it, where there is one
/// trajectory to each terminal state.
pub(crate) fn evaluate(flows: &TrajectoryFlows, gradient: &mut FlowGradient) -> f64 {
    gradient.reset(flows.steps());
    gradient.log_edge_flow.fill(-1.0);
    gradient.log_outflow.fill(1.0);
    let steps = flows.log_edge_flow.iter().zip(&flows.log_outflow);
    steps.map(|(log_edge_flow, log_outflow)| log_outflow - log_edge_flow).sum()
}
