//! `report` and `plot`, through the binary: the same bytes again, every kind of picture, clear refusals.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use tempfile::TempDir;

fn gflowcausal(home: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("gflowcausal").unwrap();
    command.current_dir(home).args(arguments);
    command
}

/// A directory with a trained run in `run`, and an exact one in `exact`.
fn runs() -> TempDir {
    let home = TempDir::new().unwrap();
    let simulate = "simulate --nodes 6 --degree 2 --rows 200 --seed 4 --out d";
    gflowcausal(home.path(), &simulate.split(' ').collect::<Vec<_>>()).assert().success();
    let discover =
        "discover d/data.csv --truth d/truth.csv --iterations 20 --samples 50 --require X1->X2 --out run";
    gflowcausal(home.path(), &discover.split(' ').collect::<Vec<_>>()).assert().success();
    gflowcausal(home.path(), &["discover", "d/data.csv", "--method", "exact", "--out", "exact"])
        .assert()
        .success();
    home
}

/// What standard error says of a refusal.
fn refused(home: &Path, arguments: &[&str]) -> String {
    let output = gflowcausal(home, arguments).assert().code(2).get_output().stderr.clone();
    String::from_utf8(output).unwrap()
}

#[test]
fn a_report_is_written_again_to_the_same_bytes() {
    let home = runs();
    for run in ["run", "exact"] {
        let path = home.path().join(run).join("report.html");
        let first = fs::read_to_string(&path).unwrap();
        fs::write(&path, "gone").unwrap();
        gflowcausal(home.path(), &["report", run]).assert().success().stdout(format!("{run}/report.html\n"));
        assert!(fs::read_to_string(&path).unwrap() == first, "{run}");
    }
}

#[test]
fn a_report_says_what_was_run_and_loads_nothing() {
    let home = runs();
    let page = fs::read_to_string(home.path().join("run/report.html")).unwrap().replace("&#x2f;", "/");
    let page = page.replace("</span> <span>", " ");
    for part in [
        "200 rows × 6 variables",
        "<dt>Walk</dt><dd><bdi>layers</bdi></dd>",
        "gflowcausal discover data.csv --iterations 20 --samples 50 --require &#x27;X1-&gt;X2&#x27;",
        "--truth truth.csv</span> </code>",
        "Against the truth",
        "directions away",
        "Temperature</text>",
    ] {
        assert!(page.contains(part), "no {part:?}");
    }
    assert!(!page.contains(&home.path().display().to_string()), "where files lie is nobody's business");
    let exact = fs::read_to_string(home.path().join("exact/report.html")).unwrap();
    assert!(
        exact.contains("<h3>Probabilities</h3><p>Exact, over all DAGs, each counted once.</p>")
            && !exact.contains("Against the truth")
    );
    // The one address is the name of SVG, which no browser opens.
    for text in [&page, &exact] {
        let addresses: Vec<&str> = text.match_indices("://").map(|(at, _)| &text[at..at + 20]).collect();
        assert!(addresses.iter().all(|address| address.starts_with("://www.w3.org/2000/s")), "{addresses:?}");
        assert!(!text.contains("src=\"") && !text.contains("<link"));
    }
}

#[test]
fn every_kind_is_drawn_in_every_format() {
    let home = runs();
    for kind in ["graph", "consensus", "cpdag", "probabilities", "training"] {
        for ending in ["svg", "png", "pdf"] {
            let file = format!("{kind}.{ending}");
            let plot = ["plot", "run", "--kind", kind, "--out", &file];
            gflowcausal(home.path(), &plot).assert().success().stdout(format!("{file}\n"));
        }
        let svg = fs::read_to_string(home.path().join(format!("{kind}.svg"))).unwrap();
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"));
        let png = fs::read(home.path().join(format!("{kind}.png"))).unwrap();
        assert!(png.starts_with(b"\x89PNG\r\n\x1a\n"));
        let pdf = fs::read(home.path().join(format!("{kind}.pdf"))).unwrap();
        assert!(pdf.starts_with(b"%PDF-1.4") && pdf.ends_with(b"%%EOF\n"));
    }
    let graph = fs::read_to_string(home.path().join("graph.svg")).unwrap();
    let edges = fs::read_to_string(home.path().join("run/edges.csv")).unwrap().lines().count() - 1;
    assert_eq!(graph.matches("class=\"line\"").count(), edges);
    assert_eq!(graph.matches("class=\"node\"").count(), 6);
    gflowcausal(home.path(), &["plot", "run", "--least", "0.999999", "--out", "few.svg"]).assert().success();
    let few = fs::read_to_string(home.path().join("few.svg")).unwrap();
    assert!(few.matches("class=\"line\"").count() < edges, "only the required edge is certain");
}

