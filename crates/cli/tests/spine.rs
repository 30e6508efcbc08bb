//! `simulate`, `evaluate`, `convert`, `doctor`, `completions`, through the binary.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use serde_json::Value;
use tempfile::TempDir;

fn gflowcausal(home: &TempDir, arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("gflowcausal").unwrap();
    command.current_dir(home.path()).args(arguments);
    command
}

/// Standard output of a run that must succeed.
fn printed(home: &TempDir, arguments: &[&str]) -> String {
    let output = gflowcausal(home, arguments).assert().success().get_output().stdout.clone();
    String::from_utf8(output).unwrap()
}

/// Standard error of a run that must fail with `exit`.
fn refused(home: &TempDir, exit: i32, arguments: &[&str]) -> String {
    let assert = gflowcausal(home, arguments).assert().code(exit);
    let output = assert.get_output();
    assert!(output.stdout.is_empty(), "{}", String::from_utf8_lossy(&output.stdout));
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn small(home: &TempDir, out: &str, more: &[&str]) -> String {
    let mut arguments = vec!["simulate", "--nodes", "6", "--rows", "80", "--seed", "3", "--out", out];
    arguments.extend(more);
    printed(home, &arguments)
}

#[test]
fn a_simulated_truth_is_at_distance_zero_from_itself() {
    let home = TempDir::new().unwrap();
    printed(
        &home,
        &["simulate", "--graph", "er", "--nodes", "30", "--degree", "2", "--seed", "1", "--out", "d"],
    );
    printed(&home, &["doctor", "d/data.csv"]);
    let text = printed(&home, &["evaluate", "d/truth.json", "--truth", "d/truth.csv"]);
    assert!(
        text.starts_with("SHD 0  (missing 0, extra 0, reversed 0; 60 true edges, 60 predicted)"),
        "{text}"
    );
}

#[test]
fn the_number_of_threads_does_not_change_a_byte() {
    let home = TempDir::new().unwrap();
    small(&home, "one", &["--threads", "1"]);
    small(&home, "two", &["--threads", "2"]);
    for file in ["data.csv", "truth.csv", "truth.json", "weights.csv"] {
        let bytes = |out: &str| fs::read(home.path().join(out).join(file)).unwrap();
        assert_eq!(bytes("one"), bytes("two"), "{file}");
    }
}

#[test]
fn parquet_and_csv_hold_the_same_table() {
    let home = TempDir::new().unwrap();
    small(&home, "csv", &[]);
    let summary = json(&small(&home, "parquet", &["--format", "parquet", "--format", "json"]));
    assert_eq!(summary["rows"], 80);
    assert_eq!(summary["edges"], 12);
    assert!(summary["files"][0].as_str().unwrap().ends_with("data.parquet"));
    let told = |file: &str| json(&printed(&home, &["doctor", file, "--format", "json"]));
    assert_eq!(told("csv/data.csv")["rows"], told("parquet/data.parquet")["rows"]);
    assert_eq!(told("csv/data.csv")["findings"], told("parquet/data.parquet")["findings"]);
}

#[test]
fn every_family_model_and_noise_can_be_simulated() {
    let home = TempDir::new().unwrap();
    for family in ["er", "er-gnp", "sf", "sf-directed"] {
        small(&home, "g", &["--graph", family]);
    }
    for model in ["linear", "gp", "gp-quiet", "gp-additive", "quadratic", "mlp", "mim", "discrete"] {
        small(&home, "m", &["--model", model]);
    }
    for noise in ["gauss", "exp", "gumbel", "uniform", "laplace", "t"] {
        small(&home, "n", &["--noise", noise]);
    }
}

#[test]
fn evaluate_counts_what_differs() {
    let home = TempDir::new().unwrap();
    write(&home, "truth.csv", "from,to\na,b\nb,c\n");
    write(&home, "estimate.dot", "digraph { b -> a; b -> c; a -> c }");
    let told =
        json(&printed(&home, &["evaluate", "estimate.dot", "--truth", "truth.csv", "--format", "json"]));
    let count = |key: &str| told[key].as_u64().unwrap();
    assert_eq!((count("shd"), count("shd_2"), count("reversed"), count("extra")), (2, 3, 1, 1));
    assert_eq!(told["tpr"], 0.5);
}

#[test]
fn a_bare_matrix_takes_the_other_files_names_and_can_be_turned() {
    let home = TempDir::new().unwrap();
    write(&home, "truth.dot", "digraph { a -> b }");
    write(&home, "matrix.csv", "0,0\n1,0\n");
    let turned = ["--orientation", "column-to-row", "--format", "json"];
    let told =
        json(&printed(&home, &[&["evaluate", "matrix.csv", "--truth", "truth.dot"], &turned[..]].concat()));
    assert_eq!(told["shd"], 0);
    let told = json(&printed(&home, &["evaluate", "matrix.csv", "--truth", "truth.dot", "--format", "json"]));
    assert_eq!(told["shd"], 1);
    let told = json(&printed(&home, &["evaluate", "truth.dot", "--truth", "matrix.csv", "--format", "json"]));
    assert_eq!(told["reversed"], 1);
}

#[test]
fn a_graph_survives_every_format() {
    let home = TempDir::new().unwrap();
    small(&home, "d", &[]);
    let chain =
        ["d/truth.json", "g.dot", "g.graphml", "g.gml", "g.bif", "g.npy", "g.csv", "g.tetrad", "end.json"];
    for pair in chain.windows(2) {
        let names = ["--names", "X1,X2,X3,X4,X5,X6"];
        let extra: &[&str] = if pair[0] == "g.npy" { &names } else { &[] };
        printed(&home, &[&["convert", pair[0], pair[1]], extra].concat());
    }
    let told =
        json(&printed(&home, &["evaluate", "end.json", "--truth", "d/truth.json", "--format", "json"]));
    assert_eq!(told["shd"], 0);
    let edges = printed(&home, &["convert", "end.json", "-", "--to", "edge-list"]);
    assert_eq!(edges.lines().count(), 13);
}

#[test]
fn completions_name_the_verbs() {
    let home = TempDir::new().unwrap();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = printed(&home, &["completions", shell]);
        assert!(script.contains("evaluate") && script.contains("orientation"), "{shell}");
    }
}

