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
            Problem::Missing { column } => ReadError::Missing { column: name(column), row },
            Problem::Infinite { column } => ReadError::Infinite { column: name(column), row },
        }
    }
}
