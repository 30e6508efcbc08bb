//! `discover` and `sample`, through the binary.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod bad_input;
mod runs;

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use serde_json::Value;
use tempfile::TempDir;

fn gflowcausal(home: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("gflowcausal").unwrap();
    command.current_dir(home).args(arguments);
    command
}

/// Standard output of a run that must succeed.
fn printed(home: &Path, arguments: &[&str]) -> String {
    let output = gflowcausal(home, arguments).assert().success().get_output().stdout.clone();
    String::from_utf8(output).unwrap()
}

/// What the program prints for `line`, whose words hold no spaces.
fn said(home: &Path, line: &str) -> String {
    printed(home, &line.split(' ').collect::<Vec<_>>())
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// A directory with `d/data.csv` of 200 rows of 6 variables, and `d/truth.csv`.
fn simulated() -> TempDir {
    let home = TempDir::new().unwrap();
    said(home.path(), "simulate --nodes 6 --degree 1 --rows 200 --seed 4 --standardize --out d");
    home
}

#[test]
fn many_variables_have_an_answer_too_whatever_the_number_of_threads() {
    let home = TempDir::new().unwrap();
    said(home.path(), "simulate --nodes 160 --degree 1 --rows 500 --seed 1 --standardize --out d");
    let answers = ["1", "2"].map(|threads| {
        let discover = "discover d/data.csv --truth d/truth.csv --samples 80 --format json";
        let mut answer = json(&said(home.path(), &format!("{discover} --threads {threads}")));
        answer.as_object_mut().unwrap().remove("seconds");
        answer
    });
    assert_eq!(answers[0], answers[1]);
    assert_eq!(answers[0]["posterior"]["by"], "chains");
    assert!(answers[0]["metrics"]["class_shd"].as_u64().unwrap() <= 5, "of 160 edges");
}

/// `V1` and `V2` follow `V0`, and `V3` their difference: neither says anything about `V3` alone.
#[test]
fn causes_that_cancel_are_as_likely_among_many_variables() {
    let home = TempDir::new().unwrap();
    said(home.path(), "simulate --nodes 151 --edges 1 --rows 300 --seed 3 --out d");
    let table = fs::read_to_string(home.path().join("d/data.csv")).unwrap();
    let mut lines = table.lines();
    let names: Vec<String> = (0..151).map(|node| format!("V{node}")).collect();
    assert_eq!(lines.next().unwrap().split(',').count(), names.len());
    let mut made = vec![names.join(",")];
    for line in lines {
        let mut row: Vec<f64> = line.split(',').map(|cell| cell.parse().unwrap()).collect();
        row[1] += 20.0 * row[0];
        row[2] += 20.0 * row[0];
        row[3] += row[1] - row[2];
        made.push(row.iter().map(f64::to_string).collect::<Vec<_>>().join(","));
    }
    fs::write(home.path().join("made.csv"), made.join("\n")).unwrap();
    let answer = json(&said(
        home.path(),
        "discover made.csv --forbid V3->V0 --forbid V3->V1 --forbid V3->V2 --samples 100 --format json",
    ));
    let edges = answer["graph"]["edges"].as_array().unwrap();
    for cause in ["V1", "V2"] {
        let edge = edges.iter().find(|edge| edge["from"] == cause && edge["to"] == "V3").unwrap();
        assert!(edge["probability"].as_f64().unwrap() > 0.9, "{edge}");
    }
}

#[test]
fn paths_that_are_sure_without_an_edge_are_listed() {
    let home = TempDir::new().unwrap();
    said(home.path(), "simulate --nodes 3 --edges 0 --rows 300 --seed 3 --out d");
    let names = fs::read_to_string(home.path().join("d/data.csv")).unwrap();
    assert!(names.starts_with("X1,X2,X3"));
    let text = said(home.path(), "discover d/data.csv --require X1->X2 --require X2->X3");
    assert!(text.contains("indirect (1): ") && text.contains("X1 ~> X3 (1.00)"), "{text}");
    assert!(!text.contains("X1 ~> X2"), "an edge is no indirect path: {text}");
}

#[test]
fn a_policy_that_misses_the_posterior_is_not_used() {
    let home = TempDir::new().unwrap();
    said(home.path(), "simulate --graph er --nodes 20 --degree 2 --rows 500 --standardize --seed 2 --out d");
    let answer = json(&said(home.path(), "discover d/data.csv --iterations 2 --hidden 4 --format json"));
    assert_eq!(answer["posterior"]["by"], "chains");
    assert_eq!(answer["posterior"]["coverage"]["reference"], "chains");
    let refusals = answer["posterior"]["refusals"].as_array().unwrap();
    assert!(refusals.iter().any(|refusal| refusal == "log-ratio"), "{refusals:?}");
    assert!(answer["posterior"]["reason"].is_null(), "training was asked for");
    let text = said(home.path(), "discover d/data.csv --samples 100");
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("chosen because 20 variables are too many for exact sums"), "{text}");
    let alone = json(&said(
        home.path(),
        "discover d/data.csv --iterations 2 --hidden 4 --posterior policy --format json",
    ));
    assert_eq!(alone["posterior"]["by"], "policy");
    let text = said(home.path(), "discover d/data.csv --iterations 2 --hidden 4 --posterior policy");
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.contains("warning[low-confidence]") && words.contains("not confirmed by the chains, because"),
        "{text}"
    );
}

