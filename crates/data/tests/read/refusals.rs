//! Bad input: the exact code, sentence and way out of each.

use gflowcausal_data::{Header, Missing, ReadError, ReadOptions, Source, csv_moments, read_table};

use crate::{fix, read, read_with, typed};

/// Code, sentence and way out.
fn words(error: &ReadError) -> [String; 3] {
    [error.code().into(), error.to_string(), fix(error)]
}

/// How `csv` is refused.
fn refusal(csv: &[u8]) -> [String; 3] {
    words(&read_with(csv, &ReadOptions::default()).expect_err("a refusal"))
}

/// How a path is refused.
fn path_refusal(path: impl Into<std::path::PathBuf>) -> [String; 3] {
    words(&read_table(&Source::Path(path.into()), &ReadOptions::default()).expect_err("a refusal"))
}

#[test]
fn an_empty_file() {
    for empty in ["", "\n\n", "  \r\n", "\u{feff}"] {
        assert_eq!(
            refusal(empty.as_bytes()),
            ["empty-file", "the file is empty", "check that the program that wrote it had finished"]
        );
    }
}

#[test]
fn names_without_rows() {
    assert_eq!(
        refusal(b"a,b\n"),
        [
            "no-rows",
            "there are no rows below the 2 column names",
            "add rows below the names; if the first row is data, use --no-header"
        ]
    );
}

#[test]
fn ragged_rows() {
    let fix = "give every row the same number of cells, or name the right separator with --delimiter";
    assert_eq!(
        refusal(b"a,b,c\n1,2,3\n4,5\n"),
        ["ragged-row", "row 2 has 2 cells, but there are 3 columns", fix]
    );
    assert_eq!(
        refusal(b"a,b,c\n1,2,3,4,5\n"),
        ["ragged-row", "row 1 has 5 cells, but there are 3 columns", fix]
    );
    assert_eq!(refusal(b"a,b,c\n1\n"), ["ragged-row", "row 1 has 1 cell, but there are 3 columns", fix]);
}

#[test]
fn a_header_that_is_one_name_short() {
    assert_eq!(
        refusal(b"\"a\" \"b\"\n\"1\" 0.5 2\n\"2\" 0.7 1\n"),
        [
            "ragged-row",
            "row 1 has 3 cells, but there are 2 columns",
            "name every column; if R wrote the file, leave the row names out: write.table(…, row.names = FALSE)"
        ]
    );
}

/// How `csv` is refused as a stream.
fn stream_refusal(csv: &[u8]) -> [String; 3] {
    words(&csv_moments(csv, &ReadOptions::default(), Missing::Error).expect_err("a refusal"))
}

#[test]
fn a_table_and_its_stream_were_refused_in_other_words() {
    let torn = [
        "damaged-file",
        "the text data are damaged: row 3 holds zero bytes",
        "fetch or write the file again",
    ];
    let cases: [(&[u8], [&str; 2]); 6] = [
        (b"a,b\n1,2\n3,4\n\0\0\0\0", [torn[0], torn[1]]),
        (b"a,b\n1,2\n3,4\n5,6\0\0\0", [torn[0], torn[1]]),
        (b"abcdefgh\0,b\n1,2\n", [torn[0], "the text data are damaged: the header holds zero bytes"]),
        (b"a,b\n1,2\n3,4\r5,6\n7,8\n", ["ragged-row", "row 2 has 3 cells, but there are 2 columns"]),
        (b"a,b\n1,2\n\xff\n7,8\n", ["ragged-row", "row 2 has 1 cell, but there are 2 columns"]),
        (b"a,b\n1,2\n3,\xff\n7,8\n", ["not-utf8", "column 'b', row 2: '\u{fffd}' is not UTF-8 text"]),
    ];
    for (csv, expected) in cases {
        assert_eq!(refusal(csv)[..2], expected, "{}", String::from_utf8_lossy(csv));
        assert_eq!(stream_refusal(csv)[..2], expected, "{}", String::from_utf8_lossy(csv));
    }
    assert_eq!(refusal(b"a,b\n1,2\n3,4\n\0")[2], torn[2]);
}

