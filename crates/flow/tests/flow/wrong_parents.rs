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

/// Which flows a state is taken to be in balance with: what comes in, given all actions of the state and those of the walk's
/// rule, and whether actions that the mask forbids count as going out.
struct Rule {
    /// Each group is a balance of its own.
    parents: fn(Vec<Action>, Vec<Action>) -> Vec<Vec<Action>>,
    is_unmasked: bool,
}

/// Learns `edges` over three variables by `rule`. Returns how far from the target the policy ends.
fn distance_learned(reward: &dyn LogReward, rule: &Rule) -> f64 {
    let environment = Walk::Edges.environment(Constraints::none(3)).unwrap();
    let space = StateSpace::enumerate(&*environment, 1000).unwrap();
    let ways: Vec<&[Action]> = space.trajectories().collect();
    let set = |at: usize| -> BTreeSet<Action> { ways[at].iter().copied().collect() };
    let steps_from =
        |at: usize| -> Vec<Step> { space.next(at).iter().map(|&(action, _)| (set(at), action)).collect() };
    let out = |at: usize| {
        if rule.is_unmasked { (0..9).map(|action| (set(at), action)).collect() } else { steps_from(at) }
    };
    let balances_of = |at: usize| {
        let state = environment.replay(ways[at]);
        let mut by_walk = vec![];
        state.parents(&mut by_walk);
        let without = |edge| (ways[at].iter().copied().filter(|&other| other != edge).collect(), edge);
        let log_reward = state.terminal().map(|terminal| reward.log_reward(&terminal));
        let groups = (rule.parents)(ways[at].to_vec(), by_walk);
        let balance = |group: Vec<Action>| {
            let into = group.into_iter().map(without).collect();
            let out = if log_reward.is_some() { vec![] } else { out(at) };
            Balance { into, out, log_reward }
        };
        groups.into_iter().map(balance).collect::<Vec<_>>()
    };
    let balances: Vec<Balance> = (1..space.len()).flat_map(balances_of).collect();
    let mut flows = Flows::default();
    for _ in 0..4000 {
        flows.descend(&balances);
    }
    let learned: Vec<Vec<f64>> =
        (0..space.len()).map(|at| steps_from(at).iter().map(|step| flows.get(step)).collect()).collect();
    space.policy_outcome(&learned).total_variation(&space.target(reward))
}

/// That of the walk.
const RIGHT: Rule = Rule { parents: |_, rule| vec![rule], is_unmasked: false };

#[test]
fn all_edges_as_parents_of_a_terminal_state_lead_to_a_wrong_distribution() {
    let rewards: [&dyn LogReward; 2] = [&Table { seed: 3, spread: 4.0 }, &local_table(1, 2.0)];
    for reward in rewards {
        let right = distance_learned(reward, &RIGHT);
        assert!(right < 1e-3, "the rule of the walk leads {right} away");
        let wrong = distance_learned(reward, &Rule { parents: |all, _| vec![all], ..RIGHT });
        assert!(wrong > 0.02, "all edges lead only {wrong} away");
    }
}

/// The authors' program lets actions that the mask forbids flow out, and takes the inflow of the one parent that the
/// trajectory came from. The first leads elsewhere. The second balances flows that count trajectories, and since every order is
/// reached by as many, it leads to the same orders; not where ends differ in that, as DAGs do.
#[test]
fn forbidden_actions_that_flow_out_lead_to_a_wrong_distribution_and_a_single_parent_does_not() {
    let one_parent = |_, rule: Vec<Action>| rule.into_iter().map(|action| vec![action]).collect();
    let rewards: [&dyn LogReward; 2] = [&Table { seed: 3, spread: 4.0 }, &local_table(1, 2.0)];
    for reward in rewards {
        let single = distance_learned(reward, &Rule { parents: one_parent, is_unmasked: false });
        let unmasked = distance_learned(reward, &Rule { is_unmasked: true, ..RIGHT });
        let both = distance_learned(reward, &Rule { parents: one_parent, is_unmasked: true });
        assert!(single < 1e-3, "a single parent leads {single} away");
        assert!(unmasked > 0.01 && both > 0.01, "forbidden actions lead only {unmasked} and {both} away");
    }
}
