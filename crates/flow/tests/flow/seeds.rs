//! The fuzzer's seeds of policies and checkpoints: each is read or refused. `GFLOWCAUSAL_GENERATE=1` writes them anew.

use std::fs;
use std::path::{Path, PathBuf};

use gflowcausal_flow::{
    CheckpointError, Event, ObjectiveName, Policy, Problem, TrainConfig, Trainer, ValidTrainConfig, Walk,
};
use gflowcausal_graph::Constraints;

use crate::tables::local_table;

fn folder(target: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds").join(target)
}

/// As in `fuzz/fuzz_targets/run/mod.rs`.
fn settings() -> ValidTrainConfig {
    let mut config =
        TrainConfig { walk: Walk::Order, objective: ObjectiveName::Tb, ..TrainConfig::default() };
    config.network.width = 4;
    config.network.layers = 1;
    config.batch_size = 2;
    config.iterations = 4;
    config.replay.capacity = 2;
    config.validate().unwrap()
}

fn generate(problem: Problem<'_>) {
    let mut trainer = Trainer::new(settings(), problem).unwrap();
    for name in ["first", "later"] {
        fs::create_dir_all(folder("run_model")).unwrap();
        fs::create_dir_all(folder("run_checkpoint")).unwrap();
        fs::write(folder("run_model").join(name), trainer.policy_bytes("data")).unwrap();
        fs::write(folder("run_checkpoint").join(name), trainer.checkpoint_bytes("data", "log")).unwrap();
        trainer.step(&mut |_: &Event<'_>| {}).unwrap();
    }
}

#[test]
fn the_fuzzers_seeds_are_read_or_refused() {
    let (constraints, reward) = (Constraints::none(3), local_table(3, 1.0));
    let problem = Problem { constraints: &constraints, reward: &reward, local_search: None };
    if std::env::var_os("GFLOWCAUSAL_GENERATE").is_some() {
        generate(problem);
    }
    let mut read = 0;
    for file in fs::read_dir(folder("run_model")).unwrap() {
        read += u32::from(Policy::open(&file.unwrap().path(), &constraints).is_ok());
    }
    for file in fs::read_dir(folder("run_checkpoint")).unwrap() {
        let resumed = Trainer::resume(&file.unwrap().path(), settings(), problem, "data");
        read += u32::from(resumed.is_ok());
    }
    assert!(read >= 4, "{read} seeds are whole: write them anew");
    let empty = Policy::parse(vec![], &constraints).err().expect("a refusal");
    assert!(matches!(empty, CheckpointError::Truncated { .. }), "{empty}");
}
