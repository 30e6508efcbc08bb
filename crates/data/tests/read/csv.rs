//! Text tables: separators, headers, quotes, gaps, types.

use gflowcausal_data::{Column, Header, Missing, ReadOptions, Table, Values, csv_moments, write_csv};
use proptest::prelude::*;

use crate::{labels, names, numbers, read, read_with, typed};

#[test]
fn the_separator_is_found() {
    for (delimiter, name) in [(",", "comma"), ("\t", "tab"), (";", "semicolon"), ("|", "bar"), (" ", "space")]
    {
        let csv = "a,b,c\n1.5,2,3\n4,5,-6e3\n".replace(',', delimiter);
        let table = read(&csv).unwrap();
        assert_eq!(names(&table), ["a", "b", "c"], "{name}");
        assert_eq!(numbers(&table, "c"), [3.0, -6000.0], "{name}");
    }
}

#[test]
fn columns_of_a_printed_table_are_separated_by_runs_of_blanks() {
    let table = read("  x     y\n 1.0  20.5 \n10.0 \t 3.5\n").unwrap();
    assert_eq!(names(&table), ["x", "y"]);
    assert_eq!(numbers(&table, "x"), [1.0, 10.0]);
    assert_eq!(numbers(&table, "y"), [20.5, 3.5]);
}

#[test]
fn a_given_separator_is_not_guessed() {
    let options = ReadOptions { delimiter: Some(":".parse().unwrap()), ..ReadOptions::default() };
    let table = read_with(b"a:b\n1,5:2\n3,5:4\n", &options).unwrap();
    assert_eq!(numbers(&table, "a"), [1.5, 3.5]);
}

#[test]
fn a_decimal_comma_is_understood_between_semicolons() {
    let table = read("länge;breite\n1,5;-2\n0,25;1,0e3\n").unwrap();
    assert_eq!(names(&table), ["länge", "breite"]);
    assert_eq!(numbers(&table, "länge"), [1.5, 0.25]);
    assert_eq!(numbers(&table, "breite"), [-2.0, 1000.0]);
}

#[test]
fn a_row_of_numbers_is_no_header() {
    let table = read("1,2.5\n3,NA\n").unwrap();
    assert_eq!(names(&table), ["X1", "X2"]);
    assert_eq!(table.rows(), 2);
    assert_eq!(names(&read("1,y\n3,4\n").unwrap()), ["1", "y"]);
}

#[test]
fn the_user_decides_about_the_header() {
    let absent = ReadOptions { header: Header::Absent, ..ReadOptions::default() };
    assert_eq!(labels(&read_with(b"a,b\nc,d\n", &absent).unwrap(), "X2"), [Some("b"), Some("d")]);
    let present = ReadOptions { header: Header::Present, ..ReadOptions::default() };
    assert_eq!(names(&read_with(b"2019,2020\n3,4\n", &present).unwrap()), ["2019", "2020"]);
}

#[test]
fn names_that_look_like_gaps_are_names_and_empty_ones_are_numbered() {
    assert_eq!(names(&read("NA,K,\n1,2,3\n").unwrap()), ["NA", "K", "X3"]);
    for name in ["PAR1", "FEA1", "ARROW1", "PK"] {
        assert_eq!(names(&read(&format!("{name},b\n1,2\n")).unwrap()), [name, "b"]);
    }
}

