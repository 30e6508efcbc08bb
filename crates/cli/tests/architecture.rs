//! The arrows of `docs/architecture.md`: a crate depends on those in its row and on no other of ours.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

const PREFIX: &str = "gflowcausal";

/// The one dependency of a crate outside the workspace.
const FUZZER: &str = "libfuzzer-sys";

/// What part of a crate, or which system, needs a dependency.
const KINDS: [&str; 4] = ["tests", "benches", "examples", "Unix"];

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

/// The rows of the first table of a page of `docs`, cell by cell.
fn rows(page: &str) -> Vec<Vec<String>> {
    let path = format!("{}/../../docs/{page}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("a page of the documentation");
    let table = text.lines().skip_while(|line| !line.starts_with("|---")).skip(1);
    let cells = |line: &str| line.trim_matches('|').split(" |").map(|cell| cell.trim().to_owned()).collect();
    table.take_while(|line| line.starts_with('|')).map(cells).collect()
}

/// The words in backquotes.
fn quoted(cell: &str) -> BTreeSet<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

#[test]
fn the_arrows_are_those_of_the_page() {
    let arrows =
        rows("architecture.md").into_iter().map(|row| (row[0].trim_matches('`').to_owned(), quoted(&row[2])));
    let own = |uses: Vec<String>| {
        let own = uses.into_iter().filter(|used| used.starts_with(PREFIX));
        own.map(|used| folder(&used).to_owned()).collect::<BTreeSet<String>>()
    };
    let used: BTreeMap<String, BTreeSet<String>> =
        dependencies().into_iter().map(|(name, uses)| (name, own(uses))).collect();
    assert_eq!(used, arrows.collect());
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

/// Every crate from outside, and the folders of those that use it, tests and benches included.
#[test]
fn every_direct_dependency_has_a_row_that_says_where_it_is_used() {
    let users = |row: &Vec<String>| {
        let words = row[1].split(|c: char| !c.is_alphanumeric() && c != '-').filter(|word| !word.is_empty());
        words.filter(|word| !KINDS.contains(word)).map(str::to_owned).collect::<BTreeSet<String>>()
    };
    let rows = rows("dependencies.md").into_iter().filter(|row| row[0] != FUZZER);
    let listed: BTreeMap<String, BTreeSet<String>> = rows.map(|row| (row[0].clone(), users(&row))).collect();
    let mut used: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for package in packages() {
        for outside in direct(&package).map(name).filter(|name| !name.starts_with(PREFIX)) {
            used.entry(outside).or_default().insert(folder(&name(&package)).to_owned());
        }
    }
    assert_eq!(used, listed);
}
