//! Names that are anything but names are shown as text, everywhere.

use std::fs;

use serde_json::Value;
use tempfile::TempDir;

use crate::devtools::Browser;
use crate::{gflowcausal, result, show};

fn hostile() -> Vec<String> {
    vec![
        "two words".into(),
        "a \"quoted\" 'name', with a comma".into(),
        "</script><script>window.hacked=1</script>".into(),
        "<img src=x onerror=window.hacked=1>".into(),
        "👩‍🔬 emoji & co".into(),
        "l".repeat(200),
        "משתנה ימינה לשמאל".into(),
        "__proto__".into(),
        "{{ 7*7 }}".into(),
    ]
}

#[test]
#[ignore = "needs Chromium: `make browser` (part of `make test`) installs and runs it"]
fn every_name_is_text() {
    let home = TempDir::new().unwrap();
    gflowcausal(home.path(), &["simulate", "--nodes", "9", "--degree", "2", "--rows", "300", "--out", "d"]);
    let data = fs::read_to_string(home.path().join("d/data.csv")).unwrap();
    let quoted =
        hostile().iter().map(|name| format!("\"{}\"", name.replace('"', "\"\""))).collect::<Vec<_>>();
    let rows: String = data.lines().skip(1).map(|line| format!("{line}\n")).collect();
    fs::write(home.path().join("x <b>.csv"), format!("{}\n{rows}", quoted.join(","))).unwrap();
    gflowcausal(home.path(), &["discover", "x <b>.csv", "--method", "exact", "--out", "run"]);
    let run = home.path().join("run");
    assert_eq!(result(&run)["data"]["variables"], Value::from(hostile()));

    let mut page = Browser::start(375, 800);
    page.open(&run.join("report.html"));
    assert_eq!(page.complaints(), Vec::<&Value>::new());
    assert_eq!(page.text("document.title"), "x <b>.csv – causal graphs");
    let texts = |selector: &str| {
        format!("[...document.querySelectorAll('{selector}')].map((element) => element.textContent)")
    };
    let names: Vec<Value> = hostile().into_iter().map(Value::from).collect();
    assert_eq!(page.value(&texts("#graph .node title")), Value::from(hostile()));
    assert_eq!(
        page.value("[...document.getElementById('names').options].map((one) => one.value)"),
        Value::from(hostile())
    );
    let cells = page.value(&texts("#edges td bdi"));
    let cells = cells.as_array().unwrap();
    assert!(names.iter().all(|name| cells.contains(name)), "{cells:?}");
    for view in ["best", "consensus", "runners-up", "cpdag", "probable"] {
        page.value(&show(view));
    }
    // Everything that shows a name is made to show each.
    for (node, name) in hostile().iter().enumerate() {
        let field = format!(
            "(() => {{ const field = document.getElementById('search'); field.value = {}; \
             field.dispatchEvent(new Event('input')); }})()",
            Value::from(name.as_str())
        );
        page.value(&field);
        assert_eq!(page.text("document.querySelector('#about h3').textContent"), *name);
        assert_eq!(page.number("document.querySelectorAll('#graph .node.chosen').length"), 1.0, "{node}");
    }
    page.value("for (const button of document.querySelectorAll('#edges td button')) button.click()");
    assert_eq!(page.value("window.hacked ?? null"), Value::Null);
    assert_eq!(page.number("document.querySelectorAll('script').length"), 2.0);
    assert_eq!(page.number("document.querySelectorAll('img, b').length"), 0.0);
    let svg = String::from_utf8(page.saved_by("save-svg", "svg")).unwrap();
    assert!(!svg.contains("<script") && !svg.contains("<img"), "{svg}");
    assert!(page.saved_by("save-png", "png").starts_with(b"\x89PNG"));
    page.value(&show("best"));
    fs::write(home.path().join("saved.dot"), page.saved_by("save-dot", "dot")).unwrap();
    let same = gflowcausal(home.path(), &["evaluate", "saved.dot", "--truth", "run/adjacency.csv"]);
    assert!(same.starts_with("SHD 0 "), "{same}");
    assert!(page.number("document.documentElement.scrollWidth") <= 375.0);
    assert_eq!(page.complaints(), Vec::<&Value>::new());
}