#[test]
fn a_delimiter_at_the_end_of_every_row_made_a_column_of_nothing() {
    for csv in [
        "a,b,\n1.5,2,\n3,4,\n",
        "a,b\n1.5,2,\n3,4,\n",
        "a,b,,,\n1.5,2,,,\n3,4,,,\n",
        "a,b,\n1.5,2\n3,4\n",
        "a\tb\t\n1.5\t2\t\n3\t4\t\n",
        "a,b,\"\"\n1.5,2, \n3,4,\n",
    ] {
        let table = read(csv).unwrap();
        assert_eq!(names(&table), ["a", "b"], "{csv:?}");
        assert_eq!(numbers(&table, "a"), [1.5, 3.0], "{csv:?}");
        let streamed = csv_moments(csv.as_bytes(), &ReadOptions::default(), Missing::Error).unwrap();
        assert_eq!((streamed.names.len(), streamed.moments.mean()), (2, [2.25, 3.0].as_slice()), "{csv:?}");
    }
    assert_eq!(names(&read("1.5,2,\n3,,\n").unwrap()), ["X1", "X2"]);
    // A column that has a name or a value is one.
    assert_eq!(names(&read("a,b,c\n1,2,\n3,4,\n").unwrap()), ["a", "b", "c"]);
    assert_eq!(names(&read("a,b,\n1,2,\n3,4,5\n").unwrap()), ["a", "b", "X3"]);
    let late = format!("a,b,\n{}7,8,9\n", "1.5,2,\n".repeat(1000));
    let error = read(&late).unwrap_err();
    assert_eq!(error.to_string(), "row 1001 has 3 cells, but there are 2 columns");
}

#[test]
fn quotes_hide_separators_line_ends_and_quotes() {
    let table = read("\"a,1\",\"b \"\"c\"\"\"\r\n\"1.5\",\"x\ny\"\r\n2,\"z\"\r\n").unwrap();
    assert_eq!(names(&table), ["a,1", "b \"c\""]);
    assert_eq!(numbers(&table, "a,1"), [1.5, 2.0]);
    assert_eq!(labels(&table, "b \"c\""), [Some("x\ny"), Some("z")]);
}

#[test]
fn every_line_end_will_do() {
    for csv in
        ["a,b\n1,2\n3,4", "a,b\r\n1,2\r\n3,4\r\n", "a,b\r1,2\r3,4\r", "\u{feff}a,b\n\n1,2\n   \n3,4\n\n"]
    {
        let table = read(csv).unwrap();
        assert_eq!(names(&table), ["a", "b"], "{csv:?}");
        assert_eq!(numbers(&table, "b"), [2.0, 4.0], "{csv:?}");
    }
}

#[test]
fn words_for_nothing_are_gaps() {
    let csv = "a,b\n1.5,x\nNA,N/A\n,\n nan ,<NA>\n\"\",?\nnull,.\n\
               None,#NA\n#DIV/0!,#VALUE!\n1.#IND,-1.#IND\n-1.#QNAN,-nan(ind)\n";
    let table = read(csv).unwrap();
    assert_eq!((table.rows(), table.missing()), (10, 18));
}

#[test]
fn a_number_can_stand_for_a_gap() {
    let missing_tokens = vec!["-999".to_owned(), "none".to_owned()];
    let table = read_with(
        b"a,b\n-999,1\n2,none\n-999.0,3\n",
        &ReadOptions { missing_tokens, ..ReadOptions::default() },
    );
    let table = table.unwrap();
    assert_eq!(table.missing(), 3);
    assert!(numbers(&table, "a")[0].is_nan() && numbers(&table, "a")[2].is_nan());
}

#[test]
fn few_whole_numbers_are_categories_and_many_are_not() {
    let column = |value: fn(usize) -> String| (0..100).map(value).collect::<Vec<_>>();
    let columns = [
        column(|row| (row % 2).to_string()),
        column(|row| (row % 10 + 1).to_string()),
        column(|row| (row % 11).to_string()),
        column(|row| format!("{}.0", row % 2)),
        column(|row| (row * row).to_string()),
    ];
    let rows = (0..100).map(|row| columns.each_ref().map(|column| column[row].as_str()).join(","));
    let csv = std::iter::once("binary,scale,count,real,square".to_owned())
        .chain(rows)
        .collect::<Vec<_>>()
        .join("\n");
    let table = read(&csv).unwrap();
    let categorical: Vec<&str> = table
        .columns()
        .iter()
        .filter(|column| column.as_continuous().is_none())
        .map(|column| column.name.as_str())
        .collect();
    assert_eq!(categorical, ["binary", "scale"]);
    let Values::Categorical { levels, .. } = &table.columns()[1].values else { panic!("just seen") };
    assert_eq!(levels, &["1", "2", "3", "4", "5", "6", "7", "8", "9", "10"]);
}

