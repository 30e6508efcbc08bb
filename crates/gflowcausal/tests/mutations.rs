//! Mutated files of runs are read or refused: the fuzzer's seeds, changed at random, through every reader.
//!
//! `MUTATIONS` says how many inputs each reader gets (1000 by default). What `fuzz/` does with a compiler's help, this does without.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use gflowcausal::flow::{
    Event, LocalLogReward, LogReward, ObjectiveName, Policy, Problem, Terminal, TrainConfig, Trainer, Walk,
};
use gflowcausal::graph::{Constraints, NodeSet};
use gflowcausal::posterior::{Chains, ChainsConfig, ChainsState};
use gflowcausal::rand::RngExt;
use gflowcausal::score::{LocalScore, ParentSetTables, TableSettings};
use gflowcausal::{RunFile, RunResult, Stream, graph_io, stream};
use sha2::{Digest, Sha256};

fn seeds(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds").join(target);
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    paths.sort();
    paths.into_iter().map(|path| fs::read(path).unwrap()).collect()
}

/// Gives `read` the seeds of `target` and as many changed ones as are asked for.
fn mutate(target: &str, mut read: impl FnMut(&[u8])) {
    let count = std::env::var("MUTATIONS").ok().and_then(|count| count.parse().ok()).unwrap_or(1000);
    let seeds = seeds(target);
    seeds.iter().for_each(|seed| read(seed));
    for k in 0..count {
        let mut rng = stream(k, Stream::Test { k: 1 });
        let mut bytes = seeds[k as usize % seeds.len()].clone();
        for _ in 0..rng.random_range(1..6_u32) {
            change(&mut bytes, &seeds, &mut rng);
        }
        read(&bytes);
    }
}

/// Flips, sets, removes, doubles or cuts something, or takes a piece of another seed or a number that matters.
fn change(bytes: &mut Vec<u8>, seeds: &[Vec<u8>], rng: &mut impl RngExt) {
    const PIECES: [&str; 12] = [
        "0",
        "-1",
        "1e999",
        "18446744073709551615",
        "null",
        "[]",
        "{}",
        "\"",
        "NaN",
        "\u{fffd}",
        ",",
        "4611686018427387904",
    ];
    let at = rng.random_range(0..=bytes.len());
    let end = (at + rng.random_range(0..24_usize)).min(bytes.len());
    match rng.random_range(0..7_u32) {
        0 if at < bytes.len() => bytes[at] ^= 1 << rng.random_range(0..8_u32),
        1 if at < bytes.len() => bytes[at] = rng.random(),
        2 => drop(bytes.drain(at..end)),
        3 => {
            let piece = bytes[at..end].to_vec();
            drop(bytes.splice(at..at, piece));
        }
        4 if rng.random_bool(0.2) => bytes.truncate(at),
        5 => {
            let other = &seeds[rng.random_range(0..seeds.len())];
            let from = rng.random_range(0..=other.len());
            let piece = other[from..(from + 24).min(other.len())].to_vec();
            drop(bytes.splice(at..end, piece));
        }
        _ => {
            let piece = PIECES[rng.random_range(0..PIECES.len())];
            drop(bytes.splice(at..end.min(at + 4), piece.bytes()));
        }
    }
}

/// `bytes` with the checksum that goes with them, where there is a place for it.
fn sealed(bytes: &[u8]) -> Vec<u8> {
    const MARK: &[u8] = br#"\"sha256\":\""#;
    let mut bytes = bytes.to_vec();
    if let Some(at) = bytes.windows(MARK.len()).position(|window| window == MARK)
        && let Some(place) = bytes.get_mut(at + MARK.len()..at + MARK.len() + 64)
    {
        place.fill(b'0');
        let sum: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        bytes[at + MARK.len()..at + MARK.len() + 64].copy_from_slice(sum.as_bytes());
    }
    bytes
}

struct Flat;

impl LogReward for Flat {
    fn log_reward(&self, _: &Terminal) -> f64 {
        0.0
    }

    fn local(&self) -> Option<&dyn LocalLogReward> {
        Some(self)
    }
}

impl LocalLogReward for Flat {
    fn log_local(&self, _: usize, _: &NodeSet) -> f64 {
        0.0
    }
}

