//! Draws from a policy against the distribution that enumeration gives for it.

use gflowcausal_flow::{
    Distribution, Environment, Event, LogReward, Mlp, MlpConfig, Network, ObjectiveName, Problem, Sampler,
    StateSpace, Terminal, TrainConfig, Trainer, Walk,
};
use gflowcausal_graph::{Constraints, Knowledge, Layering, Order};

use crate::tables::{Table, local_table};

/// A network whose policy is far from uniform.
fn network(environment: &dyn Environment) -> Mlp {
    let config = MlpConfig { width: 16, ..MlpConfig::default() };
    let mut network = Mlp::new(environment.inputs(), environment.actions(), &config, 7);
    for (index, parameter) in network.parameters_mut().iter_mut().enumerate() {
        *parameter = 2.0 * *parameter + 0.1 * (index as f32).sin();
    }
    network
}

#[test]
fn samples_follow_the_policy_in_every_walk() {
    for &walk in Walk::ALL {
        let environment = walk.environment(Constraints::none(3)).unwrap();
        let network = network(&*environment);
        let sampler = Sampler::new(&*environment, &network);
        let space = StateSpace::enumerate(&*environment, 1000).unwrap();
        let exact = space.policy_outcome(&sampler.log_flows(&space));
        let samples = sampler.sample(20_000, 1);
        let drawn = Distribution::from_samples(samples.into_iter().map(|sample| sample.terminal));
        let distance = drawn.total_variation(&exact);
        assert!(distance < 0.02, "{walk}: {distance}");
    }
}

#[test]
fn a_draw_is_the_same_alone_and_among_others_that_pass_the_same_states() {
    for walk in [Walk::Layers, Walk::Order] {
        let environment = walk.environment(Constraints::none(5)).unwrap();
        let network = network(&*environment);
        let sampler = Sampler::new(&*environment, &network);
        let together = sampler.sample(600, 3);
        for (k, among_others) in together.iter().enumerate().step_by(7) {
            let alone = &sampler.sample_range(k..k + 1, 3)[0];
            assert_eq!(alone.terminal, among_others.terminal, "{walk} {k}");
            assert!((alone.log_forward - among_others.log_forward).abs() < 1e-5, "{walk} {k}");
        }
    }
}

#[test]
fn importance_weights_correct_any_policy() {
    for &walk in Walk::ALL {
        let environment = walk.environment(Constraints::none(3)).unwrap();
        let network = network(&*environment);
        let reward = Table { seed: 4, spread: 2.0 };
        let space = StateSpace::enumerate(&*environment, 1000).unwrap();
        let samples = Sampler::new(&*environment, &network).sample(20_000, 2);
        let weighted = samples.into_iter().map(|sample| {
            let weight = reward.log_reward(&sample.terminal) + sample.log_backward - sample.log_forward;
            (sample.terminal, weight)
        });
        let distance = Distribution::from_log_weights(weighted).total_variation(&space.target(&reward));
        assert!(distance < 0.03, "{walk}: {distance}");
    }
}

#[test]
fn the_probability_of_a_terminal_state_sums_over_all_trajectories_to_it() {
    let mut knowledge = Knowledge::default();
    knowledge.require("b->d");
    for constraints in [Constraints::none(5), knowledge.compile(&["a", "b", "c", "d", "e"]).unwrap()] {
        for walk in [Walk::Layers, Walk::Order, Walk::Chain] {
            let environment = walk.environment(constraints.clone()).unwrap();
            let network = network(&*environment);
            let sampler = Sampler::new(&*environment, &network);
            let space = StateSpace::enumerate(&*environment, 2000).unwrap();
            let exact = space.policy_outcome(&sampler.log_flows(&space));
            for (order, log_probability) in exact.outcomes().iter().zip(exact.log_probabilities()) {
                let computed = sampler.log_probability(order).unwrap();
                assert!((computed - log_probability).abs() < 1e-4, "{walk} {order:?}");
            }
            if walk == Walk::Layers {
                let last_first = Layering::new(5, [vec![3], vec![0, 1, 2, 4]]).unwrap();
                let log_probability = sampler.log_probability(&Terminal::Layering(last_first));
                assert_eq!(log_probability.unwrap().is_finite(), constraints.required(3).is_empty());
                continue;
            }
            let impossible = Terminal::Order(Order::new(vec![3, 1, 0, 2, 4]).unwrap());
            let expected = constraints.permits_order(impossible.as_order().unwrap());
            assert_eq!(sampler.log_probability(&impossible).unwrap() > f64::NEG_INFINITY, expected);
        }
    }
    let environment = Walk::Edges.environment(Constraints::none(5)).unwrap();
    let network = network(&*environment);
    assert_eq!(
        Sampler::new(&*environment, &network).log_probability(&Terminal::Order(Order::identity(5))),
        None
    );
}

#[test]
fn on_order_the_probability_of_a_sample_is_that_of_its_trajectory() {
    let (constraints, reward) = (Constraints::none(6), local_table(0, 3.0));
    let config = TrainConfig { objective: ObjectiveName::Tb, iterations: 30, ..TrainConfig::default() };
    let problem = Problem { constraints: &constraints, reward: &reward, local_search: None };
    let mut trainer = Trainer::new(config.validate().unwrap(), problem).unwrap();
    while trainer.step(&mut |_: &Event<'_>| {}).unwrap().is_none() {}
    for sample in trainer.sampler().sample(70, 0) {
        assert_eq!(sample.log_backward, 0.0);
        let computed = trainer.sampler().log_probability(&sample.terminal).unwrap();
        assert!((computed - sample.log_forward).abs() < 1e-5);
    }
}