#[test]
fn four_rows_of_two_numbers_are_not_yet_categories() {
    assert_eq!(numbers(&read("a,b\n0,1\n1,0\n0,1\n1,1\n").unwrap(), "a"), [0.0, 1.0, 0.0, 1.0]);
}

#[test]
fn asked_types_win_over_the_rule() {
    let csv = "zip,flag\n01234,0\n1234,1\n01234,0\n99,1\n99,0\n0,1\n0,1\n5,0\n5,0\n5,0\n";
    let table = read_with(csv.as_bytes(), &typed("zip=categorical,flag=continuous")).unwrap();
    assert_eq!(labels(&table, "zip")[..3], [Some("01234"), Some("1234"), Some("01234")]);
    assert_eq!(numbers(&table, "flag")[..2], [0.0, 1.0]);
}

#[test]
fn levels_are_sorted_whatever_the_order_of_rows() {
    let table = read("a,b\nz,1.5\nx,2.5\ny,3.5\n").unwrap();
    let Values::Categorical { codes, levels } = &table.columns()[0].values else { panic!("text") };
    assert_eq!((codes.as_slice(), levels.join("")), ([2, 0, 1].as_slice(), "xyz".to_owned()));
}

#[test]
fn text_that_turns_up_late_makes_a_column_of_text() {
    let numbers: String = (0..4000).map(|row| format!("{row},{row}.5\n")).collect();
    let words: String = (0..5000).map(|row| format!("w{row},{row}.5\n")).collect();
    let table = read(&format!("id,x\n{numbers}{words}")).unwrap();
    let labels = labels(&table, "id");
    assert_eq!((labels[17], labels[8999]), (Some("17"), Some("w4999")));
}

/// A cell that the writer may have to quote.
fn cell() -> impl Strategy<Value = String> {
    prop_oneof!["[a-c,;\"\n 0-9.]{0,6}", "-?[0-9]{1,3}(\\.[0-9]{1,3})?"]
}

proptest! {
    /// Any rectangular table that the csv crate writes is read back as that crate reads it, trimmed.
    #[test]
    fn quoted_text_is_read_as_another_parser_reads_it(
        cells in prop::collection::vec(prop::collection::vec(cell(), 3), 1..12),
    ) {
        let mut writer = ::csv::Writer::from_writer(Vec::new());
        writer.write_record(["first", "second", "third"]).unwrap();
        for row in &cells {
            writer.write_record(row).unwrap();
        }
        let text = writer.into_inner().unwrap();
        let mut reader = ::csv::ReaderBuilder::new().trim(::csv::Trim::All).from_reader(text.as_slice());
        let expected: Vec<Vec<String>> =
            reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect();
        let options = ReadOptions {
            delimiter: Some(",".parse().unwrap()),
            ..typed("first=categorical,second=categorical,third=categorical")
        };
        let table = read_with(&text, &options).unwrap();
        prop_assert_eq!(table.rows(), expected.len());
        for (k, name) in ["first", "second", "third"].into_iter().enumerate() {
            for (mine, row) in labels(&table, name).into_iter().zip(&expected) {
                let gap = ["", "?", ".", "NA"].contains(&row[k].as_str());
                prop_assert_eq!(mine, (!gap).then_some(row[k].as_str()));
            }
        }
    }

    /// What the project writes, it reads: the same bits, the same types.
    #[test]
    fn a_written_table_comes_back(
        values in prop::collection::vec(prop::num::f64::NORMAL | prop::num::f64::ZERO, 2..40),
        words in prop::collection::vec("[a-z]{1,3}", 40),
    ) {
        let rows = values.len();
        let mut levels = words[..rows].to_vec();
        levels.sort();
        levels.dedup();
        let code = |word: &String| levels.binary_search(word).unwrap() as u32;
        let table = Table::new(vec![
            Column::continuous("x, \"quoted\"", values.clone()),
            Column::categorical("word", words[..rows].iter().map(code).collect(), levels.clone()),
        ]).unwrap();
        prop_assume!(!levels.iter().any(|level| level == "nan" || level == "inf"));
        let mut csv = Vec::new();
        write_csv(&table, &mut csv).unwrap();
        prop_assert_eq!(read_with(&csv, &ReadOptions::default()).unwrap(), table);
    }
}
