//! The crash test: runs that are killed at any moment, files that are cut or damaged, disks that are full.
//!
//! `TORTURE_ROUNDS` says how many rounds there are (`make torture`: 1000).

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use gflowcausal::rand::RngExt;
use gflowcausal::{Stream, stream};

use super::{errors, json, printed, run, small, start};

/// The runs that are tortured, each with its uninterrupted end in a directory of its own.
const RUNS: [(&str, &str); 3] = [
    ("policy", "discover d/data.csv --posterior policy --iterations 150 --samples 50"),
    ("chains", "discover d/data.csv --method mcmc --samples 200"),
    ("graph", "discover d/data.csv --method dag-gflownet --iterations 60 --samples 50"),
];

/// All files of a run but for the seconds that it took, and what follows from them.
fn contents(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(dir).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        if name != "SHA256SUMS" && name != "report.html" {
            files.insert(name, fs::read(entry.path()).unwrap());
        }
    }
    let result = files.get_mut("result.json").expect("a finished run has a result");
    let mut object = json(result);
    object.as_object_mut().unwrap().remove("seconds");
    *result = object.to_string().into_bytes();
    files
}

#[test]
fn runs_survive_whatever_happens_to_them() {
    let rounds = std::env::var("TORTURE_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(9);
    let home = small();
    for (name, line) in RUNS {
        printed(home.path(), &format!("{line} --out {name}"));
    }
    for round in 0..rounds {
        let mut rng = stream(round, Stream::Test { k: 19 });
        let (name, line) = RUNS[round as usize % RUNS.len()];
        let dir = home.path().join("tortured");
        let _ = fs::remove_dir_all(&dir);
        kill(home.path(), &format!("{line} --out tortured -q"), rng.random_range(1..900));
        for _ in 0..rng.random_range(0..3_u32) {
            kill(home.path(), "discover --resume tortured -q", rng.random_range(1..600));
        }
        if rng.random_bool(0.3) && damage(&dir, &mut rng) {
            let output = run(home.path(), "discover --resume tortured -q");
            assert!(matches!(output.status.code(), Some(0 | 2)), "round {round}: {}", errors(&output));
            if output.status.code() == Some(2) {
                continue;
            }
        } else if dir.join("config.toml").exists() {
            let output = run(home.path(), "discover --resume tortured -q");
            assert!(output.status.success(), "round {round}: {}", errors(&output));
        } else {
            printed(home.path(), &format!("{line} --out tortured --overwrite -q"));
        }
        assert!(contents(&dir) == contents(&home.path().join(name)), "round {round}: {name} ended otherwise");
    }
}

/// Kills a run by force after so many milliseconds.
fn kill(home: &Path, line: &str, milliseconds: u64) {
    let mut child = start(home, line);
    std::thread::sleep(Duration::from_millis(milliseconds));
    // It may be over by now.
    let _ = child.kill();
    child.wait().unwrap();
}

/// Cuts a file of the run, or flips a bit of it; says whether there was one.
fn damage(dir: &Path, rng: &mut impl RngExt) -> bool {
    let names = ["checkpoint", "chains.json", "training.csv", "config.toml"];
    let path = dir.join(names[rng.random_range(0..names.len())]);
    let Ok(mut bytes) = fs::read(&path) else { return false };
    let at = rng.random_range(0..bytes.len());
    if rng.random_bool(0.5) {
        bytes.truncate(at);
    } else {
        bytes[at] ^= 1 << rng.random_range(0..8_u32);
    }
    fs::write(&path, bytes).unwrap();
    true
}
