//! Text tables: CSV and its relatives, also packed by gzip, parsed on all threads in memory that does not grow.

mod blocks;
mod dialect;
mod layout;
mod moments;
mod rows;
mod table;

pub use moments::csv_moments;
pub(super) use table::read_csv;

use crate::read::csv::layout::Layout;
use crate::read::csv::rows::Rows;
use crate::read::error::{ReadError, excerpt};

/// What is wrong with a row, before it is known how many rows came before its block.
#[derive(Debug)]
struct RowError {
    /// Counted from 0 in the block.
    row: usize,
    problem: Problem,
}

#[derive(Debug)]
enum Problem {
    Ragged { cells: usize },
    Text { column: usize, cell: Vec<u8> },
    NotUtf8 { column: usize, cell: Vec<u8> },
    ZeroBytes,
    Missing { column: usize },
    Infinite { column: usize },
}

impl RowError {
    /// The error in terms of the whole file.
    fn locate(self, rows_before: usize, layout: &Layout) -> ReadError {
        let row = rows_before + self.row + 1;
        let name = |column: usize| layout.names[column].clone();
        match self.problem {
            Problem::Ragged { cells } => ReadError::Ragged { row, cells, columns: layout.names.len() },
            Problem::Text { column, cell } => {
                ReadError::TextColumn { column: name(column), row, cell: excerpt(&cell) }
            }
            Problem::NotUtf8 { column, cell } => {
                ReadError::NotUtf8 { column: name(column), row, cell: excerpt(&cell) }
            }
            Problem::ZeroBytes => zero_bytes(&format!("row {row}")),
            Problem::Missing { column } => ReadError::Missing { column: name(column), row },
            Problem::Infinite { column } => ReadError::Infinite { column: name(column), row },
        }
    }
}

impl Problem {
    /// What is wrong with a cell of text.
    fn of_text(column: usize, cell: &[u8]) -> Self {
        match std::str::from_utf8(cell) {
            _ if cell.contains(&0) => Self::ZeroBytes,
            Ok(_) => Self::Text { column, cell: cell.to_vec() },
            Err(_) => Self::NotUtf8 { column, cell: cell.to_vec() },
        }
    }
}

/// Cells that are read in a row of the wrong length may stand in other columns: the length is the problem.
fn or_ragged(problem: Problem, read: usize, rows: &mut Rows<'_>, columns: usize) -> Problem {
    match read + rows.excess() {
        cells if cells != columns && !matches!(problem, Problem::ZeroBytes) => Problem::Ragged { cells },
        _ => problem,
    }
}

/// What a disk leaves behind that failed in the middle of a file.
fn zero_bytes(place: &str) -> ReadError {
    ReadError::Damaged { format: "text", reason: format!("{place} holds zero bytes") }
}
