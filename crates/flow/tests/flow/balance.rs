//! Flows in exact balance: no objective finds fault with them, and their policy draws in proportion to reward.

use gflowcausal_graph::{Constraints, Knowledge};

use crate::tables::{LocalTable, SumOverParents, Table, local_table};
use gflowcausal_determinism::rand::RngExt;
use gflowcausal_determinism::{Stream, stream};
use gflowcausal_flow::{
    Action, Environment, FlowGradient, FlowScale, LogReward, Objective, ObjectiveName, StateSpace,
    TrajectoryFlows, Walk,
};

const OBJECTIVES: [(ObjectiveName, Objective); 6] = [
    (ObjectiveName::Fm, Objective::Fm(FlowScale::Log)),
    (ObjectiveName::Fm, Objective::Fm(FlowScale::Linear)),
    (ObjectiveName::Db, Objective::Db),
    (ObjectiveName::Tb, Objective::Tb),
    (ObjectiveName::Subtb, Objective::Subtb(0.9)),
    (ObjectiveName::Mdb, Objective::Mdb(f64::INFINITY)),
];

fn log_sum_exp(values: &[f64]) -> f64 {
    values.iter().map(|value| value.exp()).sum::<f64>().ln()
}

/// A walk, all its states and flows that balance a reward.
struct Balanced<'a> {
    environment: &'a dyn Environment,
    space: StateSpace,
    flows: Vec<Vec<f64>>,
    reward: &'a dyn LogReward,
}

impl<'a> Balanced<'a> {
    fn new(environment: &'a dyn Environment, reward: &'a dyn LogReward) -> Self {
        let space = StateSpace::enumerate(environment, 100_000).unwrap();
        let flows = space.balanced_flows(reward);
        Self { environment, space, flows, reward }
    }

    fn flow(&self, state: usize, action: Action) -> Option<f64> {
        let at = self.space.next(state).iter().position(|&(open, _)| open == action)?;
        Some(self.flows[state][at])
    }

    /// The state that lacks `action`, found the slow way.
    fn parent(&self, state: usize, action: Action) -> usize {
        let leads_here = |&at: &usize| self.space.next(at).contains(&(action, state));
        (0..state).find(leads_here).expect("a parent is a state")
    }

    /// A random trajectory's log-flows, less `ln Z`, which is handed over as the constant they share.
    fn trajectory(&self, k: u64, needs_partial_reward: bool) -> TrajectoryFlows {
        let mut rng = stream(1, Stream::Test { k });
        let log_partition = log_sum_exp(&self.flows[0]);
        let mut flows = TrajectoryFlows { log_partition, ..TrajectoryFlows::default() };
        let mut state = self.environment.initial();
        let (mut at, mut partial, mut parents) = (0, 0.0, vec![]);
        while !state.is_terminal() {
            let open = self.space.next(at);
            let (action, next) = open[rng.random_range(0..open.len())];
            let offset = log_partition + if self.on_sets() { partial } else { 0.0 };
            let relative = |flow: f64| flow - offset;
            flows.log_edge_flow.push(relative(self.flow(at, action).unwrap()));
            flows.log_outflow.push(relative(log_sum_exp(&self.flows[at])));
            let stop = self.environment.stop().and_then(|stop| self.flow(at, stop));
            flows.log_stop_flow.push(relative(stop.unwrap_or(f64::NAN)));
            flows.partial_log_reward.push(if needs_partial_reward { partial } else { 0.0 });
            partial +=
                if needs_partial_reward { state.delta_log_reward(action, self.reward).unwrap() } else { 0.0 };
            state.apply(action);
            state.parents(&mut parents);
            let into: Vec<f64> =
                parents.iter().map(|&a| self.flow(self.parent(next, a), a).unwrap()).collect();
            flows.log_inflow.push(relative(log_sum_exp(&into)));
            flows.log_pb.push(-(parents.len() as f64).ln());
            at = next;
        }
        flows.log_reward = self.reward.log_reward(&state.terminal().unwrap());
        flows
    }

    /// Whether the network's flows are those of a set, so that the partial reward is to be taken out.
    fn on_sets(&self) -> bool {
        self.environment.walk().shares_inputs() && self.environment.has_partial_rewards(self.reward)
    }
}

fn check_balance(environment: &dyn Environment, reward: &dyn LogReward) {
    let walk = environment.walk();
    let balanced = Balanced::new(environment, reward);
    let drawn = balanced.space.policy_outcome(&balanced.flows);
    let distance = drawn.total_variation(&balanced.space.target(reward));
    assert!(distance < 1e-9, "{walk}: the balanced policy is {distance} off");
    for (name, objective) in OBJECTIVES.iter().filter(|(name, _)| name.applies_to(walk)) {
        let partial = balanced.on_sets() || *name == ObjectiveName::Mdb;
        for k in 0..40 {
            let flows = balanced.trajectory(k, partial);
            let loss = objective.evaluate(&flows, &mut FlowGradient::default());
            assert!(loss < 1e-16 * drawn.outcomes().len() as f64, "{walk} {objective:?}: loss {loss}");
        }
    }
}

#[test]
fn balanced_flows_cost_nothing_and_draw_in_proportion_to_reward() {
    for nodes in [3, 4] {
        for &walk in Walk::ALL {
            let environment = walk.environment(Constraints::none(nodes)).unwrap();
            check_balance(&*environment, &Table { seed: nodes as u64, spread: 3.0 });
        }
    }
}

#[test]
fn on_order_and_graph_the_same_holds_for_local_rewards() {
    for nodes in [3, 4] {
        for walk in [Walk::Order, Walk::Graph, Walk::Chain] {
            let environment = walk.environment(Constraints::none(nodes)).unwrap();
            check_balance(&*environment, &local_table(nodes as u64, 3.0));
        }
    }
}

#[test]
fn on_layers_the_same_holds_for_sums_over_parent_sets() {
    let mut knowledge = Knowledge::default();
    knowledge.require("a->c").forbid("d->a").max_parents(2);
    for constraints in [Constraints::none(4), knowledge.compile(&["a", "b", "c", "d"]).unwrap()] {
        let environment = Walk::Layers.environment(constraints.clone()).unwrap();
        let local = LocalTable { seed: 4, spread: 3.0 };
        check_balance(&*environment, &SumOverParents { local, constraints });
    }
}

#[test]
fn on_order_balanced_flows_of_a_local_reward_depend_on_the_set_alone() {
    let environment = Walk::Order.environment(Constraints::none(4)).unwrap();
    let reward = local_table(5, 3.0);
    let balanced = Balanced::new(&*environment, &reward);
    let relative: Vec<(Vec<Action>, Vec<f64>)> = balanced
        .space
        .trajectories()
        .zip(&balanced.flows)
        .map(|(trajectory, flows)| {
            let mut state = environment.initial();
            let mut partial = 0.0;
            for &action in trajectory {
                partial += state.delta_log_reward(action, &reward).unwrap();
                state.apply(action);
            }
            let mut set = trajectory.to_vec();
            set.sort_unstable();
            (set, flows.iter().map(|flow| flow - partial).collect())
        })
        .collect();
    for (set, flows) in &relative {
        for (_, others) in relative.iter().filter(|(other, _)| other == set) {
            assert!(flows.iter().zip(others).all(|(a, b)| (a - b).abs() < 1e-9), "{set:?}");
        }
    }
}