#[test]
fn whole_numbers_that_became_others_without_a_word() {
    let csv = "id,x\n9007199254740992,1.5\n-9007199254740993,2.5\n";
    assert_eq!(
        refusal(csv.as_bytes()),
        [
            "inexact-number",
            "column 'id', row 2: -9007199254740993 has more digits than a number keeps",
            "if it is a code, keep it as text and use --types id=categorical; if its last digits do not matter, \
             use --types id=continuous"
        ]
    );
    let codes = read_with(csv.as_bytes(), &typed("id=categorical")).unwrap();
    assert_eq!(crate::labels(&codes, "id"), [Some("9007199254740992"), Some("-9007199254740993")]);
    let rounded = read_with(csv.as_bytes(), &typed("id=continuous")).unwrap();
    assert_eq!(crate::numbers(&rounded, "id"), [9_007_199_254_740_992.0, -9_007_199_254_740_992.0]);
    // What programs print of a real number, in full or as short as it reads back, loses nothing.
    assert!(read("x,y\n12345678901234567168,1\n0012345678901234567000,2\n1e300,3\n").is_ok());
    let late = (0..2000).fold(String::from("id,x\n"), |csv, row| csv + &format!("{row},1.5\n"));
    let late = (0..3000).fold(late + "9007199254740993,1.5\n", |csv, row| csv + &format!("w{row},2.5\n"));
    assert_eq!(
        refusal(late.as_bytes())[1],
        "column 'id', row 2001: 9007199254740993 has more digits than a number keeps"
    );
}

#[test]
fn a_number_for_people_among_numbers() {
    assert_eq!(
        refusal(b"x,y\n900,1\n950,2\n\"1,200\",3\n"),
        [
            "mixed-types",
            "column 'x' holds numbers, but row 3 is the text '1,200'",
            "write every number plainly, such as 1234.5"
        ]
    );
}

#[test]
fn more_numbers_than_memory() {
    use std::io::Write;
    let options = ReadOptions { memory_limit: Some(4_000_000_000), ..ReadOptions::default() };
    let file = tempfile::Builder::new().suffix(".csv").tempfile().unwrap();
    file.as_file().write_all(&b"1.5,2.5\n".repeat(1 << 18)).unwrap();
    // Ten gigabytes without a header, of which nothing but the beginning is on the disk.
    file.as_file().set_len(10 << 30).unwrap();
    let error = read_table(&Source::Path(file.path().into()), &options).unwrap_err();
    assert_eq!(
        words(&error),
        [
            "too-large",
            "the table would take about 21.5 GB, but only 4.0 GB of memory are free",
            "choose fewer rows or columns"
        ]
    );
    let small = ReadOptions { memory_limit: Some(1_000_000), ..ReadOptions::default() };
    let rows = b"1.5,2.5\n".repeat(1 << 18);
    assert_eq!(
        read_with(&rows, &small).unwrap_err().to_string(),
        "the table would take about 2.1 MB, but only 1.0 MB of memory are free"
    );
}

#[test]
fn text_in_a_number_column() {
    let csv = "age,x\n31,1\n48,2\nforty,3\n50,4\nold,5\n";
    assert_eq!(
        refusal(csv.as_bytes()),
        [
            "mixed-types",
            "column 'age' holds numbers, but row 3 is the text 'forty'",
            "correct the cell, leave it empty if it means a missing value, or use --types age=categorical"
        ]
    );
    assert!(read_with(csv.as_bytes(), &typed("age=categorical")).is_ok());
    let no_header = ReadOptions { header: Header::Absent, ..ReadOptions::default() };
    assert_eq!(
        words(&read_with(b"age,x\n31,1\n48,2\n", &no_header).unwrap_err()),
        [
            "mixed-types",
            "column 'X1' holds numbers, but row 1 is the text 'age'",
            "if it is the column's name, leave --no-header out; else correct the cell, or use --types X1=categorical"
        ]
    );
}

#[test]
fn text_in_a_number_column_far_down() {
    let mut csv: String = "a,b\n".into();
    (0..150_000).for_each(|row| csv += &format!("{row},{row}.5\n"));
    csv += "oops,1\n";
    assert_eq!(refusal(csv.as_bytes())[1], "column 'a' holds numbers, but row 150001 is the text 'oops'");
}

#[test]
fn text_in_a_column_that_shall_be_continuous() {
    let error = read_with(b"a,b\nx,1\ny,2\n3,3\n", &typed("a=continuous")).unwrap_err();
    assert_eq!(error.to_string(), "column 'a' holds numbers, but row 1 is the text 'x'");
}

#[test]
fn two_columns_of_one_name() {
    assert_eq!(
        refusal(b"a,b,a\n1,2,3\n"),
        ["duplicate-names", "two columns are named 'a'", "give every column a name of its own"]
    );
}

