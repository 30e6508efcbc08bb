//! Runs that stop and go on, and files that are not theirs.

use std::fs;
use std::path::Path;

use gflowcausal_determinism::StreamRng;
use gflowcausal_determinism::rand::RngExt;
use gflowcausal_determinism::{Stream, stream};
use gflowcausal_flow::{
    CheckpointError, Event, LocalSearch, ObjectiveName, Policy, Problem, ReplayConfig, ResumeError, Terminal,
    TrainConfig, Trainer, ValidTrainConfig, Walk,
};
use gflowcausal_graph::{Constraints, Knowledge, Order};
use sha2::{Digest, Sha256};
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
    config.network.width = 8;
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
    let bytes = trainer.checkpoint_bytes("data", "log");
    fs::write(directory.join("bytes"), &bytes).unwrap();
    bytes
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
            fs::write(&path, first.checkpoint_bytes("data", "log")).unwrap();
            let (mut second, log) =
                Trainer::resume(&path, config(walk, objective), given.problem(), "data").unwrap();
            assert_eq!((second.best(), log.as_str()), (first.best(), "log"));
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
    let (now, later) = (br#"\"version\":6,"#, br#"\"version\":9,"#);
    let at = whole.windows(now.len()).position(|bytes| bytes == now).unwrap();
    let mut newer = whole.clone();
    newer[at..at + now.len()].copy_from_slice(later);
    fs::write(&path, newer).unwrap();
    let error = refusal(&given, &path, same(), "data");
    assert!(error.to_string().ends_with("has layout version 9, but this program reads version 6"), "{error}");
}

#[test]
fn flipped_bits_are_refused() {
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
        refusal(given, &path, config(Walk::Order, ObjectiveName::Tb), "data");
    }
}

#[test]
fn another_version_of_the_program_is_refused_by_name() {
    let (given, directory) = (Given::new(), tempdir().unwrap());
    let forged = resealed(written(&given, directory.path()), br#"program\":\"0."#, br#"program\":\"9."#);
    let path = directory.path().join("forged");
    fs::write(&path, forged).unwrap();
    let error = refusal(&given, &path, config(Walk::Order, ObjectiveName::Tb), "data");
    assert!(error.to_string().contains("was written by version 9."), "{error}");
}

/// A file with other bytes in its header and the checksum that goes with them.
fn resealed(mut bytes: Vec<u8>, now: &[u8], then: &[u8]) -> Vec<u8> {
    let find = |bytes: &[u8], what: &[u8]| bytes.windows(what.len()).position(|found| found == what).unwrap();
    let at = find(&bytes, now);
    bytes.splice(at..at + now.len(), then.iter().copied());
    let length = u64::from_le_bytes(bytes[..8].try_into().unwrap()) + then.len() as u64 - now.len() as u64;
    bytes[..8].copy_from_slice(&length.to_le_bytes());
    let mark = br#"sha256\":\""#;
    let at = find(&bytes, mark) + mark.len();
    bytes[at..at + 64].fill(b'0');
    let digest: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    bytes[at..at + 64].copy_from_slice(digest.as_bytes());
    bytes
}

#[test]
fn a_network_of_another_size_than_its_tensors_is_refused_before_memory_is_taken() {
    let given = Given::new();
    let trainer = Trainer::new(config(Walk::Order, ObjectiveName::Tb), given.problem()).unwrap();
    let width = format!(r#"width\":{}}}"#, trainer.config().network.width);
    for other in ["0", "17", "100000", "4611686018427387904", "18446744073709551615"] {
        let other = format!(r#"width\":{other}}}"#);
        let forged = resealed(trainer.policy_bytes("data"), width.as_bytes(), other.as_bytes());
        let error = Policy::parse(forged, &given.constraints).err().expect("a refusal");
        assert!(matches!(error, CheckpointError::Damaged { .. }), "{other}: {error}");
    }
}

#[test]
fn weights_that_are_no_numbers_are_refused() {
    let given = Given::new();
    let trainer = Trainer::new(config(Walk::Order, ObjectiveName::Tb), given.problem()).unwrap();
    let mut bytes = trainer.policy_bytes("data");
    let last = bytes.len() - 4;
    bytes[last..].copy_from_slice(&f32::NAN.to_le_bytes());
    let forged = resealed(bytes, b"gflowcausal", b"gflowcausal");
    let error = Policy::parse(forged, &given.constraints).err().expect("a refusal");
    assert!(error.to_string().ends_with("holds a number that is not finite"), "{error}");
}

#[test]
fn a_policy_draws_the_same_without_its_trainer() {
    let (given, directory) = (Given::new(), tempdir().unwrap());
    let paths = ["model", "run"].map(|name| directory.path().join(name));
    let plain = config(Walk::Chain, ObjectiveName::Db);
    let mut draws = Vec::new();
    for averaging in [None, Some(0.9)] {
        let mut config = (*plain).clone();
        config.optimizer.averaging = averaging;
        let mut trainer = Trainer::new(config.validate().unwrap(), given.problem()).unwrap();
        advance(&mut trainer, 5);
        let expected = trainer.sampler().sample(50, 9);
        fs::write(&paths[0], trainer.policy_bytes("data")).unwrap();
        fs::write(&paths[1], trainer.checkpoint_bytes("data", "")).unwrap();
        for path in &paths {
            let policy = Policy::open(path, &given.constraints).unwrap();
            assert_eq!(policy.sampler(None).unwrap().sample(50, 9), expected);
            assert_eq!(policy.fingerprint(), "data");
        }
        draws.push(expected);
    }
    assert_ne!(draws[0], draws[1], "the policy of averaged parameters is another one");
    let error = Policy::open(&directory.path().join("model"), &Constraints::none(9)).err().unwrap();
    assert!(error.to_string().ends_with("is about 4 variables, not 9"), "{error}");
}
