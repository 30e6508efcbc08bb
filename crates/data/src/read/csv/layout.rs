//! The columns of a text file, detected from its first rows.

use std::collections::BTreeMap;
use std::io::Read;

use crate::read::csv::blocks::Blocks;
use crate::read::csv::dialect::Dialect;
use crate::read::csv::rows::{Cell, Rows, classify};
use crate::read::csv::zero_bytes;
use crate::read::error::{ReadError, excerpt};
use crate::read::options::{ColumnType, Header, ReadOptions};
use crate::read::{check_columns, check_types, unnamed};

/// How many rows are inspected to see which columns hold text.
const SAMPLE: usize = 1000;

/// Names and kinds of the columns, and how cells are written.
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) dialect: Dialect,
    pub(super) names: Vec<String>,
    /// Whether a column is kept as it is written: its first rows hold text, or the user wants categories.
    pub(super) verbatim: Vec<bool>,
    /// About how many bytes a row has.
    pub(super) row_bytes: u64,
}

impl Layout {
    /// Inspects the first rows and leaves `blocks` at the first row of values.
    pub(super) fn detect(blocks: &mut Blocks<impl Read>, options: &ReadOptions) -> Result<Self, ReadError> {
        let head = blocks.head()?.to_vec();
        let head = whole_rows(&head, blocks.head_is_all());
        let mut dialect = Dialect::detect(head, options);
        let mut rows = Rows::new(head, &dialect);
        if !rows.advance() {
            return Err(ReadError::Empty);
        }
        let first = first_row(&mut rows);
        let (mut names, named, start) = if has_header(&first, &dialect, options.header) {
            (names_of(&first)?, filled(&first), rows.position())
        } else {
            ((1..=first.len()).map(unnamed).collect(), 0, 0)
        };
        let body = &head[start..];
        if let Some(columns) = columns_before_trailing_delimiters(named, first.len(), body, &dialect) {
            dialect.trailing_delimiters = true;
            names.truncate(columns);
        }
        check_columns(&names)?;
        check_types(&names, &options.types)?;
        let verbatim = verbatim_columns(body, &dialect, &names, &options.types);
        let lines = memchr::memchr_iter(dialect.newline, head).count();
        blocks.skip(start);
        Ok(Self { dialect, names, verbatim, row_bytes: (head.len() / lines.max(1)) as u64 })
    }
}

fn has_header(first: &[Vec<u8>], dialect: &Dialect, header: Header) -> bool {
    match header {
        Header::Detect => !is_data(first, dialect),
        Header::Present => true,
        Header::Absent => false,
    }
}

/// How many cells there are up to the last one that is not empty.
fn filled(cells: &[Vec<u8>]) -> usize {
    cells.iter().rposition(|cell| !cell.is_empty()).map_or(0, |last| last + 1)
}

/// How many columns there are if each row, or the header, ends in a delimiter too many: what has neither a name nor a
/// value anywhere is no column. Nothing if that is not so.
fn columns_before_trailing_delimiters(
    named: usize,
    width: usize,
    body: &[u8],
    dialect: &Dialect,
) -> Option<usize> {
    let mut rows = Rows::new(body, dialect);
    let (mut columns, mut shortest) = (named, usize::MAX);
    for _ in 0..SAMPLE {
        if !rows.advance() {
            break;
        }
        let (filled, count) = rows.filled_cells();
        columns = columns.max(filled);
        shortest = shortest.min(count);
    }
    let all_rows = shortest != usize::MAX && shortest > columns;
    ((1..=width).contains(&columns) && (width > columns || all_rows)).then_some(columns)
}

/// What of `head` to inspect: without its last line, which may be cut off.
fn whole_rows(head: &[u8], is_all: bool) -> &[u8] {
    let newline = if head.contains(&b'\n') { b'\n' } else { b'\r' };
    match memchr::memrchr(newline, head) {
        Some(last) if !is_all => &head[..=last],
        _ => head,
    }
}

/// The text of each cell of the row.
fn first_row(rows: &mut Rows<'_>) -> Vec<Vec<u8>> {
    let mut cells = Vec::new();
    while let Some(cell) = rows.text_cell() {
        cells.push(cell.to_vec());
    }
    cells
}

/// Whether the cells are values rather than names: numbers, perhaps with gaps.
fn is_data(cells: &[Vec<u8>], dialect: &Dialect) -> bool {
    let mut kinds = cells.iter().map(|cell| classify(cell, dialect));
    let has_text = kinds.clone().any(|kind| matches!(kind, Cell::Text(_)));
    !has_text && kinds.any(|kind| matches!(kind, Cell::Number { .. }))
}

fn names_of(cells: &[Vec<u8>]) -> Result<Vec<String>, ReadError> {
    cells.iter().enumerate().map(|(k, cell)| name_of(k + 1, cell)).collect()
}

fn name_of(number: usize, cell: &[u8]) -> Result<String, ReadError> {
    let name = std::str::from_utf8(cell).map_err(|_| ReadError::HeaderNotUtf8(excerpt(cell)))?;
    if name.contains('\0') {
        return Err(zero_bytes("the header"));
    }
    // A byte order mark inside a quoted name would be taken for the file's own.
    match name.trim_start_matches(|c: char| c == '\u{feff}' || c.is_ascii_whitespace()) {
        "" => Ok(unnamed(number)),
        name => Ok(name.to_owned()),
    }
}

/// Which columns are to be kept as they are written.
fn verbatim_columns(
    head: &[u8],
    dialect: &Dialect,
    names: &[String],
    types: &BTreeMap<String, ColumnType>,
) -> Vec<bool> {
    let mut verbatim = vec![false; names.len()];
    let mut rows = Rows::new(head, dialect);
    for _ in 0..SAMPLE {
        if !rows.advance() {
            break;
        }
        for seen_text in &mut verbatim {
            *seen_text |= matches!(rows.cell(), Some(Cell::Text(_)));
        }
        rows.skip_cells();
    }
    for (verbatim, name) in verbatim.iter_mut().zip(names) {
        *verbatim = types.get(name).map_or(*verbatim, |&kind| kind == ColumnType::Categorical);
    }
    verbatim
}
