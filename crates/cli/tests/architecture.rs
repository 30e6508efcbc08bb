//! The arrows of `docs/architecture.md`: a crate may depend on those in its row and on no other of ours.

use std::collections::BTreeMap;
use std::process::Command;

use serde_json::Value;

const PREFIX: &str = "gflowcausal";

/// Crate folder → the folders it may use.
const ARROWS: [(&str, &[&str]); 8] = [
    ("determinism", &[]),
    ("graph", &[]),
    ("data", &["determinism", "graph"]),
    ("score", &["determinism", "graph", "data"]),
    ("flow", &["determinism", "graph"]),
    ("search", &["determinism", "graph", "data", "score"]),
    ("gflowcausal", &["determinism", "graph", "data", "score", "flow", "search"]),
    ("cli", &["determinism", "graph", "data", "score", "flow", "search", "gflowcausal"]),
];

/// What only some crates may use.
const RESERVED: [(&str, &[&str]); 4] = [
    ("rayon", &["determinism"]),
    ("rand_chacha", &["determinism"]),
    ("clap", &["cli"]),
    ("indicatif", &["cli"]),
];

fn folder(package: &str) -> &str {
    package.strip_prefix("gflowcausal-").unwrap_or(package)
}

/// Folder of each workspace member → names of what its library or binary depends on.
fn dependencies() -> BTreeMap<String, Vec<String>> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .output()
        .expect("cargo runs");
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo metadata prints JSON");
    let packages = metadata["packages"].as_array().expect("a list of packages");
    packages.iter().map(|package| (folder(text(&package["name"])).to_owned(), normal(package))).collect()
}

fn normal(package: &Value) -> Vec<String> {
    let all = package["dependencies"].as_array().expect("a list of dependencies");
    all.iter().filter(|d| d["kind"].is_null()).map(|d| text(&d["name"]).to_owned()).collect()
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a string")
}

#[test]
fn no_crate_depends_upwards() {
    let allowed = BTreeMap::from(ARROWS);
    for (name, uses) in dependencies() {
        let row = allowed.get(name.as_str()).unwrap_or_else(|| panic!("crate {name} has no row"));
        for used in uses.iter().filter(|used| used.starts_with(PREFIX)) {
            assert!(row.contains(&folder(used)), "{name} may not depend on {used}");
        }
    }
}

#[test]
fn threads_generators_and_printing_have_one_home() {
    for (name, uses) in dependencies() {
        for (tool, homes) in RESERVED {
            let at_home = homes.contains(&name.as_str());
            assert!(at_home || !uses.iter().any(|used| used == tool), "{name} may not depend on {tool}");
        }
    }
}

#[test]
fn every_crate_is_seen() {
    let seen = dependencies();
    assert!(seen.len() >= 4, "{seen:?}");
    assert!(seen["data"].iter().any(|used| used == "gflowcausal-graph"));
}
