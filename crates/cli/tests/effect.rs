//! `effect`, through the binary: pairs, interventions, categories, and clear refusals.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use serde_json::Value;
use tempfile::TempDir;

fn gflowcausal(home: &Path, line: &str) -> Command {
    let mut command = Command::cargo_bin("gflowcausal").unwrap();
    command.current_dir(home).args(line.split(' '));
    command
}

fn printed(home: &Path, line: &str) -> String {
    String::from_utf8(gflowcausal(home, line).assert().success().get_output().stdout.clone()).unwrap()
}

fn json(home: &Path, line: &str) -> Value {
    serde_json::from_str(&printed(home, &format!("{line} --format json"))).unwrap()
}

/// What standard error says of a refusal.
fn refused(home: &Path, line: &str) -> String {
    let output = gflowcausal(home, line).assert().code(2).get_output().stderr.clone();
    String::from_utf8(output).unwrap()
}

#[test]
fn linear_effects_need_the_run_directory_alone() {
    let home = TempDir::new().unwrap();
    let home = home.path();
    printed(home, "simulate --nodes 5 --degree 1 --rows 300 --seed 2 --out d");
    printed(home, "discover d/data.csv --out run");
    fs::remove_dir_all(home.join("d")).unwrap();
    let all = json(home, "effect run");
    let effects = all["effects"].as_array().unwrap();
    assert_eq!(effects.len(), 20);
    for effect in effects {
        let number = |key: &str| effect[key].as_f64().unwrap();
        let sum = ["none", "positive", "negative"]
            .map(|part| number(&format!("probability_{part}")))
            .iter()
            .sum::<f64>();
        assert!((sum - 1.0).abs() < 1e-9, "{effect}");
        assert!(number("low") <= number("median") && number("median") <= number("high"), "{effect}");
    }
    assert!(all["assumptions"].as_str().unwrap().contains("no hidden common causes"));
    let text = printed(home, "effect run");
    assert!(text.contains("P(no path)") && text.ends_with("relations\n"), "{text}");
    assert_eq!(text, printed(home, "effect run --threads 3"), "threads change nothing");
    let csv = printed(home, "effect run --effect X2 --standardized --format csv");
    assert_eq!((csv.lines().count(), csv.starts_with("cause,effect,")), (5, true));
    let outcomes = json(home, "effect run --do X1=1 --do X2=-1.5");
    assert_eq!(outcomes["outcomes"].as_array().unwrap().len(), 3);
    assert!(refused(home, "effect run --cause dose").contains("--cause dose: there is no such variable"));
    assert!(refused(home, "effect run --do X1").contains("such as dose=1.5"));
    assert!(refused(home, "effect run --do X1=high").contains("the value is not a number"));
    assert!(
        refused(home, "effect run --do X1=1 --direct").contains("--direct has no effect with interventions")
    );
    assert!(refused(home, "effect elsewhere").contains("elsewhere"));
    for shown in
        [text, printed(home, "effect run --do X1=1 --do X2=-1.5"), printed(home, "effect run --cause X1")]
    {
        assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
    }
    printed(home, "plot run --kind effects --out effects.svg");
    let svg = fs::read_to_string(home.join("effects.svg")).unwrap();
    assert!(svg.contains(" → X") && svg.contains("in standard deviations"), "{svg}");
}

#[test]
fn effects_among_categories_are_probabilities_of_levels() {
    let home = TempDir::new().unwrap();
    let home = home.path();
    let mut rows = String::from("rain,wet\n");
    for k in 0..400 {
        let rain = k % 4 == 0;
        let wet = if rain { k % 20 != 0 } else { k % 10 == 3 };
        rows.push_str(&format!("{},{}\n", if rain { "yes" } else { "no" }, if wet { "yes" } else { "no" }));
    }
    fs::write(home.join("weather.csv"), rows).unwrap();
    printed(home, "discover weather.csv --require rain->wet --out run");
    let pair = json(home, "effect run --cause rain --effect wet");
    let effects = pair["effects"].as_array().unwrap();
    assert_eq!((effects.len(), pair["scale"].as_str().unwrap()), (1, "probability"));
    let level = |key: &str| effects[0][key].as_str().unwrap().to_owned();
    assert_eq!((level("effect"), effects[0]["probability_none"].as_f64()), ("wet".into(), Some(0.0)));
    // 80 of 100 rainy and 40 of 300 dry rows are wet; which level comes first is the reader's choice.
    let sign = if level("cause_level") == level("effect_level") { 1.0 } else { -1.0 };
    let mean = effects[0]["mean"].as_f64().unwrap();
    assert!((sign * mean - (0.8 - 40.0 / 300.0)).abs() < 0.02, "{mean}");
    let outcomes = json(home, "effect run --do rain=yes");
    let outcomes = outcomes["outcomes"].as_array().unwrap();
    let wet = outcomes.iter().find(|outcome| outcome["level"] == "yes").unwrap();
    assert!((wet["mean"].as_f64().unwrap() - 0.8).abs() < 0.02);
    assert!(refused(home, "effect run --do rain=snow").contains("its levels are"));
    assert!(refused(home, "effect run --direct").contains("--direct has no effect with score bdeu"));
    fs::rename(home.join("weather.csv"), home.join("moved.csv")).unwrap();
    assert!(refused(home, "effect run").contains("weather.csv"));
    assert_eq!(
        json(home, "effect run --cause rain --effect wet --data moved.csv")["effects"],
        pair["effects"]
    );
}

