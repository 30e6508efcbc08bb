//! Bad input: a code, one sentence, a way out, exit code 2, and nothing written.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use super::gflowcausal;

/// Runs `discover` on `data` with `more` and `--out run`; gives the first line of what it says.
fn refusal(data: &[u8], more: &[&str]) -> String {
    let home = TempDir::new().unwrap();
    fs::write(home.path().join("x.csv"), data).unwrap();
    said(home.path(), "x.csv", more, 2)
}

fn said(home: &Path, file: &str, more: &[&str], exit: i32) -> String {
    let mut arguments = vec!["discover", file, "--out", "run", "-q"];
    arguments.extend(more);
    let assert = gflowcausal(home, &arguments).assert().code(exit);
    let output = assert.get_output();
    assert!(output.stdout.is_empty(), "{}", String::from_utf8_lossy(&output.stdout));
    assert!(!home.join("run").exists(), "something was written");
    let text = String::from_utf8(output.stderr.clone()).unwrap();
    assert!(text.contains("help: "), "no way out in: {text}");
    text.lines().next().unwrap().to_owned()
}

/// Rows of made-up numbers under `header`.
fn rows(header: &str, count: usize, row: impl Fn(usize) -> String) -> Vec<u8> {
    let lines = (0..count).map(row);
    std::iter::once(header.to_owned()).chain(lines).collect::<Vec<_>>().join("\n").into_bytes()
}

/// A number that looks random.
fn noise(k: usize) -> f64 {
    ((k * 7919 + 13) as f64 * 0.618).sin() + ((k * k) as f64 * 0.137).cos()
}

fn good() -> Vec<u8> {
    rows("a,b,c", 40, |k| format!("{},{},{}", noise(k), noise(k + 100), noise(k + 200)))
}

#[test]
fn tables_that_cannot_be_read() {
    assert_eq!(refusal(b"", &[]), "error[empty-file]: the file is empty");
    let ragged = refusal(b"a,b\n1,2\n3\n", &[]);
    assert!(ragged.starts_with("error[ragged-row]: "), "{ragged}");
    let utf8 = refusal(b"a,b\n1,\xff\xfe2\n", &[]);
    assert!(utf8.starts_with("error[not-utf8]: "), "{utf8}");
    let home = TempDir::new().unwrap();
    let gone = said(home.path(), "gone.csv", &[], 2);
    assert!(gone.starts_with("error[not-found]: "), "{gone}");
}

#[test]
fn tables_that_make_no_sense() {
    let one = rows("a", 40, |k| noise(k).to_string());
    assert_eq!(refusal(&one, &[]), "error[one-column]: there is nothing beside column 'a'");
    let constant = rows("a,b,c", 40, |k| format!("{},5,{}", noise(k), noise(k + 9)));
    assert_eq!(refusal(&constant, &[]), "error[constant-column]: the same value in every row of column 'b'");
    let twice = rows("a,b,c", 40, |k| format!("{0},{1},{0}", noise(k), noise(k + 9)));
    let said = refusal(&twice, &[]);
    assert!(said.starts_with("error[duplicate-columns]: "), "{said}");
    let sum = rows("a,b,c", 40, |k| {
        let (a, b) = (noise(k), noise(k + 9));
        format!("{a},{b},{}", a + b)
    });
    let said = refusal(&sum, &[]);
    assert!(said.starts_with("error[collinear-columns]: "), "{said}");
    let few =
        rows("a,b,c,d", 4, |k| format!("{},{},{},{}", noise(k), noise(k + 9), noise(k + 20), noise(k + 31)));
    let said = refusal(&few, &[]);
    assert_eq!(said, "error[too-few-rows]: there are 4 rows for 4 columns");
    let ids = rows("id,a,b", 40, |k| format!("p{k},{},{}", noise(k), noise(k + 9)));
    let said = refusal(&ids, &[]);
    assert!(said.starts_with("error[id-like-column]: "), "{said}");
    let missing = rows("a,b,c", 40, |k| {
        let c = if k == 7 { String::new() } else { noise(k + 9).to_string() };
        format!("{},{},{c}", noise(k), noise(k + 50))
    });
    let said = refusal(&missing, &[]);
    assert!(said.starts_with("error[missing-values]: 1 "), "{said}");
    let empty = rows("a,b,c", 40, |k| format!("{},{},", noise(k), noise(k + 50)));
    assert_eq!(refusal(&empty, &[]), "error[empty-column]: column 'c' has no values at all");
    let infinite = rows("a,b,c", 40, |k| {
        let c = if k == 7 { "inf".to_owned() } else { noise(k + 9).to_string() };
        format!("{},{},{c}", noise(k), noise(k + 50))
    });
    let said = refusal(&infinite, &[]);
    assert!(said.starts_with("error[infinite-value]: "), "{said}");
}

#[test]
fn a_finding_can_be_ignored_and_a_column_left_out() {
    let home = TempDir::new().unwrap();
    let constant = rows("a,b,c", 40, |k| format!("{},5,{}", noise(k), noise(k + 9)));
    fs::write(home.path().join("x.csv"), constant).unwrap();
    for way in [["--ignore", "constant-column"], ["--exclude", "b"]] {
        let mut arguments = vec!["discover", "x.csv", "--iterations", "5", "-q"];
        arguments.extend(way);
        gflowcausal(home.path(), &arguments).assert().success();
    }
    let said = refusal(&good(), &["--exclude", "z"]);
    assert_eq!(said, "error[bad-option]: --exclude z: there is no such column");
}

