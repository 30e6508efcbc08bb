//! `score` through the binary: totals, terms, what each edge contributes, and what is refused.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;

use assert_cmd::Command;
use serde_json::Value;
use tempfile::TempDir;

/// Four rows of three numbers and a category; `b` is about twice `a`.
const TABLE: &str =
    "a,b,c,k\n0.5,1.1,3.5,x\n1.5,2.9,1.5,y\n2.5,5.2,2.25,x\n3.5,6.8,4.5,y\n4.5,9.1,0.5,x\n5.5,11.2,3.25,y\n";

const NUMBERS: &str =
    "a,b,c\n0.5,1.1,3.5\n1.5,2.9,1.5\n2.5,5.2,2.25\n3.5,6.8,4.5\n4.5,9.1,0.5\n5.5,11.2,3.25\n";

fn home() -> TempDir {
    let home = TempDir::new().unwrap();
    let files = [
        ("mixed.csv", TABLE),
        ("numbers.csv", NUMBERS),
        ("gap.csv", "a,b,c\n0.5,1.1,3.5\n1.5,,1.5\n2.5,5.2,2.25\n3.5,6.8,4.5\n4.5,9.1,0.5\n5.5,11.2,3.25\n"),
        ("chain.dot", "digraph { a -> b; b -> c }"),
        ("empty.dot", "digraph { a; b; c }"),
        ("matrix.csv", "0,0,0\n1,0,0\n0,1,0\n"),
        ("cycle.dot", "digraph { a -> b; b -> c; c -> a }"),
        ("other.dot", "digraph { a -> b; b -> z }"),
        ("undirected.dot", "graph { a -- b; b -- c }"),
        ("with_k.dot", "digraph { a -> b; k -> b; c }"),
    ];
    files.iter().for_each(|(name, text)| fs::write(home.path().join(name), text).unwrap());
    home
}

fn run(home: &TempDir, line: &str) -> std::process::Output {
    let mut command = Command::cargo_bin("gflowcausal").unwrap();
    command.current_dir(home.path()).arg("score").args(line.split(' ')).output().unwrap()
}

