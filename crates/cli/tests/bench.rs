//! `bench`, through the binary.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use serde_json::Value;
use tempfile::TempDir;

fn bench(home: &Path, arguments: &str) -> Command {
    let mut command = Command::cargo_bin("gflowcausal").unwrap();
    command.current_dir(home).arg("bench").args(arguments.split(' '));
    command
}

fn printed(home: &Path, arguments: &str) -> String {
    let output = bench(home, arguments).assert().success().get_output().stdout.clone();
    String::from_utf8(output).unwrap()
}

#[test]
fn a_suite_becomes_a_table_and_goes_on_where_it_was() {
    let home = TempDir::new().unwrap();
    let text = printed(home.path(), "table5 --quick --methods gflowcausal --out r");
    for part in ["Gumbel ER2-12", "the paper", "limit: true order, t-test"] {
        assert!(text.contains(part), "no {part:?} in:\n{text}");
    }
    let runs = || fs::read_to_string(home.path().join("r/runs.jsonl")).unwrap();
    let before = runs().lines().filter(|line| !line.is_empty()).count();
    assert_eq!(before, 2, "two methods");
    let again = printed(home.path(), "table5 --quick --methods gflowcausal --out r");
    assert_eq!(again, text, "figures and seconds come from the first time");
    assert_eq!(runs().lines().filter(|line| !line.is_empty()).count(), before);
    let csv = fs::read_to_string(home.path().join("r/results.csv")).unwrap();
    assert!(csv.starts_with("suite,data,scale,method,graphs,tpr,tpr_sd"));
    assert!(fs::read_to_string(home.path().join("r/results.md")).unwrap().contains("| Gumbel ER2-12 |"));
}

#[test]
fn equal_noise_on_its_own_scale_is_solved() {
    let home = TempDir::new().unwrap();
    let text = printed(home.path(), "table5 --quick --methods gflowcausal, --format json --out r");
    let tables: Value = serde_json::from_str(&text).unwrap();
    let row = &tables[0]["rows"][0];
    assert_eq!(row["method"], "gflowcausal, bic-equal");
    assert_eq!(row["shd"]["mean"], 0.0);
    assert!(row["cpu_seconds"]["mean"].as_f64().unwrap() > 0.0);
}

#[test]
fn a_figure_of_the_paper_that_no_graph_can_have_is_marked() {
    let home = TempDir::new().unwrap();
    let text = printed(home.path(), "table1 --quick --methods gflowcausal, --limit 1 --out r");
    assert!(text.contains("impossible: a TPR of 0.93 misses 4.2 of 60 edges"), "{text}");
}

#[test]
fn a_figure_is_written_and_kept() {
    let home = TempDir::new().unwrap();
    let text = printed(home.path(), "fig-case --quick --out r");
    assert!(text.contains("Case 2 (edges)"), "{text}");
    let svg = fs::read_to_string(home.path().join("r/fig-case-8.svg")).unwrap();
    for part in ["CPU seconds", "graphs drawn", "Case 3 (chain), naive"] {
        assert!(svg.contains(part), "no {part:?} in the figure");
    }
    assert!(fs::read(home.path().join("r/fig-case-8.png")).unwrap().starts_with(b"\x89PNG"));
    assert!(fs::read_to_string(home.path().join("r/results.md")).unwrap().contains("| CPU ms a graph |"));
    assert_eq!(printed(home.path(), "fig-case --quick --out r"), text, "times come from the first time");
}

#[test]
fn the_memory_of_a_run_is_measured() {
    let home = TempDir::new().unwrap();
    let text = printed(home.path(), "table5 --quick --methods gflowcausal, --format json --out r");
    let tables: Value = serde_json::from_str(&text).unwrap();
    if cfg!(target_os = "linux") {
        assert!(tables[0]["rows"][0]["peak_megabytes"]["mean"].as_f64().unwrap() > 1.0);
    }
}

#[test]
fn what_is_unknown_is_refused_and_nothing_written() {
    let home = TempDir::new().unwrap();
    for (arguments, message) in [
        ("table9", "error[unknown-suite]: there is no suite 'table9'"),
        ("--quick", "error[no-suite]: which suite is to be run?"),
        ("table1 --methods magic", "error[unknown-method]: no method of these suites begins with magic"),
    ] {
        let output = bench(home.path(), arguments).assert().code(2).get_output().stderr.clone();
        let text = String::from_utf8(output).unwrap();
        assert!(text.contains(message), "{text}");
    }
    assert_eq!(fs::read_dir(home.path()).unwrap().count(), 0);
}
