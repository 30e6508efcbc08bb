//! A whole text table in memory.

use std::io::Read;

use gflowcausal_determinism::thread_count;

use crate::read::check_memory;
use crate::read::column::ColumnBuilder;
use crate::read::csv::blocks::{Blocks, for_each_block};
use crate::read::csv::layout::Layout;
use crate::read::csv::rows::{Cell, Rows};
use crate::read::csv::{Problem, RowError, or_ragged};
use crate::read::error::ReadError;
use crate::read::options::ReadOptions;
use crate::{Column, Table};

/// Reads a text table, of `length` bytes if that is known.
pub(in crate::read) fn read_csv(
    stream: impl Read + Send,
    length: Option<u64>,
    options: &ReadOptions,
) -> Result<Table, ReadError> {
    let mut blocks = Blocks::new(stream);
    let layout = Layout::detect(&mut blocks, options)?;
    check_memory(length.unwrap_or(0) / layout.row_bytes.max(1), layout.names.len(), options)?;
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
            check_memory(rows as u64, layout.names.len(), options)
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
    let mut row = 0;
    while rows.advance() {
        push_row(&mut columns, &mut rows).map_err(|problem| RowError { row, problem })?;
        row += 1;
    }
    Ok((row, columns))
}

/// Adds the cells of a row.
fn push_row(columns: &mut [ColumnBuilder], rows: &mut Rows<'_>) -> Result<(), Problem> {
    let d = columns.len();
    for (column, builder) in columns.iter_mut().enumerate() {
        match rows.cell() {
            Some(Cell::Number { value, text }) => builder.push_number(value, text),
            Some(Cell::Missing) => builder.push_missing(),
            Some(Cell::Text(text)) => match std::str::from_utf8(text) {
                Ok(word) if !text.contains(&0) => builder.push_text(word),
                _ => {
                    let problem = Problem::of_text(column, text);
                    return Err(or_ragged(problem, column + 1, rows, d));
                }
            },
            None => return Err(Problem::Ragged { cells: column }),
        }
    }
    match rows.excess() {
        0 => Ok(()),
        excess => Err(Problem::Ragged { cells: d + excess }),
    }
}
