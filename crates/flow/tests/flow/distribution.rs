//! Learning tested by the distribution: what a trained network really ends in, against what it should end in.
//!
//! The policy's distribution is not sampled but computed, over all states.

use gflowcausal_flow::{
    Distribution, Event, FlowScale, LogReward, ObjectiveName, OptimizerConfig, Problem, StateSpace,
    TemperatureConfig, TrainConfig, Trainer, Walk,
};
use gflowcausal_graph::{Constraints, Knowledge};

use crate::tables::{FarApart, LocalTable, SumOfLocal, SumOverParents, Table, local_table};

/// How much is learned.
#[derive(Clone, Copy)]
pub(crate) struct Effort {
    pub(crate) iterations: usize,
    pub(crate) width: usize,
    pub(crate) learning_rate: f64,
}

const SMALL: Effort = Effort { iterations: 400, width: 64, learning_rate: 1e-2 };

pub(crate) fn config(walk: Walk, objective: ObjectiveName, effort: Effort) -> TrainConfig {
    let mut config = TrainConfig { walk, objective, iterations: effort.iterations, ..TrainConfig::default() };
    config.network.width = effort.width;
    config.optimizer = OptimizerConfig {
        learning_rate: effort.learning_rate,
        final_learning_rate: Some(effort.learning_rate / 10.0),
        ..OptimizerConfig::default()
    };
    config.exploration.start = 0.5;
    config.exploration.end = 0.1;
    config.exploration.iterations = effort.iterations / 2;
    config.temperature = TemperatureConfig { iterations: 0, ..TemperatureConfig::default() };
    config
}

