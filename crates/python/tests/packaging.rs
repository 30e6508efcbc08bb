//! What a wheel is made of fits together. Everything else is tested in Python: see `make python`.

use std::fs;
use std::path::{Path, PathBuf};

fn file(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn modules() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("python/gflowcausal");
    let entries = fs::read_dir(folder).expect("the package").map(|entry| entry.expect("an entry").path());
    entries.filter(|path| path.extension().is_some_and(|extension| extension == "py")).collect()
}

#[test]
fn the_package_says_that_it_is_typed_and_takes_its_version_from_cargo() {
    assert_eq!(file("python/gflowcausal/py.typed"), "");
    let project = file("pyproject.toml");
    assert!(project.contains("dynamic = [\"version\"]"));
    assert!(project.contains("module-name = \"gflowcausal._native\""));
}

#[test]
fn every_exception_that_rust_names_is_a_class() {
    let (rust, python) = (file("src/error.rs"), file("python/gflowcausal/_errors.py"));
    let named: Vec<&str> =
        rust.split('"').filter(|word| word.ends_with("Error") && !word.contains(' ')).collect();
    assert!(named.len() > 30, "{named:?}");
    for name in named {
        assert!(python.contains(&format!("class {name}(")), "{name} is no class");
    }
}

#[test]
fn every_error_of_the_library_has_a_class_of_its_own() {
    let (library, boundary) = (file("../gflowcausal/src/error/mod.rs"), file("src/error.rs"));
    let (_, rest) = library.split_once("pub enum Error {").expect("the errors");
    let (variants, _) = rest.split_once("\n}\n").expect("the end of the errors");
    let is_name = |line: &&str| line.starts_with("    ") && line[4..].starts_with(char::is_uppercase);
    let names =
        variants.lines().filter(is_name).map(|line| line[4..].split(['(', ' ', ',']).next().unwrap_or(""));
    let names: Vec<&str> = names.collect();
    assert!(names.len() > 30, "{names:?}");
    // `class` lists them; other functions come before it.
    let (_, boundary) = boundary.split_once("fn class(").expect("the classes");
    let class = |name: &&str| {
        let arms = ["(", " "].map(|end| format!("        Error::{name}{end}"));
        let arm = arms.iter().find_map(|arm| boundary.split_once(arm)).map(|(_, rest)| rest);
        arm.and_then(|rest| rest.split('"').nth(1)).map(str::to_owned)
    };
    let mut classes: Vec<String> =
        names.iter().map(|name| class(name).unwrap_or_else(|| panic!("no class for {name}"))).collect();
    classes.sort();
    classes.dedup();
    assert_eq!(classes.len(), names.len(), "two errors share a class");
}

#[test]
fn only_numpy_is_imported_without_being_asked_for() {
    let optional = ["dask", "networkx", "pandas", "polars", "ray", "sklearn", "tqdm"];
    for path in modules() {
        let text = fs::read_to_string(&path).expect("a module");
        let imports = text.lines().filter_map(|line| {
            line.strip_prefix("import ")
                .or_else(|| line.strip_prefix("from "))
                .filter(|rest| !rest.starts_with('.'))
        });
        for line in imports {
            let package = line.split([' ', '.']).next().expect("a name");
            assert!(!optional.contains(&package), "{}: {line}", path.display());
        }
    }
}
