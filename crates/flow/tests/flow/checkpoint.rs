//! Runs that stop and go on, and files that are not theirs.

use std::fs;
use std::path::Path;

use gflowcausal_determinism::StreamRng;
use gflowcausal_determinism::rand::RngExt;
use gflowcausal_determinism::{Stream, stream};
use gflowcausal_flow::{
    CheckpointError, Event, LocalSearch, MlpConfig, ObjectiveName, Policy, Problem, ReplayConfig,
    ResumeError, SampleMode, Terminal, TrainConfig, Trainer, ValidTrainConfig, Walk,
};
use gflowcausal_graph::{Constraints, Knowledge, Order};
use tempfile::tempdir;

use crate::tables::{LocalTable, SumOfLocal, local_table};

const NODES: usize = 4;
const ITERATIONS: usize = 12;

/// Swaps two neighbours of an order; leaves graphs alone.
pub(crate) struct Swap;

impl LocalSearch for Swap {
    fn improve(&self, start: &Terminal, _: f64, rng: &mut StreamRng) -> Option<Terminal> {
        let mut sequence = start.as_order()?.as_slice().to_vec();
        let at = rng.random_range(1..sequence.len());
        sequence.swap(at - 1, at);
        Some(Terminal::Order(Order::new(sequence).unwrap()))
    }
}

/// A small run in which everything that can change does.
fn config(walk: Walk, objective: ObjectiveName) -> ValidTrainConfig {
    let mut config =
        TrainConfig { walk, objective, iterations: ITERATIONS, batch_size: 8, ..TrainConfig::default() };
    config.network = MlpConfig { layers: 2, width: 8, ..MlpConfig::default() };
    config.temperature.iterations = 5;
    config.exploration.iterations = 7;
    config.replay = ReplayConfig { capacity: 10, share: 0.3 };
    config.improvements = 2;
    config.patience = Some(4);
    config.validate().unwrap()
}

/// The problem that all runs here are about.
struct Given {
    constraints: Constraints,
    reward: SumOfLocal<LocalTable>,
}

impl Given {
    fn new() -> Self {
        Self { constraints: Constraints::none(NODES), reward: local_table(6, 5.0) }
    }

    fn problem(&self) -> Problem<'_> {
        Problem { constraints: &self.constraints, reward: &self.reward, local_search: Some(&Swap) }
    }
}

