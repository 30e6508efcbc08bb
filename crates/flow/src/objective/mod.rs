//! The loss: how far the log-flows along a trajectory are from balance, and the gradient of that.

mod db;
mod fm;
pub(crate) mod likelihood;
mod mdb;
mod subtb;
mod tb;

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Walk;

pub use fm::FlowScale;

/// The objective by the name users type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ObjectiveName {
    /// Flow matching (the paper's): inflow = outflow at each state.
    Fm,
    /// Detailed balance of each step.
    Db,
    /// Trajectory balance.
    Tb,
    /// Balance of all sub-trajectories of a trajectory, weighted by `λ^length`.
    Subtb,
    /// Modified detailed balance, where every state can stop, so that no flow but the policy is needed.
    Mdb,
}

impl ObjectiveName {
    /// Every objective.
    pub const ALL: [Self; 5] = [Self::Fm, Self::Db, Self::Tb, Self::Subtb, Self::Mdb];

    /// The name users type.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fm => "fm",
            Self::Db => "db",
            Self::Tb => "tb",
            Self::Subtb => "subtb",
            Self::Mdb => "mdb",
        }
    }

    /// Whether the objective makes sense on `walk`.
    #[must_use]
    pub fn applies_to(self, walk: Walk) -> bool {
        self != Self::Mdb || walk.every_state_stops()
    }

    /// Whether the objective needs the partial log-reward at each state of `walk`, not the reward at its end alone.
    ///
    /// Where states share inputs, the flow that belongs to the inputs is that of each state only after the state's
    /// partial reward is taken out. Trajectory balance needs no flow between the ends.
    #[must_use]
    pub fn needs_partial_reward(self, walk: Walk) -> bool {
        self == Self::Mdb || walk.shares_inputs() && self != Self::Tb
    }
}

impl fmt::Display for ObjectiveName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// An objective with its settings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Objective {
    /// Flow matching, on the scale given.
    Fm(FlowScale),
    /// Detailed balance.
    Db,
    /// Trajectory balance.
    Tb,
    /// SubTB with its `λ`.
    Subtb(f64),
    /// Modified detailed balance, with the imbalance of a step up to which its square counts.
    Mdb(f64),
}

/// The log-flows along one trajectory `s_0, …, s_T`, and what they are compared with.
///
/// The vectors have one entry for each step `t = 0, …, T − 1`. The network's log-flows are relative: adding
/// `log_partition` (and the partial log-reward at the state) gives the flow itself.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TrajectoryFlows {
    /// `ln F(s_t, a_t)` of the action taken.
    pub log_edge_flow: Vec<f64>,
    /// `ln Σ_a F(s_t, a)` over the allowed actions.
    pub log_outflow: Vec<f64>,
    /// `ln F(s_t, stop)`; read by modified DB alone.
    pub log_stop_flow: Vec<f64>,
    /// `ln Σ F(s, a)` over the parents `s` of `s_{t+1}`; read by FM alone.
    pub log_inflow: Vec<f64>,
    /// `ln P_B(s_t | s_{t+1})`.
    pub log_pb: Vec<f64>,
    /// The partial log-reward at `s_t`, see [`ObjectiveName::needs_partial_reward`]; else zeros.
    pub partial_log_reward: Vec<f64>,
    /// `ln r(s_T)`.
    pub log_reward: f64,
    /// `ln Z` in TB; in FM, DB and SubTB the constant that all log-flows share.
    pub log_partition: f64,
}

/// The derivatives of a trajectory's loss by the fields of the same name of [`TrajectoryFlows`].
#[derive(Debug, Clone, Default, PartialEq)]
#[expect(missing_docs, reason = "the fields are those of TrajectoryFlows")]
pub struct FlowGradient {
    pub log_edge_flow: Vec<f64>,
    pub log_outflow: Vec<f64>,
    pub log_stop_flow: Vec<f64>,
    pub log_inflow: Vec<f64>,
    pub log_partition: f64,
}

impl FlowGradient {
    /// All zero, for a trajectory of `steps` steps.
    pub(crate) fn reset(&mut self, steps: usize) {
        for field in
            [&mut self.log_edge_flow, &mut self.log_outflow, &mut self.log_stop_flow, &mut self.log_inflow]
        {
            field.clear();
            field.resize(steps, 0.0);
        }
        self.log_partition = 0.0;
    }
}

impl TrajectoryFlows {
    /// How many steps the trajectory has.
    #[must_use]
    pub fn steps(&self) -> usize {
        self.log_edge_flow.len()
    }

    /// `ln F(s_t)`, the reward's logarithm at the end.
    fn log_state_flow(&self, t: usize) -> f64 {
        match self.log_outflow.get(t) {
            Some(log_outflow) => log_outflow + self.partial_log_reward[t] + self.log_partition,
            None => self.log_reward,
        }
    }

