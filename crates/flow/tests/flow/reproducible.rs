//! The same seed gives the same bits, on one thread and on two.

use gflowcausal_determinism::with_threads;
use gflowcausal_flow::{Event, ObjectiveName, Problem, Sample, TrainConfig, Trainer, Walk};
use gflowcausal_graph::Constraints;

use crate::checkpoint::Swap;
use crate::tables::local_table;

fn run(walk: Walk, objective: ObjectiveName, seed: u64) -> (Vec<u8>, Vec<Sample>) {
    let mut config =
        TrainConfig { walk, objective, seed, iterations: 6, batch_size: 70, ..TrainConfig::default() };
    config.improvements = 3;
    config.network.width = 48;
    let (constraints, reward) = (Constraints::none(5), local_table(3, 4.0));
    let problem = Problem { constraints: &constraints, reward: &reward, local_search: Some(&Swap) };
    let mut trainer = Trainer::new(config.validate().unwrap(), problem).unwrap();
    for _ in 0..6 {
        trainer.step(&mut |_: &Event<'_>| {}).unwrap();
    }
    (trainer.checkpoint_bytes("", ""), trainer.sampler().sample(100, seed))
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    for (walk, objective) in [
        (Walk::Order, ObjectiveName::Tb),
        (Walk::Order, ObjectiveName::Subtb),
        (Walk::Chain, ObjectiveName::Fm),
        (Walk::Edges, ObjectiveName::Fm),
        (Walk::Complete, ObjectiveName::Tb),
        (Walk::Graph, ObjectiveName::Mdb),
    ] {
        let [one, two] = [1, 2].map(|threads| with_threads(threads, || run(walk, objective, 4)));
        assert!(one == two, "{walk} {objective}");
    }
}

#[test]
fn another_seed_gives_another_run() {
    assert!(run(Walk::Order, ObjectiveName::Tb, 1) != run(Walk::Order, ObjectiveName::Tb, 2));
}