fn advance(trainer: &mut Trainer<'_>, iterations: usize) {
    for _ in 0..iterations {
        trainer.step(&mut |_: &Event<'_>| {}).unwrap();
    }
}

/// All that a run consists of, as bytes.
fn bytes(trainer: &Trainer<'_>, directory: &Path) -> Vec<u8> {
    let path = directory.join("bytes");
    trainer.save(&path, "data").unwrap();
    fs::read(path).unwrap()
}

#[test]
fn a_run_that_stops_anywhere_and_goes_on_ends_with_the_same_bits() {
    let (given, directory) = (Given::new(), tempdir().unwrap());
    let path = directory.path().join("checkpoint");
    for (walk, objective) in [
        (Walk::Order, ObjectiveName::Tb),
        (Walk::Order, ObjectiveName::Subtb),
        (Walk::Edges, ObjectiveName::Subtb),
        (Walk::Chain, ObjectiveName::Fm),
        (Walk::Complete, ObjectiveName::Db),
        (Walk::Graph, ObjectiveName::Mdb),
    ] {
        let start = || Trainer::new(config(walk, objective), given.problem()).unwrap();
        let mut whole = start();
        advance(&mut whole, ITERATIONS);
        let expected = bytes(&whole, directory.path());
        for stop in 0..=ITERATIONS {
            let mut first = start();
            advance(&mut first, stop);
            first.save(&path, "data").unwrap();
            let mut second =
                Trainer::resume(&path, config(walk, objective), given.problem(), "data").unwrap();
            assert_eq!(second.best(), first.best());
            advance(&mut second, ITERATIONS - stop);
            assert!(bytes(&second, directory.path()) == expected, "{walk} {objective} stopped after {stop}");
        }
    }
}

/// A checkpoint after a few iterations, as bytes.
fn written(given: &Given, directory: &Path) -> Vec<u8> {
    let mut trainer = Trainer::new(config(Walk::Order, ObjectiveName::Tb), given.problem()).unwrap();
    advance(&mut trainer, 3);
    bytes(&trainer, directory)
}

fn refusal(given: &Given, path: &Path, config: ValidTrainConfig, fingerprint: &str) -> CheckpointError {
    match Trainer::resume(path, config, given.problem(), fingerprint).err().expect("a refusal") {
        ResumeError::Checkpoint(error) => error,
        other => panic!("{other}"),
    }
}

#[test]
fn a_truncated_file_is_refused_by_name() {
    let (given, directory) = (Given::new(), tempdir().unwrap());
    let whole = written(&given, directory.path());
    let path = directory.path().join("cut");
    for length in (0..whole.len()).step_by(97) {
        fs::write(&path, &whole[..length]).unwrap();
        let error = refusal(&given, &path, config(Walk::Order, ObjectiveName::Tb), "data");
        assert!(matches!(error, CheckpointError::Truncated { .. }), "{length} bytes: {error}");
        assert_eq!(
            error.to_string(),
            format!("'{}' is truncated: it ends before its header says", path.display())
        );
    }
}

#[test]
fn a_foreign_file_is_refused_by_name() {
    let (given, directory) = (Given::new(), tempdir().unwrap());
    let path = directory.path().join("foreign");
    let other = safetensors::serialize::<&str, safetensors::tensor::TensorView<'_>, _>([], None).unwrap();
    for bytes in [b"name,value\n1,2\n3,4\n".to_vec(), other, vec![0; 200]] {
        fs::write(&path, bytes).unwrap();
        let error = refusal(&given, &path, config(Walk::Order, ObjectiveName::Tb), "data");
        assert!(
            matches!(error, CheckpointError::Foreign { .. } | CheckpointError::Truncated { .. }),
            "{error}"
        );
        assert!(error.to_string().contains("foreign'"), "{error}");
    }
    let error =
        refusal(&given, &directory.path().join("none"), config(Walk::Order, ObjectiveName::Tb), "data");
    assert!(matches!(error, CheckpointError::File { action: "read", .. }), "{error}");
}

#[test]
fn another_version_problem_or_setting_is_refused_by_name() {
    let (given, directory) = (Given::new(), tempdir().unwrap());
    let whole = written(&given, directory.path());
    let path = directory.path().join("bytes");
    let same = || config(Walk::Order, ObjectiveName::Tb);
    let error = refusal(&given, &path, same(), "other data");
    assert!(
        error
            .to_string()
            .ends_with("belongs to other data or options: its fingerprint is data, not other data")
    );
    let error = refusal(&given, &path, config(Walk::Order, ObjectiveName::Subtb), "data");
    assert!(error.to_string().ends_with("was written with other settings: objective differ"), "{error}");
    let more = Given { constraints: Constraints::none(NODES + 1), ..Given::new() };
    let error = refusal(&more, &path, same(), "data");
    assert!(error.to_string().ends_with("is about 4 variables, not 5"), "{error}");
    let (now, later) = (br#"\"version\":2,"#, br#"\"version\":9,"#);
    let at = whole.windows(now.len()).position(|bytes| bytes == now).unwrap();
    let mut newer = whole.clone();
    newer[at..at + now.len()].copy_from_slice(later);
    fs::write(&path, newer).unwrap();
    let error = refusal(&given, &path, same(), "data");
    assert!(error.to_string().ends_with("has layout version 9, but this program reads version 2"), "{error}");
}

#[test]
fn flipped_bits_never_panic() {
    let mut knowledge = Knowledge::default();
    knowledge.require("a->b").require("c->d");
    let constraints = knowledge.compile(&["a", "b", "c", "d"]).unwrap();
    for given in [Given::new(), Given { constraints, ..Given::new() }] {
        flip_bits(&given);
    }
}

fn flip_bits(given: &Given) {
    let directory = tempdir().unwrap();
    let whole = written(given, directory.path());
    let path = directory.path().join("flipped");
    let mut rng = stream(1, Stream::Test { k: 0 });
    for _ in 0..300 {
        let mut bytes = whole.clone();
        let at = rng.random_range(0..bytes.len());
        bytes[at] ^= 1 << rng.random_range(0..8);
        fs::write(&path, bytes).unwrap();
        if let Ok(mut trainer) =
            Trainer::resume(&path, config(Walk::Order, ObjectiveName::Tb), given.problem(), "data")
        {
            trainer.step(&mut |_: &Event<'_>| {}).unwrap();
        }
    }
}

#[test]
fn a_failed_write_leaves_nothing_behind() {
    let (given, directory) = (Given::new(), tempdir().unwrap());
    let trainer = Trainer::new(config(Walk::Order, ObjectiveName::Tb), given.problem()).unwrap();
    let error = trainer.save(&directory.path().join("missing/checkpoint"), "data").unwrap_err();
    assert!(matches!(error, CheckpointError::File { action: "write", .. }), "{error}");
    trainer.save(&directory.path().join("checkpoint"), "data").unwrap();
    let names: Vec<_> =
        fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["checkpoint"]);
}

#[test]
fn a_policy_draws_the_same_without_its_trainer() {
    let (given, directory) = (Given::new(), tempdir().unwrap());
    let mut trainer = Trainer::new(config(Walk::Chain, ObjectiveName::Db), given.problem()).unwrap();
    advance(&mut trainer, 5);
    let expected = trainer.sampler().sample(50, 9, SampleMode::Policy);
    let paths = ["model", "run"].map(|name| directory.path().join(name));
    trainer.save_policy(&paths[0], "data").unwrap();
    trainer.save(&paths[1], "data").unwrap();
    for path in paths {
        let policy = Policy::open(&path, &given.constraints).unwrap();
        assert_eq!(policy.sampler().sample(50, 9, SampleMode::Policy), expected);
        assert_eq!((policy.fingerprint(), policy.config()), ("data", &**trainer.config()));
    }
    let error = Policy::open(&directory.path().join("model"), &Constraints::none(9)).err().unwrap();
    assert!(error.to_string().ends_with("is about 4 variables, not 9"), "{error}");
}
