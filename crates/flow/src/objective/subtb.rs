//! Sub-trajectory balance: every part of a trajectory is in balance, long ones weighing less.

use super::{FlowGradient, TrajectoryFlows};

/// The mean, weighted by `λ^(j−i)`, over `i < j` of the squared imbalance between `s_i` and `s_j`.
///
/// With `u_t = ln F(s_t) − Σ_{k<t} (ln P_F − ln P_B)` the imbalance is `u_i − u_j`. `O(T²)`.
pub(super) fn evaluate(lambda: f64, flows: &TrajectoryFlows, gradient: &mut FlowGradient) -> f64 {
    let potentials = potentials(flows);
    let (loss, by_potential) = mean_squared_difference(lambda, &potentials);
    let mut later: f64 = by_potential.iter().sum();
    for (t, grad) in by_potential.into_iter().take(flows.steps()).enumerate() {
        later -= grad;
        gradient.log_partition += grad;
        gradient.log_edge_flow[t] -= later;
        gradient.log_outflow[t] += grad + later;
    }
    loss
}

fn potentials(flows: &TrajectoryFlows) -> Vec<f64> {
    let mut passed = 0.0;
    (0..=flows.steps())
        .map(|t| {
            let potential = flows.log_state_flow(t) - passed;
            if t < flows.steps() {
                passed += flows.log_edge_flow[t] - flows.log_outflow[t] - flows.log_pb[t];
            }
            potential
        })
        .collect()
}

/// The weighted mean of `(u_i − u_j)²` and its derivatives.
fn mean_squared_difference(lambda: f64, potentials: &[f64]) -> (f64, Vec<f64>) {
    let (mut loss, mut total) = (0.0, 0.0);
    let mut grads = vec![0.0; potentials.len()];
    for i in 0..potentials.len() {
        let mut weight = 1.0;
        for j in i + 1..potentials.len() {
            weight *= lambda;
            let residual = potentials[i] - potentials[j];
            total += weight;
            loss += weight * residual * residual;
            grads[i] += 2.0 * weight * residual;
            grads[j] -= 2.0 * weight * residual;
        }
    }
    grads.iter_mut().for_each(|grad| *grad /= total);
    (loss / total, grads)
}