#[test]
fn curves_have_doses_and_bands() {
    let home = TempDir::new().unwrap();
    let home = home.path();
    let mut rows = String::from("dose,response\n");
    for k in 0..300 {
        let dose = f64::from(k * 37 % 300) / 50.0 - 3.0;
        rows.push_str(&format!("{dose},{}\n", dose * dose + f64::from(k * 101 % 17) / 17.0));
    }
    fs::write(home.join("doses.csv"), rows).unwrap();
    printed(home, "discover doses.csv --score spline --require dose->response --out run");
    let pair = json(home, "effect run --cause dose --effect response");
    let curve = pair["effects"][0]["curve"].as_array().unwrap();
    assert_eq!(curve.len(), 19);
    for point in curve {
        let number = |key: &str| point[key].as_f64().unwrap();
        let expected = number("dose").powi(2) + 8.0 / 17.0;
        assert!((number("mean") - expected).abs() < 0.3, "{point}");
        assert!(number("low") < number("mean") && number("mean") < number("high"));
    }
    assert!(printed(home, "effect run --cause dose --effect response").contains("90 % interval"));
    let kept = fs::read_to_string(home.join("run/effects.json")).unwrap();
    assert!(kept.contains("\"curve\""), "the report draws curves");
    let page = fs::read_to_string(home.join("run/report.html")).unwrap();
    assert!(page.contains("\"curve\":[["), "they are in the page");
    let outcome = &json(home, "effect run --do dose=2")["outcomes"][0];
    assert!((outcome["mean"].as_f64().unwrap() - 4.5).abs() < 0.7, "{outcome}");
    assert!(refused(home, "effect run --do dose=50").contains("curves reach from"));
    assert!(refused(home, "effect run --do dose=2 --standardized").contains("--standardized has no effect"));
    assert!(refused(home, "effect run --direct").contains("--direct has no effect with score spline"));
}

/// `age → dose`, `age → y`, `dose · diet → y`, `group → y`: a product, and a category.
fn clinic() -> String {
    let mut rows = String::from("age,dose,diet,group,y\n");
    for k in 0_u32..420 {
        let even = |step: u32| f64::from(k * step % 421) / 210.5 - 1.0;
        let (age, diet) = (even(37), even(101));
        let dose = 0.5 * age + even(59);
        let group = ["a", "b", "c"][(k * k % 3 + k % 2) as usize % 3];
        let shift = if group == "a" { 0.0 } else { 1.5 };
        let y = age + 2.0 * dose * diet + shift + 0.2 * even(211);
        rows.push_str(&format!("{age},{dose},{diet},{group},{y}\n"));
    }
    rows
}

#[test]
fn several_interventions_meet_in_a_product() {
    let home = TempDir::new().unwrap();
    let home = home.path();
    fs::write(home.join("clinic.csv"), clinic()).unwrap();
    let knowledge =
        "--exclude group --require age->dose --require age->y --require dose->y --require diet->y";
    for score in ["quadratic", "gp"] {
        printed(home, &format!("discover clinic.csv --score {score} {knowledge} --out {score} --samples 50"));
        let found = json(home, &format!("effect {score} --effect y --do dose=0.5 --do diet=0.8"));
        let y = &found["outcomes"][0];
        // E[y | do] = E[age] + 2 · 0.5 · 0.8 + E[shift], and five of six rows are shifted.
        let number = |key: &str| y[key].as_f64().unwrap();
        assert!((number("mean") - 2.05).abs() < 0.15, "{score}: {y}");
        assert!(number("low") < number("mean") && number("mean") < number("high"), "{score}: {y}");
        assert_eq!((y["variable"].as_str(), number("probability_none")), (Some("y"), 0.0));
    }
}

