//! The moments of a text table of any length, in memory that does not grow with it.

use std::io::Read;

use crate::moments::blocks_at_once;
use crate::read::csv::blocks::{Blocks, for_each_block};
use crate::read::csv::layout::Layout;
use crate::read::csv::rows::{Cell, Rows};
use crate::read::csv::{Problem, RowError, or_ragged};
use crate::read::error::ReadError;
use crate::read::options::ReadOptions;
use crate::read::{StreamedMoments, check_streamable, source};
use crate::{Missing, Moments};

/// A block of fewer rows spends its time on merging scatter matrices.
const ROWS_PER_BLOCK: usize = 512;

/// The moments of a text table read from `stream`, packed by gzip or not.
///
/// Every column must hold numbers; whole numbers count as numbers, however few. Blocks of text are parsed on all
/// threads and merged in the order of the file: the result does not depend on the number of threads.
///
/// ```
/// use gflowcausal_data::{Missing, ReadOptions, csv_moments};
/// let csv = "dose,pulse\n1.5,60\n2.5,64\n";
/// let streamed = csv_moments(csv.as_bytes(), &ReadOptions::default(), Missing::Error)?;
/// assert_eq!(streamed.names, ["dose", "pulse"]);
/// assert_eq!(streamed.moments.mean(), [2.0, 62.0]);
/// # Ok::<(), gflowcausal_data::ReadError>(())
/// ```
///
/// # Errors
/// When the text is no table of numbers, or has a gap and `missing` is [`Missing::Error`].
pub fn csv_moments(
    stream: impl Read + Send,
    options: &ReadOptions,
    missing: Missing,
) -> Result<StreamedMoments, ReadError> {
    check_streamable(options, missing)?;
    let mut blocks = Blocks::new(source::unpack(stream)?);
    let layout = Layout::detect(&mut blocks, options)?;
    blocks.hold_rows(ROWS_PER_BLOCK, &layout.dialect);
    let mut streamed = StreamedMoments::empty(layout.names.clone());
    for_each_block(
        blocks,
        &layout.dialect,
        blocks_at_once(layout.names.len()),
        |text| parse(text, &layout, missing),
        |part| {
            let (moments, dropped) = part.map_err(|error| error.locate(streamed.rows() as usize, &layout))?;
            streamed.add(&moments, dropped);
            Ok(())
        },
    )?;
    streamed.checked()
}

/// The moments of the complete rows of one block, and how many others there are.
fn parse(text: &[u8], layout: &Layout, missing: Missing) -> Result<(Moments, u64), RowError> {
    let d = layout.names.len();
    let lines = memchr::memchr_iter(layout.dialect.newline, text).count() + 1;
    let mut values = Vec::with_capacity(lines.saturating_mul(d).min(text.len()));
    let mut rows = Rows::new(text, &layout.dialect);
    let (mut row, mut dropped) = (0, 0);
    while rows.advance() {
        let start = values.len();
        let gap = push_row(&mut values, &mut rows, d).map_err(|problem| RowError { row, problem })?;
        match gap {
            None => {}
            Some(column) if missing == Missing::Error => {
                return Err(RowError { row, problem: Problem::Missing { column } });
            }
            Some(_) => {
                values.truncate(start);
                dropped += 1;
            }
        }
        row += 1;
    }
    Ok((Moments::of_rows(&values, d), dropped))
}

/// Adds the numbers of a row; says which column has no value, if any.
fn push_row(values: &mut Vec<f64>, rows: &mut Rows<'_>, d: usize) -> Result<Option<usize>, Problem> {
    let mut gap = None;
    for column in 0..d {
        let problem = match rows.cell() {
            Some(Cell::Number { value, .. }) if value.is_finite() => {
                values.push(value);
                continue;
            }
            Some(Cell::Missing) => {
                gap = gap.or(Some(column));
                values.push(f64::NAN);
                continue;
            }
            Some(Cell::Number { .. }) => Problem::Infinite { column },
            Some(Cell::Text(cell)) => Problem::of_text(column, cell),
            None => return Err(Problem::Ragged { cells: column }),
        };
        return Err(or_ragged(problem, column + 1, rows, d));
    }
    match rows.excess() {
        0 => Ok(gap),
        excess => Err(Problem::Ragged { cells: d + excess }),
    }
}
