//! What must hold whatever happens: budgets and signals, directories and locks, damaged files, full disks; through the binary.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod budget;
mod damage;
mod directory;
mod disk;
mod messages;
mod torture;

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// The program in `home` with these words as arguments; no word holds a space.
fn command(home: &Path, line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gflowcausal"));
    command.current_dir(home).args(line.split(' ')).stdin(Stdio::null());
    command
}

fn run(home: &Path, line: &str) -> Output {
    command(home, line).output().unwrap()
}

/// A run that is going on.
fn start(home: &Path, line: &str) -> Child {
    command(home, line).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Standard output of a run that must succeed.
fn printed(home: &Path, line: &str) -> String {
    let output = run(home, line);
    assert!(output.status.success(), "{line}: {}", errors(&output));
    String::from_utf8(output.stdout).unwrap()
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Asserts that a run is refused with `code`, and exit code 2.
fn assert_refused(home: &Path, line: &str, code: &str) -> String {
    let output = run(home, line);
    let text = errors(&output);
    assert!(text.contains(&format!("error[{code}]")), "{line}: {text}");
    assert_eq!(output.status.code(), Some(2), "{line}: {text}");
    text
}

fn json(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).unwrap()
}

/// A directory with `d/data.csv`.
fn simulated(simulation: &str) -> TempDir {
    let home = TempDir::new().unwrap();
    printed(home.path(), &format!("simulate {simulation} --seed 1 --out d"));
    home
}

/// A few variables and rows.
fn small() -> TempDir {
    simulated("--nodes 6 --degree 1 --rows 200 --standardize")
}
