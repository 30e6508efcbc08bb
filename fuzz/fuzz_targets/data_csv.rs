//! Tables as text: whatever is read can be written, and reads the same again.

#![no_main]

mod data;

use gflowcausal_data::{ColumnType, Format, Header, ReadOptions, Source, Table, read_table, write_csv};
use libfuzzer_sys::fuzz_target;

fuzz_target!(init: data::use_this_thread(), |bytes: &[u8]| {
    if let Some(table) = data::check(Format::Csv, bytes) {
        let written = csv(&table);
        let source = Source::Bytes { format: Format::Csv, bytes: written.clone() };
        let again = read_table(&source, &options(&table)).expect("what was written can be read");
        assert_eq!(csv(&again), written);
    }
});

/// Nothing is left to be found out.
fn options(table: &Table) -> ReadOptions {
    let types = table.columns().iter().map(|column| match column.as_continuous() {
        Some(_) => (column.name.clone(), ColumnType::Continuous),
        None => (column.name.clone(), ColumnType::Categorical),
    });
    ReadOptions {
        header: Header::Present,
        delimiter: Some(",".parse().expect("a comma separates")),
        types: types.collect(),
        ..ReadOptions::default()
    }
}

fn csv(table: &Table) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_csv(table, &mut bytes).expect("memory can be written to");
    bytes
}