/// Trains and returns what the policy ends in and what it should end in.
pub(crate) fn learned(
    config: TrainConfig,
    constraints: &Constraints,
    reward: &dyn LogReward,
) -> [Distribution; 2] {
    let environment = config.walk.environment(constraints.clone()).unwrap();
    let space = StateSpace::enumerate(&*environment, 100_000).unwrap();
    let problem = Problem { constraints, reward, local_search: None };
    let mut trainer = Trainer::new(config.validate().unwrap(), problem).unwrap();
    while trainer.step(&mut |_: &Event<'_>| {}).unwrap().is_none() {}
    [space.policy_outcome(&trainer.sampler().log_flows(&space)), space.target(reward)]
}

fn check(walk: Walk, objective: ObjectiveName, nodes: usize, effort: Effort, bound: f64) {
    // The networks of `order` and `layers` see sets, so they can learn local rewards alone.
    let (local, table) = (local_table(1, 2.0), Table { seed: 1, spread: 2.0 });
    let layered = summed(&Constraints::none(nodes), 1);
    let reward: &dyn LogReward = match walk {
        Walk::Layers => &layered,
        Walk::Order | Walk::Graph => &local,
        _ => &table,
    };
    let [policy, target] = learned(config(walk, objective, effort), &Constraints::none(nodes), reward);
    let distance = policy.total_variation(&target);
    assert!(distance <= bound, "{walk} {objective} d={nodes}: {distance} from the target");
}

fn summed(constraints: &Constraints, seed: u64) -> SumOverParents {
    SumOverParents { local: LocalTable { seed, spread: 4.0 }, constraints: constraints.clone() }
}

fn check_all(walk: Walk, effort: impl Fn(ObjectiveName) -> Effort) {
    for objective in ObjectiveName::ALL.into_iter().filter(|objective| objective.applies_to(walk)) {
        check(walk, objective, 4, effort(objective), 0.05);
    }
}

/// Steps that see one transition at a time learn more slowly.
fn by_reach(objective: ObjectiveName, whole: usize, single: usize) -> Effort {
    let iterations = if objective == ObjectiveName::Tb { whole } else { single };
    Effort { iterations, ..SMALL }
}

#[test]
fn layers_over_three_and_four_variables() {
    for objective in ObjectiveName::ALL.into_iter().filter(|objective| objective.applies_to(Walk::Layers)) {
        check(Walk::Layers, objective, 3, SMALL, 0.03);
    }
    check_all(Walk::Layers, |_| SMALL);
}

#[test]
fn order_over_four_variables() {
    check_all(Walk::Order, |_| SMALL);
}

/// What every order has in common, however large, is not to be learned.
#[test]
fn order_over_variables_of_very_different_rewards() {
    let reward = SumOfLocal(FarApart(LocalTable { seed: 1, spread: 2.0 }));
    for objective in [ObjectiveName::Fm, ObjectiveName::Db, ObjectiveName::Subtb] {
        let config = config(Walk::Order, objective, SMALL);
        let [policy, target] = learned(config, &Constraints::none(4), &reward);
        let distance = policy.total_variation(&target);
        assert!(distance <= 0.05, "{objective}: {distance} from the target");
    }
}

#[test]
fn chain_over_four_variables() {
    check_all(Walk::Chain, |_| SMALL);
}

#[test]
fn edges_over_four_variables() {
    check_all(Walk::Edges, |objective| by_reach(objective, 400, 800));
}

#[test]
fn complete_over_four_variables() {
    check_all(Walk::Complete, |objective| by_reach(objective, 400, 1200));
}

#[test]
fn graph_over_four_variables() {
    check_all(Walk::Graph, |objective| by_reach(objective, 600, 1000));
}

#[test]
fn free_over_four_variables() {
    check_all(Walk::Free, |objective| by_reach(objective, 600, 1500));
}

#[test]
fn order_and_chain_over_five_variables() {
    for walk in [Walk::Order, Walk::Chain] {
        for objective in [ObjectiveName::Tb, ObjectiveName::Subtb] {
            check(walk, objective, 5, Effort { iterations: 800, ..SMALL }, 0.02);
        }
    }
}

#[test]
fn edges_over_five_variables() {
    let effort = Effort { iterations: 2400, width: 192, learning_rate: 5e-3 };
    check(Walk::Edges, ObjectiveName::Tb, 5, effort, 0.05);
}

/// Stretches of a trajectory reach less far than the whole: it takes longer, and more exploration.
#[test]
fn edges_over_five_variables_by_subtb() {
    let effort = Effort { iterations: 4000, width: 192, learning_rate: 5e-3 };
    let mut config = config(Walk::Edges, ObjectiveName::Subtb, effort);
    config.optimizer.final_learning_rate = Some(1e-3);
    config.exploration.end = 0.3;
    config.replay.share = 0.0;
    let [policy, target] = learned(config, &Constraints::none(5), &Table { seed: 1, spread: 2.0 });
    let distance = policy.total_variation(&target);
    assert!(distance <= 0.05, "{distance} from the target");
}

/// The paper's own form of flow matching learns where rewards are of one size.
#[test]
fn flows_compared_as_they_are() {
    for walk in [Walk::Chain, Walk::Edges] {
        let mut config = config(walk, ObjectiveName::Fm, SMALL);
        config.flow_scale = Some(FlowScale::Linear);
        let [policy, target] = learned(config, &Constraints::none(3), &Table { seed: 1, spread: 1.0 });
        let distance = policy.total_variation(&target);
        assert!(distance <= 0.05, "{walk}: {distance} from the target");
    }
}

#[test]
fn with_knowledge_the_policy_keeps_to_it_and_draws_in_proportion_to_reward() {
    let mut knowledge = Knowledge::default();
    knowledge.require("a->c").forbid("d->a").max_parents(2);
    let constraints = knowledge.compile(&["a", "b", "c", "d"]).unwrap();
    let (local, layered) = (local_table(2, 2.0), summed(&constraints, 2));
    for walk in [Walk::Layers, Walk::Order, Walk::Chain, Walk::Edges, Walk::Graph] {
        let reward: &dyn LogReward = if walk == Walk::Layers { &layered } else { &local };
        let [policy, target] = learned(config(walk, ObjectiveName::Tb, SMALL), &constraints, reward);
        let distance = policy.total_variation(&target);
        assert!(distance <= 0.05, "{walk}: {distance} from the target");
    }
}
