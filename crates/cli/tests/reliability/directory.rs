//! Run directories: one run at a time, nothing of anybody else's touched, nothing of an old run beside a new one.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use super::{assert_refused, printed, run, small, start};

const TRAINED: &str = "discover d/data.csv --posterior policy --iterations 20 --samples 50 --out run";

fn names(dir: &Path) -> BTreeSet<String> {
    fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn files_of_others_stay_whatever_they_are_called() {
    let home = small();
    let dir = home.path().join("run");
    fs::create_dir(&dir).unwrap();
    for name in ["mine.part", ".mine.part", "notes.txt", ".result.json.1-2.part"] {
        fs::write(dir.join(name), "mine").unwrap();
    }
    printed(home.path(), TRAINED);
    printed(home.path(), "discover --resume run");
    printed(home.path(), "discover d/data.csv --method pc --out run --overwrite");
    for name in ["mine.part", ".mine.part", "notes.txt", ".result.json.1-2.part"] {
        assert_eq!(fs::read_to_string(dir.join(name)).unwrap(), "mine", "{name}");
    }
}

#[test]
fn another_run_is_refused_unless_it_is_to_be_replaced_as_a_whole() {
    let home = small();
    printed(home.path(), TRAINED);
    let before = names(&home.path().join("run"));
    assert!(before.contains("model.safetensors") && before.contains("training.csv"), "{before:?}");
    let text = assert_refused(home.path(), "discover d/data.csv --method pc --out run", "holds-a-run");
    assert!(text.contains("--overwrite") && text.contains("'run'"), "{text}");
    assert_eq!(names(&home.path().join("run")), before);
    printed(home.path(), "discover d/data.csv --method pc --out run --overwrite");
    printed(home.path(), "discover d/data.csv --method pc --out fresh");
    assert_eq!(names(&home.path().join("run")), names(&home.path().join("fresh")));
}

#[test]
fn a_file_that_a_run_would_replace_is_refused_and_one_that_it_would_not_is_kept() {
    let home = small();
    let dir = home.path().join("mine");
    fs::create_dir(&dir).unwrap();
    fs::write(dir.join("checkpoint"), "not a run's").unwrap();
    assert_refused(home.path(), "discover d/data.csv --method pc --out mine", "holds-a-run");
    // No configuration is beside it: it is nobody's run, and not removed.
    printed(home.path(), "discover d/data.csv --method pc --out mine --overwrite");
    assert_eq!(fs::read_to_string(dir.join("checkpoint")).unwrap(), "not a run's");
}

#[test]
fn two_runs_at_a_time_do_not_share_a_directory() {
    let home = small();
    let long =
        "discover d/data.csv --posterior policy --iterations 1000000 --learning-rate 0.00001 --out run -q";
    let mut first = start(home.path(), long);
    let since = Instant::now();
    while !home.path().join("run/config.toml").exists() && since.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_refused(home.path(), "discover d/data.csv --method pc --out run --overwrite", "run-in-use");
    assert_refused(home.path(), "discover --resume run", "run-in-use");
    first.kill().unwrap();
    first.wait().unwrap();
    assert!(run(home.path(), "discover d/data.csv --method pc --out run --overwrite").status.success());
}

#[test]
fn overwrite_without_a_directory_has_no_effect() {
    let home = small();
    let output = run(home.path(), "discover d/data.csv --overwrite");
    assert_eq!(output.status.code(), Some(2));
}