    /// `ln P_F(τ) − ln P_B(τ | s_T)`.
    pub(crate) fn log_ratio(&self) -> f64 {
        let steps = self.log_edge_flow.iter().zip(&self.log_outflow).zip(&self.log_pb);
        steps.map(|((log_edge_flow, log_outflow), log_pb)| log_edge_flow - log_outflow - log_pb).sum()
    }
}

impl Objective {
    /// The loss of one trajectory (the mean of its squared imbalances); `gradient` becomes its derivatives.
    pub fn evaluate(&self, flows: &TrajectoryFlows, gradient: &mut FlowGradient) -> f64 {
        gradient.reset(flows.steps());
        match *self {
            Self::Fm(scale) => fm::evaluate(scale, flows, gradient),
            Self::Db => db::evaluate(flows, gradient),
            Self::Tb => tb::evaluate(flows, gradient),
            Self::Subtb(lambda) => subtb::evaluate(lambda, flows, gradient),
            Self::Mdb(limit) => mdb::evaluate(limit, flows, gradient),
        }
    }
}

#[cfg(test)]
mod tests {
    use gflowcausal_determinism::rand::RngExt;
    use gflowcausal_determinism::{Stream, stream};

    use super::*;

    const OBJECTIVES: [Objective; 7] = [
        Objective::Fm(FlowScale::Log),
        Objective::Fm(FlowScale::Linear),
        Objective::Db,
        Objective::Tb,
        Objective::Subtb(0.9),
        Objective::Mdb(f64::INFINITY),
        Objective::Mdb(0.5),
    ];

    fn random_flows(steps: usize, k: u64) -> TrajectoryFlows {
        let mut rng = stream(0, Stream::Test { k });
        let mut draw = || (0..steps).map(|_| rng.random_range(-1.0..1.0)).collect::<Vec<f64>>();
        TrajectoryFlows {
            log_edge_flow: draw(),
            log_outflow: draw(),
            log_stop_flow: draw(),
            log_inflow: draw(),
            log_pb: draw(),
            partial_log_reward: draw(),
            log_reward: 0.3,
            log_partition: -0.7,
        }
    }

    fn loss(objective: &Objective, flows: &TrajectoryFlows) -> f64 {
        objective.evaluate(flows, &mut FlowGradient::default())
    }

    /// `(f(x + h) − f(x − h)) / 2h` for the value that `field` picks.
    fn central_difference(
        objective: &Objective,
        flows: &TrajectoryFlows,
        field: impl Fn(&mut TrajectoryFlows) -> &mut f64,
    ) -> f64 {
        let h = 1e-5;
        let at = |shift: f64| {
            let mut moved = flows.clone();
            *field(&mut moved) += shift;
            loss(objective, &moved)
        };
        (at(h) - at(-h)) / (2.0 * h)
    }

    #[test]
    fn gradients_are_those_of_central_differences() {
        for objective in &OBJECTIVES {
            for steps in 1..5 {
                let flows = random_flows(steps, steps as u64);
                let mut gradient = FlowGradient::default();
                objective.evaluate(&flows, &mut gradient);
                let close = |exact: f64, numeric: f64, what: &str| {
                    assert!(
                        (exact - numeric).abs() < 1e-7,
                        "{objective:?} {what}: {exact} against {numeric}"
                    );
                };
                for t in 0..steps {
                    let by = |field: fn(&mut TrajectoryFlows) -> &mut Vec<f64>| {
                        central_difference(objective, &flows, |flows| &mut field(flows)[t])
                    };
                    close(gradient.log_edge_flow[t], by(|flows| &mut flows.log_edge_flow), "log_edge_flow");
                    close(gradient.log_outflow[t], by(|flows| &mut flows.log_outflow), "log_outflow");
                    close(gradient.log_stop_flow[t], by(|flows| &mut flows.log_stop_flow), "log_stop_flow");
                    close(gradient.log_inflow[t], by(|flows| &mut flows.log_inflow), "log_inflow");
                }
                let numeric = central_difference(objective, &flows, |flows| &mut flows.log_partition);
                close(gradient.log_partition, numeric, "log_partition");
            }
        }
    }

    #[test]
    fn one_step_that_is_out_by_a_known_amount_costs_its_square() {
        let mut flows = random_flows(1, 0);
        flows.partial_log_reward = vec![0.0];
        flows.log_pb = vec![0.0];
        flows.log_inflow = flows.log_edge_flow.clone();
        let residual = flows.log_edge_flow[0] + flows.log_partition - flows.log_reward;
        for objective in [Objective::Fm(FlowScale::Log), Objective::Db] {
            assert!((loss(&objective, &flows) - residual * residual).abs() < 1e-12);
        }
        let flow = (flows.log_edge_flow[0] + flows.log_partition).exp() - flows.log_reward.exp();
        assert!((loss(&Objective::Fm(FlowScale::Linear), &flows) - flow * flow).abs() < 1e-12);
    }
}