#[test]
fn what_cannot_be_shown_is_refused_with_a_way_out() {
    let home = runs();
    let plot =
        |run: &str, kind: &str, out: &str| refused(home.path(), &["plot", run, "--kind", kind, "--out", out]);
    let said = plot("exact", "training", "x.svg");
    assert!(
        said.starts_with("error[not-in-run]: this run has no training: method 'exact' gives none"),
        "{said}"
    );
    let said = plot("run", "graph", "x.gif");
    assert!(said.contains("end the name in .svg, .png or .pdf"), "{said}");
    assert!(plot("nowhere", "graph", "x.svg").starts_with("error[not-found]: "));
    assert!(
        refused(home.path(), &["report", "d"]).starts_with("error[not-found]: cannot read 'd/result.json'")
    );
    fs::write(home.path().join("run/result.json"), "{\"version\": 1}").unwrap();
    let said = refused(home.path(), &["report", "run"]);
    assert!(said.starts_with("error[damaged-run]: 'run/result.json' is damaged: "), "{said}");
    assert!(!home.path().join("x.svg").exists() && !home.path().join("x.gif").exists());
}

#[test]
fn rows_can_be_left_out_of_a_report() {
    let home = runs();
    let page = || fs::read_to_string(home.path().join("run/report.html")).unwrap();
    assert!(page().contains("\"preview\":{\"of\":200,\"rows\":200,"));
    gflowcausal(home.path(), &["report", "run", "--without-rows"]).assert().success();
    assert!(page().contains("\"preview\":null") && !page().contains("rows of the data, for the pictures"));
}

/// The same data twice: once as they are, once with an edge required that they do not have.
#[test]
fn two_runs_are_compared_as_text_json_and_page() {
    let home = runs();
    let answer = |arguments: &[&str]| {
        String::from_utf8(gflowcausal(home.path(), arguments).assert().success().get_output().stdout.clone())
            .unwrap()
    };
    let same: serde_json::Value =
        serde_json::from_str(&answer(&["compare", "exact", "exact", "--format", "json"])).unwrap();
    assert_eq!(
        (same["differ"].as_array().unwrap().len(), same["largest_difference"].as_f64()),
        (0, Some(0.0))
    );
    let other = [
        "discover",
        "d/data.csv",
        "--method",
        "exact",
        "--exclude",
        "X6",
        "--exogenous",
        "X1,X2",
        "--out",
        "other",
    ];
    gflowcausal(home.path(), &other).assert().success();
    let text = answer(&["compare", "exact", "other", "--out", "both.html"]);
    assert!(
        text.contains("only in run 1: X6") && text.contains("differ on ") && text.ends_with("both.html\n"),
        "{text}"
    );
    assert!(
        text.contains("\n  gflowcausal discover data.csv --method exact --exogenous X1"),
        "what differs: {text}"
    );
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    let result: serde_json::Value =
        serde_json::from_str(&answer(&["compare", "exact", "other", "--format", "json"])).unwrap();
    let pairs = result["differ"].as_array().unwrap();
    assert!(pairs.iter().all(|pair| pair["says"][0]["verdict"] != pair["says"][1]["verdict"]));
    let page = fs::read_to_string(home.path().join("both.html")).unwrap();
    assert_eq!(page.matches("<svg").count(), 2);
    assert_eq!(page.matches("<tr><td>").count(), pairs.len() + result["agree"].as_array().unwrap().len());
    let said = refused(home.path(), &["compare", "exact", "nowhere"]);
    assert!(said.starts_with("error[not-found]: "), "{said}");
}
