//! What the program says of hostile input: by name, in bounded length, without commands to the terminal.

use std::fs;

use super::{assert_refused, errors, json, printed, run, simulated, small};

#[test]
fn a_column_is_called_by_its_name() {
    let home = small();
    fs::write(home.path().join("big.csv"), "dose,b,c\n1e308,2,3\n-1e308,3,1\n1e308,1,5\n2,2,2\n4,1,1\n")
        .unwrap();
    let text = assert_refused(home.path(), "discover big.csv", "bad-score");
    assert!(text.contains("column 'dose' has no finite variance"), "{text}");
}

#[test]
fn a_long_cell_is_not_repeated() {
    let home = small();
    let cell = "x".repeat(1 << 20);
    fs::write(home.path().join("long.csv"), format!("a,b\n1,2\n2,1\n{cell},3\n")).unwrap();
    let text = assert_refused(home.path(), "discover long.csv --types a=continuous", "mixed-types");
    assert!(text.len() < 1000, "{} bytes", text.len());
    fs::write(home.path().join("k.txt"), &cell).unwrap();
    assert!(
        assert_refused(home.path(), "discover d/data.csv --knowledge k.txt", "bad-knowledge-file").len()
            < 1000
    );
    let long = format!("discover {}", "n".repeat(100_000));
    assert!(errors(&run(home.path(), &long)).len() < 10_000);
}

#[test]
fn numbers_out_of_range_are_refused_by_option_and_range() {
    let home = small();
    for (option, range) in [
        ("--temperature inf", "from 0.000001 to 1000000"),
        ("--temperature 1e300", "from 0.000001 to 1000000"),
        ("--temperature 1e-300", "from 0.000001 to 1000000"),
        ("--learning-rate 0", "finite and above zero"),
        ("--hidden 0", "at least 1"),
    ] {
        let text = assert_refused(home.path(), &format!("discover d/data.csv {option}"), "bad-option");
        let name = option.split(' ').next().unwrap();
        assert!(text.contains(name) && text.contains(range), "{text}");
    }
    for temperature in ["0.000001", "1000000"] {
        let line = format!("discover d/data.csv --samples 20 --format json --temperature {temperature}");
        assert!(!printed(home.path(), &line).contains("null,null"));
    }
    for (time, words) in [("1e400", "longer than any run"), ("-1", "cannot be negative")] {
        let text = errors(&run(home.path(), &format!("discover d/data.csv --time-budget={time}")));
        assert!(text.contains(words), "{time}: {text}");
    }
}

#[test]
fn diverged_training_is_an_error() {
    let home = small();
    for walk in ["order", "graph"] {
        let line =
            format!("discover d/data.csv --iterations 50 --learning-rate 1e30 --walk {walk} --out {walk}");
        let output = run(home.path(), &line);
        assert_eq!(output.status.code(), Some(1), "{}", errors(&output));
        assert!(errors(&output).contains("training diverged in iteration"), "{}", errors(&output));
        assert!(errors(&output).contains("--learning-rate"), "{}", errors(&output));
    }
}

#[test]
fn a_directory_in_the_place_of_a_file_gets_advice() {
    let home = small();
    let text = errors(&run(home.path(), "discover d/data.csv --truth d"));
    assert!(text.contains("help: it is a directory: name a file"), "{text}");
}

#[test]
fn scales_beyond_all_numbers_are_said_in_words() {
    let home = small();
    fs::write(home.path().join("s.csv"), "a,b\n1,2e200\n2,1e200\n3,4e-200\n2,3\n5,2\n4,4\n").unwrap();
    let text = printed(home.path(), "doctor s.csv").split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("by a factor of") && !text.contains("inf"), "{text}");
}

#[test]
fn names_that_command_a_terminal_are_shown_and_not_sent() {
    let home = small();
    let evil = "a\u{1b}]0;owned\u{7}\u{1b}[2Jb";
    let data = fs::read_to_string(home.path().join("d/data.csv")).unwrap();
    fs::write(home.path().join("evil.csv"), data.replacen("X1", evil, 1)).unwrap();
    for line in [
        "discover evil.csv --samples 20",
        "doctor evil.csv",
        "discover evil.csv --require a->b",
        "discover \u{1b}[2J",
    ] {
        let output = run(home.path(), line);
        for stream in [output.stdout, output.stderr] {
            assert!(!stream.contains(&0x1b) && !stream.contains(&7), "{line}");
        }
    }
    // XML has no place for such a name: found before anything is computed, and nothing is written.
    let text = errors(&run(home.path(), "discover evil.csv --samples 20 --out run"));
    assert!(text.contains("graph.graphml") && !text.contains("local search"), "{text}");
    assert!(!home.path().join("run").exists());
}

