//! Two-dimensional NumPy arrays: one column for each column, any order and byte order.

mod header;

use std::io::{self, BufRead, BufReader, Read};

use crate::read::column::ColumnBuilder;
use crate::read::error::ReadError;
use crate::read::sink::Sink;
use crate::read::{MAX_COLUMNS, unnamed};

pub use self::header::NpyHeader;

const FORMAT: &str = "NumPy";

/// How many rows are handed on at a time, where rows lie one after the other.
const BATCH: usize = 1 << 14;

/// Reads an array.
pub(super) fn read_npy(stream: impl Read, sink: &mut impl Sink) -> Result<(), ReadError> {
    let mut stream = BufReader::new(stream);
    if stream.fill_buf().map_err(ReadError::Io)?.is_empty() {
        return Err(ReadError::Empty);
    }
    let array = Array::new(NpyHeader::read(&mut stream)?)?;
    sink.begin((1..=array.columns).map(unnamed).collect())?;
    let batch = if array.header.fortran_order { array.rows } else { BATCH };
    for start in (0..array.rows).step_by(batch.max(1)) {
        let rows = batch.min(array.rows - start);
        sink.take(array.read_batch(&mut stream, rows)?)?;
    }
    Ok(())
}

/// An array that is a table.
struct Array {
    header: NpyHeader,
    rows: usize,
    columns: usize,
}

impl Array {
    fn new(header: NpyHeader) -> Result<Self, ReadError> {
        match header.shape[..] {
            [_, 0] => Err(ReadError::Empty),
            [_, columns] if columns > MAX_COLUMNS => {
                Err(ReadError::TooManyColumns { columns, limit: MAX_COLUMNS })
            }
            [rows, columns] => Ok(Self { header, rows, columns }),
            _ => Err(ReadError::Dimensions(header.shape.len())),
        }
    }

    fn read_batch(&self, stream: &mut impl Read, rows: usize) -> Result<Vec<ColumnBuilder>, ReadError> {
        let mut columns: Vec<ColumnBuilder> = (0..self.columns).map(|_| self.header.column()).collect();
        if self.header.fortran_order {
            for column in &mut columns {
                (0..rows).try_for_each(|_| self.read_value(stream, column))?;
            }
        } else {
            for _ in 0..rows {
                columns.iter_mut().try_for_each(|column| self.read_value(stream, column))?;
            }
        }
        Ok(columns)
    }

    fn read_value(&self, stream: &mut impl Read, column: &mut ColumnBuilder) -> Result<(), ReadError> {
        let mut bytes = [0; 8];
        let bytes = &mut bytes[..self.header.size()];
        fill(stream, bytes)?;
        column.push(self.header.value(bytes));
        Ok(())
    }
}

fn fill(stream: &mut impl Read, bytes: &mut [u8]) -> Result<(), ReadError> {
    stream.read_exact(bytes).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => ReadError::Truncated(FORMAT),
        _ => ReadError::Io(error),
    })
}
