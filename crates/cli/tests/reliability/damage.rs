//! Damaged files are refused by name, before anything is computed: whatever is read back has a checksum.

use std::fs;
use std::path::Path;

use super::{assert_refused, printed, run, small};

/// Every bit that is flipped in `name`, at `places` spread over it, is noticed by the run `line`.
fn flips(home: &Path, name: &str, line: &str) {
    let path = home.join(name);
    let whole = fs::read(&path).unwrap();
    for k in 0..12 {
        let mut bytes = whole.clone();
        let at = k * (bytes.len() - 1) / 11;
        bytes[at] ^= 1 << (k % 8);
        fs::write(&path, &bytes).unwrap();
        let output = run(home, line);
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "bit {} of byte {at} of {name}: {text}", k % 8);
        let name = Path::new(name).file_name().unwrap().to_str().unwrap();
        assert!(text.contains(name), "{name} is not named: {text}");
    }
    fs::write(&path, &whole).unwrap();
    assert!(run(home, line).status.success(), "{line}, with {name} as it was");
}

#[test]
fn files_of_a_finished_run() {
    let home = small();
    let trained = "discover d/data.csv --posterior policy --iterations 20 --samples 50 --out run";
    printed(home.path(), trained);
    for name in ["checkpoint", "training.csv", "config.toml"] {
        flips(home.path(), &format!("run/{name}"), "discover --resume run -q");
    }
    for name in ["model.safetensors", "result.json", "samples.jsonl", "config.toml"] {
        flips(home.path(), &format!("run/{name}"), "sample run -n 20");
    }
    flips(home.path(), "run/result.json", "report run");
}

#[test]
fn the_state_of_chains() {
    let home = small();
    printed(home.path(), "discover d/data.csv --method mcmc --samples 50 --out run");
    flips(home.path(), "run/chains.json", "discover --resume run -q");
}

/// A damaged checkpoint is found before the searches run: nothing of a phase is printed.
#[test]
fn a_damaged_checkpoint_is_found_first() {
    let home = small();
    printed(home.path(), "discover d/data.csv --posterior policy --iterations 20 --samples 50 --out run");
    let path = home.path().join("run/checkpoint");
    let mut bytes = fs::read(&path).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    fs::write(&path, bytes).unwrap();
    let text = assert_refused(home.path(), "discover --resume run", "damaged-checkpoint");
    assert!(!text.contains("local search"), "{text}");
}

#[test]
fn a_run_that_is_not_finished_is_not_shown() {
    let home = small();
    printed(home.path(), "discover d/data.csv --method exact --samples 20 --out run");
    fs::remove_file(home.path().join("run/SHA256SUMS")).unwrap();
    let text = assert_refused(home.path(), "report run", "unfinished-run");
    assert!(text.contains("--resume"), "{text}");
}

#[test]
fn a_run_of_another_version_is_refused_by_name() {
    let home = small();
    printed(home.path(), "discover d/data.csv --method exact --samples 20 --out run");
    let path = home.path().join("run/config.toml");
    let text = fs::read_to_string(&path).unwrap();
    let (above, _) = text.rsplit_once("# sha256").unwrap();
    let other = above.replace(&format!("version = \"{}\"", env!("CARGO_PKG_VERSION")), "version = \"0.0.1\"");
    assert_ne!(above, other);
    let sum = sha256(other.as_bytes());
    fs::write(&path, format!("{other}# sha256 of all above: {sum}\n")).unwrap();
    assert_refused(home.path(), "sample run", "run-of-another-version");
}

fn sha256(bytes: &[u8]) -> String {
    use sha2::{Digest, Sha256};
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
