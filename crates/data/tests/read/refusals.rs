//! Bad input: the exact code, sentence and way out of each.

use gflowcausal_data::{Header, Missing, ReadError, ReadOptions, Source, csv_moments, read_table};

use crate::{read, read_with, typed};

/// Code, sentence and way out.
fn words(error: &ReadError) -> [String; 3] {
    [error.code().into(), error.to_string(), error.fix()]
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
            "there are 2 column names but no rows",
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
    assert_eq!(refusal(b"\xff\xfea\0,\0b\0")[1], "the file is called text, but holds UTF-16 text");
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
            "close the quote, or remove quotes that are part of a value"
        ]
    );
}

#[test]
fn more_columns_than_can_be_used() {
    assert_eq!(
        refusal("1,".repeat(30_000).as_bytes()),
        [
            "too-many-columns",
            "there are 30001 columns, more than the 20000 that can be used",
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
            "check the path, or give the name of a built-in data set"
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
    let fix = "rename the file so that it ends in what it holds: \
               .csv, .tsv, .txt (each also with .gz), .parquet, .arrow, .feather, .npy";
    for name in ["table.xlsx", "table", "table.parquet.gz"] {
        let sentence = format!("'{name}' has no extension that says what is inside");
        assert_eq!(path_refusal(name), ["unknown-extension", &sentence, fix]);
    }
}

#[test]
fn contents_of_another_kind() {
    assert_eq!(
        refusal(b"PAR1\x15abcdefgh")[..2],
        ["wrong-content", "the file is called text, but holds Parquet"]
    );
    assert_eq!(
        refusal(b"PK\x03\x04abcd")[1],
        "the file is called text, but holds a zip archive or spreadsheet"
    );
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