#[test]
fn bytes_that_are_not_text() {
    assert_eq!(
        refusal(b"a,b\n1,caf\xe9\n"),
        ["not-utf8", "column 'b', row 1: 'caf\u{fffd}' is not UTF-8 text", "save the file as UTF-8"]
    );
    assert_eq!(
        refusal(b"caf\xe9,b\n1,2\n"),
        ["not-utf8", "the column names are not UTF-8 text: 'caf\u{fffd}'", "save the file as UTF-8"]
    );
}

#[test]
fn a_quote_without_end() {
    assert_eq!(
        refusal(b"a,b\n1,\"x\n2,y\n"),
        [
            "unclosed-quote",
            "a quote is opened and never closed, in the row that begins with '1,\"x'",
            "close the quote, or remove quotes that are part of a value"
        ]
    );
}

#[test]
fn a_row_without_end() {
    let zeros = std::io::Read::take(std::io::repeat(b'0'), 1 << 30);
    let error = csv_moments(zeros, &ReadOptions::default(), Missing::Error).unwrap_err();
    let start = "0".repeat(40);
    assert_eq!(
        words(&error),
        [
            "long-row",
            &format!("a row is longer than 64 MiB; it begins with '{start}…'"),
            "check that this is a text table with a line for each row, and that every quote is closed"
        ]
    );
}

#[test]
fn more_columns_than_can_be_used() {
    assert_eq!(
        refusal("1,".repeat(30_000).trim_end_matches(',').as_bytes()),
        [
            "too-many-columns",
            "there are 30000 columns, more than the 20000 that can be used",
            "choose the columns of interest, or transpose the table"
        ]
    );
}

#[test]
fn a_type_for_no_column() {
    let error = read_with(b"a,b\n1,2\n", &typed("c=continuous")).unwrap_err();
    assert_eq!(
        words(&error),
        [
            "unknown-column",
            "there is no column 'c' to make continuous; the columns are a, b",
            "write the name as it is in the file"
        ]
    );
}

#[test]
fn gaps_infinities_and_text_in_a_stream() {
    let refusal = |csv: &str, missing| {
        words(&csv_moments(csv.as_bytes(), &ReadOptions::default(), missing).expect_err("a refusal"))
    };
    assert_eq!(
        refusal("a,b\n1,2\n3,NaN\n", Missing::Error),
        [
            "missing-values",
            "column 'b' has no value in row 2",
            "use --missing drop or --missing em, or fill the gaps"
        ]
    );
    assert_eq!(
        refusal("a,b\n1,-inf\n", Missing::Error),
        [
            "infinite-value",
            "column 'b' has an infinite value in row 1",
            "correct the value, or leave the cell empty"
        ]
    );
    assert_eq!(
        refusal("a,b\n1,2\n3,x\n", Missing::Error),
        [
            "text-column",
            "column 'b' holds text (row 2: 'x'), but means and covariances need numbers",
            "leave 'b' out, or read the whole table"
        ]
    );
    assert_eq!(
        refusal("a,b\n1,\n,2\n", Missing::Drop),
        [
            "missing-values",
            "each of the 2 rows has a missing value: nothing is left after dropping them",
            "leave out the column with the most gaps, or use --missing em"
        ]
    );
    assert_eq!(
        refusal("a,b\n1,2\n", Missing::Em),
        [
            "missing-values",
            "missing values cannot be estimated while streaming",
            "use --missing drop, or read the whole table"
        ]
    );
    let error = csv_moments(&b"a,b\n1,2\n"[..], &typed("a=categorical"), Missing::Error).unwrap_err();
    assert_eq!(error.to_string(), "column 'a' is to be categorical, but means and covariances need numbers");
}

#[test]
fn no_such_file() {
    assert_eq!(
        path_refusal("nowhere.csv"),
        [
            "not-found",
            "there is no file 'nowhere.csv'",
            "check the path, or name a built-in data set: sachs or sachs-interventions"
        ]
    );
}

#[test]
fn a_directory() {
    let directory = tempfile::Builder::new().suffix(".csv").tempdir().unwrap();
    let name = directory.path().display();
    assert_eq!(
        path_refusal(directory.path()),
        ["directory", &format!("'{name}' is a directory, not a file"), "name a file inside it"]
    );
}

