//! Readers through the public door: what they accept, and the exact words when they refuse.

mod binary;
mod csv;
mod refusals;
mod seeds;
mod streaming;

use gflowcausal_data::{
    Format, MISSING_CODE, ReadError, ReadOptions, Source, Table, Values, parse_types, read_table,
};

/// A table as text, read with `options`.
fn read_with(csv: &[u8], options: &ReadOptions) -> Result<Table, ReadError> {
    read_table(&Source::Bytes { format: Format::Csv, bytes: csv.to_vec() }, options)
}

/// A table as text, read without options.
fn read(csv: &str) -> Result<Table, ReadError> {
    read_with(csv.as_bytes(), &ReadOptions::default())
}

/// Options with column types.
fn typed(types: &str) -> ReadOptions {
    ReadOptions { types: parse_types(types).expect("types"), ..ReadOptions::default() }
}

fn names(table: &Table) -> Vec<&str> {
    table.names().collect()
}

/// The numbers of a column.
fn numbers<'t>(table: &'t Table, name: &str) -> &'t [f64] {
    table.columns()[table.position(name).expect("a column of that name")]
        .as_continuous()
        .expect("a column of numbers")
}

/// The text of each cell of a categorical column, `None` where it is missing.
fn labels<'t>(table: &'t Table, name: &str) -> Vec<Option<&'t str>> {
    match &table.columns()[table.position(name).expect("a column of that name")].values {
        Values::Categorical { codes, levels } => {
            codes.iter().map(|&code| (code != MISSING_CODE).then(|| levels[code as usize].as_str())).collect()
        }
        Values::Continuous(_) => panic!("'{name}' is continuous"),
    }
}

/// What helps, with options as the command line writes them.
fn fix(error: &ReadError) -> String {
    error.advice().to_string()
}