impl LocalScore for Flat {
    fn name(&self) -> &'static str {
        "flat"
    }

    fn nodes(&self) -> usize {
        3
    }

    fn local(&self, _: usize, _: &NodeSet) -> f64 {
        0.0
    }
}

#[test]
fn policies() {
    let mut read = 0;
    mutate("run_model", |bytes| {
        for bytes in [bytes.to_vec(), sealed(bytes)] {
            if let Ok(policy) = Policy::parse(bytes, &Constraints::none(3)) {
                read += 1;
                assert_eq!(policy.sampler(None).unwrap().sample(1, 0).len(), 1);
            }
        }
    });
    assert!(read >= 4, "{read}");
}

#[test]
fn checkpoints() {
    let mut config =
        TrainConfig { walk: Walk::Order, objective: ObjectiveName::Tb, ..TrainConfig::default() };
    config.network.width = 4;
    config.network.layers = 1;
    config.batch_size = 2;
    config.iterations = 4;
    config.replay.capacity = 2;
    let settings = config.validate().unwrap();
    let (constraints, home) = (Constraints::none(3), tempfile::tempdir().unwrap());
    let problem = Problem { constraints: &constraints, reward: &Flat, local_search: None };
    let path = home.path().join("checkpoint");
    let mut read = 0;
    mutate("run_checkpoint", |bytes| {
        fs::write(&path, sealed(bytes)).unwrap();
        if let Ok((mut trainer, _)) = Trainer::resume(&path, settings.clone(), problem, "data") {
            read += 1;
            // It may diverge from numbers that are finite, but far off.
            let _ = trainer.step(&mut |_: &Event<'_>| {});
        }
    });
    assert!(read >= 2, "{read}");
}

#[test]
fn states_of_chains() {
    let settings = TableSettings { temperature: 1.0, edge_log_odds: 0.0, max_candidates: 2 };
    let all: Vec<NodeSet> = (0..3).map(|node| NodeSet::full(3).without(node)).collect();
    let stop = AtomicBool::new(false);
    let tables = ParentSetTables::new(&Flat, &Constraints::none(3), &all, &[], &settings, &stop).unwrap();
    let mut read = 0;
    mutate("run_chains", |bytes| {
        let Ok(state) = serde_json::from_slice::<ChainsState>(bytes) else { return };
        let config = ChainsConfig { sweeps: 1, ..ChainsConfig::default() };
        if let Ok(mut chains) = Chains::resume(&tables, &state, config) {
            read += 1;
            chains.advance(1, &stop);
            let _ = (chains.summary(), chains.draws());
        }
    });
    assert!(read >= 1, "{read}");
}

#[test]
fn results_draws_and_logs() {
    const CUT: &[u8] = b"\n====\n";
    let mut read = 0;
    mutate("run_directory", |bytes| {
        let mut rest = bytes;
        let mut part = || {
            let end = rest.windows(CUT.len()).position(|window| window == CUT);
            let (part, after) = end.map_or((rest, &[][..]), |end| (&rest[..end], &rest[end + CUT.len()..]));
            rest = after;
            part.to_vec()
        };
        let (result, samples, log) = (part(), part(), part());
        if let Ok(result) = RunResult::parse(&result, &samples, || Ok(log), None) {
            read += 1;
            let written = serde_json::to_vec(&result).unwrap();
            let _ = RunResult::parse(&written, &samples, || Ok(Vec::new()), None);
        }
    });
    assert!(read >= 3, "{read}");
}

#[test]
fn configurations() {
    let mut read = 0;
    mutate("run_config", |bytes| {
        let Some(file) = std::str::from_utf8(bytes).ok().and_then(|text| RunFile::parse(text).ok()) else {
            return;
        };
        read += 1;
        let again = RunFile::parse(&file.to_toml()).unwrap();
        assert_eq!(again.to_toml(), file.to_toml());
    });
    assert!(read >= 3, "{read}");
}

#[test]
fn knowledge() {
    let names = ["a", "b", "c", "X1", "X2", "X3"].map(str::to_owned);
    let mut read = 0;
    mutate("knowledge_tetrad", |bytes| {
        let Ok(knowledge) = graph_io::read_knowledge(bytes) else { return };
        read += 1;
        let _ = knowledge.compile(&names);
    });
    assert!(read >= 1, "{read}");
}