#[test]
fn constraints_that_cannot_be() {
    assert_eq!(
        refusal(&good(), &["--require", "a->z"]),
        "error[unknown-column]: require a->z: no variable is named 'z'"
    );
    let said = refusal(&good(), &["--require", "a->b", "--require", "b->c", "--require", "c->a"]);
    assert!(said.starts_with("error[contradictory-constraints]: "), "{said}");
    for edge in ["a->b", "b->c", "c->a"] {
        assert!(said.contains(edge), "{said}");
    }
    let said = refusal(&good(), &["--require", "a->b", "--forbid", "a->b", "--forbid", "b->c"]);
    assert!(said.contains("a->b") && !said.contains("b->c"), "the smallest conflict: {said}");
    let home = TempDir::new().unwrap();
    fs::write(home.path().join("x.csv"), good()).unwrap();
    fs::write(home.path().join("tiers.txt"), "nonsense\n").unwrap();
    let bad = self::said(home.path(), "x.csv", &["--knowledge", "tiers.txt"], 2);
    assert!(bad.starts_with("error[bad-knowledge-file]: knowledge file 'tiers.txt': "), "{bad}");
    fs::write(home.path().join("c.toml"), "knowledge = 'nonsense'").unwrap();
    let bad = self::said(home.path(), "x.csv", &["--config", "c.toml"], 2);
    assert!(bad.starts_with("error[bad-config-file]: config file 'c.toml': knowledge: "), "{bad}");
    let said = refusal(&good(), &["--knowledge", "gone.txt"]);
    assert!(said.starts_with("error[not-found]: cannot read knowledge file 'gone.txt'"), "{said}");
}

#[test]
fn truths_that_do_not_fit() {
    let home = TempDir::new().unwrap();
    fs::write(home.path().join("x.csv"), good()).unwrap();
    fs::write(home.path().join("cycle.csv"), "from,to\na,b\nb,c\nc,a\n").unwrap();
    let cycle = said(home.path(), "x.csv", &["--truth", "cycle.csv"], 2);
    assert!(cycle.starts_with("error[cycle]: graph 'cycle.csv': "), "{cycle}");
    fs::write(home.path().join("other.csv"), "from,to\na,z\n").unwrap();
    let other = said(home.path(), "x.csv", &["--truth", "other.csv"], 2);
    assert!(other.starts_with("error[other-variables]: "), "{other}");
}

#[test]
fn options_that_cannot_be() {
    for (more, expected) in [
        (vec!["--alpha", "0.1"], "error[option-without-effect]: --alpha has no effect with pruning selected"),
        (
            vec!["--score", "bge", "--penalty", "2"],
            "error[option-without-effect]: --penalty has no effect with score bge",
        ),
        (
            vec!["--method", "exact", "--walk", "chain"],
            "error[option-without-effect]: --walk has no effect with method exact",
        ),
        (
            vec!["--temperature", "0"],
            "error[bad-option]: --temperature is 0, but must be from 0.000001 to 1000000",
        ),
        (vec!["--samples", "0"], "error[bad-option]: --samples is 0, but must be at least 1"),
        (
            vec!["--seed", "18446744073709551615"],
            "error[bad-option]: --seed is 18446744073709552000, but must be at most 9223372036854775807",
        ),
        (
            vec!["--iterations", "18446744073709551615"],
            "error[bad-option]: --iterations is 18446744073709552000, but must be at most 1000000000",
        ),
        (
            vec!["--max-parents", "18446744073709551615"],
            "error[bad-option]: --max-parents is 18446744073709552000, but must be at most 1000000",
        ),
        (
            vec!["--temperature", "inf"],
            "error[bad-option]: --temperature is inf, but must be from 0.000001 to 1000000",
        ),
        (vec!["--batch-size", "0"], "error[bad-option]: --batch-size is 0, but must be at least 1"),
        (vec!["--hidden", "0"], "error[bad-option]: --hidden is 0, but must be at least 1"),
        (
            vec!["--learning-rate", "0"],
            "error[bad-option]: --learning-rate is 0, but must be finite and above zero",
        ),
        (
            vec!["--ignore", "typo"],
            "error[bad-option]: --ignore typo: there is no such finding of the doctor",
        ),
        (
            vec!["--walk", "free"],
            "error[bad-combination]: method gflowcausal does not take walk free: it takes layers, order, \
             edges, chain, complete, graph",
        ),
        (
            vec!["--method", "gflownets-score", "--walk", "edges"],
            "error[bad-combination]: method gflownets-score does not take walk edges: it takes free",
        ),
        (
            vec!["--method", "sac", "--walk", "order"],
            "error[bad-combination]: method sac does not take walk order: it takes edges, chain, complete",
        ),
        (
            vec!["--method", "boss", "--entropy", "0.1"],
            "error[option-without-effect]: --entropy has no effect with method boss",
        ),
        (
            vec!["--score", "varsort", "--prune", "score"],
            "error[bad-combination]: --prune score does not go with score 'varsort'",
        ),
    ] {
        assert_eq!(refusal(&good(), &more), expected);
    }
    let home = TempDir::new().unwrap();
    fs::write(home.path().join("x.csv"), good()).unwrap();
    fs::write(home.path().join("c.toml"), "scores = 'bic'").unwrap();
    let unknown = said(home.path(), "x.csv", &["--config", "c.toml"], 2);
    assert!(
        unknown.starts_with("error[bad-config-file]: config file 'c.toml': unknown field `scores`"),
        "{unknown}"
    );
}

#[test]
fn a_place_where_nothing_can_be_written() {
    let home = TempDir::new().unwrap();
    fs::write(home.path().join("x.csv"), good()).unwrap();
    fs::write(home.path().join("taken"), "").unwrap();
    let output = gflowcausal(home.path(), &["discover", "x.csv", "--out", "taken/run"])
        .assert()
        .code(2)
        .get_output()
        .clone();
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.starts_with("error[file-error]: cannot create 'taken/run': "), "{text}");
}
