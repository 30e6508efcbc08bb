//! The arrows of `docs/architecture.md`: a crate may depend on those in its row and on no other of ours.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

const PREFIX: &str = "gflowcausal";

/// The one dependency of a crate outside the workspace.
const FUZZER: &str = "libfuzzer-sys";

/// Crate folder → the folders it may use.
const ARROWS: [(&str, &[&str]); 15] = [
    ("determinism", &[]),
    ("autodiff", &["determinism"]),
    ("graph", &[]),
    ("data", &["determinism", "graph"]),
    ("graph-io", &["graph", "data"]),
    ("score", &["determinism", "graph", "data"]),
    ("flow", &["determinism", "autodiff", "graph"]),
    ("posterior", &["determinism", "graph", "score"]),
    ("search", &["determinism", "graph", "data", "score"]),
    ("neural", &["determinism", "autodiff", "graph", "score", "search"]),
    (
        "gflowcausal",
        &["determinism", "graph", "graph-io", "data", "score", "flow", "search", "posterior", "neural"],
    ),
    ("report", &["gflowcausal"]),
    ("bench", &["gflowcausal", "report"]),
    ("cli", &["gflowcausal", "report", "bench"]),
    ("python", &["gflowcausal", "report", "cli"]),
];

/// What only some crates may use.
const RESERVED: [(&str, &[&str]); 6] = [
    ("rayon", &["determinism"]),
    ("rand_chacha", &["determinism"]),
    ("clap", &["cli"]),
    ("indicatif", &["cli"]),
    ("pyo3", &["python"]),
    ("numpy", &["python"]),
];

fn folder(package: &str) -> &str {
    package.strip_prefix("gflowcausal-").unwrap_or(package)
}

/// Every workspace member, as its manifest has it.
fn packages() -> Vec<Value> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .output()
        .expect("cargo runs");
    let mut metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo metadata prints JSON");
    serde_json::from_value(metadata["packages"].take()).expect("a list of packages")
}

/// Folder of each workspace member → names of what its library or binary depends on.
fn dependencies() -> BTreeMap<String, Vec<String>> {
    let normal = |package: &Value| direct(package).filter(|d| d["kind"].is_null()).map(name).collect();
    packages().iter().map(|package| (folder(&name(package)).to_owned(), normal(package))).collect()
}

/// Everything that a package names itself, tests and benches included.
fn direct(package: &Value) -> impl Iterator<Item = &Value> {
    package["dependencies"].as_array().expect("a list of dependencies").iter()
}

fn name(of: &Value) -> String {
    text(&of["name"]).to_owned()
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

/// The sources of a crate, tests and benches included.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let (folders, files): (Vec<PathBuf>, Vec<PathBuf>) = entries.partition(|path| path.is_dir());
    let own = folders.iter().filter(|folder| !folder.ends_with("target")).flat_map(|folder| sources(folder));
    let is_source = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "rs");
    own.chain(files.into_iter().filter(is_source)).collect()
}

/// The files that a source embeds, as it names them.
fn embedded(source: &str) -> impl Iterator<Item = &str> {
    ["include_str!(\"", "include_bytes!(\"", "include!(\""]
        .into_iter()
        .flat_map(|start| source.split(start).skip(1))
        .filter_map(|rest| rest.split_once("\")").map(|(name, _)| name))
}

#[test]
fn a_package_embeds_no_file_of_another() {
    let mut seen = 0;
    for package in packages() {
        let home = Path::new(text(&package["manifest_path"])).parent().expect("a folder");
        let home = home.canonicalize().expect("the folder of a package");
        for path in sources(&home) {
            let source = std::fs::read_to_string(&path).expect("a source file");
            for name in embedded(&source) {
                let file = path.parent().expect("a folder").join(name);
                let file = file.canonicalize().unwrap_or_else(|_| panic!("{}: no {name}", path.display()));
                assert!(file.starts_with(&home), "{} embeds {}", path.display(), file.display());
                seen += 1;
            }
        }
    }
    assert!(seen > 40, "{seen} embedded files: suites, drivers, the page and its font");
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

#[test]
fn every_direct_dependency_has_a_row_that_says_why_and_no_row_is_left_over() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/dependencies.md");
    let list = std::fs::read_to_string(path).expect("the list of dependencies");
    let listed: BTreeSet<String> = list
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.split(" |").next())
        .filter(|name| *name != "crate" && *name != FUZZER)
        .map(str::to_owned)
        .collect();
    let used: BTreeSet<String> = packages()
        .iter()
        .flat_map(|package| direct(package).map(name).collect::<Vec<_>>())
        .filter(|name| !name.starts_with(PREFIX))
        .collect();
    assert_eq!(used.difference(&listed).collect::<Vec<_>>(), Vec::<&String>::new(), "without a row");
    assert_eq!(listed.difference(&used).collect::<Vec<_>>(), Vec::<&String>::new(), "no longer used");
}
