//! A whole text table in memory.

use std::io::Read;

use gflowcausal_determinism::thread_count;

use crate::read::column::ColumnBuilder;
use crate::read::csv::blocks::{Blocks, for_each_block};
use crate::read::csv::layout::Layout;
use crate::read::csv::rows::{Cell, Rows};
use crate::read::csv::{Problem, RowError};
use crate::read::error::ReadError;
use crate::read::options::ReadOptions;
use crate::{Column, Table};

/// Reads a text table.
pub(in crate::read) fn read_csv(stream: impl Read + Send, options: &ReadOptions) -> Result<Table, ReadError> {
    let mut blocks = Blocks::new(stream);
    let layout = Layout::detect(&mut blocks, options)?;
    let mut columns = empty_columns(&layout);
    let mut rows = 0;
    for_each_block(
        blocks,
        &layout.dialect,
        2 * thread_count(),
        |text| parse(text, &layout),
        |part| {
            let (part_rows, part) = part.map_err(|error| error.locate(rows, &layout))?;
            columns.iter_mut().zip(part).for_each(|(column, part)| column.append(part));
            rows += part_rows;
            Ok(())
        },
    )?;
    if rows == 0 {
        return Err(ReadError::NoRows(layout.names.len()));
    }
    let named = columns.into_iter().zip(&layout.names);
    let columns: Result<Vec<Column>, ReadError> =
        named.map(|(column, name)| column.finish(name, options.types.get(name).copied())).collect();
    Ok(Table::new(columns?)?)
}

fn empty_columns(layout: &Layout) -> Vec<ColumnBuilder> {
    let empty = |&verbatim: &bool| if verbatim { ColumnBuilder::text() } else { ColumnBuilder::numbers() };
    layout.verbatim.iter().map(empty).collect()
}

/// The columns of one block, and how many rows they have.
fn parse(text: &[u8], layout: &Layout) -> Result<(usize, Vec<ColumnBuilder>), RowError> {
    let mut columns = empty_columns(layout);
    let mut rows = Rows::new(text, &layout.dialect);
    let mut count = 0;
    while rows.advance() {
        for (k, column) in columns.iter_mut().enumerate() {
            let ragged = RowError { row: count, problem: Problem::Ragged { cells: k } };
            push(column, rows.cell().ok_or(ragged)?)
                .map_err(|cell| RowError { row: count, problem: Problem::NotUtf8 { column: k, cell } })?;
        }
        let excess = rows.skip_cells();
        if excess > 0 {
            let cells = columns.len() + excess;
            return Err(RowError { row: count, problem: Problem::Ragged { cells } });
        }
        count += 1;
    }
    Ok((count, columns))
}

/// Adds a cell; hands it back if it is not text.
fn push(column: &mut ColumnBuilder, cell: Cell<'_>) -> Result<(), Vec<u8>> {
    match cell {
        Cell::Number { value, text } => column.push_number(value, text),
        Cell::Missing => column.push_missing(),
        Cell::Text(text) => column.push_text(std::str::from_utf8(text).map_err(|_| text.to_vec())?),
    }
    Ok(())
}
