//! A test of the tests: flow matching with the parent rule that the paper's text suggests learns something else.

use std::collections::{BTreeMap, BTreeSet};

use crate::tables::{Table, local_table};
use gflowcausal_flow::{Action, LogReward, StateSpace, Walk};
use gflowcausal_graph::Constraints;

/// One action at one set of edges.
type Step = (BTreeSet<Action>, Action);

/// What flows into one state and what it is held against.
struct Balance {
    into: Vec<Step>,
    out: Vec<Step>,
    log_reward: Option<f64>,
}

/// Log-flows, zero where nothing was learned.
#[derive(Default)]
struct Flows(BTreeMap<Step, f64>);

impl Flows {
    fn get(&self, step: &Step) -> f64 {
        self.0.get(step).copied().unwrap_or(0.0)
    }

    fn total(&self, steps: &[Step]) -> f64 {
        steps.iter().map(|step| self.get(step).exp()).sum::<f64>().ln()
    }

    /// One step of plain gradient descent on `½ Σ (ln inflow − ln outflow)²`.
    fn descend(&mut self, balances: &[Balance]) {
        let mut slopes: BTreeMap<&Step, f64> = BTreeMap::new();
        for Balance { into, out, log_reward } in balances {
            let inflow = self.total(into);
            let outflow = log_reward.unwrap_or_else(|| self.total(out));
            for step in into {
                *slopes.entry(step).or_default() += (inflow - outflow) * (self.get(step) - inflow).exp();
            }
            for step in out {
                *slopes.entry(step).or_default() -= (inflow - outflow) * (self.get(step) - outflow).exp();
            }
        }
        for (step, slope) in slopes {
            *self.0.entry(step.clone()).or_default() -= 0.2 * slope;
        }
    }
}

/// Learns `edges` over three variables, taking flow to come in by the actions that `parents` picks, given all
/// actions of a state and those of the walk's rule. Returns how far from the target the policy ends.
fn distance_learned(reward: &dyn LogReward, parents: fn(Vec<Action>, Vec<Action>) -> Vec<Action>) -> f64 {
    let environment = Walk::Edges.environment(Constraints::none(3)).unwrap();
    let space = StateSpace::enumerate(&*environment, 1000).unwrap();
    let ways: Vec<&[Action]> = space.trajectories().collect();
    let steps_from = |at: usize| -> Vec<Step> {
        space.next(at).iter().map(|&(action, _)| (ways[at].iter().copied().collect(), action)).collect()
    };
    let balance = |at: usize| {
        let state = environment.replay(ways[at]);
        let mut rule = vec![];
        state.parents(&mut rule);
        let without = |edge| (ways[at].iter().copied().filter(|&other| other != edge).collect(), edge);
        let into = parents(ways[at].to_vec(), rule).into_iter().map(without).collect();
        let log_reward = state.terminal().map(|terminal| reward.log_reward(&terminal));
        Balance { into, out: steps_from(at), log_reward }
    };
    let balances: Vec<Balance> = (1..space.len()).map(balance).collect();
    let mut flows = Flows::default();
    for _ in 0..4000 {
        flows.descend(&balances);
    }
    let learned: Vec<Vec<f64>> =
        (0..space.len()).map(|at| steps_from(at).iter().map(|step| flows.get(step)).collect()).collect();
    space.policy_outcome(&learned).total_variation(&space.target(reward))
}

#[test]
fn all_edges_as_parents_of_a_terminal_state_lead_to_a_wrong_distribution() {
    let rewards: [&dyn LogReward; 2] = [&Table { seed: 3, spread: 4.0 }, &local_table(1, 2.0)];
    for reward in rewards {
        let right = distance_learned(reward, |_, rule| rule);
        assert!(right < 1e-3, "the rule of the walk leads {right} away");
        let wrong = distance_learned(reward, |all, _| all);
        assert!(wrong > 0.02, "all edges lead only {wrong} away");
    }
}
