//! Networks that see a matrix of edges: what they learn, that a state's flows are its own, and that runs repeat.

use std::fs;

use gflowcausal_determinism::rand::RngExt;
use gflowcausal_determinism::{Stream, stream, with_threads};
use gflowcausal_flow::{
    Action, Event, InputChange, NetworkConfig, NetworkName, ObjectiveName, Policy, Problem, Sample, Tape,
    TrainConfig, Trainer, Walk,
};
use gflowcausal_graph::Constraints;
use tempfile::tempdir;

use crate::distribution::{Effort, config, learned};
use crate::tables::{Table, local_table};

const NETWORKS: [NetworkName; 3] = [NetworkName::Cnn, NetworkName::Vgg16, NetworkName::Transformer];

/// The table that is learned: not the one that sizes and learning rates were chosen on, which is 1.
const TABLE: u64 = 2;

/// Small enough for a test.
fn small(name: NetworkName) -> NetworkConfig {
    let width = match name {
        NetworkName::Cnn => 64,
        NetworkName::Vgg16 => 16,
        _ => 24,
    };
    NetworkConfig { name, width, ..NetworkConfig::default() }
}

/// Trains on the table of `seed`, which draws the network's first values and the trajectories too.
fn check(
    name: NetworkName,
    width: usize,
    (iterations, batch_size): (usize, usize),
    learning_rate: f64,
    seed: u64,
) {
    let mut config = config(Walk::Edges, ObjectiveName::Tb, Effort { iterations, width, learning_rate });
    config.network = NetworkConfig { name, width, ..NetworkConfig::default() };
    (config.batch_size, config.seed) = (batch_size, seed);
    let [policy, target] = learned(config, &Constraints::none(4), &Table { seed, spread: 2.0 });
    let distance = policy.total_variation(&target);
    assert!(distance <= 0.05, "{name}, table {seed}: {distance} from the target");
}

#[test]
fn convolutions_learn_edges_over_four_variables() {
    check(NetworkName::Cnn, 64, (400, 64), 5e-3, TABLE);
}

#[test]
fn sixteen_layers_learn_edges_over_four_variables() {
    check(NetworkName::Vgg16, 16, (700, 32), 2e-3, TABLE);
}

#[test]
fn an_encoder_learns_edges_over_four_variables() {
    check(NetworkName::Transformer, 24, (400, 64), 5e-3, TABLE);
}

/// Rows of random states, each based on the one before, with some outputs requested.
fn rows(count: usize, inputs: u32, actions: u32) -> Vec<(Vec<InputChange>, Vec<Action>)> {
    let mut rng = stream(3, Stream::Test { k: u64::from(inputs) });
    let mut row = |k: usize| {
        let mut switched =
            |_| InputChange { input: rng.random_range(0..inputs), is_on: rng.random_bool(0.7) };
        let changes = if k == 0 { vec![] } else { (0..3).map(&mut switched).collect() };
        let requested =
            if k % 5 == 4 { vec![] } else { (0..actions).filter(|_| rng.random_bool(0.4)).collect() };
        (changes, requested)
    };
    (0..count).map(&mut row).collect()
}

/// A slope for each requested output.
fn slope(action: Action, row: usize) -> f32 {
    (0.9 * action as f32 + 0.31 * row as f32).sin()
}

/// More rows than fit a block, in one tape and in tapes of their own: the same flows, and gradients that add up.
#[test]
fn a_row_does_not_depend_on_those_beside_it() {
    for name in NETWORKS {
        let environment = Walk::Graph.environment(Constraints::none(4)).unwrap();
        let network = small(name).network(&*environment, false, 5);
        let rows = rows(300, 16, 17);
        let mut together = Tape::default();
        for (k, (changes, requested)) in rows.iter().enumerate() {
            together.push(k.checked_sub(1), changes, requested);
        }
        network.forward(&mut together, 0);
        let mut gradient = vec![0.0; network.parameters().len()];
        let mut expected = vec![0.0; gradient.len()];
        let mut all = vec![];
        for (k, (changes, requested)) in rows.iter().enumerate() {
            all.extend_from_slice(changes);
            let mut alone = Tape::default();
            alone.push(None, &all, requested);
            network.forward(&mut alone, 0);
            assert_eq!(alone.log_flows(0), together.log_flows(k), "{name} row {k}");
            for (place, &action) in requested.iter().enumerate() {
                (alone.grad_mut(0)[place], together.grad_mut(k)[place]) =
                    (slope(action, k), slope(action, k));
            }
            network.backward(&mut alone, 0, &mut expected);
        }
        network.backward(&mut together, 0, &mut gradient);
        let largest = expected.iter().fold(0.0_f32, |most, x| most.max(x.abs()));
        let off = gradient.iter().zip(&expected).fold(0.0_f32, |most, (a, b)| most.max((a - b).abs()));
        assert!(off <= 1e-4 * largest, "{name}: off by {off} of {largest}");
    }
}

fn settings(name: NetworkName, objective: ObjectiveName) -> TrainConfig {
    let walk = if objective == ObjectiveName::Mdb { Walk::Graph } else { Walk::Edges };
    let mut config = TrainConfig { walk, objective, iterations: 4, batch_size: 40, ..TrainConfig::default() };
    config.network = NetworkConfig { width: 8, ..small(name) };
    config
}

fn advance(trainer: &mut Trainer<'_>, iterations: usize) {
    (0..iterations).for_each(|_| assert!(trainer.step(&mut |_: &Event<'_>| {}).unwrap().is_none()));
}

/// The same bits on one thread and on two, and after a stop; and a policy on its own draws what the trainer draws.
#[test]
fn runs_repeat_and_go_on() {
    let (constraints, reward) = (Constraints::none(4), local_table(3, 4.0));
    let problem = Problem { constraints: &constraints, reward: &reward, local_search: None };
    let directory = tempdir().unwrap();
    for name in NETWORKS {
        for objective in [ObjectiveName::Fm, ObjectiveName::Tb, ObjectiveName::Mdb] {
            let valid = || settings(name, objective).validate().unwrap();
            let run = || -> (Vec<u8>, Vec<u8>, Vec<Sample>) {
                let mut trainer = Trainer::new(valid(), problem).unwrap();
                advance(&mut trainer, 2);
                let path = directory.path().join("checkpoint");
                fs::write(&path, trainer.checkpoint_bytes("", "")).unwrap();
                let (mut resumed, _) = Trainer::resume(&path, valid(), problem, "").unwrap();
                advance(&mut trainer, 2);
                advance(&mut resumed, 2);
                assert!(
                    trainer.checkpoint_bytes("", "") == resumed.checkpoint_bytes("", ""),
                    "{name} {objective}"
                );
                let policy = Policy::parse(trainer.policy_bytes(""), &constraints).unwrap();
                let drawn = trainer.sampler().sample(50, 1);
                assert!(policy.sampler(None).unwrap().sample(50, 1) == drawn, "{name} {objective}");
                (trainer.checkpoint_bytes("", ""), trainer.policy_bytes(""), drawn)
            };
            let [one, two] = [1, 2].map(|threads| with_threads(threads, run));
            assert!(one == two, "{name} {objective}");
        }
    }
}
