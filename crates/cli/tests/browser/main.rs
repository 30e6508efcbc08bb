//! The report in a real browser: it opens without complaint, answers, and shows every name as text.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod devtools;
mod large;
mod names;
mod views;

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use serde_json::Value;

/// Runs the program; it must succeed.
fn gflowcausal(home: &Path, arguments: &[&str]) -> String {
    let mut command = Command::cargo_bin("gflowcausal").unwrap();
    let output = command.current_dir(home).args(arguments).assert().success().get_output().stdout.clone();
    String::from_utf8(output).unwrap()
}

fn result(run: &Path) -> Value {
    serde_json::from_slice(&fs::read(run.join("result.json")).unwrap()).unwrap()
}

/// How many edges are drawn.
const DRAWN: &str = "document.querySelectorAll('#graph .edge:not(.off)').length";

/// Moves the slider, as JavaScript.
fn slide(to: f64) -> String {
    format!(
        "(() => {{ const slider = document.getElementById('threshold'); slider.value = {to}; \
         slider.dispatchEvent(new Event('input', {{ bubbles: true }})); }})()"
    )
}

/// Chooses a view, as JavaScript.
fn show(view: &str) -> String {
    format!("document.querySelector('input[name=view][value={view}]').click()")
}