#[test]
fn an_unknown_extension() {
    let rename = "rename the file so that it ends in what it holds: \
                  .csv, .tsv, .txt (each also with .gz), .parquet, .arrow, .feather, .npy";
    let directory = tempfile::tempdir().unwrap();
    for (name, fix) in [
        ("table", rename),
        ("table.parquet.gz", rename),
        ("table.dat", rename),
        ("table.xlsx", "save the sheet as CSV"),
        ("table.npz", "save one array by itself: numpy.save(\"table.npy\", array)"),
        ("table.rds", "write it from R: write.csv(table, \"table.csv\", row.names = FALSE)"),
        ("table.csv.zip", "unpack it; only gzip is unpacked here"),
        ("table.json", "save it as CSV or Parquet"),
    ] {
        let path = directory.path().join(name);
        std::fs::write(&path, "").unwrap();
        let sentence = format!("the extension of '{}' is not that of a table", path.display());
        assert_eq!(path_refusal(path), ["unknown-extension", &sentence, fix]);
    }
    // A built-in data set misspelt is no file with a bad extension.
    assert_eq!(path_refusal("sach")[..2], ["not-found", "there is no file 'sach'"]);
}

#[test]
fn contents_of_another_kind() {
    let rename = "rename the file so that it ends in what it holds: \
                  .csv, .tsv, .txt (each also with .gz), .parquet, .arrow, .feather, .npy";
    let binary = "save the table as UTF-8 text; if it is none, end the file's name in what it holds";
    let cases: [(&[u8], &str, &str); 8] = [
        (b"PAR1\x15abcdefgh", "Parquet", rename),
        (b"ARROW1\0\0abcdefgh", "Arrow", rename),
        (b"FEA1\0\0", "Feather version 1", "write it again as Feather version 2, Parquet or CSV"),
        (b"\x93NUMPY\x01\0", "a NumPy array", rename),
        (b"PK\x03\x04abcd", "a zip archive or spreadsheet", "unpack it, or save the sheet as CSV"),
        (b"\xff\xfea\0,\0b\0", "UTF-16 text", "save the file as UTF-8"),
        (b"a\0,\0b\0\n\0", "binary data", binary),
        (b"\0\0\0\0", "binary data", binary),
    ];
    for (bytes, found, fix) in cases {
        let sentence = format!("UTF-8 text was expected, but this is {found}");
        assert_eq!(refusal(bytes), ["wrong-content", &sentence, fix]);
    }
}

#[test]
fn gzip_cut_short_or_damaged() {
    use std::io::Write;
    let csv = (0..5000).fold(String::from("a,b\n"), |csv, row| csv + &format!("{row},{}\n", row * row));
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(csv.as_bytes()).unwrap();
    let mut packed = packer.finish().unwrap();
    assert_eq!(read_with(&packed, &ReadOptions::default()).unwrap(), read(&csv).unwrap());
    assert_eq!(
        refusal(&packed[..packed.len() / 2]),
        [
            "truncated-file",
            "the gzip data end too early: the file was cut short",
            "fetch or write the file again"
        ]
    );
    let with = |more: &[u8]| [&packed, more].concat();
    assert_eq!(
        refusal(&with(b"\0\0garbage")),
        [
            "damaged-file",
            "the gzip data are damaged: other bytes follow its end",
            "fetch or write the file again"
        ]
    );
    assert_eq!(refusal(&with(&packed[..20]))[0], "truncated-file");
    let padded = read_with(&with(&[0; 10_000]), &ReadOptions::default()).unwrap();
    assert_eq!(padded, read(&csv).unwrap());
    let twice =
        read_with(&with(&[&[0; 7], packed.as_slice()].concat()), &typed("a=categorical,b=categorical"));
    assert_eq!(twice.unwrap().rows(), 2 * 5000 + 1);
    let middle = packed.len() / 2;
    packed[middle..middle + 40].fill(0xff);
    let [code, sentence, fix] = refusal(&packed);
    assert_eq!((code.as_str(), fix.as_str()), ("damaged-file", "fetch or write the file again"));
    assert!(sentence.starts_with("the gzip data are damaged: "), "{sentence}");
}

#[test]
fn a_huge_file_without_header_is_read_only_at_its_beginning() {
    let endless = std::io::repeat(b'x');
    let options = ReadOptions { header: Header::Absent, ..typed("nobody=continuous") };
    let rows = b"1,2\n".repeat(1 << 20);
    let error =
        csv_moments(std::io::Read::chain(rows.as_slice(), endless), &options, Missing::Error).unwrap_err();
    assert_eq!(error.code(), "unknown-column");
}
