//! Bad tables, graphs and constraints, through the binary: the code, the exact sentence, a way out, nothing written.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// A home with files, and how the program fares in it.
struct Home(TempDir);

impl Home {
    fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    fn with(files: &[(&str, &str)]) -> Self {
        let home = Self::new();
        files.iter().for_each(|(name, text)| home.put(name, text.as_bytes()));
        home
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn put(&self, name: &str, bytes: &[u8]) {
        fs::write(self.path().join(name), bytes).unwrap();
    }

    /// The program with arguments that hold no blanks.
    fn command(&self, line: &str) -> Command {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("gflowcausal"));
        command.current_dir(self.path()).args(line.split(' ')).env_remove("RUST_BACKTRACE");
        command
    }

    fn run(&self, line: &str) -> Output {
        self.command(line).stdin(Stdio::null()).output().unwrap()
    }

    /// Names of everything here, hidden or not.
    fn contents(&self) -> Vec<String> {
        let entries = fs::read_dir(self.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Checks that `line` fails with `exit`, says `message` and a way out, prints no result and writes nothing.
    fn refuses(&self, exit: i32, line: &str, message: &str, help: &str) {
        let before = self.contents();
        let output = self.run(line);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(said, format!("error{message}\n  help: {help}\n"), "{line}");
        assert_eq!(output.status.code(), Some(exit), "{line}");
        assert_eq!(String::from_utf8(output.stdout).unwrap(), "", "{line}");
        assert_eq!(self.contents(), before, "{line} wrote something");
    }

    /// Code, severity and sentence of everything the doctor finds.
    fn findings(&self, file: &str) -> Vec<[String; 3]> {
        let output = self.run(&format!("doctor {file} --format json"));
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        let text = |finding: &Value, key: &str| finding[key].as_str().unwrap().to_owned();
        let found = answer["findings"].as_array().unwrap().iter();
        found.map(|finding| ["code", "severity", "what"].map(|key| text(finding, key))).collect()
    }
}

/// `rows` rows, each made of its number.
fn table(header: &str, rows: usize, row: impl Fn(usize) -> String) -> String {
    (0..rows).fold(format!("{header}\n"), |text, number| text + &row(number) + "\n")
}

/// Numbers without any pattern that the doctor knows.
fn noise(row: usize, column: usize) -> f64 {
    ((row * 7919 + column * 104_729 + row * row * 31) % 1009) as f64 / 100.0
}

#[test]
fn tables_that_cannot_be_read() {
    let home = Home::with(&[
        ("empty.csv", ""),
        ("norows.csv", "a,b\n"),
        ("ragged.csv", "a,b,c\n1,2,3\n4,5\n"),
        ("rownames.txt", "a b\n1 0.5 2\n2 0.7 1\n"),
        ("text.csv", "age,x\n31,1\n48,2\nforty,3\n50,4\n"),
        ("twice.csv", "a,b,a\n1,2,3\n"),
        ("quote.csv", "a,b\n1,\"x\n2,y\n"),
        ("long.csv", "id,x\n9007199254740993,1.5\n3,2.5\n"),
        ("good.csv", "a,b\n1.5,2.5\n2.5,4.5\n"),
        ("sheet.xlsx", "PK"),
        ("old.npz", "PK"),
        ("empty.parquet", ""),
    ]);
    home.put("latin.csv", b"a,b\n1,caf\xe9\n");
    home.put("latinnames.csv", b"caf\xe9,b\n1,2\n");
    home.put("utf16.csv", b"\xff\xfea\0,\0b\0\n\0");
    home.put("torn.csv", b"a,b\n1,2\n3,4\n\0\0\0\0");
    home.put("cut.npy", b"\x93NUMPY\x01\0");
    fs::create_dir(home.path().join("folder.csv")).unwrap();
    let cases = [
        ("empty.csv", "[empty-file]: the file is empty", "check that the program that wrote it had finished"),
        (
            "empty.parquet",
            "[empty-file]: the file is empty",
            "check that the program that wrote it had finished",
        ),
        (
            "norows.csv",
            "[no-rows]: there are no rows below the 2 column names",
            "add rows below the names; if the first row is data, use --no-header",
        ),
        (
            "ragged.csv",
            "[ragged-row]: row 2 has 2 cells, but there are 3 columns",
            "give every row the same number of cells, or name the right separator with --delimiter",
        ),
        (
            "rownames.txt",
            "[ragged-row]: row 1 has 3 cells, but there are 2 columns",
            "name every column; if R wrote the file, leave the row names out: write.table(…, row.names = FALSE)",
        ),
        (
            "text.csv",
            "[mixed-types]: column 'age' holds numbers, but row 3 is the text 'forty'",
            "correct the cell, leave it empty if it means a missing value, or use --types age=categorical",
        ),
        ("twice.csv", "[duplicate-names]: two columns are named 'a'", "give every column a name of its own"),
        (
            "quote.csv",
            "[unclosed-quote]: a quote is opened and never closed, in the row that begins with '1,\"x'",
            "close the quote, or remove quotes that are part of a value",
        ),
        (
            "long.csv",
            "[inexact-number]: column 'id', row 1: 9007199254740993 has more digits than a number keeps",
            "if it is a code, keep it as text and use --types id=categorical; if its last digits do not matter, \
             use --types id=continuous",
        ),
        (
            "latin.csv",
            "[not-utf8]: column 'b', row 1: 'caf\u{fffd}' is not UTF-8 text",
            "save the file as UTF-8",
        ),
        (
            "latinnames.csv",
            "[not-utf8]: the column names are not UTF-8 text: 'caf\u{fffd}'",
            "save the file as UTF-8",
        ),
        (
            "utf16.csv",
            "[wrong-content]: UTF-8 text was expected, but this is UTF-16 text",
            "save the file as UTF-8",
        ),
        (
            "torn.csv",
            "[damaged-file]: the text data are damaged: row 3 holds zero bytes",
            "fetch or write the file again",
        ),
        (
            "cut.npy",
            "[truncated-file]: the NumPy data end too early: the file was cut short",
            "fetch or write the file again",
        ),
        (
            "nowhere.csv",
            "[not-found]: there is no file 'nowhere.csv'",
            "check the path, or name a built-in data set: sachs or sachs-interventions",
        ),
        (
            "sach",
            "[not-found]: there is no file 'sach'",
            "check the path, or name a built-in data set: sachs or sachs-interventions",
        ),
        ("folder.csv", "[directory]: 'folder.csv' is a directory, not a file", "name a file inside it"),
        (
            "sheet.xlsx",
            "[unknown-extension]: the extension of 'sheet.xlsx' is not that of a table",
            "save the sheet as CSV",
        ),
        (
            "old.npz",
            "[unknown-extension]: the extension of 'old.npz' is not that of a table",
            "save one array by itself: numpy.save(\"table.npy\", array)",
        ),
        (
            "good.csv --types c=continuous",
            "[unknown-column]: there is no column 'c' to make continuous; the columns are a, b",
            "write the name as it is in the file",
        ),
        (
            "sachs --no-header",
            "[option-without-effect]: the built-in data set 'sachs' takes no reading options",
            "leave them out",
        ),
    ];
    for (file, message, help) in cases {
        home.refuses(2, &format!("doctor {file}"), message, help);
    }
}

#[test]
fn tables_that_make_no_sense() {
    let rows = |row: fn(usize) -> String| table("a,b,c", 40, row);
    let free = |row: usize| format!("{},{}", noise(row, 1), noise(row, 2));
    let home = Home::with(&[
        ("one.csv", &table("a", 40, |row| noise(row, 1).to_string())),
        ("few.csv", &table("a,b,c", 3, |row| format!("{},{}", free(row), noise(row, 3)))),
        ("constant.csv", &table("a,b,c", 40, |row| format!("{},7.5", free(row)))),
        ("copy.csv", &rows(|row| format!("{0},{1},{0}", noise(row, 1), noise(row, 2)))),
        (
            "sum.csv",
            &rows(|row| {
                format!("{},{},{}", noise(row, 1), noise(row, 2), noise(row, 1) + 2.0 * noise(row, 2))
            }),
        ),
        ("id.csv", &table("a,b,id", 40, |row| format!("{},patient {row}", free(row)))),
        (
            "inf.csv",
            &table("a,b,c", 40, |row| format!("{},{}", free(row), if row == 7 { "inf" } else { "1e2" })),
        ),
        ("void.csv", &table("a,b,c", 40, |row| format!("{},NA", free(row)))),
        (
            "gap.csv",
            &table("a,b,c", 40, |row| {
                format!("{},{}", free(row), if row == 7 { "NaN".into() } else { noise(row, 3).to_string() })
            }),
        ),
        ("euro.csv", &table("a,b,price", 40, |row| format!("{},€{row}.50", free(row)))),
    ]);
    let cases = [
        ("one.csv", "one-column", "error", "there is nothing beside column 'a'"),
        ("few.csv", "too-few-rows", "error", "there are 3 rows for 3 columns"),
        ("constant.csv", "constant-column", "error", "the same value in every row of column 'c'"),
        ("copy.csv", "duplicate-columns", "error", "the same values in columns 'a', 'c'"),
        ("sum.csv", "collinear-columns", "error", "an exact linear relation ties columns 'a', 'b', 'c'"),
        (
            "id.csv",
            "id-like-column",
            "error",
            "a number or name for each row, not a measurement, in column 'id'",
        ),
        ("inf.csv", "infinite-value", "error", "infinite values in column 'c'"),
        ("void.csv", "empty-column", "error", "no value at all in column 'c'"),
        ("gap.csv", "missing-values", "warning", "1 value missing in column 'c'"),
        (
            "euro.csv",
            "numbers-as-text",
            "warning",
            "numbers that are written for people and so count as categories in column 'price'",
        ),
    ];
    for (file, code, severity, what) in cases {
        let found = home.findings(file);
        assert_eq!(found[0], [code, severity, what], "{file}: {found:?}");
        let strict = home.run(&format!("doctor {file} --strict"));
        assert_eq!(strict.status.code(), Some(if severity == "error" { 2 } else { 0 }), "{file}");
    }
}

#[test]
fn graphs_that_cannot_be_read_or_compared() {
    let home = Home::with(&[
        ("good.csv", "from,to\na,b\n"),
        ("cycle.csv", "from,to\na,b\nb,c\nc,a\n"),
        ("other.csv", "from,to\na,z\n"),
        ("empty.csv", ""),
        ("undirected.dot", "graph { a -- b }"),
        ("loop.csv", "from,to\na,a\n"),
        ("weight.dot", "digraph {\na -> b [weight=strong] }"),
        ("oblong.csv", "a,b,c\n0,1,0\n0,0,0\n"),
        ("ragged.csv", "a,b\n0,1\n0\n"),
        ("rows.csv", "a,b,c\na,0,1\nb,0,0\n"),
        ("numbered.csv", "1,2\n2,3\n3,4\n"),
        ("torn.json", "{\"edges\": ["),
        ("what.txt", "hello"),
    ]);
    home.put("latin.dot", b"digraph { caf\xe9 -> b }");
    home.put("cut.npy", b"\x93NUMPY\x01\0");
    fs::create_dir(home.path().join("folder.json")).unwrap();
    let same = "use the same names in both, each variable once";
    let place = "correct that place, or write the file again";
    let truths = [
        (
            "cycle.csv",
            "[cycle]: graph 'cycle.csv': the graph has a cycle: c -> a -> b -> c",
            "remove or turn one of these edges",
        ),
        (
            "undirected.dot",
            "[undirected-edge]: graph 'undirected.dot': the edge between 'a' and 'b' has no direction",
            "give a graph in which every edge has a direction",
        ),
        (
            "other.csv",
            "[other-variables]: graph 'good.csv': the variables differ: missing z; unknown b",
            same,
        ),
    ];
    for (file, message, help) in truths {
        home.refuses(2, &format!("evaluate good.csv --truth {file}"), message, help);
    }
    let estimates = [
        (
            "other.csv",
            "[other-variables]: graph 'other.csv': the variables differ: missing b; unknown z",
            same,
        ),
        (
            "empty.csv",
            "[empty-file]: graph file 'empty.csv': the file is empty",
            "check that the program that wrote it had finished",
        ),
        ("latin.dot", "[not-utf8]: graph file 'latin.dot': line 1: not UTF-8 text", "save the file as UTF-8"),
        (
            "loop.csv",
            "[self-loop]: graph file 'loop.csv': line 2: 'a' has an edge to itself",
            "remove the edge: nothing causes itself here",
        ),
        (
            "weight.dot",
            "[bad-graph-file]: graph file 'weight.dot': line 2: weight 'strong' is not a number",
            "correct the value, or leave it out",
        ),
        (
            "oblong.csv",
            "[not-square]: graph file 'oblong.csv': a matrix of 2 rows and 3 columns is not square",
            "an adjacency matrix has one row and one column for each variable",
        ),
        (
            "ragged.csv",
            "[ragged-row]: graph file 'ragged.csv': row 3 has 1 cell, expected 2",
            "an adjacency matrix has one row and one column for each variable",
        ),
        (
            "rows.csv",
            "[other-variables]: graph file 'rows.csv': the rows are named a, b, but the columns b, c",
            "name the rows as the columns, in any order",
        ),
        (
            "numbered.csv",
            "[not-square]: graph file 'numbered.csv': 3 rows of 2 numbers are no square matrix",
            "if it is a list of edges, write 'from,to' above it",
        ),
        ("torn.json", "[bad-graph-file]: graph file 'torn.json': line 1, column 11: not valid JSON", place),
        (
            "cut.npy",
            "[bad-graph-file]: graph file 'cut.npy': the npy file is damaged: it ends early",
            "write the file again",
        ),
        (
            "what.txt",
            "[unknown-format]: graph file 'what.txt': this is none of the graph formats json, csv, edge-list, dot, \
             graphml, gml, bif, npy, tetrad",
            "give the file its usual extension, such as .json or .csv",
        ),
        (
            "nowhere.json",
            "[not-found]: cannot read 'nowhere.json': No such file or directory (os error 2)",
            "check the path",
        ),
        ("folder.json", "[directory]: 'folder.json' is a directory, not a file", "name a file inside it"),
    ];
    for (file, message, help) in estimates {
        home.refuses(2, &format!("evaluate {file} --truth good.csv"), message, help);
        if !message.contains("variables differ") {
            home.refuses(2, &format!("convert {file} out.json"), message, help);
        }
    }
}

#[test]
fn conversions_that_cannot_be_written() {
    let home = Home::with(&[
        ("good.csv", "from,to\na,b\n"),
        ("undirected.dot", "graph { a -- b }"),
        ("semicolon.csv", "from,to\n\"a;b\",c\n"),
    ]);
    fs::create_dir(home.path().join("folder")).unwrap();
    let elsewhere = "write JSON, GraphML or DOT, which hold every graph";
    let cases = [
        (
            "good.csv out.bif",
            "[format-cannot-hold]: cannot write 'out.bif': bif is read, but not written",
            elsewhere,
        ),
        (
            "semicolon.csv out.tetrad",
            "[format-cannot-hold]: cannot write 'out.tetrad': tetrad cannot hold the name \"a;b\"",
            elsewhere,
        ),
        (
            "good.csv out.what",
            "[unknown-extension]: 'out.what' does not say which graph format to write",
            "end the name in .json .csv .dot .graphml .npy or .tetrad, or name the format",
        ),
        (
            "good.csv folder --to json",
            "[directory]: 'folder' is a directory, not a file",
            "name a file inside it",
        ),
        (
            "good.csv nowhere/out.json",
            "[not-found]: cannot open 'nowhere': No such file or directory (os error 2)",
            "check the path",
        ),
        (
            "good.csv - --to dot --format json",
            "[option-without-effect]: --format has no effect where the graph itself goes to standard output",
            "name the format of the graph with --to",
        ),
    ];
    for (arguments, message, help) in cases {
        home.refuses(2, &format!("convert {arguments}"), message, help);
    }
}

#[test]
fn constraints_that_cannot_hold() {
    let data =
        table("age,dose,pulse", 60, |row| format!("{},{},{}", noise(row, 1), noise(row, 2), noise(row, 3)));
    let home =
        Home::with(&[("data.csv", &data), ("cycle.txt", "/knowledge\nrequiredirect\nage dose\ndose age\n")]);
    let edge = "give names of columns; `*` stands for any letters";
    let cases = [
        (
            "--require agee->dose",
            "[unknown-column]: require agee->dose: no variable is named 'agee'; did you mean 'age'?",
            edge,
        ),
        (
            "--forbid age",
            "[bad-constraint]: forbid age: 'age' is not an edge: write it as A->B",
            "write A->B with two names of columns",
        ),
        (
            "--require age->dose --require dose->pulse --require pulse->age",
            "[contradictory-constraints]: these constraints cannot all hold: require age->dose; require dose->pulse; \
             require pulse->age",
            "take back one of them",
        ),
        (
            "--require age->dose --require dose->pulse --forbid age->dose",
            "[contradictory-constraints]: these constraints cannot all hold: require age->dose; forbid age->dose",
            "take back one of them",
        ),
        (
            "--require age->dose --require pulse->dose --max-parents 1",
            "[contradictory-constraints]: these constraints cannot all hold: require age->dose; require pulse->dose; \
             max parents 1",
            "take back one of them",
        ),
        (
            "--knowledge cycle.txt",
            "[contradictory-constraints]: these constraints cannot all hold: require age->dose (line 3); \
             require dose->age (line 4)",
            "take back one of them",
        ),
    ];
    for (arguments, message, help) in cases {
        home.refuses(2, &format!("discover data.csv --no-progress --out run {arguments}"), message, help);
    }
}

#[test]
fn impossible_simulations() {
    let home = Home::new();
    for (arguments, message, help) in [
        (
            "--nodes 4 --edges 7",
            "[impossible-simulation]: 7 edges do not fit into the 6 pairs of 4 nodes",
            "ask for fewer edges, or more nodes",
        ),
        (
            "--nodes 1 --edges 2",
            "[impossible-simulation]: 2 edges do not fit into the 0 pairs of 1 node",
            "ask for fewer edges, or more nodes",
        ),
        ("--rows 0", "[impossible-simulation]: a table needs at least 1 row", "correct the value"),
        (
            "--model discrete --noise exp",
            "[option-without-effect]: option 'noise' has no effect on model 'discrete'",
            "leave the option out",
        ),
        (
            "--missing-rate 1.5",
            "[impossible-simulation]: missing rate 1.5 is not in [0, 1)",
            "correct the value",
        ),
    ] {
        home.refuses(2, &format!("simulate --out d {arguments}"), message, help);
        assert!(home.contents().is_empty(), "{arguments}");
    }
    home.refuses(
        2,
        "simulate --out d --format csv --format parquet",
        "[bad-option]: --format says two things: give one of text and json, and one of csv and parquet",
        "leave one of them out",
    );
    home.put("taken", b"");
    home.refuses(
        2,
        "simulate --out taken",
        "[file-error]: cannot create 'taken': File exists (os error 17)",
        "a file stands in the way: choose another name",
    );
}

/// A file of that many bytes, of which only the beginning is on the disk.
fn sparse(home: &Home, name: &str, start: &[u8], length: u64) {
    home.put(name, start);
    fs::File::options().write(true).open(home.path().join(name)).unwrap().set_len(length).unwrap();
}

#[test]
fn huge_files_are_refused_at_their_beginning() {
    let home = Home::new();
    sparse(&home, "zeros.csv", b"", 10 << 30);
    home.refuses(
        2,
        "doctor zeros.csv",
        "[wrong-content]: UTF-8 text was expected, but this is binary data",
        "save the table as UTF-8 text; if it is none, end the file's name in what it holds",
    );
    sparse(&home, "line.csv", b"1,2,3,4,5", 10 << 30);
    home.refuses(
        2,
        "doctor line.csv",
        "[long-row]: a row is longer than 64 MiB; it begins with '1,2,3,4,5'",
        "check that this is a text table with a line for each row, and that every quote is closed",
    );
    // A terabyte of rows without a header: no machine that runs tests holds the two terabytes of their numbers.
    sparse(&home, "rows.csv", &b"1.5,2.5\n".repeat(1 << 18), 1 << 40);
    let output = home.run("doctor rows.csv");
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.starts_with("error[too-large]: the table would take about 2.2 TB, but only "), "{said}");
    assert!(said.ends_with(" of memory are free\n  help: choose fewer rows or columns\n"), "{said}");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn an_endless_stream_without_header_is_refused_at_its_beginning() {
    let home = Home::new();
    let mut command = home.command("doctor - --types age=continuous");
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    let rows = b"1.5,2.5\n".repeat(1 << 13);
    let taken = (0..10_000).take_while(|_| pipe.write_all(&rows).is_ok()).count() * rows.len();
    drop(pipe);
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    let message =
        "error[unknown-column]: there is no column 'age' to make continuous; the columns are X1, X2\n";
    assert!(said.starts_with(message), "{said}");
    assert_eq!(output.status.code(), Some(2));
    assert!(taken < 4 << 20, "{taken} bytes were read");
}

#[cfg(target_os = "linux")]
mod refused_by_the_system {
    use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
    use std::os::unix::process::CommandExt;

    use super::*;

    #[test]
    fn a_full_disk() {
        let home = Home::with(&[("good.csv", "from,to\na,b\n")]);
        home.refuses(
            1,
            "convert good.csv /dev/full --to json",
            "[disk-full]: cannot write '/dev/full': No space left on device (os error 28)",
            "free some space, or choose another disk",
        );
        let device = fs::metadata("/dev/full").unwrap();
        assert!(device.file_type().is_char_device(), "a device was replaced by a file");
        for line in
            ["doctor sachs", "doctor sachs --format json", "convert good.csv - --to dot", "completions bash"]
        {
            let full = fs::File::options().write(true).open("/dev/full").unwrap();
            let output = home.command(line).stdout(full).output().unwrap();
            assert_eq!(
                String::from_utf8(output.stderr).unwrap(),
                "error[disk-full]: cannot write the result: No space left on device (os error 28)\n  \
                 help: free some space, or send the result elsewhere\n",
                "{line}"
            );
            assert_eq!(output.status.code(), Some(1), "{line}");
        }
    }

    /// A limit on the size of files stands for a disk that fills up half way: the data are the last and largest file.
    #[test]
    fn a_disk_that_fills_up_leaves_no_half_simulation() {
        let home = Home::new();
        let program = assert_cmd::cargo::cargo_bin!("gflowcausal");
        let script =
            format!("trap '' XFSZ; ulimit -f 8; exec '{}' simulate --rows 2000 --out d", program.display());
        let output = Command::new("sh").args(["-c", &script]).current_dir(home.path()).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.starts_with("error[file-error]: cannot write 'd/.simulation."), "{said}");
        assert!(said.contains(".part/data.csv': "), "{said}");
        assert_eq!(output.status.code(), Some(1));
        assert!(home.contents().is_empty(), "{:?}", home.contents());
    }

    /// The program as a user without rights: the superuser may do everything.
    fn as_nobody(home: &Home, line: &str) -> Output {
        let program = home.path().join("program");
        if !program.exists() {
            fs::copy(assert_cmd::cargo::cargo_bin!("gflowcausal"), &program).unwrap();
            fs::set_permissions(home.path(), fs::Permissions::from_mode(0o755)).unwrap();
        }
        let mut command = Command::new(&program);
        command.current_dir(home.path()).args(line.split(' '));
        if fs::metadata(home.path()).unwrap().uid() == 0 {
            command.uid(65534);
        }
        command.output().unwrap()
    }

    #[test]
    fn no_permission() {
        let home = Home::with(&[
            ("secret.csv", "a,b\n1.5,2.5\n"),
            ("secret.json", "{}"),
            ("good.csv", "from,to\na,b\n"),
        ]);
        for secret in ["secret.csv", "secret.json"] {
            let path = home.path().join(secret);
            fs::set_permissions(path, fs::Permissions::from_mode(0o000)).unwrap();
        }
        fs::create_dir(home.path().join("locked")).unwrap();
        fs::set_permissions(home.path().join("locked"), fs::Permissions::from_mode(0o555)).unwrap();
        let place = "choose a place where you may read and write";
        let cases = [
            (
                "doctor secret.csv",
                2,
                "[no-permission]: no permission to read 'secret.csv'",
                "make the file readable for you, or copy it",
            ),
            (
                "evaluate secret.json --truth good.csv",
                2,
                "[no-permission]: cannot read 'secret.json': Permission denied (os error 13)",
                place,
            ),
            (
                "convert good.csv locked/out.json",
                2,
                "[no-permission]: cannot write 'locked/out.json': Permission denied (os error 13)",
                place,
            ),
            (
                "simulate --rows 5 --out locked/d",
                2,
                "[no-permission]: cannot create 'locked/d': Permission denied (os error 13)",
                place,
            ),
        ];
        for (line, exit, message, help) in cases {
            let output = as_nobody(&home, line);
            let said = String::from_utf8(output.stderr).unwrap();
            assert_eq!(said, format!("error{message}\n  help: {help}\n"), "{line}");
            assert_eq!(output.status.code(), Some(exit), "{line}");
        }
        assert_eq!(fs::read_dir(home.path().join("locked")).unwrap().count(), 0);
    }
}
