//! Many variables: the page stays small and answers at once.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use crate::devtools::Browser;
use crate::{DRAWN, gflowcausal, show, slide};

/// Writes the checksums that a finished run has.
fn seal(dir: &Path) {
    let sum = |name: &str| {
        let digest = Sha256::digest(fs::read(dir.join(name)).unwrap());
        let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{hex}  {name}\n")
    };
    fs::write(dir.join("SHA256SUMS"), sum("result.json") + &sum("samples.jsonl")).unwrap();
}

/// A run of so many variables, as `discover --out` would leave it, with every third edge uncertain.
fn write_run(dir: &Path, count: usize, by: &str) -> usize {
    let name = |node: usize| format!("variable {node}");
    let pairs: Vec<(usize, usize)> = (1..count)
        .flat_map(|to| [(to * 7 % to, to), (to * to % to.max(2), to), (to / 2, to), (to / 3, to)])
        .filter(|(from, to)| from < to)
        .collect::<std::collections::BTreeSet<_>>()
        .into_iter()
        .collect();
    let probability = |at: usize| if at.is_multiple_of(3) { 0.4 } else { 0.95 };
    let mut matrix = vec![vec![0.0; count]; count];
    let mut edges = Vec::new();
    for (at, &(from, to)) in pairs.iter().enumerate() {
        matrix[from][to] = probability(at);
        matrix[to][from] = 1.0 - probability(at);
        edges.push(json!({
            "from": name(from), "to": name(to), "weight": 0.5, "probability": probability(at),
            "reverse_probability": 1.0 - probability(at), "absent_probability": 0.0, "compelled": at.is_multiple_of(2), "delta_score": 12.0,
            "delta_reversed": null
        }));
    }
    let named: Vec<(String, String)> = pairs.iter().map(|&(from, to)| (name(from), name(to))).collect();
    let variables: Vec<String> = (0..count).map(name).collect();
    let result = json!({
        "version": "0.1.0", "method": "gflowcausal", "seed": 0,
        "data": { "name": "many.csv", "rows": 1000, "variables": variables, "sha256": "00" },
        "graph": { "edges": edges }, "cpdag": { "directed": named, "undirected": [] }, "order": variables,
        "score": { "name": "bic", "value": -1234.5, "temperature": 1.0, "prune": "selected" },
        "posterior": {
            "samples": 1000, "distinct": 10, "effective_sample_size": 900.0, "target": "dags", "by": by, "log_z": null, "edge_prior": 0.0,
            "edge_probabilities": matrix, "ancestor_probabilities": matrix,
            "runners_up": vec![json!({ "probability": 0.1, "class_size": 3.0, "score": -1234.5, "edges": named, "compelled": vec![true; named.len()] }); 10]
        },
        "truth": named, "findings": []
    });
    fs::create_dir(dir).unwrap();
    fs::write(dir.join("result.json"), result.to_string()).unwrap();
    let line = json!({ "order": [], "edges": named, "log_reward": -1234.5, "log_prob": -3.0, "log_weight": 0.0, "count": 1000 });
    fs::write(dir.join("samples.jsonl"), format!("{line}\n")).unwrap();
    seal(dir);
    pairs.len()
}

#[test]
#[ignore = "needs Chromium: `make browser` (part of `make test`) installs and runs it"]
fn a_hundred_variables_answer_at_once_and_three_hundred_open() {
    let home = TempDir::new().unwrap();
    let mut page = Browser::start(1280, 900);
    for count in [100, 300] {
        let run = home.path().join(count.to_string());
        let edges = write_run(&run, count, "chains");
        gflowcausal(home.path(), &["report", &count.to_string()]);
        let report = run.join("report.html");
        let bytes = fs::metadata(&report).unwrap().len();
        assert!(count > 100 || bytes < 2_000_000, "{bytes} bytes");
        page.open(&report);
        assert_eq!(page.complaints(), Vec::<&Value>::new());
        assert_eq!(page.number(DRAWN) as usize, edges);
        let mapped = page.number("document.getElementById('map').getBoundingClientRect().width");
        assert!(count > 100 || mapped > 800.0, "names have their place beside the map: {mapped}");
        for view in ["best", "probable", "truth"] {
            page.value(&show(view));
            let fastest = (0..5).map(|_| threshold_change(&mut page)).fold(f64::INFINITY, f64::min);
            assert!(count > 100 || fastest < 100.0, "{view}: {fastest} ms");
        }
        page.value(&show("best"));
        page.value(&slide(0.5));
        assert_eq!(page.number(DRAWN) as usize, edges - edges.div_ceil(3));
        page.value(&slide(0.0));
    }
}

#[test]
#[ignore = "needs Chromium: `make browser` (part of `make test`) installs and runs it"]
fn a_method_that_gives_one_graph_shows_no_probabilities() {
    let home = TempDir::new().unwrap();
    let edges = write_run(&home.path().join("one"), 12, "none");
    gflowcausal(home.path(), &["report", "one"]);
    let mut page = Browser::start(1280, 900);
    page.open(&home.path().join("one/report.html"));
    assert_eq!(page.complaints(), Vec::<&Value>::new());
    assert_eq!(page.number(DRAWN) as usize, edges);
    let views = "[...document.getElementsByName('view')].map((view) => view.value).join()";
    assert_eq!(page.text(views), "best,cpdag,truth");
    let shown = page.text("document.body.innerText");
    assert!(!shown.contains("Least probability") && !shown.contains("Reversed\t"), "{shown}");
    assert!(shown.contains("only the best graph was asked for"), "{shown}");
    assert_eq!(page.value("document.getElementById('map').checkVisibility()"), Value::Bool(false));
}

/// Milliseconds from a move of the slider until the drawing is laid out again.
fn threshold_change(page: &mut Browser) -> f64 {
    page.value(&slide(0.0));
    page.number(&format!(
        "(() => {{ const start = performance.now(); {}; document.getElementById('graph').getBBox(); \
         document.body.getBoundingClientRect(); return performance.now() - start; }})()",
        slide(0.5)
    ))
}
