//! The walk over layerings with draws of the target and a network that sees the reward.

use gflowcausal_determinism::rand::RngExt;
use gflowcausal_determinism::{Stream, categorical, stream};
use gflowcausal_flow::{
    Event, InputChange, Mlp, MlpConfig, Network, Problem, ReferenceConfig, ReplayConfig, Sampler, StateSpace,
    Tape, TemperatureConfig, Terminal, TrainConfig, Trainer, ValidTrainConfig, Walk,
};
use gflowcausal_graph::Constraints;
use tempfile::tempdir;

use crate::tables::{LocalTable, SumOverParents};

fn reward(nodes: usize) -> SumOverParents {
    SumOverParents { local: LocalTable { seed: 3, spread: 6.0 }, constraints: Constraints::none(nodes) }
}

/// Draws of the target itself.
fn draws(nodes: usize, count: u64) -> Vec<Terminal> {
    let environment = Walk::Layers.environment(Constraints::none(nodes)).unwrap();
    let target = StateSpace::enumerate(&*environment, 10_000).unwrap().target(&reward(nodes));
    let draw = |k| {
        let weights = target.log_probabilities().iter().map(|log| log.exp());
        let outcomes = target.outcomes().iter().zip(weights);
        categorical(outcomes, stream(1, Stream::Test { k }).random()).unwrap().clone()
    };
    (0..count).map(draw).collect()
}

fn config(iterations: usize, likelihood_iterations: usize) -> ValidTrainConfig {
    let mut config = TrainConfig { walk: Walk::Layers, iterations, ..TrainConfig::default() };
    config.network.width = 48;
    config.optimizer.learning_rate = 1e-2;
    config.optimizer.final_learning_rate = Some(1e-4);
    config.optimizer.averaging = Some(0.95);
    config.temperature = TemperatureConfig { iterations: 0, ..TemperatureConfig::default() };
    config.replay = ReplayConfig { capacity: 0, share: 0.0 };
    config.reference = ReferenceConfig { likelihood_iterations, share: 0.5 };
    config.sees_reward = true;
    config.residual_limit = Some(3.0);
    config.validate().unwrap()
}

fn distance(iterations: usize, likelihood_iterations: usize) -> f64 {
    let (constraints, reward) = (Constraints::none(4), reward(4));
    let environment = Walk::Layers.environment(constraints.clone()).unwrap();
    let space = StateSpace::enumerate(&*environment, 10_000).unwrap();
    let problem = Problem { constraints: &constraints, reward: &reward, local_search: None };
    let mut trainer = Trainer::new(config(iterations, likelihood_iterations), problem).unwrap();
    trainer.set_reference(draws(4, 4000)).unwrap();
    while trainer.step(&mut |_: &Event<'_>| {}).unwrap().is_none() {}
    let policy = space.policy_outcome(&trainer.sampler().log_flows(&space));
    policy.total_variation(&space.target(&reward))
}

/// As near as 4000 draws of 75 layerings are themselves.
#[test]
fn maximum_likelihood_learns_the_distribution_of_the_draws() {
    let distance = distance(300, 300);
    assert!(distance < 0.06, "{distance} from the target");
}

/// Trajectory balance knows the reward, so it gets nearer than the draws are.
#[test]
fn trajectory_balance_after_a_warm_start_learns_the_target() {
    let distance = distance(400, 100);
    assert!(distance < 0.03, "{distance} from the target");
}

#[test]
fn a_run_with_draws_of_the_target_resumes_to_the_same_bits() {
    let (constraints, reward, directory) = (Constraints::none(4), reward(4), tempdir().unwrap());
    let problem = Problem { constraints: &constraints, reward: &reward, local_search: None };
    let path = directory.path().join("checkpoint");
    let advance = |trainer: &mut Trainer<'_>, count: usize| {
        (0..count).for_each(|_| _ = trainer.step(&mut |_: &Event<'_>| {}).unwrap());
    };
    for hold in [false, true] {
        let start = || {
            let mut trainer = Trainer::new(config(12, 6), problem).unwrap();
            trainer.set_reference(draws(4, 20)).unwrap();
            if hold {
                trainer.hold_log_partition(7.0);
            }
            trainer
        };
        let mut whole = start();
        advance(&mut whole, 12);
        assert_eq!(whole.log_partition() == Some(7.0), hold);
        for stop in [0, 3, 6, 9, 12] {
            let mut first = start();
            advance(&mut first, stop);
            std::fs::write(&path, first.checkpoint_bytes("data", "log")).unwrap();
            let (mut second, _) = Trainer::resume(&path, config(12, 6), problem, "data").unwrap();
            advance(&mut second, 12 - stop);
            let same = second.checkpoint_bytes("data", "log") == whole.checkpoint_bytes("data", "log");
            assert!(same, "stopped after {stop}");
        }
    }
}

/// Log-flows of two rows, the second based on the first, each with reward inputs of its own.
fn rows(network: &Mlp) -> Tape {
    let mut tape = Tape::default();
    tape.push_seeing(None, &[], &[0, 2], &[0.3, -0.8]);
    tape.push_seeing(Some(0), &[InputChange::on(1)], &[1], &[-0.4, 0.9]);
    network.forward(&mut tape, 0);
    tape
}

#[test]
fn gradients_by_reward_inputs_are_those_of_central_differences() {
    let config = MlpConfig { layers: 2, width: 7 };
    let mut network = Mlp::with_reward_inputs(3, 2, 3, &config, 5);
    let loss = |network: &Mlp| {
        let tape = rows(network);
        2.0 * tape.log_flows(0)[0] - tape.log_flows(0)[1] + 3.0 * tape.log_flows(1)[0]
    };
    let mut tape = rows(&network);
    tape.grad_mut(0).copy_from_slice(&[2.0, -1.0]);
    tape.grad_mut(1).copy_from_slice(&[3.0]);
    let mut gradient = vec![0.0; network.parameters().len()];
    network.backward(&mut tape, 0, &mut gradient);
    let of_reward = network.parameters().len() - 2 * 7..network.parameters().len();
    assert!(gradient[of_reward].iter().any(|grad| grad.abs() > 1e-3));
    for (index, &grad) in gradient.iter().enumerate() {
        let value = network.parameters()[index];
        let mut at = |shift: f32| {
            network.parameters_mut()[index] = value + shift;
            loss(&network)
        };
        let numeric = (at(1e-2) - at(-1e-2)) / 2e-2;
        network.parameters_mut()[index] = value;
        assert!((grad - numeric).abs() < 2e-2, "{index}: {grad} {numeric}");
    }
}

#[test]
fn a_probability_that_is_estimated_is_near_the_one_computed() {
    let environment = Walk::Chain.environment(Constraints::none(5)).unwrap();
    let config = MlpConfig { layers: 1, width: 8 };
    let network = Mlp::new(environment.inputs(), environment.actions(), &config, 2);
    let sampler = Sampler::new(&*environment, &network);
    for sample in sampler.sample(5, 0) {
        let exact = sampler.log_probability(&sample.terminal).unwrap();
        let estimate = sampler.estimate_log_probability(&sample.terminal, 400, 1).unwrap();
        assert!((exact - estimate).abs() < 0.1, "{estimate} for {exact}");
    }
}
