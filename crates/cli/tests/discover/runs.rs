//! Run directories: complete, the same for any number of threads, and resumed to the same end after any death.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use super::{gflowcausal, json, printed, simulated};

/// Everything that a run leaves, by file; the seconds it took are left out.
fn contents(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(dir).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        files.insert(name, fs::read(entry.path()).unwrap());
    }
    // They are those of the seconds, too.
    files.remove("SHA256SUMS");
    if let Some(result) = files.get_mut("result.json") {
        let mut object: Value = serde_json::from_slice(result).unwrap();
        object.as_object_mut().unwrap().remove("seconds");
        *result = object.to_string().into_bytes();
    }
    files
}

fn assert_same(a: &Path, b: &Path) {
    let (a, b) = (contents(a), contents(b));
    assert_eq!(a.keys().collect::<Vec<_>>(), b.keys().collect::<Vec<_>>());
    for (name, bytes) in &a {
        assert!(*bytes == b[name], "{name} differs");
    }
}

fn start(home: &Path, arguments: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_gflowcausal"))
        .current_dir(home)
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

const RUN: [&str; 6] = ["discover", "d/data.csv", "--iterations", "300", "--samples", "200"];

fn to(out: &str) -> Vec<&str> {
    let mut arguments = RUN.to_vec();
    arguments.extend(["--out", out]);
    arguments
}

#[test]
fn a_run_leaves_all_its_files() {
    let home = simulated();
    let text = printed(home.path(), &to("run"));
    assert!(text.contains("files in run"), "{text}");
    let files = contents(&home.path().join("run"));
    let expected = [
        "adjacency.csv",
        "checkpoint",
        "config.toml",
        "edge_probabilities.csv",
        "edges.csv",
        "graph.dot",
        "graph.graphml",
        "graph.json",
        "model.safetensors",
        "report.html",
        "result.json",
        "samples.jsonl",
        "training.csv",
    ];
    for name in expected {
        assert!(files.contains_key(name), "no {name}");
    }
    assert!(files.keys().all(|name| !name.ends_with(".part")), "{:?}", files.keys());
    for graph in ["run/graph.json", "run/graph.dot", "run/graph.graphml"] {
        let text = printed(home.path(), &["evaluate", graph, "--truth", "run/adjacency.csv"]);
        assert!(text.starts_with("SHD 0 "), "{graph}: {text}");
    }
    let counts: u64 = String::from_utf8(files["samples.jsonl"].clone())
        .unwrap()
        .lines()
        .map(|line| json(line)["count"].as_u64().unwrap())
        .sum();
    assert_eq!(counts, 200);
}

#[test]
fn a_run_is_repeated_by_its_own_config() {
    let home = simulated();
    printed(home.path(), &to("first"));
    printed(home.path(), &["discover", "--config", "first/config.toml", "--out", "second"]);
    assert_same(&home.path().join("first"), &home.path().join("second"));
}

#[test]
fn a_run_of_built_in_data_may_be_named_after_them() {
    let home = tempfile::tempdir().unwrap();
    let quick = ["discover", "sachs", "--method", "exact", "--samples", "20", "--out", "sachs"];
    printed(home.path(), &quick);
    let again = ["discover", "--config", "sachs/config.toml", "--out", "again"];
    printed(home.path(), &again);
    assert_same(&home.path().join("sachs"), &home.path().join("again"));
}

#[test]
fn the_number_of_threads_does_not_change_a_bit() {
    let home = simulated();
    for threads in ["1", "2"] {
        let mut arguments = to(threads);
        arguments.extend(["--threads", threads]);
        printed(home.path(), &arguments);
    }
    assert_same(&home.path().join("1"), &home.path().join("2"));
}

#[test]
fn a_killed_run_goes_on_to_the_same_end() {
    let home = simulated();
    let mut whole = to("whole");
    whole.extend(["--threads", "1"]);
    printed(home.path(), &whole);
    for moment in [10, 60, 150, 300, 600, 1100] {
        let _ = fs::remove_dir_all(home.path().join("cut"));
        let mut child = start(home.path(), &to("cut"));
        std::thread::sleep(Duration::from_millis(moment));
        // It may be over already.
        let _ = child.kill();
        child.wait().unwrap();
        if !home.path().join("cut/config.toml").exists() {
            continue;
        }
        printed(home.path(), &["discover", "--resume", "cut"]);
        assert_same(&home.path().join("whole"), &home.path().join("cut"));
    }
}

#[test]
fn an_early_stop_saves_and_the_rest_gives_the_same_end() {
    let home = simulated();
    printed(home.path(), &to("whole"));
    // The shortest budget that lets training begin, on whatever machine this is.
    let is_cut = |budget: &&str| {
        let mut short = to("cut");
        short.extend(["--time-budget", budget, "--format", "json", "--overwrite"]);
        let result = json(&printed(home.path(), &short));
        result["training"]["stopped"] == "interrupted"
            && result["training"]["iterations"].as_u64().is_some_and(|done| done > 0 && done < 300)
    };
    let budgets = ["20ms", "40ms", "80ms", "160ms", "320ms", "640ms", "1280ms"];
    assert!(budgets.iter().any(is_cut), "no budget ends within the training");
    printed(home.path(), &["discover", "--resume", "cut"]);
    let (whole, cut) = (contents(&home.path().join("whole")), contents(&home.path().join("cut")));
    for name in ["result.json", "samples.jsonl", "model.safetensors", "training.csv", "checkpoint"] {
        assert!(whole[name] == cut[name], "{name} differs");
    }
}

#[cfg(unix)]
#[test]
fn an_interrupt_prints_and_saves_what_was_found() {
    let home = simulated();
    let mut arguments = vec!["discover", "d/data.csv", "--iterations", "1000000", "--format", "json"];
    arguments.extend(["--out", "run", "-q"]);
    let child = start(home.path(), &arguments);
    while !home.path().join("run/config.toml").exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
    std::thread::sleep(Duration::from_millis(700));
    let interrupt = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(interrupt.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let result = json(&String::from_utf8(output.stdout).unwrap());
    assert_eq!(result["training"]["stopped"], "interrupted");
    let saved = fs::read_to_string(home.path().join("run/result.json")).unwrap();
    assert_eq!(json(&saved)["graph"], result["graph"]);
    assert!(home.path().join("run/checkpoint").exists());
}

#[test]
fn more_graphs_are_drawn_later() {
    let home = simulated();
    printed(home.path(), &to("run"));
    let text = printed(home.path(), &["sample", "run", "-n", "500", "--format", "json"]);
    let counts: u64 = text.lines().map(|line| json(line)["count"].as_u64().unwrap()).sum();
    assert_eq!(counts, 500);
    let old = fs::read_to_string(home.path().join("run/samples.jsonl")).unwrap();
    assert_ne!(text.lines().next(), old.lines().next(), "new draws are new");
    let same = printed(home.path(), &["sample", "run", "-n", "200", "--seed", "0", "--format", "json"]);
    assert_eq!(same, old, "the run's seed draws the run's graphs again");
    assert!(printed(home.path(), &["sample", "run"]).contains("1000 graphs drawn"));
}

/// The chains of this run have their tables built again for parents that were left out, and keep more draws than are asked for.
#[test]
fn chains_draw_as_many_graphs_as_asked_for_from_the_tables_they_ended_with() {
    let home = tempfile::tempdir().unwrap();
    let simulate = "simulate --nodes 20 --degree 1 --rows 60 --standardize --seed 3 --out d";
    printed(home.path(), &simulate.split(' ').collect::<Vec<_>>());
    let discover = "discover d/data.csv --score bic --posterior chains --samples 300 --format json --out run";
    let result = json(&printed(home.path(), &discover.split(' ').collect::<Vec<_>>()));
    let chains = json(&fs::read_to_string(home.path().join("run/chains.json")).unwrap());
    assert_ne!(chains["widened"], 0, "tables that were not built again");
    assert_eq!(result["posterior"]["samples"], 300);

    let names: Vec<Value> = result["data"]["variables"].as_array().unwrap().clone();
    let place = |name: &Value| names.iter().position(|known| known == name).unwrap();
    let (mut drawn, mut total) = (vec![0.0; 20 * 20], 0.0);
    for line in printed(home.path(), &["sample", "run", "-n", "1000", "--format", "json"]).lines() {
        let (draw, count) = (json(line), json(line)["count"].as_f64().unwrap());
        total += count;
        for edge in draw["edges"].as_array().unwrap() {
            drawn[20 * place(&edge[0]) + place(&edge[1])] += count;
        }
    }
    assert_eq!(total, 1000.0);
    let probabilities = result["posterior"]["edge_probabilities"].as_array().unwrap();
    let probabilities = probabilities.iter().flat_map(|row| row.as_array().unwrap());
    let differences = probabilities.zip(&drawn).map(|(p, count)| (p.as_f64().unwrap() - count / total).abs());
    let (mean, most) = differences.fold((0.0, 0.0_f64), |(sum, most), d| (sum + d / 380.0, most.max(d)));
    assert!(
        mean < 0.008 && most < 0.1,
        "edges drawn differ from their probabilities by {mean}, {most} at most"
    );
}

#[test]
fn graphs_are_drawn_from_the_data_of_the_run_and_where_there_are_probabilities() {
    let home = simulated();
    printed(home.path(), &["simulate", "--nodes", "6", "--rows", "201", "--seed", "9", "--out", "other"]);
    let sample_fails = |run: &str, code: &str| {
        let arguments = ["sample", run, "--data", "other/data.csv"];
        let output = gflowcausal(home.path(), &arguments).assert().code(2).get_output().stderr.clone();
        let text = String::from_utf8(output).unwrap();
        assert!(text.starts_with(&format!("error[{code}]")), "{text}");
    };
    printed(home.path(), &["discover", "d/data.csv", "--posterior", "exact", "--out", "exact"]);
    sample_fails("exact", "checkpoint-of-other-data");
    printed(home.path(), &["discover", "d/data.csv", "--posterior", "none", "--out", "best"]);
    sample_fails("best", "not-in-run");
}

#[test]
fn a_run_that_is_not_what_it_was_is_not_resumed() {
    let home = simulated();
    printed(home.path(), &to("run"));
    let refused = |arguments: &[&str]| {
        let output = gflowcausal(home.path(), arguments).assert().code(2).get_output().stderr.clone();
        let text = String::from_utf8(output).unwrap();
        text.lines().find(|line| line.starts_with("error")).unwrap().to_owned()
    };
    assert_eq!(
        refused(&["discover", "--resume", "run", "--seed", "3"]),
        "error[option-without-effect]: --resume takes the run's own options: no other can be given"
    );
    let checkpoint = home.path().join("run/checkpoint");
    let bytes = fs::read(&checkpoint).unwrap();
    fs::write(&checkpoint, &bytes[..bytes.len() / 2]).unwrap();
    assert_eq!(
        refused(&["discover", "--resume", "run"]),
        "error[truncated-checkpoint]: 'run/checkpoint' is truncated: it ends before its header says"
    );
    fs::write(&checkpoint, "something else entirely, long enough to have a header of its own").unwrap();
    assert_eq!(
        refused(&["discover", "--resume", "run"]),
        "error[foreign-checkpoint]: 'run/checkpoint' is not a checkpoint of this program"
    );
    fs::write(&checkpoint, bytes).unwrap();
    let data = fs::read_to_string(home.path().join("d/data.csv")).unwrap();
    let fewer: Vec<&str> = data.lines().take(150).collect();
    fs::write(home.path().join("d/data.csv"), fewer.join("\n")).unwrap();
    let said = refused(&["discover", "--resume", "run"]);
    assert!(said.starts_with("error[checkpoint-of-other-data]: '"), "{said}");
    assert!(said.ends_with("' is not what the run began with"), "{said}");
}