#[test]
fn bad_graphs_are_refused_by_name() {
    let home = TempDir::new().unwrap();
    write(&home, "good.csv", "from,to\na,b\n");
    write(&home, "cycle.csv", "from,to\na,b\nb,c\nc,a\n");
    write(&home, "other.csv", "from,to\na,z\n");
    write(&home, "empty.csv", "");
    let cases = [
        (
            "evaluate good.csv --truth cycle.csv",
            "error[cycle]: graph 'cycle.csv': the graph has a cycle: c -> a -> b -> c\n  help: remove or turn one of these edges\n",
        ),
        (
            "evaluate other.csv --truth good.csv",
            "error[other-variables]: graph 'other.csv': the variables differ: missing b; unknown z\n  \
             help: use the same names in both, each variable once\n",
        ),
        (
            "evaluate empty.csv --truth good.csv",
            "error[empty-file]: graph file 'empty.csv': the file is empty\n",
        ),
    ];
    for (line, expected) in cases {
        let arguments: Vec<&str> = line.split(' ').collect();
        assert_eq!(refused(&home, 2, &arguments), expected, "{line}");
    }
}

#[test]
fn bad_tables_are_refused_by_code() {
    let home = TempDir::new().unwrap();
    write(&home, "empty.csv", "");
    write(&home, "ragged.csv", "a,b\n1.5,2.5\n1.5\n");
    write(&home, "text.csv", "a,b\n1.5,2.5\n1.5,x\n2.5,3.5\n");
    write(&home, "norows.csv", "a,b\n");
    write(&home, "twice.csv", "a,a\n1.5,2.5\n");
    fs::create_dir(home.path().join("folder.csv")).unwrap();
    fs::write(home.path().join("latin.csv"), b"a,b\n1.5,2.5\n\xff,1.5\n").unwrap();
    let cases = [
        ("empty.csv", "empty-file"),
        ("ragged.csv", "ragged-row"),
        ("text.csv", "mixed-types"),
        ("norows.csv", "no-rows"),
        ("twice.csv", "duplicate-names"),
        ("nowhere.csv", "not-found"),
        ("folder.csv", "directory"),
        ("x.xlsx", "unknown-extension"),
    ];
    for (file, code) in cases {
        let said = refused(&home, 2, &["doctor", file]);
        assert!(said.starts_with(&format!("error[{code}]: ")), "{file}: {said}");
        assert!(said.contains("\n  help: "), "{file}: {said}");
    }
    assert!(refused(&home, 2, &["doctor", "latin.csv"]).starts_with("error["));
}

#[test]
fn impossible_simulations_write_nothing() {
    let home = TempDir::new().unwrap();
    let cases: [(&[&str], &str); 3] = [
        (&["--nodes", "4", "--edges", "7"], "7 edges do not fit: 4 nodes have 6 pairs"),
        (
            &["--model", "discrete", "--noise", "exp"],
            "option 'noise' has no effect on model 'discrete': leave it out",
        ),
        (&["--rows", "0"], "a table needs at least 1 row"),
    ];
    for (more, message) in cases {
        let said = refused(&home, 2, &[&["simulate", "--out", "d"], more].concat());
        assert!(said.contains(message), "{said}");
        assert!(!home.path().join("d").exists());
    }
}

#[test]
fn a_file_in_the_way_is_a_running_failure() {
    let home = TempDir::new().unwrap();
    write(&home, "d", "");
    let said = refused(&home, 1, &["simulate", "--out", "d"]);
    assert!(said.starts_with("error[file-error]: cannot create 'd': "), "{said}");
    assert!(said.ends_with("help: a file stands in the way: choose another name\n"), "{said}");
}

#[test]
fn help_has_examples() {
    let home = TempDir::new().unwrap();
    for verb in ["simulate", "evaluate", "score", "convert", "doctor", "completions"] {
        let help = printed(&home, &[verb, "--help"]);
        assert!(help.contains("Examples:\n"), "{verb}");
    }
}

fn write(home: &TempDir, name: &str, text: &str) {
    fs::write(home.path().join(Path::new(name)), text).unwrap();
}
