//! Full disks, limits on files and streams that nobody reads: the result is printed, and nothing half is left.

use std::fs::{self, File};
use std::process::Stdio;

use super::{command, errors, json, run, small};

#[test]
fn a_full_disk_behind_standard_error_does_not_end_a_run() {
    let home = small();
    let full = || Stdio::from(File::options().write(true).open("/dev/full").unwrap());
    for line in
        ["discover d/data.csv --samples 20", "discover d/data.csv --samples 20 -vv", "discover none.csv"]
    {
        let output = command(home.path(), line).stderr(full()).output().unwrap();
        assert_eq!(output.status.code(), Some(if line.contains("none") { 2 } else { 0 }), "{line}");
    }
}

/// The files of this run are larger than the system allows: the write fails, by a signal if nobody listens.
#[cfg(unix)]
#[test]
fn a_write_that_fails_leaves_no_draft_and_the_result_is_printed() {
    let home = small();
    let program = env!("CARGO_BIN_EXE_gflowcausal");
    let line = format!(
        "ulimit -f 4; exec {program} discover d/data.csv --method mcmc --samples 500 --format json --out run -q"
    );
    let output =
        std::process::Command::new("sh").arg("-c").arg(line).current_dir(home.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", errors(&output));
    assert!(errors(&output).contains("cannot write"), "{}", errors(&output));
    assert!(json(&output.stdout)["graph"]["edges"].is_array());
    for entry in fs::read_dir(home.path().join("run")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(!name.starts_with('.'), "{name} is left");
    }
    let again = run(home.path(), "discover --resume run -q");
    assert!(again.status.success(), "{}", errors(&again));
}
