//! `simulate`, `evaluate`, `convert`, `doctor`, `completions`, through the binary.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::path::Path;

use ::gflowcausal::data::FINDINGS;
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
    let answer = |file: &str| json(&printed(&home, &["doctor", file, "--format", "json"]));
    assert_eq!(answer("csv/data.csv")["rows"], answer("parquet/data.parquet")["rows"]);
    assert_eq!(answer("csv/data.csv")["findings"], answer("parquet/data.parquet")["findings"]);
}

#[test]
fn every_family_model_and_noise_can_be_simulated() {
    let home = TempDir::new().unwrap();
    for family in ["er", "er-gnp", "sf", "sf-directed"] {
        small(&home, "g", &["--graph", family]);
    }
    for model in
        ["linear", "gp", "gp-quiet", "gp-additive", "location-scale", "quadratic", "mlp", "mim", "discrete"]
    {
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
    let answer =
        json(&printed(&home, &["evaluate", "estimate.dot", "--truth", "truth.csv", "--format", "json"]));
    let count = |key: &str| answer[key].as_u64().unwrap();
    assert_eq!((count("shd"), count("shd_2"), count("reversed"), count("extra")), (2, 3, 1, 1));
    assert_eq!(answer["tpr"], 0.5);
}

#[test]
fn a_bare_matrix_takes_the_other_files_names_and_can_be_turned() {
    let home = TempDir::new().unwrap();
    write(&home, "truth.dot", "digraph { a -> b }");
    write(&home, "matrix.csv", "0,0\n1,0\n");
    let turned = ["--orientation", "column-to-row", "--format", "json"];
    let answer =
        json(&printed(&home, &[&["evaluate", "matrix.csv", "--truth", "truth.dot"], &turned[..]].concat()));
    assert_eq!(answer["shd"], 0);
    let answer =
        json(&printed(&home, &["evaluate", "matrix.csv", "--truth", "truth.dot", "--format", "json"]));
    assert_eq!(answer["shd"], 1);
    let answer =
        json(&printed(&home, &["evaluate", "truth.dot", "--truth", "matrix.csv", "--format", "json"]));
    assert_eq!(answer["reversed"], 1);
}

#[test]
fn a_graph_survives_every_format() {
    let home = TempDir::new().unwrap();
    small(&home, "d", &[]);
    let chain = ["d/truth.json", "g.dot", "g.graphml", "g.npy", "g.csv", "g.tetrad", "end.json"];
    for pair in chain.windows(2) {
        let names = ["--names", "X1,X2,X3,X4,X5,X6"];
        let extra: &[&str] = if pair[0] == "g.npy" { &names } else { &[] };
        printed(&home, &[&["convert", pair[0], pair[1]], extra].concat());
    }
    let answer =
        json(&printed(&home, &["evaluate", "end.json", "--truth", "d/truth.json", "--format", "json"]));
    assert_eq!(answer["shd"], 0);
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
fn help_has_examples() {
    let home = TempDir::new().unwrap();
    for verb in ["", "simulate", "evaluate", "score", "convert", "doctor", "completions"] {
        let arguments: Vec<&str> = [verb, "--help"].into_iter().filter(|word| !word.is_empty()).collect();
        let help = printed(&home, &arguments);
        assert!(help.contains("Examples:\n  gflowcausal "), "{verb}");
        assert!(!help.contains('\u{1b}'), "{verb}: colour without a terminal");
    }
}

#[test]
fn the_doctors_help_lists_every_finding() {
    let home = TempDir::new().unwrap();
    let help = printed(&home, &["doctor", "--help"]);
    let (_, findings) = help.split_once("Findings:").unwrap();
    let (findings, _) = findings.split_once("Exit code").unwrap();
    let mut severity = "";
    let mut listed = Vec::new();
    for word in findings.split_whitespace() {
        match word {
            "error" | "warning" | "note" => severity = word,
            code => listed.push((code, severity.to_owned())),
        }
    }
    assert_eq!(listed, FINDINGS.map(|(code, severity)| (code, severity.to_string())));
}

#[test]
fn colour_is_for_terminals() {
    let home = TempDir::new().unwrap();
    for arguments in [["doctor", "sachs"], ["doctor", "nowhere.csv"]] {
        let output = gflowcausal(&home, &arguments).output().unwrap();
        let both = [output.stdout, output.stderr].concat();
        assert!(!both.is_empty() && !both.contains(&0x1b), "{arguments:?}");
    }
    let forced = gflowcausal(&home, &["doctor", "sachs"]).env("CLICOLOR_FORCE", "1").output().unwrap();
    assert!(forced.stdout.contains(&0x1b), "no finding has a colour");
    let mut both = gflowcausal(&home, &["doctor", "sachs"]);
    let never = both.env("CLICOLOR_FORCE", "1").env("NO_COLOR", "1").output().unwrap();
    assert!(!never.stdout.contains(&0x1b), "NO_COLOR was not respected");
}

#[test]
fn a_reader_that_has_seen_enough_is_no_failure() {
    use std::io::Read;
    let home = TempDir::new().unwrap();
    let edges = (0..9000).fold(String::from("from,to\n"), |text, k| text + &format!("a{},b{k}\n", k % 7));
    write(&home, "long.csv", &edges);
    let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin!("gflowcausal"))
        .args(["convert", "long.csv", "-", "--to", "json"])
        .current_dir(home.path())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut head = [0; 10];
    child.stdout.take().unwrap().read_exact(&mut head).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), b"".as_slice()));
}

