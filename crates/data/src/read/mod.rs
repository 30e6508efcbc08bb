//! Tables from files: text, Parquet, Arrow, NumPy.

mod arrow;
mod column;
mod csv;
mod error;
mod gzip;
mod npy;
mod options;
mod parquet;
mod sink;
mod source;
mod unpack;

use std::collections::{BTreeMap, BTreeSet};

pub use column::{Value, column_of};
pub use csv::csv_moments;
pub use error::ReadError;
pub use gzip::gunzipped;
pub use npy::NpyHeader;
pub use options::{ColumnType, Delimiter, Header, OptionError, ReadOptions, parse_types};
pub use source::{Content, Format, Source};

use crate::read::sink::{MomentsSink, Sink, TableSink};
use crate::{Missing, Moments, Table, TableError};

/// A covariance matrix of more columns does not fit in memory.
const MAX_COLUMNS: usize = 20_000;

/// Reads a table.
///
/// A column is of the type that `options` say, or else by this rule: text is categorical; whole numbers (in text:
/// written without point or exponent) are categorical if there are at most ten different ones and at least five rows
/// for each on average; all other numbers are continuous. Text in a column more than half of which are numbers is
/// an error, and so is a whole number with more digits than a real number keeps. Levels are sorted, numbers by size.
///
/// ```
/// use gflowcausal_data::{Format, ReadOptions, Source, read_table};
/// let source = Source::Bytes { format: Format::Csv, bytes: b"age;pulse\n31;60\n48;NA\n".to_vec() };
/// let table = read_table(&source, &ReadOptions::default())?;
/// assert_eq!(table.names().collect::<Vec<_>>(), ["age", "pulse"]);
/// assert_eq!((table.rows(), table.missing()), (2, 1));
/// # Ok::<(), gflowcausal_data::ReadError>(())
/// ```
///
/// # Errors
/// When there is no such file or its contents are no table; see [`ReadError`].
pub fn read_table(source: &Source, options: &ReadOptions) -> Result<Table, ReadError> {
    if source.format()? == Format::Csv {
        return csv::read_csv(source::open_text(source)?, source::plain_length(source), options);
    }
    let mut sink = TableSink::new(options);
    read_binary(source, &mut sink)?;
    sink.finish()
}

/// Reads any format but text.
fn read_binary(source: &Source, sink: &mut impl Sink) -> Result<(), ReadError> {
    match source.format()? {
        Format::Csv => unreachable!("text has a reader of its own"),
        Format::Parquet => parquet::read_parquet(source, sink),
        Format::Arrow => arrow::read_arrow(source::open_file(source)?, sink),
        Format::Npy => npy::read_npy(source::open_bytes(source)?, sink),
    }
}

/// What was seen of a table without holding it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct StreamedMoments {
    /// The columns' names.
    pub names: Vec<String>,
    /// Mean and covariance of the rows without a gap.
    pub moments: Moments,
    /// How many rows were left out because of a gap.
    pub dropped: u64,
}

impl StreamedMoments {
    fn empty(names: Vec<String>) -> Self {
        Self { moments: Moments::empty(names.len()), names, dropped: 0 }
    }

    /// How many rows were seen.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.moments.rows() + self.dropped
    }

    fn add(&mut self, moments: &Moments, dropped: u64) {
        self.moments.merge(moments);
        self.dropped += dropped;
    }

    fn checked(self) -> Result<Self, ReadError> {
        match (self.moments.rows(), self.dropped) {
            (0, 0) => Err(ReadError::NoRows(self.names.len())),
            (0, dropped) => Err(ReadError::AllDropped(dropped)),
            _ => Ok(self),
        }
    }
}

/// The moments of a table of numbers, in memory that does not grow with its rows.
///
/// (A NumPy array that is stored column by column is held in memory, and so is one batch of an Arrow file.)
///
/// # Errors
/// When there is no such file, its contents are no table of numbers, or it has a gap and `missing` is
/// [`Missing::Error`].
pub fn stream_moments(
    source: &Source,
    options: &ReadOptions,
    missing: Missing,
) -> Result<StreamedMoments, ReadError> {
    if source.format()? == Format::Csv {
        return csv_moments(source::open_bytes(source)?, options, missing);
    }
    let mut sink = MomentsSink::new(options, missing)?;
    read_binary(source, &mut sink)?;
    sink.finish()
}

/// What a column without a name is called.
fn unnamed(number: usize) -> String {
    format!("X{number}")
}

/// The names, with one for each column that has none.
fn complete_names(names: Vec<String>) -> Vec<String> {
    let name = |(k, name): (usize, String)| if name.is_empty() { unnamed(k + 1) } else { name };
    names.into_iter().enumerate().map(name).collect()
}

/// Refuses a table whose numbers do not fit in memory.
fn check_memory(rows: u64, columns: usize, options: &ReadOptions) -> Result<(), ReadError> {
    let bytes = rows.saturating_mul(columns as u64).saturating_mul(size_of::<f64>() as u64);
    match options.memory_limit {
        Some(limit) if bytes > limit => Err(ReadError::TooLarge { bytes, limit }),
        _ => Ok(()),
    }
}

/// Refuses more columns than can be used, and two of one name, before any values are read.
fn check_columns(names: &[String]) -> Result<(), ReadError> {
    if names.len() > MAX_COLUMNS {
        return Err(ReadError::TooManyColumns { columns: names.len(), limit: MAX_COLUMNS });
    }
    let mut seen = BTreeSet::new();
    match names.iter().find(|name| !seen.insert(name.as_str())) {
        Some(name) => Err(TableError::DuplicateName(name.clone()).into()),
        None => Ok(()),
    }
}

/// Refuses a type for a column that is not there.
fn check_types(names: &[String], types: &BTreeMap<String, ColumnType>) -> Result<(), ReadError> {
    match types.iter().find(|(column, _)| !names.contains(column)) {
        Some((column, &kind)) => {
            Err(ReadError::UnknownColumn { column: column.clone(), kind, known: name_list(names) })
        }
        None => Ok(()),
    }
}

/// Refuses what cannot be done without holding the table.
fn check_streamable(options: &ReadOptions, missing: Missing) -> Result<(), ReadError> {
    if missing == Missing::Em {
        return Err(ReadError::StreamedEm);
    }
    match options.types.iter().find(|&(_, &kind)| kind == ColumnType::Categorical) {
        Some((column, _)) => Err(ReadError::CategoricalMoments(column.clone())),
        None => Ok(()),
    }
}

/// Names for a sentence: `a, b, c`, cut short when there are many.
pub(crate) fn name_list<N: AsRef<str>>(names: &[N]) -> String {
    const SHOWN: usize = 8;
    let shown: Vec<&str> = names.iter().take(SHOWN).map(AsRef::as_ref).collect();
    match names.len().saturating_sub(SHOWN) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}