#[test]
fn the_posterior_counts_each_dag_once() {
    // A fork L1 <- C -> L2: three equivalent DAGs, so C -> L1 has 2/3, and not the 3/4 of linear extensions.
    let home = TempDir::new().unwrap();
    let mut rows = vec!["C,L1,L2".to_owned()];
    let mut state = 1_u64;
    let mut noise = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    };
    for _ in 0..1000 {
        let [c, a, b] = [noise(), noise(), noise()];
        rows.push(format!("{c},{},{}", c + 0.5 * a, c + 0.5 * b));
    }
    fs::write(home.path().join("fork.csv"), rows.join("\n")).unwrap();
    for options in ["--posterior auto", "--method mcmc", "--posterior chains"] {
        let answer = json(&said(
            home.path(),
            &format!("discover fork.csv --score bic --format json --penalty 3 {options}"),
        ));
        let edges = answer["posterior"]["edge_probabilities"].as_array().unwrap();
        let from_c = edges[0][1].as_f64().unwrap();
        assert!((from_c - 2.0 / 3.0).abs() < 0.02, "{options}: {from_c}");
    }
}

#[test]
fn sachs_has_an_answer_with_metrics_and_its_class() {
    let home = TempDir::new().unwrap();
    let text = printed(home.path(), &["discover", "sachs", "--score", "bic", "--format", "json"]);
    let result = json(&text);
    assert_eq!(result["data"]["rows"], 853);
    assert_eq!(result["score"]["name"], "bic");
    assert_eq!(result["metrics"]["cpdag_shd"], 11, "what the best class of these data has");
    assert_eq!(result["metrics"]["class_shd"], 11, "all that is joined is joined in truth");
    assert_eq!(result["posterior"]["edge_probabilities"].as_array().unwrap().len(), 11);
    assert_eq!(result["posterior"]["by"], "exact", "{text}");
    assert_eq!(result["posterior"]["target"], "dags");
    let edges = result["graph"]["edges"].as_array().unwrap().len();
    let class = ["directed", "undirected"].map(|kind| result["cpdag"][kind].as_array().unwrap().len());
    assert_eq!(class.iter().sum::<usize>(), edges);
}

/// The relations of the proteins are bent; which variables say so is part of the answer, and "reversible" is what the
/// probabilities leave open.
#[test]
fn sachs_gets_the_score_that_its_families_ask_for() {
    let home = TempDir::new().unwrap();
    let arguments = ["discover", "sachs", "--samples", "200", "--format", "json"];
    let result = json(&printed(home.path(), &arguments));
    assert_eq!(result["score"]["name"], "spline");
    assert!(result["metrics"]["shd"].as_u64().unwrap() <= 11, "{}", result["metrics"]);
    let evidence = &result["score"]["evidence"];
    assert!(evidence["why"].as_str().unwrap().starts_with("smooth functions are likelier than lines by "));
    assert_eq!(evidence["variables"].as_array().unwrap().len(), 11);
    for edge in result["graph"]["edges"].as_array().unwrap() {
        let [forth, back] = ["probability", "reverse_probability"].map(|key| edge[key].as_f64().unwrap());
        assert_eq!(edge["compelled"], back < 0.1 * (forth + back), "{edge}");
    }
}