fn printed(home: &TempDir, line: &str) -> String {
    let output = run(home, line);
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn json(home: &TempDir, line: &str) -> Value {
    serde_json::from_str(&printed(home, &format!("{line} --format json"))).unwrap()
}

fn refused(home: &TempDir, line: &str) -> String {
    let output = run(home, line);
    assert_eq!(output.status.code(), Some(2), "{line}");
    assert!(output.stdout.is_empty(), "{line}");
    String::from_utf8(output.stderr).unwrap()
}

/// ```python
/// import numpy as np
/// X = np.array([[.5,1.1,3.5],[1.5,2.9,1.5],[2.5,5.2,2.25],[3.5,6.8,4.5],[4.5,9.1,.5],[5.5,11.2,3.25]]); n = 6
/// def bic(j, P):
///     A = np.column_stack([np.ones(n)] + [X[:, p] for p in P])
///     r = X[:, j] - A @ np.linalg.lstsq(A, X[:, j], rcond=None)[0]
///     return -n/2*np.log(r @ r/n) - len(P)/2*np.log(n)
/// print(bic(0, []), bic(1, [0]), bic(2, [1]), bic(1, [0]) - bic(1, []), bic(2, [1]) - bic(2, []))
/// ```
#[test]
fn terms_and_edges_are_what_numpy_says() {
    let home = home();
    let answer = json(&home, "numbers.csv --graph chain.dot --score bic --penalty 1");
    let number = |value: &Value| value.as_f64().unwrap();
    let close =
        |value: &Value, theirs: f64| assert!((number(value) - theirs).abs() < 1e-9, "{value} {theirs}");
    let [a, b, c] = [-3.2113242351042404, 10.646573718257692, -2.5769454714234596];
    close(&answer["nodes"][0]["score"], a);
    close(&answer["nodes"][1]["score"], b);
    close(&answer["nodes"][2]["score"], c);
    close(&answer["score"]["value"], a + b + c);
    assert_eq!(answer["nodes"][1]["parents"][0], "a");
    let edges = &answer["graph"]["edges"];
    assert_eq!((&edges[0]["from"], &edges[0]["to"]), (&"a".into(), &"b".into()));
    close(&edges[0]["delta_score"], 18.08185583182842);
    close(&edges[1]["delta_score"], -0.8743825690958513);
    assert_eq!(answer["data"]["rows"], 6);
    assert_eq!(answer["score"]["name"], "bic");
}

#[test]
fn text_is_a_table_of_variables_and_one_of_edges() {
    let home = home();
    let text = printed(&home, "numbers.csv --graph chain.dot --penalty 1");
    let expected = "\
numbers.csv: 6 rows, 3 variables, 2 edges; score bic 4.9
  variable  score  parents
  a          -3.2
  b          10.6  a
  c          -2.6  b
  edge    score lost without
  a -> b                18.1
  b -> c                -0.9
1 edge alone is better left out
";
    assert_eq!(text, expected);
    assert!(!printed(&home, "numbers.csv --graph empty.dot").contains("edge "));
}

#[test]
fn a_bare_matrix_can_be_turned() {
    let home = home();
    let turned = json(&home, "numbers.csv --graph matrix.csv --orientation column-to-row");
    assert_eq!(turned["score"], json(&home, "numbers.csv --graph chain.dot")["score"]);
}

#[test]
fn every_score_of_graphs_takes_its_graph_apart() {
    let home = home();
    for score in
        ["auto", "bic", "non-gaussian", "bge", "bic-equal", "dg", "quadratic", "quadratic-equal", "gp"]
    {
        let answer = json(&home, &format!("numbers.csv --graph chain.dot --score {score}"));
        assert_eq!(answer["graph"]["edges"].as_array().unwrap().len(), 2, "{score}");
        assert_eq!(answer["nodes"][0]["score"].is_null(), score == "bic-equal", "{score}");
    }
    assert_eq!(json(&home, "mixed.csv --graph with_k.dot")["score"]["name"], "dg");
}

#[test]
fn missing_cells_are_dropped_or_estimated_when_asked() {
    let home = home();
    assert!(refused(&home, "gap.csv --graph chain.dot").starts_with("error[missing-values]: "));
    assert_eq!(json(&home, "gap.csv --graph chain.dot --missing drop")["data"]["rows"], 5);
    assert_eq!(json(&home, "gap.csv --graph chain.dot --missing em")["data"]["rows"], 6);
}

#[test]
fn standardising_changes_a_score_by_the_scales_alone() {
    let home = home();
    let [raw, scaled] = ["", " --standardize"]
        .map(|more| json(&home, &format!("numbers.csv --graph chain.dot --score bic{more}")));
    assert_ne!(raw["score"]["value"], scaled["score"]["value"]);
    let loss = |answer: &Value| answer["graph"]["edges"][0]["delta_score"].as_f64().unwrap();
    assert!((loss(&raw) - loss(&scaled)).abs() < 1e-9);
}

#[test]
fn what_cannot_be_scored_is_named_with_a_way_out() {
    let home = home();
    let cases = [
        ("numbers.csv --graph cycle.dot", "cycle", "remove or turn one of these edges"),
        (
            "numbers.csv --graph other.dot",
            "other-variables",
            "use the same names in both, each variable once",
        ),
        (
            "numbers.csv --graph undirected.dot",
            "undirected-edge",
            "give a graph in which every edge has a direction",
        ),
        ("numbers.csv --graph nowhere.dot", "not-found", "check the path"),
        (
            "mixed.csv --graph with_k.dot --score bic",
            "bad-score",
            "use --score dg, or --score bdeu if all are categories",
        ),
        ("mixed.csv --graph with_k.dot --score gp", "bad-score", "use --score dg"),
        ("numbers.csv --graph chain.dot --score bdeu", "bad-score", "use --score bic"),
        (
            "numbers.csv --graph chain.dot --score varsort",
            "bad-score",
            "use --score bic, or bic-equal if scale matters",
        ),
        (
            "numbers.csv --graph chain.dot --score bge --penalty 2",
            "option-without-effect",
            "leave the option out",
        ),
        ("numbers.csv --graph chain.dot --penalty=-1", "bad-score", "give auto, or a number such as 1"),
    ];
    for (line, code, help) in cases {
        let said = refused(&home, line);
        assert!(said.starts_with(&format!("error[{code}]: ")), "{line}: {said}");
        assert!(said.contains(&format!("help: {help}")), "{line}: {said}");
    }
}

/// Where the score is left to the data, a graph is scored by what a run would choose.
#[test]
fn the_score_by_evidence_is_that_of_a_run() {
    let home = TempDir::new().unwrap();
    let gflowcausal = |line: &str| {
        let mut command = Command::cargo_bin("gflowcausal").unwrap();
        let output = command.current_dir(home.path()).args(line.split(' ')).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    };
    for (model, chosen) in [("gp-additive", "spline"), ("discrete", "bdeu"), ("linear", "bic")] {
        gflowcausal(&format!(
            "simulate --model {model} --nodes 4 --degree 1 --rows 200 --seed 6 --out {model}"
        ));
        let discover = format!("discover {model}/data.csv --format json --out run-{model}");
        let result: Value = serde_json::from_slice(&gflowcausal(&discover)).unwrap();
        let score = format!("score {model}/data.csv --graph run-{model} --format json");
        let scored: Value = serde_json::from_slice(&gflowcausal(&score)).unwrap();
        assert_eq!(result["score"]["name"], chosen);
        assert_eq!(scored["score"]["name"], chosen);
        let values =
            [&scored["score"]["value"], &result["score"]["graph"]].map(|value| value.as_f64().unwrap());
        assert!((values[0] - values[1]).abs() < 1e-9, "{model}: {values:?}");
    }
}
