//! Why a file cannot be read: a code, the place, one sentence, and what helps.

use std::io;
use std::path::Path;

use gflowcausal_graph::{Advice, pluralize, shortened};

use crate::TableError;
use crate::loose_number::is_loose_number;
use crate::read::options::ColumnType;
use crate::read::source::{Content, EXTENSIONS};

/// Why a file cannot be read.
///
/// The text says what and where; [`ReadError::code`] names the kind for programs, [`ReadError::advice`] says what to do.
/// Rows are counted from 1, below the header.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "a variant's message names its fields")]
pub enum ReadError {
    /// Nothing is there.
    #[error("there is no file '{0}'")]
    NotFound(String),
    /// The system refuses.
    #[error("no permission to read '{0}'")]
    NoPermission(String),
    /// A folder where a file should be.
    #[error("'{0}' is a directory, not a file")]
    Directory(String),
    /// A name that does not say what is inside.
    #[error("the extension of '{0}' is not that of a table")]
    UnknownExtension(String),
    /// The system failed while reading.
    #[error("reading failed: {0}")]
    Io(#[source] io::Error),
    /// Contents of another kind than the name says.
    #[error("{expected} was expected, but this is {found}")]
    WrongContent { expected: &'static str, found: Content },
    /// The file ends in the middle.
    #[error("the {0} data end too early: the file was cut short")]
    Truncated(&'static str),
    /// The file breaks the rules of its own format.
    #[error("the {format} data are damaged: {reason}")]
    Damaged { format: &'static str, reason: String },
    /// A part of the format that is not read.
    #[error("the {format} file has {what}, which cannot be read")]
    Unsupported { format: &'static str, what: String },
    /// A NumPy array that is no table.
    #[error("the NumPy array has {}, but a table has 2", pluralize(*.0, "dimension"))]
    Dimensions(usize),
    /// A column of values that are neither numbers nor categories.
    #[error("column '{column}' is of type {kind}, which is neither a number nor a category")]
    UnsupportedType { column: String, kind: String },
    /// Nothing at all in the file.
    #[error("the file is empty")]
    Empty,
    /// Names but no values.
    #[error("there are no rows below the {}", pluralize(*.0, "column name"))]
    NoRows(usize),
    /// Rows of different lengths.
    #[error("row {row} has {}, but there are {columns} columns", pluralize(*cells, "cell"))]
    Ragged { row: usize, cells: usize, columns: usize },
    /// Text where the rest of the column is numbers.
    #[error("column '{column}' holds numbers, but row {row} is the text '{}'", shortened(cell))]
    MixedTypes { column: String, row: usize, cell: String },
    /// Text where only numbers can be used.
    #[error(
        "column '{column}' holds text (row {row}: '{}'), but means and covariances need numbers",
        shortened(cell)
    )]
    TextColumn { column: String, row: usize, cell: String },
    /// Categories where only numbers can be used.
    #[error("column '{0}' is to be categorical, but means and covariances need numbers")]
    CategoricalMoments(String),
    /// A gap where none is allowed.
    #[error("column '{column}' has no value in row {row}")]
    Missing { column: String, row: usize },
    /// A gap in every row.
    #[error("each of the {0} rows has a missing value: nothing is left after dropping them")]
    AllDropped(u64),
    /// A whole number of more digits than a real number keeps.
    #[error("column '{column}', row {row}: {digits} has more digits than a number keeps")]
    Inexact { column: String, row: usize, digits: String },
    /// A number that is not finite.
    #[error("column '{column}' has an infinite value in row {row}")]
    Infinite { column: String, row: usize },
    /// Bytes that are not text.
    #[error("column '{column}', row {row}: '{cell}' is not UTF-8 text")]
    NotUtf8 { column: String, row: usize, cell: String },
    /// A header that is not text.
    #[error("the column names are not UTF-8 text: '{0}'")]
    HeaderNotUtf8(String),
    /// A quote without an end.
    #[error("a quote is opened and never closed, in the row that begins with '{0}'")]
    UnclosedQuote(String),
    /// A row without an end.
    #[error("a row is longer than {limit} MiB; it begins with '{start}'")]
    LongRow { start: String, limit: usize },
    /// More numbers than fit in memory.
    #[error("the table would take about {}, but only {} of memory are free", size(*bytes), size(*limit))]
    TooLarge { bytes: u64, limit: u64 },
    /// More columns than any method here can use.
    #[error("there are {columns} columns, more than the {limit} that can be used")]
    TooManyColumns { columns: usize, limit: usize },
    /// A type for a column that is not there.
    #[error("there is no column '{column}' to make {kind}; the columns are {known}")]
    UnknownColumn { column: String, kind: ColumnType, known: String },
    /// Estimating what is missing needs every row at once.
    #[error("missing values cannot be estimated while streaming")]
    StreamedEm,
    /// Columns that do not make a table.
    #[error(transparent)]
    Table(#[from] TableError),
}

impl ReadError {
    /// The kind of problem, as a stable word.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotFound(_) => "not-found",
            Self::NoPermission(_) => "no-permission",
            Self::Directory(_) => "directory",
            Self::UnknownExtension(_) => "unknown-extension",
            Self::Io(_) => "read-failed",
            Self::WrongContent { .. } => "wrong-content",
            Self::Truncated(_) => "truncated-file",
            Self::Damaged { .. } => "damaged-file",
            Self::Unsupported { .. } | Self::UnsupportedType { .. } | Self::Dimensions(_) => {
                "unsupported-type"
            }
            Self::Empty => "empty-file",
            Self::NoRows(_) => "no-rows",
            Self::Ragged { .. } => "ragged-row",
            Self::MixedTypes { .. } => "mixed-types",
            Self::TextColumn { .. } | Self::CategoricalMoments(_) => "text-column",
            Self::Missing { .. } | Self::AllDropped(_) | Self::StreamedEm => "missing-values",
            Self::Inexact { .. } => "inexact-number",
            Self::Infinite { .. } => "infinite-value",
            Self::NotUtf8 { .. } | Self::HeaderNotUtf8(_) => "not-utf8",
            Self::UnclosedQuote(_) => "unclosed-quote",
            Self::LongRow { .. } => "long-row",
            Self::TooLarge { .. } => "too-large",
            Self::TooManyColumns { .. } => "too-many-columns",
            Self::UnknownColumn { .. } => "unknown-column",
            Self::Table(TableError::DuplicateName(_)) => "duplicate-names",
            Self::Table(_) => "bad-table",
        }
    }

    /// What helps.
    #[must_use]
    pub fn advice(&self) -> Advice {
        match self {
            Self::NotFound(_) => "check the path, or name a built-in data set: sachs or sachs-interventions".into(),
            Self::NoPermission(_) => "make the file readable for you, or copy it".into(),
            Self::Directory(_) => "name a file inside it".into(),
            Self::UnknownExtension(path) => extension_fix(path).into(),
            Self::WrongContent { found, .. } => found.fix().into(),
            Self::Io(_) => "try again, or copy the file to a local disk".into(),
            Self::Truncated(_) | Self::Damaged { .. } => "fetch or write the file again".into(),
            Self::Unsupported { .. } => "save it again as CSV or as Parquet with snappy compression".into(),
            Self::Dimensions(1) => "stack the variables: numpy.save(file, numpy.column_stack((a, b, …)))".into(),
            Self::Dimensions(_) => "reshape it to one row for each observation".into(),
            Self::UnsupportedType { column, .. } => {
                format!("leave '{column}' out, or turn it into numbers or text").into()
            }
            Self::Empty => "check that the program that wrote it had finished".into(),
            Self::NoRows(_) => Advice::new("add rows below the names; if the first row is data, use ").option("no-header"),
            Self::Ragged { row: 1, cells, columns } if *cells == columns + 1 => {
                "name every column; if R wrote the file, leave the row names out: write.table(…, row.names = FALSE)"
                    .into()
            }
            Self::Ragged { .. } => {
                Advice::new("give every row the same number of cells, or name the right separator with ")
                    .option("delimiter")
            }
            Self::MixedTypes { cell, .. } if is_loose_number(cell) => {
                "write every number plainly, such as 1234.5".into()
            }
            Self::MixedTypes { column, row: 1, .. } => Advice::new("if it is the column's name, leave ")
                .option("no-header")
                .then(" out; else correct the cell, or use ")
                .set("types", format!("{column}=categorical")),
            Self::MixedTypes { column, .. } => Advice::new("correct the cell, leave it empty if it means a missing value, or use ")
                .set("types", format!("{column}=categorical")),
            Self::TextColumn { column, .. } | Self::CategoricalMoments(column) => {
                format!("leave '{column}' out, or read the whole table").into()
            }
            Self::Missing { .. } => crate::missing::fill_gaps(),
            Self::AllDropped(_) => crate::missing::too_many_gaps("em"),
            Self::StreamedEm => Advice::new("use ").set("missing", "drop").then(", or read the whole table"),
            Self::Inexact { column, .. } => Advice::new("if it is a code, keep it as text and use ")
                .set("types", format!("{column}=categorical"))
                .then("; if its last digits do not matter, use ")
                .set("types", format!("{column}=continuous")),
            Self::Infinite { .. } => "correct the value, or leave the cell empty".into(),
            Self::NotUtf8 { .. } | Self::HeaderNotUtf8(_) => "save the file as UTF-8".into(),
            Self::UnclosedQuote(_) => "close the quote, or remove quotes that are part of a value".into(),
            Self::LongRow { .. } => {
                "check that this is a text table with a line for each row, and that every quote is closed".into()
            }
            Self::TooLarge { .. } => "choose fewer rows or columns".into(),
            Self::TooManyColumns { .. } => "choose the columns of interest, or transpose the table".into(),
            Self::UnknownColumn { .. } => "write the name as it is in the file".into(),
            Self::Table(TableError::DuplicateName(_)) => "give every column a name of its own".into(),
            Self::Table(_) => "check the columns' lengths and levels".into(),
        }
    }
}

/// What to do about a file that is no table, going by its name.
fn extension_fix(path: &str) -> String {
    let extension = Path::new(path).extension().and_then(|extension| extension.to_str());
    match extension.unwrap_or_default().to_lowercase().as_str() {
        "npz" => "save one array by itself: numpy.save(\"table.npy\", array)".into(),
        "xlsx" | "xls" | "xlsm" | "ods" => "save the sheet as CSV".into(),
        "rds" | "rda" | "rdata" => {
            "write it from R: write.csv(table, \"table.csv\", row.names = FALSE)".into()
        }
        "sav" | "dta" | "sas7bdat" | "mat" | "h5" | "hdf5" | "pkl" | "json" => {
            "save it as CSV or Parquet".into()
        }
        "zip" | "bz2" | "xz" | "zst" | "7z" | "tar" | "tgz" => "unpack it; only gzip is unpacked here".into(),
        _ => format!("rename the file so that it ends in what it holds: {EXTENSIONS}"),
    }
}

/// A number of bytes for people.
fn size(bytes: u64) -> String {
    const UNITS: [(f64, &str); 3] = [(1e12, "TB"), (1e9, "GB"), (1e6, "MB")];
    let bytes = bytes as f64;
    match UNITS.iter().find(|(unit, _)| bytes >= *unit) {
        Some((unit, name)) => format!("{:.1} {name}", bytes / unit),
        None => format!("{:.0} kB", bytes / 1e3),
    }
}

/// The beginning of some bytes, for a message.
pub(super) fn excerpt(bytes: &[u8]) -> String {
    const LENGTH: usize = 40;
    let line = bytes.split(|byte| b"\n\r\0".contains(byte)).next().unwrap_or_default();
    let text = String::from_utf8_lossy(&line[..line.len().min(4 * LENGTH)]);
    let mut excerpt: String = text.chars().take(LENGTH).collect();
    if excerpt.len() < text.len() || text.len() < line.len() {
        excerpt.push('…');
    }
    excerpt
}
