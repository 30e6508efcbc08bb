//! Parquet, Arrow and NumPy files that other programs wrote (`files/make.py` says how).

use std::path::PathBuf;

use gflowcausal_data::{
    Column, Format, Missing, Moments, ReadOptions, Source, Table, read_table, stream_moments, write_parquet,
};
use gflowcausal_determinism::with_threads;

use crate::{fix, labels, names, numbers, typed};

fn source(name: &str) -> Source {
    Source::Path([env!("CARGO_MANIFEST_DIR"), "tests/read/files", name].iter().collect::<PathBuf>())
}

fn read(name: &str) -> Table {
    read_table(&source(name), &ReadOptions::default()).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// What `make.py` puts into each column.
fn check_columns(table: &Table, name: &str) {
    assert_eq!(table.rows(), 60, "{name}");
    for column in table.columns().iter().map(|column| column.name.as_str()) {
        match column {
            "real" => {
                check_numbers(table, column, |k| if k % 7 == 3 { f64::NAN } else { k as f64 / 8.0 - 2.5 });
            }
            "single" => check_numbers(table, column, |k| k as f64 / 4.0),
            "count" => check_numbers(table, column, |k| (k * k) as f64 - 5.0),
            "large" => check_numbers(table, column, |k| 2f64.powi(63) + k as f64 * 2f64.powi(33)),
            "price" => check_numbers(table, column, |k| (k as f64 * 25.0 - 100.0) / 100.0),
            "nothing" => check_numbers(table, column, |_| f64::NAN),
            "small" => check_labels(table, column, |k| Some((k % 3).to_string())),
            "flag" => check_labels(table, column, |k| (k != 5).then(|| (k % 2 == 0).to_string())),
            "word" => check_labels(table, column, |k| (k != 4).then(|| "zyx"[k % 3..][..1].repeat(5) + "ü")),
            "ward" => check_labels(table, column, |k| (k != 6).then(|| "cba"[k % 3..][..1].to_owned())),
            other => panic!("{name} has the column {other}"),
        }
    }
}

fn check_numbers(table: &Table, column: &str, expected: impl Fn(usize) -> f64) {
    for (k, &value) in numbers(table, column).iter().enumerate() {
        let (value, expected) = (value, expected(k));
        assert!(
            value.is_nan() && expected.is_nan() || (value - expected).abs() < 1e-9,
            "{column} {k}: {value}"
        );
    }
}

fn check_labels(table: &Table, column: &str, expected: impl Fn(usize) -> Option<String>) {
    for (k, label) in labels(table, column).into_iter().enumerate() {
        assert_eq!(label.map(str::to_owned), expected(k), "{column} {k}");
    }
}

#[test]
fn parquet_of_every_packing() {
    for name in ["none", "snappy", "gzip", "lz4", "zstd", "v2", "polars"] {
        let name = format!("{name}.parquet");
        let table = read(&name);
        check_columns(&table, &name);
        assert_eq!(table.columns().len(), if name == "polars.parquet" { 9 } else { 10 });
    }
}

#[test]
fn arrow_of_every_packing() {
    for name in ["uncompressed.feather", "lz4.feather", "zstd.feather", "stream.arrow", "polars.arrow"] {
        let table = read(name);
        check_columns(&table, name);
        assert_eq!(table.columns().len(), if name == "polars.arrow" { 8 } else { 10 });
    }
}

#[test]
fn long_text_in_each_layout() {
    let table = read("text.feather");
    for column in ["large", "view"] {
        check_labels(&table, column, |k| (k != 4).then(|| "wörd".repeat(k % 6)));
    }
}

#[test]
fn asked_types_hold_for_typed_files() {
    let table = read_table(&source("snappy.parquet"), &typed("small=continuous,single=categorical")).unwrap();
    assert_eq!(numbers(&table, "small")[..4], [0.0, 1.0, 2.0, 0.0]);
    assert_eq!(labels(&table, "single")[..2], [Some("0"), Some("0.25")]);
}

#[test]
fn arrays_of_every_type_and_order() {
    for (name, expected) in [
        ("f8.npy", [0.25, 1.0, 1.75, 2.5]),
        ("f4-fortran.npy", [0.25, 1.0, 1.75, 2.5]),
        ("i2-big.npy", [-5.0, -2.0, 1.0, 4.0]),
        (
            "u8.npy",
            [
                9_223_372_036_854_775_809.0,
                9_223_372_036_854_775_812.0,
                9_223_372_036_854_775_815.0,
                9_223_372_036_854_775_818.0,
            ],
        ),
    ] {
        let table = read_table(&source(name), &typed("X1=continuous,X2=continuous,X3=continuous")).unwrap();
        assert_eq!(names(&table), ["X1", "X2", "X3"], "{name}");
        assert_eq!(numbers(&table, "X2"), expected, "{name}");
    }
    assert_eq!(labels(&read("bool.npy"), "X1"), [Some("true"), Some("false"), Some("true"), Some("false")]);
}

#[test]
fn streamed_moments_are_those_of_the_table() {
    let rows = 20_000;
    let column =
        |k: u32| (0..rows).map(|row| f64::from(row * row % (1009 + k)) / 7.0 + 1e6).collect::<Vec<_>>();
    let columns = (0..5).map(|k| Column::continuous(format!("c{k}"), column(k))).collect();
    let table = Table::new(columns).unwrap();
    let file = tempfile::Builder::new().suffix(".parquet").tempfile().unwrap();
    write_parquet(&table, file.as_file()).unwrap();
    let path = Source::Path(file.path().into());
    let streamed = |threads| {
        with_threads(threads, || stream_moments(&path, &ReadOptions::default(), Missing::Error).unwrap())
    };
    assert_eq!(streamed(1), streamed(3));
    assert_eq!(read_table(&path, &ReadOptions::default()).unwrap(), table);
    let whole = Moments::of_table(&table).unwrap();
    for (mine, other) in streamed(2).moments.covariance().iter().zip(whole.covariance()) {
        assert!((mine - other).abs() <= 1e-12 * whole.covariance()[0], "{mine} is not {other}");
    }
}

#[test]
fn gaps_are_dropped_from_a_stream_of_any_format() {
    for name in ["f8.npy", "f4-fortran.npy"] {
        let streamed = stream_moments(&source(name), &ReadOptions::default(), Missing::Drop).unwrap();
        assert_eq!((streamed.moments.mean(), streamed.dropped), ([1.125, 1.375, 1.625].as_slice(), 0));
    }
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("gaps.parquet");
    let table = Table::new(vec![
        Column::continuous("a", vec![1.0, f64::NAN, 3.0, 4.0]),
        Column::continuous("b", vec![1.0, 2.0, 5.0, f64::NAN]),
    ]);
    write_parquet(&table.unwrap(), std::fs::File::create(&path).unwrap()).unwrap();
    let source = Source::Path(path);
    let streamed = stream_moments(&source, &ReadOptions::default(), Missing::Drop).unwrap();
    assert_eq!((streamed.moments.mean(), streamed.dropped), ([2.0, 3.0].as_slice(), 2));
    let error = stream_moments(&source, &ReadOptions::default(), Missing::Error).unwrap_err();
    assert_eq!(error.to_string(), "column 'a' has no value in row 2");
}

#[test]
fn text_has_no_moments() {
    let error =
        stream_moments(&source("polars.parquet"), &ReadOptions::default(), Missing::Drop).unwrap_err();
    assert_eq!(
        error.to_string(),
        "column 'flag' holds text (row 1: 'true'), but means and covariances need numbers"
    );
}

#[test]
fn types_that_are_neither_numbers_nor_categories_are_named() {
    for kind in ["timestamp", "date", "nested", "binary"] {
        for format in ["parquet", "feather"] {
            let name = format!("odd-{kind}.{format}");
            let error = read_table(&source(&name), &ReadOptions::default()).unwrap_err();
            let sentence =
                format!("column 'odd' is of type {kind}, which is neither a number nor a category");
            assert_eq!((error.code(), error.to_string()), ("unsupported-type", sentence), "{name}");
            assert_eq!(fix(&error), "leave 'odd' out, or turn it into numbers or text");
        }
    }
}

#[test]
fn parts_of_a_format_that_are_not_read_are_named() {
    for (name, sentence) in [
        ("brotli.parquet", "the Parquet file has Brotli compression, which cannot be read"),
        ("complex.npy", "the NumPy file has values of type <c16, which cannot be read"),
        ("records.npy", "the NumPy file has an array of records, which cannot be read"),
    ] {
        let error = read_table(&source(name), &ReadOptions::default()).unwrap_err();
        assert_eq!(error.to_string(), sentence);
        assert_eq!(fix(&error), "save it again as CSV or as Parquet with snappy compression");
    }
}

#[test]
fn an_array_that_is_no_table() {
    let refusal = |source: &Source| read_table(source, &ReadOptions::default()).unwrap_err();
    let vector = refusal(&source("vector.npy"));
    assert_eq!(
        (vector.code(), vector.to_string().as_str()),
        ("unsupported-type", "the NumPy array has 1 dimension, but a table has 2")
    );
    assert_eq!(fix(&vector), "stack the variables: numpy.save(file, numpy.column_stack((a, b, …)))");
    let cube = refusal(&npy("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2, 2), }", &[0; 64]));
    assert_eq!(cube.to_string(), "the NumPy array has 3 dimensions, but a table has 2");
    assert_eq!(fix(&cube), "reshape it to one row for each observation");
}

#[test]
fn a_column_without_a_name_is_numbered() {
    for name in ["nameless.parquet", "nameless.feather"] {
        let table = read_table(&source(name), &typed("code=continuous")).unwrap();
        assert_eq!(names(&table), ["X1", "code"], "{name}");
        let streamed = stream_moments(&source(name), &ReadOptions::default(), Missing::Error).unwrap();
        assert_eq!(streamed.names, ["X1", "code"], "{name}");
    }
}

#[test]
fn whole_numbers_of_typed_files_that_became_others_without_a_word() {
    for (name, column, place) in [
        ("nameless.parquet", "code", "column 'code', row 1: 9007199254740993"),
        ("nameless.feather", "code", "column 'code', row 1: 9007199254740993"),
        ("u8.npy", "X1", "column 'X1', row 2: 9223372036854775811"),
    ] {
        for options in [typed(&format!("{column}=categorical")), ReadOptions::default()] {
            let error = read_table(&source(name), &options).unwrap_err();
            let sentence = format!("{place} has more digits than a number keeps");
            assert_eq!((error.code(), error.to_string()), ("inexact-number", sentence), "{name}");
        }
    }
}

#[test]
fn a_file_of_no_bytes_was_called_cut_short() {
    for format in [Format::Parquet, Format::Arrow, Format::Npy] {
        let error =
            read_table(&Source::Bytes { format, bytes: Vec::new() }, &ReadOptions::default()).unwrap_err();
        assert_eq!((error.code(), error.to_string().as_str()), ("empty-file", "the file is empty"));
    }
}

/// The contents of a file, as a source that can be cut and bent.
fn bytes(name: &str) -> (Source, Vec<u8>) {
    let Source::Path(path) = source(name) else { unreachable!("just made") };
    let bytes = std::fs::read(path).expect("a file of this folder");
    (source(name), bytes)
}

#[test]
fn files_cut_short_at_any_place_are_refused() {
    for name in ["zstd.parquet", "lz4.feather", "uncompressed.feather", "f8.npy", "f4-fortran.npy"] {
        let (source, whole) = bytes(name);
        let format = source.format().unwrap();
        for length in 1..whole.len() {
            let cut = Source::Bytes { format, bytes: whole[..length].to_vec() };
            let error = read_table(&cut, &ReadOptions::default()).expect_err("a refusal");
            assert_eq!(error.code(), "truncated-file", "{name} cut to {length} bytes: {error}");
        }
    }
}

#[test]
fn words_of_a_file_cut_short() {
    for (name, format) in [("zstd.parquet", "Parquet"), ("lz4.feather", "Arrow"), ("f8.npy", "NumPy")] {
        let (source, whole) = bytes(name);
        let cut =
            Source::Bytes { format: source.format().unwrap(), bytes: whole[..whole.len() / 2].to_vec() };
        let error = read_table(&cut, &ReadOptions::default()).unwrap_err();
        assert_eq!(error.to_string(), format!("the {format} data end too early: the file was cut short"));
        assert_eq!(fix(&error), "fetch or write the file again");
    }
}

#[test]
fn a_bent_byte_never_does_more_than_an_error() {
    for name in ["none.parquet", "zstd.parquet", "lz4.feather", "stream.arrow", "polars.arrow", "i2-big.npy"]
    {
        let (source, whole) = bytes(name);
        let format = source.format().unwrap();
        for place in (0..whole.len()).step_by(7) {
            let mut bent = whole.clone();
            bent[place] ^= 0x81;
            let _ = read_table(&Source::Bytes { format, bytes: bent }, &ReadOptions::default());
        }
    }
}

#[test]
fn files_of_another_kind_are_refused() {
    for (format, name) in [(Format::Parquet, "Parquet"), (Format::Arrow, "Arrow"), (Format::Npy, "NumPy")] {
        let csv = Source::Bytes { format, bytes: b"a,b\n1,2\n3,4\n".to_vec() };
        let error = read_table(&csv, &ReadOptions::default()).unwrap_err();
        assert_eq!(error.to_string(), format!("{name} was expected, but this is something else"));
    }
    let old = Source::Bytes { format: Format::Arrow, bytes: b"FEA1xxxx".to_vec() };
    let error = read_table(&old, &ReadOptions::default()).unwrap_err();
    assert_eq!(error.to_string(), "the Arrow file has version 1 of Feather, which cannot be read");
}

#[test]
fn an_array_without_rows() {
    let header = "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 2), }";
    let error = read_table(&npy(header, &[]), &ReadOptions::default()).unwrap_err();
    assert_eq!(error.to_string(), "there are no rows below the 2 column names");
}

#[test]
fn hostile_headers_claim_nothing_in_memory() {
    let refusal =
        |header: &str| read_table(&npy(header, &[0; 64]), &ReadOptions::default()).unwrap_err().to_string();
    let shape = |shape: &str| format!("{{'descr': '<f8', 'fortran_order': True, 'shape': {shape}, }}");
    let cut = "the NumPy data end too early: the file was cut short";
    assert_eq!(refusal(&shape("(1000000000000000000, 2)")), cut);
    assert_eq!(
        refusal(&shape("(2, 1000000000000000000)")),
        "there are 1000000000000000000 columns, more than the 20000 that can be used"
    );
    let nonsense = "the NumPy data are damaged: the header '{'descr': '<f8', 'fortran_order': True, …'";
    assert_eq!(refusal(&shape("(99999999999999999999999, 2)")), nonsense);
}

/// An array with that header.
fn npy(header: &str, data: &[u8]) -> Source {
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(data);
    Source::Bytes { format: Format::Npy, bytes }
}
