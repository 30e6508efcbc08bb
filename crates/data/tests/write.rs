//! Tables out: what is written reads back to the same bits.

#![expect(clippy::unwrap_used, reason = "a failure in a function that tests share is a failed test")]

use gflowcausal_data::{
    Column, Format, MISSING_CODE, Model, ReadOptions, Simulation, Source, Table, Values, read_table,
    simulate, write_csv, write_parquet,
};
use proptest::prelude::*;

fn written(columns: Vec<Column>) -> String {
    let mut bytes = Vec::new();
    write_csv(&Table::new(columns).unwrap(), &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

proptest! {
    #[test]
    fn numbers_read_back_bit_for_bit(bits in prop::collection::vec(any::<u64>(), 1..50)) {
        let values: Vec<f64> = bits.into_iter().map(f64::from_bits).filter(|value| !value.is_nan()).collect();
        let text = written(vec![Column::continuous("x", values.clone())]);
        let back: Vec<u64> = text.lines().skip(1).map(|line| line.parse::<f64>().unwrap().to_bits()).collect();
        prop_assert_eq!(back, values.into_iter().map(f64::to_bits).collect::<Vec<_>>());
    }

    #[test]
    fn any_name_and_level_reads_back(name in "[^\u{feff}]{1,20}", level in ".{1,20}") {
        // A byte-order mark at the start of a file is not part of a name.
        let values = Values::Categorical { codes: vec![0, 0], levels: vec![level.clone()] };
        let text = written(vec![Column { name: name.clone(), values }]);
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
        let cells: Vec<String> = reader.records().map(|record| record.unwrap()[0].to_owned()).collect();
        prop_assert_eq!(cells, [name, level.clone(), level]);
    }
}

#[test]
fn missing_cells_are_empty() {
    let values =
        Values::Categorical { codes: vec![1, MISSING_CODE], levels: vec!["no".into(), "yes".into()] };
    let text =
        written(vec![Column::continuous("x", vec![f64::NAN, 3.0]), Column { name: "y".into(), values }]);
    assert_eq!(text, "x,y\n,yes\n3.0,\n");
}

#[test]
fn a_missing_cell_of_a_single_column_is_not_an_empty_line() {
    assert_eq!(written(vec![Column::continuous("x", vec![f64::NAN])]), "x\n\"\"\n");
}

/// A table without gaps and one with, of numbers and of categories.
fn simulated_tables() -> Vec<Table> {
    let configs =
        [(Model::Linear, 0.0), (Model::Linear, 0.2), (Model::Discrete, 0.0), (Model::Discrete, 0.2)];
    let table = |(model, missing_rate)| {
        simulate(&Simulation { model, missing_rate, nodes: 6, rows: 300, ..Simulation::default() })
            .unwrap()
            .table
    };
    configs.into_iter().map(table).collect()
}

fn assert_same(back: &Table, table: &Table) {
    assert_eq!(back.names().collect::<Vec<_>>(), table.names().collect::<Vec<_>>());
    for (back, column) in back.columns().iter().zip(table.columns()) {
        match (back.as_continuous(), column.as_continuous()) {
            (Some(back), Some(values)) => {
                // Bits, because a gap is not equal to itself.
                let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
                assert_eq!(bits(back), bits(values));
            }
            _ => assert_eq!(back, column),
        }
    }
}

#[test]
fn simulated_tables_come_back_from_csv() {
    for table in simulated_tables() {
        let mut bytes = Vec::new();
        write_csv(&table, &mut bytes).unwrap();
        let source = Source::Bytes { format: Format::Csv, bytes };
        assert_same(&read_table(&source, &ReadOptions::default()).unwrap(), &table);
    }
}

#[test]
fn simulated_tables_come_back_from_parquet() {
    for table in simulated_tables() {
        let mut bytes = Vec::new();
        write_parquet(&table, &mut bytes).unwrap();
        let source = Source::Bytes { format: Format::Parquet, bytes };
        assert_same(&read_table(&source, &ReadOptions::default()).unwrap(), &table);
    }
}

#[test]
fn a_parquet_file_of_several_row_groups_comes_back() {
    let values: Vec<f64> =
        (0..200_000).map(|k| if k % 7 == 0 { f64::NAN } else { f64::from(k).sin() }).collect();
    let table = Table::new(vec![Column::continuous("a.b, \"c\"", values)]).unwrap();
    let mut bytes = Vec::new();
    write_parquet(&table, &mut bytes).unwrap();
    let source = Source::Bytes { format: Format::Parquet, bytes };
    assert_same(&read_table(&source, &ReadOptions::default()).unwrap(), &table);
}

/// A disk that is full after so many bytes.
struct Full(usize);

impl std::io::Write for Full {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 = self.0.checked_sub(bytes.len()).ok_or(std::io::ErrorKind::StorageFull)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_is_reported_as_such() {
    let table = &simulated_tables()[0];
    let kind = |written: std::io::Result<()>| written.unwrap_err().kind();
    assert_eq!(kind(write_csv(table, Full(100))), std::io::ErrorKind::StorageFull);
    assert_eq!(kind(write_parquet(table, Full(100))), std::io::ErrorKind::StorageFull);
}