#[test]
fn names_that_look_like_formulas_come_back_as_they_were() {
    let home = small();
    let data = fs::read_to_string(home.path().join("d/data.csv")).unwrap();
    fs::write(home.path().join("f.csv"), data.replacen("X1", "=cmd()", 1).replacen("X2", "'@x", 1)).unwrap();
    printed(home.path(), "discover f.csv --samples 20 --out run");
    for name in ["adjacency.csv", "edges.csv", "edge_probabilities.csv"] {
        let text = fs::read_to_string(home.path().join("run").join(name)).unwrap();
        assert!(!text.split(['\n', ',']).any(|cell| cell.starts_with('=')), "{name}: {text}");
    }
    let text = printed(home.path(), "evaluate run/graph.json --truth run/adjacency.csv");
    assert!(text.starts_with("SHD 0 "), "{text}");
}

#[test]
fn rows_that_are_not_used_are_said() {
    let home = simulated("--nodes 3 --edges 2 --rows 2500");
    let short = "discover d/data.csv --score gp --posterior none --format json";
    let result = json(printed(home.path(), short).as_bytes());
    assert_eq!(result["data"]["rows_used"], 2000);
    assert!(result["findings"].to_string().contains("uses 2000 of the 2500 rows"), "{}", result["findings"]);
    let all = json(printed(home.path(), &format!("{short} --rows-used 2500")).as_bytes());
    assert!(all["data"]["rows_used"].is_null() && all["score"]["value"] != result["score"]["value"]);
    assert_refused(home.path(), "discover d/data.csv --rows-used 100", "option-without-effect");
}

/// Any number of draws is drawn in the memory of a few: 60,000 graphs here, in three parts.
#[test]
fn many_draws_come_in_parts() {
    let home = small();
    printed(home.path(), "discover d/data.csv --samples 20 --out run");
    let text = printed(home.path(), "sample run -n 45000 --format json");
    let drawn: u64 = text.lines().map(|line| json(line.as_bytes())["count"].as_u64().unwrap()).sum();
    assert_eq!(drawn, 45_000);
    assert!(printed(home.path(), "sample run -n 45000").contains("45000 graphs drawn"));
    let output = run(home.path(), "sample run -n 18446744073709551615");
    assert_eq!(output.status.code(), Some(2), "{}", errors(&output));
}

#[cfg(target_os = "linux")]
#[test]
fn a_place_without_permission_is_bad_usage_for_every_verb() {
    let home = small();
    printed(home.path(), "discover d/data.csv --samples 20 --out run");
    for line in [
        "discover d/data.csv --samples 20 --out /sys/none",
        "simulate --nodes 3 --edges 2 --out /sys/none",
        "convert run/graph.json /sys/none.dot",
        "plot run --out /sys/none.svg",
    ] {
        let output = run(home.path(), line);
        assert_eq!(output.status.code(), Some(2), "{line}: {}", errors(&output));
    }
}

#[test]
fn a_damaged_parquet_file_is_one_sentence() {
    let home = small();
    printed(home.path(), "simulate --nodes 4 --edges 3 --rows 50 --format parquet --out p");
    let whole = fs::read(home.path().join("p/data.parquet")).unwrap();
    for k in 0..60 {
        let mut bytes = whole.clone();
        let at = k * (bytes.len() - 1) / 59;
        bytes[at] ^= 0xff;
        fs::write(home.path().join("bad.parquet"), bytes).unwrap();
        let output = run(home.path(), "doctor bad.parquet");
        assert!(matches!(output.status.code(), Some(0 | 2)), "byte {at}: {}", errors(&output));
        assert!(!errors(&output).contains("panicked"), "byte {at}: {}", errors(&output));
    }
}
