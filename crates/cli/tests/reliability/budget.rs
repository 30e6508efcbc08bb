//! A budget is held and a signal is heard inside expensive work, in every phase, method, score and pruning.

use std::process::Stdio;
use std::time::{Duration, Instant};

use super::{command, json, run, simulated};

/// Runs `line` with a budget of one second; it must end in time with a graph.
fn held(home: &std::path::Path, line: &str) {
    let start = Instant::now();
    let output = run(home, &format!("{line} --time-budget 1s --format json -q"));
    let seconds = start.elapsed().as_secs_f64();
    assert!(output.status.success(), "{line}: {}", super::errors(&output));
    assert!(json(&output.stdout)["graph"]["edges"].is_array(), "{line}");
    // The debug build reads and checks the table, and other tests run beside it: the promise itself is a second.
    assert!(seconds < 7.0, "{line}: {seconds:.1} s of 1");
}

#[test]
fn inside_expensive_scores_and_prunings() {
    let home = simulated("--nodes 20 --degree 2 --rows 600 --model gp");
    for line in [
        "discover d/data.csv --score gp",
        "discover d/data.csv --score spline",
        "discover d/data.csv --score quadratic",
        "discover d/data.csv --prune cam",
        "discover d/data.csv --method boss --score gp",
        "discover d/data.csv --method sort-var --prune cam",
        "discover d/data.csv --method exact --score gp",
        "discover d/data.csv --method exact --score spline --prune cam",
        "discover d/data.csv --method dag-gflownet --score gp",
        "discover d/data.csv --method gflownets-score --score gp",
        "discover d/data.csv --posterior policy --score spline",
    ] {
        held(home.path(), line);
    }
}

#[test]
fn inside_methods_on_many_variables() {
    let home = simulated("--nodes 300 --degree 2 --rows 400");
    for line in [
        "discover d/data.csv",
        "discover d/data.csv --method boss",
        "discover d/data.csv --method ges",
        "discover d/data.csv --method pc",
        "discover d/data.csv --method notears",
        "discover d/data.csv --method dagma",
        "discover d/data.csv --method direct-lingam",
        "discover d/data.csv --method sort-var --prune lasso",
        "discover d/data.csv --method dag-gflownet",
    ] {
        held(home.path(), line);
    }
}

/// A graph that was not pruned as asked says so.
#[test]
fn what_there_was_no_time_for_is_said() {
    let home = simulated("--nodes 100 --degree 4 --rows 2000");
    let output = run(home.path(), "discover d/data.csv --prune cam --time-budget 300ms --format json -q");
    let findings = json(&output.stdout)["findings"].to_string();
    assert!(findings.contains("out-of-time") && findings.contains("cam"), "{findings}");
}

#[test]
fn a_score_that_there_was_no_time_for_is_not_a_number_that_is_none() {
    let home = simulated("--nodes 40 --degree 3 --rows 2000");
    let output = run(home.path(), "discover d/data.csv --score gp --time-budget 100ms --no-progress");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("score gp: there was no time to compute it") && !text.contains("NaN"), "{text}");
}

#[cfg(unix)]
#[test]
fn signals_end_a_run_with_its_result_also_before_the_first_iteration() {
    let home = simulated("--nodes 50 --degree 2 --rows 300");
    for (signal, line) in [
        ("INT", "discover d/data.csv --method dag-gflownet"),
        ("TERM", "discover d/data.csv --posterior policy --walk graph"),
        ("HUP", "discover d/data.csv --score spline"),
        ("INT", "discover d/data.csv --score gp"),
    ] {
        let run = command(home.path(), &format!("{line} --format json"))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(1500));
        let start = Instant::now();
        let id = run.id().to_string();
        std::process::Command::new("kill").args([format!("-{signal}"), id]).status().unwrap();
        let output = run.wait_with_output().unwrap();
        let seconds = start.elapsed().as_secs_f64();
        assert_eq!(output.status.code(), Some(130), "{line}");
        assert!(json(&output.stdout)["graph"]["edges"].is_array(), "{line}");
        assert!(seconds < 8.0, "{line}: {seconds:.1} s after SIG{signal}");
    }
}