#[test]
fn text_says_what_was_done_and_how_far_to_trust_it() {
    let home = simulated();
    let text =
        printed(home.path(), &["discover", "d/data.csv", "--truth", "d/truth.csv", "--iterations", "40"]);
    for part in [
        "data.csv: 200 rows, 6 variables",
        "score bic (no variable has noise of another shape, a bend or a changing",
        "method gflowcausal: walk layers, tb, 40 of 40 iterations of 256 (",
        "score difference",
        "best graph: ",
        "probabilities: ",
        "directions away",
        "against the truth: SHD ",
    ] {
        assert!(text.contains(part), "no {part:?} in:\n{text}");
    }
}

#[test]
fn a_method_that_draws_nothing_says_so() {
    let home = simulated();
    let text = printed(home.path(), &["discover", "d/data.csv", "--method", "pc", "--alpha", "0.01"]);
    for part in ["method pc", "compelled", "probabilities: none, the method gives one graph"] {
        assert!(text.contains(part), "no {part:?} in:\n{text}");
    }
    for part in ["temperature", "pruning", "probability of"] {
        assert!(!text.contains(part), "{part:?} in:\n{text}");
    }
    let arguments =
        ["discover", "d/data.csv", "--method", "ges", "--turning", "--format", "json", "--out", "run"];
    let result = json(&printed(home.path(), &arguments));
    assert_eq!(result["posterior"]["by"], "none");
    assert_eq!(result["posterior"]["samples"], 1);
    let class = ["directed", "undirected"].map(|kind| result["cpdag"][kind].as_array().unwrap().len());
    assert_eq!(class.iter().sum::<usize>(), result["graph"]["edges"].as_array().unwrap().len());
    let config = fs::read_to_string(home.path().join("run/config.toml")).unwrap();
    assert!(config.contains("turning = true"), "{config}");
}

#[test]
fn exact_and_trained_agree() {
    let home = simulated();
    let edges = |more: &[&str]| -> Vec<f64> {
        let mut arguments = vec!["discover", "d/data.csv", "--format", "json"];
        arguments.extend(more);
        let rows = json(&printed(home.path(), &arguments))["posterior"]["edge_probabilities"].take();
        serde_json::from_value::<Vec<Vec<f64>>>(rows).unwrap().concat()
    };
    let exact = edges(&["--method", "exact"]);
    let trained = edges(&["--posterior", "policy"]);
    assert_eq!(edges(&[]), exact, "with few variables nothing is trained");
    let difference: f64 = exact.iter().zip(&trained).map(|(a, b)| (a - b).abs()).sum::<f64>() / 30.0;
    assert!(difference < 0.02, "mean absolute difference {difference}");
    assert!(exact.iter().any(|&p| p > 0.7), "these data say something: {exact:?}");
}

/// Varsortability is largest where columns are sorted by variance: nothing else may come out.
#[test]
fn the_best_order_by_varsort_is_the_sort_by_variance() {
    let home = TempDir::new().unwrap();
    said(home.path(), "simulate --nodes 30 --degree 2 --rows 200 --seed 3 --out d");
    let result = json(&said(
        home.path(),
        "discover d/data.csv --score varsort --iterations 20 --samples 20 --format json",
    ));
    let text = fs::read_to_string(home.path().join("d/data.csv")).unwrap();
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    let variance = |column: usize| {
        let values = rows[1..].iter().map(|row| row[column].parse::<f64>().unwrap());
        let mean = values.clone().sum::<f64>() / (rows.len() - 1) as f64;
        values.map(|value| (value - mean).powi(2)).sum::<f64>()
    };
    let mut sorted: Vec<usize> = (0..30).collect();
    sorted.sort_by(|&a, &b| variance(a).total_cmp(&variance(b)));
    let names: Vec<&str> = sorted.into_iter().map(|column| rows[0][column]).collect();
    assert_eq!(result["order"], Value::from(names));
}

