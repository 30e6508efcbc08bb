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