#[test]
fn mixed_tables_have_effects_of_units_and_of_levels() {
    let home = TempDir::new().unwrap();
    let home = home.path();
    fs::write(home.join("clinic.csv"), clinic()).unwrap();
    printed(
        home,
        "discover clinic.csv --require age->y --require group->y --outcome y --exogenous age,group --out run",
    );
    let all = json(home, "effect run");
    assert_eq!((all["score"].as_str(), all["scale"].as_str()), (Some("dg"), Some("units")));
    let effect = |cause: &str, level: Option<&str>| {
        let is_it = |one: &&Value| {
            one["cause"] == cause && one["effect"] == "y" && one["cause_level"].as_str() == level
        };
        all["effects"].as_array().unwrap().iter().find(is_it).unwrap()["mean"].as_f64().unwrap()
    };
    // Rows of a, b and c take turns with k, so the group is unconfounded: 1.5 more in b and c than in a, whichever comes first.
    let first =
        all["effects"].as_array().unwrap().iter().find_map(|one| one["reference_level"].as_str()).unwrap();
    let other = ["a", "b", "c"].into_iter().find(|level| *level != first).unwrap();
    let truth = |level: &str| if level == "a" { 0.0 } else { 1.5 };
    let expected = truth(other) - truth(first);
    assert!((effect("group", Some(other)) - expected).abs() < 0.35, "{}", effect("group", Some(other)));
    assert!((effect("age", None) - 1.0).abs() < 0.35, "{}", effect("age", None));
    let set = json(home, "effect run --do group=b --do age=0.5 --effect y");
    assert!((set["outcomes"][0]["mean"].as_f64().unwrap() - 2.0).abs() < 0.4, "{set}");
    let on_levels = json(home, "effect run --do age=0.5 --effect group");
    let shares: f64 =
        on_levels["outcomes"].as_array().unwrap().iter().map(|one| one["mean"].as_f64().unwrap()).sum();
    assert!((shares - 1.0).abs() < 0.02, "{on_levels}");
    let text = printed(home, "effect run --cause group");
    assert!(text.contains("group=") && text.contains("compared with group="), "{text}");
    assert!(text.contains("also in") && text.lines().all(|line| line.chars().count() <= 80), "{text}");
    assert!(refused(home, "effect run --do group=z").contains("its levels are a, b, c"));
    assert!(
        refused(home, "effect run --standardized").contains("--standardized has no effect with score dg")
    );
    assert!(fs::read_to_string(home.join("run/effects.json")).unwrap().contains("cause_level"));
}

#[test]
fn experiments_are_known_to_the_doctor_and_to_the_score_of_a_graph() {
    let home = TempDir::new().unwrap();
    let home = home.path();
    let said = printed(home, "doctor sachs-interventions --interventions intervention");
    assert!(
        said.starts_with("sachs-interventions: 5846 rows, 11 columns of numbers, 0 of categories"),
        "{said}"
    );
    let words = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("Mek (799)") && words.contains("none in 1755 rows"), "{said}");
    assert!(refused(home, "doctor sachs --interventions drug").contains("there is no column 'drug'"));
    fs::write(home.join("graph.csv"), "from,to\nMek,Erk\nErk,Akt\nPKC,PIP2\n").unwrap();
    let graph = "score sachs-interventions --graph graph.csv";
    let with = json(home, &format!("{graph} --interventions intervention"));
    let alone = json(home, "score sachs --graph graph.csv");
    assert_eq!(with["nodes"].as_array().unwrap().len(), alone["nodes"].as_array().unwrap().len());
    assert_eq!(with["data"]["rows"].as_u64(), Some(5846));
}

#[test]
fn experiments_decide_directions_and_effects_use_the_observed_rows() {
    let home = TempDir::new().unwrap();
    let home = home.path();
    printed(home, "simulate --nodes 6 --degree 1 --rows 200 --interventions 6x40 --seed 1 --out d");
    let run = json(home, "discover d/data.csv --interventions intervention --truth d/truth.csv --out run");
    let set = &run["interventions"];
    assert_eq!((set["rows"].as_u64(), set["targets"].as_array().unwrap().len()), (Some(240), 6));
    assert_eq!(set["decided"].as_array().unwrap().len(), run["graph"]["edges"].as_array().unwrap().len());
    assert_eq!(
        (run["data"]["variables"].as_array().unwrap().len(), &run["cpdag"]["undirected"]),
        (6, &serde_json::json!([]))
    );
    assert!(run["metrics"]["interventional_shd"].is_u64());
    assert!(
        printed(home, "discover d/data.csv --interventions intervention")
            .contains("interventions: 240 rows set 6 variables")
    );
    assert_eq!(printed(home, "sample run -n 20 --format json").matches("intervention").count(), 0);
    let moments = fs::read_to_string(home.join("run/moments.json")).unwrap();
    assert!(moments.contains("\"rows\":200"), "{moments}");
    assert_eq!(json(home, "effect run")["effects"].as_array().unwrap().len(), 30);
    assert!(
        refused(home, "discover d/data.csv --interventions intervention --method pc")
            .contains("--interventions has no effect with method pc")
    );
}
