//! What a new user meets in a terminal: lists that fit, knowledge in one line, help in the order of need.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;

use assert_cmd::Command;
use serde_json::Value;
use tempfile::TempDir;

fn gflowcausal(home: &TempDir, arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("gflowcausal").unwrap();
    command.current_dir(home.path()).args(arguments);
    command
}

fn printed(home: &TempDir, arguments: &[&str]) -> String {
    String::from_utf8(gflowcausal(home, arguments).assert().success().get_output().stdout.clone()).unwrap()
}

/// The message of a refusal.
fn refused(home: &TempDir, arguments: &[&str]) -> String {
    String::from_utf8(gflowcausal(home, arguments).assert().code(2).get_output().stderr.clone()).unwrap()
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// A directory with `d/data.csv`: 500 rows of 30 variables, standardised.
fn simulated() -> TempDir {
    let home = TempDir::new().unwrap();
    printed(
        &home,
        &["simulate", "--nodes", "30", "--seed", "1", "--rows", "500", "--standardize", "--out", "d"],
    );
    home
}

#[test]
fn lists_end_after_twenty_lines_unless_all_are_asked_for() {
    let home = simulated();
    let run =
        |more: &[&str]| printed(&home, &[&["discover", "d/data.csv", "--method", "ges"], more].concat());
    let arrows = |text: &str| text.lines().filter(|line| line.contains(" -> ")).count();
    let short = run(&[]);
    assert_eq!(arrows(&short), 20, "{short}");
    assert!(short.contains(" more: --all shows them"), "{short}");
    let all = run(&["--all"]);
    assert!(arrows(&all) > 40 && !all.contains("more:"), "{all}");
}

#[test]
fn long_names_stay_within_eighty_columns() {
    let home = simulated();
    let text = fs::read_to_string(home.path().join("d/data.csv")).unwrap();
    let mut lines = text.lines();
    let names: Vec<String> = lines
        .next()
        .unwrap()
        .split(',')
        .map(|name| format!("a_rather_long_name_of_variable_{name}"))
        .collect();
    let rows: Vec<&str> = lines.collect();
    fs::write(home.path().join("long.csv"), format!("{}\n{}\n", names.join(","), rows.join("\n"))).unwrap();
    for option in [["--method", "ges"], ["--score", "bic"]] {
        let text = printed(&home, &[["discover", "long.csv"], option].concat());
        let wide: Vec<&str> = text.lines().filter(|line| line.chars().count() > 80).collect();
        assert!(wide.is_empty(), "{wide:#?}");
        assert!(text.contains("a_rathe…"), "{text}");
    }
}

#[test]
fn effects_that_graphs_disagree_on_stay_within_eighty_columns() {
    let home = TempDir::new().unwrap();
    let simulated =
        ["simulate", "--model", "mixed", "--nodes", "4", "--edges", "4", "--seed", "3", "--rows", "400"];
    printed(&home, &[&simulated[..], &["--out", "d"]].concat());
    let data = home.path().join("d/data.csv");
    let text = fs::read_to_string(&data).unwrap();
    let (header, rows) = text.split_once('\n').unwrap();
    fs::write(&data, format!("{}\n{rows}", header.replace('X', "a_rather_long_name_of_variable_X"))).unwrap();
    printed(&home, &["discover", "d/data.csv", "--out", "run"]);
    let text = printed(&home, &["effect", "run"]);
    assert!(text.contains("none with probability"), "{text}");
    let wide: Vec<&str> = text.lines().filter(|line| line.chars().count() > 80).collect();
    assert!(wide.is_empty(), "{wide:#?}");
}

#[test]
fn notes_that_doctor_does_not_repeat_are_said_in_full() {
    let home = simulated();
    let options = ["--method", "sort-var", "--prune", "cam", "--rows-used", "100"];
    let text = printed(&home, &[&["discover", "d/data.csv"], &options[..]].concat()).replace("\n  ", " ");
    assert!(
        text.contains("note[rows-not-used]: pruning 'cam' uses 100 of the 500 rows, evenly spaced; say"),
        "{text}"
    );
    assert!(!text.contains("see `gflowcausal doctor`"), "{text}");
}

#[test]
fn tiers_exogenous_variables_outcomes_and_wildcards_hold_in_every_graph() {
    let home = TempDir::new().unwrap();
    let edges = |more: &[&str]| -> Vec<Vec<f64>> {
        let result = json(&printed(
            &home,
            &[&["discover", "sachs", "--score", "bic", "--format", "json"], more].concat(),
        ));
        assert_eq!(result["data"]["variables"].as_array().unwrap()[..3], ["Raf", "Mek", "Plcg"]);
        serde_json::from_value(result["posterior"]["edge_probabilities"].clone()).unwrap()
    };
    let column = |matrix: &[Vec<f64>], to: usize| matrix.iter().map(|row| row[to]).sum::<f64>();
    let free = edges(&[]);
    assert!(column(&free, 0) > 0.1 && free[1].iter().sum::<f64>() > 0.1, "Raf has causes, Mek effects");
    for knowledge in [["--exogenous", "Raf"], ["--forbid", "*->Raf"], ["--tiers", "Raf | *"]] {
        assert_eq!(column(&edges(&knowledge), 0), 0.0, "{knowledge:?}");
    }
    for knowledge in [["--outcome", "M*"], ["--forbid", "Mek->*"], ["--tiers", "* | Mek"]] {
        assert_eq!(edges(&knowledge)[1].iter().sum::<f64>(), 0.0, "{knowledge:?}");
    }
    assert!((edges(&["--require", "Raf->Pl*"])[0][2] - 1.0).abs() < 1e-12);
}

#[test]
fn knowledge_that_names_nothing_or_contradicts_itself_is_refused() {
    let home = TempDir::new().unwrap();
    let says = |more: &[&str], expected: &str| {
        let said = refused(&home, &[&["discover", "sachs"], more].concat());
        assert!(said.contains(expected), "{said}");
    };
    says(&["--tiers", "Raf | Meek"], "tiers Raf | Meek: no variable is named 'Meek'; did you mean 'Mek'?");
    says(&["--outcome", "Q*"], "outcome Q*: no variable fits 'Q*'");
    says(&["--exogenous", "Raf", "--require", "Mek->Raf"], "exogenous Raf; require Mek->Raf");
}

#[test]
fn help_begins_with_what_people_need_and_ends_with_training() {
    let home = TempDir::new().unwrap();
    let (short, long) = (printed(&home, &["discover", "-h"]), printed(&home, &["discover", "--help"]));
    let place = |text: &str, what: &str| text.find(what).unwrap_or_else(|| panic!("no {what} in {text}"));
    assert!(place(&short, "--tiers") < place(&short, "--penalty"));
    assert!(!short.contains("--learning-rate") && !short.contains("--turning"));
    let headings =
        ["Files:", "Knowledge:", "Reading:", "Score and probabilities:", "Pruning:", "Training a policy:"];
    let places = headings.map(|heading| place(&long, &format!("\n{heading}\n")));
    assert!(places.is_sorted(), "{places:?}");
    assert!(place(&long, "--learning-rate") > place(&long, "\nTraining a policy:\n"));
}

#[test]
fn a_packed_network_gives_a_graph_and_data() {
    let home = TempDir::new().unwrap();
    fs::write(home.path().join("rain.bif.gz"), RAIN).unwrap();
    let said = printed(&home, &["convert", "rain.bif.gz", "rain.json"]);
    assert!(said.contains("2 variables, 1 edge, from bif to json"), "{said}");
    printed(&home, &["simulate", "--network", "rain.bif.gz", "--rows", "4000", "--seed", "2", "--out", "d"]);
    let text = fs::read_to_string(home.path().join("d/data.csv")).unwrap();
    let share = |of: &dyn Fn(&str) -> bool, given: &dyn Fn(&str) -> bool| {
        let rows: Vec<&str> = text.lines().skip(1).filter(|row| given(row)).collect();
        rows.iter().filter(|row| of(row)).count() as f64 / rows.len() as f64
    };
    // P(rain) = 1/4, P(wet | rain) = 0.9, P(wet | no rain) = 0.2; three standard errors are below 0.03.
    assert!((share(&|row| row.starts_with("yes"), &|_| true) - 0.25).abs() < 0.03);
    assert!((share(&|row| row.ends_with("wet"), &|row| row.starts_with("yes")) - 0.9).abs() < 0.03);
    assert!((share(&|row| row.ends_with("wet"), &|row| row.starts_with("no")) - 0.2).abs() < 0.03);
    let said = refused(&home, &["simulate", "--network", "asia", "--out", "e"]);
    assert!(said.contains("alarm") && said.contains(".bif"), "{said}");
    let said = refused(&home, &["simulate", "--network", "nowhere.bif", "--out", "e"]);
    assert!(said.contains("nowhere.bif"), "{said}");
}

/// A network of rain and wet grass in BIF, packed by Python's `gzip`.
const RAIN: &[u8] = &[
    31, 139, 8, 0, 0, 0, 0, 0, 2, 255, 117, 142, 193, 10, 194, 48, 16, 68, 239, 126, 197, 28, 83, 8, 162,
    129, 162, 210, 79, 17, 15, 73, 187, 72, 176, 36, 101, 19, 90, 130, 246, 223, 155, 152, 131, 130, 120, 89,
    152, 97, 222, 206, 56, 138, 139, 231, 7, 28, 158, 235, 110, 214, 108, 181, 25, 9, 172, 109, 54, 16, 211,
    68, 24, 108, 232, 153, 34, 225, 10, 133, 91, 118, 19, 5, 9, 231, 177, 118, 248, 66, 238, 172, 67, 248,
    203, 44, 20, 37, 6, 78, 21, 154, 216, 27, 109, 236, 104, 99, 130, 168, 101, 77, 65, 223, 143, 14, 123,
    213, 202, 124, 79, 237, 111, 180, 150, 188, 62, 136, 200, 99, 154, 28, 190, 20, 226, 216, 65, 56, 95,
    164, 42, 242, 92, 248, 13, 124, 254, 130, 175, 224, 0, 0, 0,
];

#[test]
fn an_index_that_pandas_wrote_is_offered_to_be_left_out() {
    let home = TempDir::new().unwrap();
    let row =
        |k: i32| format!("{},{},{}", k * 7 % 61, f64::from(k * k % 53).sin(), f64::from(k * 3 % 47).cos());
    let rows: Vec<String> = (0..60).map(row).collect();
    fs::write(home.path().join("index.csv"), format!(",a,b\n{}\n", rows.join("\n"))).unwrap();
    let said = refused(&home, &["discover", "index.csv"]);
    assert!(said.starts_with("error[index-column]: column 'X1' has no name in the file"), "{said}");
    assert!(said.contains("--exclude X1"), "{said}");
    printed(&home, &["discover", "index.csv", "--exclude", "X1"]);
}

#[test]
fn a_score_that_reads_scale_warns_where_there_is_none() {
    let home = simulated();
    let run = |more: &[&str]| {
        let options = ["discover", "d/data.csv", "--iterations", "5", "--samples", "10"];
        printed(&home, &[&options, more].concat())
    };
    for score in ["varsort", "bic-equal"] {
        let text = run(&["--score", score]);
        assert!(text.contains(&format!("warning[no-scale]: score '{score}'")), "{text}");
    }
    assert!(!run(&[]).contains("no-scale"));
}

#[test]
fn slips_of_a_first_user_get_an_answer_that_helps() {
    let home = TempDir::new().unwrap();
    printed(&home, &["discover", "sachs", "--score", "bic", "--out", "run"]);
    let said = refused(&home, &["effect", "run", "--cause", "Raf", "--effect", "Mekk"]);
    assert!(said.contains("--effect Mekk: there is no such variable; did you mean 'Mek'?"), "{said}");
    let said = refused(&home, &["effect", "run", "--cause", "Raf", "--effect", "Raf"]);
    assert!(said.contains("cause and effect are both Raf"), "{said}");
    let said = refused(&home, &["effect", "sachs"]);
    assert!(
        said.contains("help: name the directory that `gflowcausal discover DATA --out DIR` wrote"),
        "{said}"
    );
    let said = refused(&home, &["discover", "sachs", "--exclude", "raf"]);
    assert!(said.contains("did you mean 'Raf'?"), "{said}");
    let said = refused(&home, &["discover", "sach"]);
    assert!(said.contains("a built-in data set: sachs or sachs-interventions"), "{said}");
    // A run stands for its best graph.
    let same = printed(&home, &["evaluate", "run", "--truth", "run/adjacency.csv"]);
    assert!(same.starts_with("SHD 0 "), "{same}");
    assert_eq!(
        printed(&home, &["score", "sachs", "--score", "bic", "--graph", "run"]),
        printed(&home, &["score", "sachs", "--score", "bic", "--graph", "run/graph.json"])
    );
}

#[test]
fn drawn_graphs_stay_within_eighty_columns() {
    let home = TempDir::new().unwrap();
    printed(&home, &["discover", "sachs", "--score", "bic", "--out", "run"]);
    let text = printed(&home, &["sample", "run", "-n", "50"]);
    assert!(text.contains("\n    probability  edges\n"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
}

#[test]
fn a_simulation_does_not_replace_data_of_another_kind() {
    let home = TempDir::new().unwrap();
    fs::write(home.path().join("data.csv"), "a,b\n1,2\n").unwrap();
    let said = refused(&home, &["simulate", "--nodes", "3", "--out", "."]);
    assert!(said.starts_with("error[holds-data]: './data.csv' is there already"), "{said}");
    assert_eq!(fs::read_to_string(home.path().join("data.csv")).unwrap(), "a,b\n1,2\n");
    for seed in ["1", "2"] {
        printed(&home, &["simulate", "--nodes", "3", "--seed", seed, "--out", "d"]);
    }
}

#[test]
fn the_line_of_checks_names_its_notes_and_lists_begin_with_the_strongest_edge() {
    let home = TempDir::new().unwrap();
    let text = printed(&home, &["discover", "sachs", "--score", "bic", "--forbid", "PKC->P38"]);
    assert!(text.contains("checks: 1 note (skewed-column), see `gflowcausal doctor`\n"), "{text}");
    let sure: Vec<f64> = text
        .lines()
        .skip_while(|line| !line.starts_with("sure"))
        .skip(2)
        .map_while(|line| line.split_whitespace().nth(3)?.parse().ok())
        .collect();
    assert!(sure.len() >= 2 && sure.is_sorted_by(|a, b| a >= b), "{text}");
}