#[test]
fn a_config_file_is_read_and_the_command_line_wins() {
    let home = simulated();
    let file = "score = 'bge'\niterations = 20\nseed = 5\nsamples = 50\n[data]\npath = 'd/data.csv'\n";
    fs::write(home.path().join("c.toml"), file).unwrap();
    let arguments = ["discover", "--config", "c.toml", "--seed", "6", "--format", "json"];
    let result = json(&printed(home.path(), &arguments));
    assert_eq!(result["seed"], 6);
    assert_eq!(result["score"]["name"], "bge");
    assert_eq!(result["posterior"]["samples"], 50);
    assert_eq!(result["training"]["iterations"], 20);
}

#[test]
fn every_walk_and_every_score_for_numbers_gives_an_answer() {
    let home = simulated();
    let run = |more: &[&str]| {
        let mut arguments =
            vec!["discover", "d/data.csv", "--iterations", "5", "--samples", "20", "--format", "json"];
        arguments.extend(more);
        json(&printed(home.path(), &arguments))
    };
    for walk in ["layers", "order", "edges", "chain", "complete", "graph"] {
        assert_eq!(run(&["--walk", walk])["training"]["walk"], walk);
    }
    for score in [
        "bic",
        "non-gaussian",
        "bic-equal",
        "bge",
        "dg",
        "quadratic",
        "quadratic-equal",
        "gp",
        "spline",
        "varsort",
    ] {
        assert_eq!(run(&["--score", score])["score"]["name"], score);
    }
    for prune in ["selected", "t-test", "score", "threshold", "lasso", "cam", "none"] {
        assert_eq!(run(&["--prune", prune])["score"]["prune"], prune);
    }
    for (score, prune) in [("bic-equal", "selected"), ("varsort", "t-test")] {
        assert_eq!(run(&["--score", score])["score"]["prune"], prune);
    }
    assert_eq!(run(&["--score", "varsort", "--prune", "selected"])["score"]["prune"], "selected");
    for objective in ["tb", "subtb", "db", "fm"] {
        assert_eq!(run(&["--objective", objective])["training"]["objective"], objective);
    }
}

#[test]
fn categories_and_mixed_columns_choose_their_scores() {
    let home = TempDir::new().unwrap();
    said(home.path(), "simulate --model discrete --nodes 5 --degree 1 --rows 400 --seed 2 --out d");
    let run = |file: &str| {
        json(&printed(home.path(), &["discover", file, "--iterations", "20", "--format", "json"]))
    };
    assert_eq!(run("d/data.csv")["score"]["name"], "bdeu");
    let text = fs::read_to_string(home.path().join("d/data.csv")).unwrap();
    let mixed: Vec<String> = text
        .lines()
        .enumerate()
        .map(
            |(row, line)| {
                if row == 0 { format!("{line},x") } else { format!("{line},{}", (row as f64).sin()) }
            },
        )
        .collect();
    fs::write(home.path().join("mixed.csv"), mixed.join("\n")).unwrap();
    assert_eq!(run("mixed.csv")["score"]["name"], "dg");
}

/// Independence alone leaves every sure direction of this table open; a score that no shape enters has none to name.
#[test]
fn directions_that_only_shapes_tell_are_named() {
    let home = tempfile::tempdir().unwrap();
    let answer = |line: &str| json(&printed(home.path(), &line.split(' ').collect::<Vec<_>>()));
    let by_evidence = answer("discover sachs --format json");
    let consensus = &by_evidence["consensus"];
    let (sure, by_shape) = (consensus["sure"].as_array().unwrap(), consensus["by_shape"].as_array().unwrap());
    assert!(!by_shape.is_empty() && by_shape.len() <= sure.len());
    for pair in by_shape {
        assert!(sure.iter().any(|edge| edge["from"] == pair[0] && edge["to"] == pair[1]), "{pair}");
    }
    let text = printed(home.path(), &["discover", "sachs", "--no-progress"]);
    assert!(text.contains(&format!("by shape ({} of {} sure)", by_shape.len(), sure.len())), "{text}");
    let none = serde_json::json!([]);
    assert_eq!(answer("discover sachs --score bic --format json")["consensus"]["by_shape"], none);
}
