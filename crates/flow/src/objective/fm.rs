//! Flow matching, the paper's objective: the inflow of each state is its outflow.

use super::{FlowGradient, TrajectoryFlows};

gflowcausal_graph::choices! {
    /// On which scale inflow and outflow are compared.
    pub enum FlowScale: "flow scale" {
        /// Their logarithms: the default.
        Log = "log",
        /// The flows themselves, as the paper writes it. Rewards that differ by a factor of a million drown each
        /// other here, and those of a BIC score overflow: use it to compare, not to learn.
        Linear = "linear",
    }
}

/// Eq. (13), with logarithms unless `scale` is linear: for each state `s_{t+1}` the inflow from all its parents
/// against its outflow, or against the reward at the end.
pub(super) fn evaluate(scale: FlowScale, flows: &TrajectoryFlows, gradient: &mut FlowGradient) -> f64 {
    let steps = flows.steps();
    let mut loss = 0.0;
    for t in 0..steps {
        let log_inflow = flows.log_inflow[t] + flows.partial_log_reward[t] + flows.log_partition;
        let (residual, by_inflow, by_outflow) = difference(scale, log_inflow, flows.log_state_flow(t + 1));
        let grad = 2.0 * residual / steps as f64;
        loss += residual * residual;
        gradient.log_inflow[t] += grad * by_inflow;
        gradient.log_partition += grad * by_inflow;
        if let Some(log_outflow) = gradient.log_outflow.get_mut(t + 1) {
            *log_outflow -= grad * by_outflow;
            gradient.log_partition -= grad * by_outflow;
        }
    }
    loss / steps as f64
}

/// Inflow minus outflow on `scale`, and how fast each of the two grows with its logarithm.
fn difference(scale: FlowScale, log_inflow: f64, log_outflow: f64) -> (f64, f64, f64) {
    match scale {
        FlowScale::Log => (log_inflow - log_outflow, 1.0, 1.0),
        FlowScale::Linear => {
            let (inflow, outflow) = (log_inflow.exp(), log_outflow.exp());
            (inflow - outflow, inflow, outflow)
        }
    }
}