#[test]
fn convert_says_what_it_did_and_what_a_format_has_no_place_for() {
    let home = TempDir::new().unwrap();
    write(&home, "in.csv", "from,to,weight,probability\nrain,wet,0.5,0.9\n");
    let run = |arguments: &[&str]| gflowcausal(&home, arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let npy = run(&["convert", "in.csv", "out.npy"]);
    assert_eq!(text(npy.stdout), "out.npy: 2 variables, 1 edge, from csv to npy\n");
    assert_eq!(text(npy.stderr), "note: npy has no place for names and probabilities\n");
    let quiet = run(&["convert", "in.csv", "out.npy", "--quiet"]);
    assert_eq!((quiet.stdout, quiet.stderr), (vec![], vec![]));
    let answer = json(&printed(&home, &["convert", "in.csv", "out.tetrad", "--format", "json"]));
    assert_eq!(
        (&answer["variables"], &answer["edges"], &answer["to"]),
        (&2.into(), &1.into(), &"tetrad".into())
    );
    assert_eq!(answer["left_out"], serde_json::json!(["weights", "probabilities"]));
    let all = run(&["convert", "in.csv", "out.json"]);
    assert_eq!(text(all.stderr), "");
}

#[test]
fn graphs_come_through_pipes() {
    let home = TempDir::new().unwrap();
    write(&home, "truth.csv", "from,to\na,b\n");
    let through = |arguments: &[&str]| {
        let mut command = gflowcausal(&home, arguments);
        let output = command.write_stdin("digraph { a -> b }").assert().success().get_output().clone();
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(through(&["evaluate", "-", "--truth", "truth.csv"]).starts_with("SHD 0 "));
    assert_eq!(through(&["convert", "-", "-", "--to", "edge-list"]), "from,to\na,b\n");
    let list = gflowcausal(&home, &["convert", "-", "-", "--from", "edge-list", "--to", "dot"])
        .write_stdin("1,2\n2,3\n")
        .output()
        .unwrap();
    assert!(String::from_utf8(list.stdout).unwrap().contains("\"2\" -> \"3\";"));
}

fn write(home: &TempDir, name: &str, text: &str) {
    fs::write(home.path().join(Path::new(name)), text).unwrap();
}

#[test]
fn a_published_network_can_be_simulated() {
    let home = TempDir::new().unwrap();
    let run = |arguments: &str| gflowcausal(&home, &arguments.split(' ').collect::<Vec<_>>()).assert();
    let shown =
        run("simulate --network alarm --rows 200 --seed 2 --out a").success().get_output().stdout.clone();
    assert!(
        String::from_utf8(shown)
            .unwrap()
            .starts_with("200 rows of 37 variables, 46 edges (network alarm, seed 2)")
    );
    let header = fs::read_to_string(home.path().join("a/data.csv")).unwrap();
    assert!(header.starts_with("HISTORY,CVP,PCWP"));
    assert!(!home.path().join("a/weights.csv").exists());
    run("simulate --network ecoli70 --standardize --out e").success();
    assert!(fs::read_to_string(home.path().join("e/weights.csv")).unwrap().contains("lacY"));
    for (wrong, message) in [
        ("--network alarm --nodes 5", "cannot be used with"),
        (
            "--network alarm --standardize",
            "error[option-without-effect]: option 'standardize' has no effect on a network",
        ),
        ("--network asia", "invalid value 'asia'"),
    ] {
        let said = run(&format!("simulate {wrong} --out w")).code(2).get_output().stderr.clone();
        let said = String::from_utf8(said).unwrap();
        assert!(said.contains(message), "{said}");
    }
    assert!(!home.path().join("w").exists());
}
