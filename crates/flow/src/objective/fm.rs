//! Flow matching, the paper's objective: what flows into a state flows out of it.

use serde::{Deserialize, Serialize};

use super::{FlowGradient, TrajectoryFlows};

/// On which scale inflow and outflow are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FlowScale {
    /// Their logarithms: the default.
    Log,
    /// The flows themselves, as the paper writes it. Rewards that differ by a factor of a million drown each
    /// other here, and those of a BIC score overflow: use it to compare, not to learn.
    Linear,
}

/// Eq. (13), with logarithms unless `scale` is linear: for each state `s_{t+1}` the inflow from all its parents
/// against its outflow, or against the reward at the end.
pub(super) fn evaluate(scale: FlowScale, flows: &TrajectoryFlows, gradient: &mut FlowGradient) -> f64 {
    let steps = flows.steps();
    let mut loss = 0.0;
    for t in 0..steps {
        let inflow = flows.inflow[t] + flows.gathered[t] + flows.log_partition;
        let (excess, by_inflow, by_outflow) = difference(scale, inflow, flows.state_flow(t + 1));
        let slope = 2.0 * excess / steps as f64;
        loss += excess * excess;
        gradient.inflow[t] += slope * by_inflow;
        gradient.log_partition += slope * by_inflow;
        if let Some(outflow) = gradient.outflow.get_mut(t + 1) {
            *outflow -= slope * by_outflow;
            gradient.log_partition -= slope * by_outflow;
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
