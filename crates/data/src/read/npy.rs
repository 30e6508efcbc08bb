//! Two-dimensional NumPy arrays: one column for each column, any order and byte order.

use std::io::{self, BufRead, BufReader, Read};

use crate::read::column::{ColumnBuilder, Value};
use crate::read::error::{ReadError, excerpt};
use crate::read::sink::Sink;
use crate::read::source::Content;
use crate::read::{MAX_COLUMNS, unnamed};

const FORMAT: &str = "NumPy";

/// A header is a line of text; a longer one is no header.
const MAX_HEADER: usize = 1 << 16;

/// How many rows are handed on at a time, where rows lie one after the other.
const BATCH: usize = 1 << 14;

/// Reads an array.
pub(super) fn read_npy(stream: impl Read, sink: &mut impl Sink) -> Result<(), ReadError> {
    let mut stream = BufReader::new(stream);
    let array = Array::read(&mut stream)?;
    sink.begin((1..=array.columns).map(unnamed).collect())?;
    let batch = if array.by_column { array.rows } else { BATCH };
    for start in (0..array.rows).step_by(batch.max(1)) {
        let rows = batch.min(array.rows - start);
        sink.take(array.read_batch(&mut stream, rows)?)?;
    }
    Ok(())
}

/// What the header says.
#[derive(Debug, PartialEq)]
struct Array {
    number: Number,
    big_endian: bool,
    by_column: bool,
    rows: usize,
    columns: usize,
}

/// How a value is stored, and in how many bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Number {
    Bool,
    Signed(usize),
    Unsigned(usize),
    Float(usize),
}

impl Array {
    fn read(stream: &mut impl BufRead) -> Result<Self, ReadError> {
        let mut start = [0; 8];
        if stream.fill_buf().map_err(ReadError::Io)?.is_empty() {
            return Err(ReadError::Empty);
        }
        fill(stream, &mut start)?;
        if !start.starts_with(b"\x93NUMPY") {
            return Err(ReadError::WrongContent { expected: "NumPy", found: Content::Other });
        }
        let mut length = [0; 4];
        let width = if start[6] == 1 { 2 } else { 4 };
        fill(stream, &mut length[..width])?;
        let length = u32::from_le_bytes(length) as usize;
        if length > MAX_HEADER {
            return Err(damaged(format!("a header of {length} bytes")));
        }
        let mut header = vec![0; length];
        fill(stream, &mut header)?;
        Self::parse(&header).ok_or_else(|| damaged(format!("the header '{}'", excerpt(&header))))?
    }

    /// Reads `{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }`; nothing if it is not of that form.
    fn parse(header: &[u8]) -> Option<Result<Self, ReadError>> {
        let header = std::str::from_utf8(header).ok()?;
        let descr = value_of(header, "descr")?;
        let by_column = value_of(header, "fortran_order")?.starts_with("True");
        let shape = value_of(header, "shape")?.strip_prefix('(')?.split_once(')')?.0;
        let shape: Vec<usize> = shape
            .split(',')
            .map(str::trim)
            .filter(|part| !part.is_empty())
            .map(|part| part.parse().ok())
            .collect::<Option<_>>()?;
        let Some(kind) = descr.strip_prefix(['\'', '"']).and_then(|descr| descr.split(['\'', '"']).next())
        else {
            return Some(Err(unsupported("an array of records".into())));
        };
        let Some((number, big_endian)) = parse_kind(kind) else {
            return Some(Err(unsupported(format!("values of type {kind}"))));
        };
        let &[rows, columns] = shape.as_slice() else {
            return Some(Err(ReadError::Dimensions(shape.len())));
        };
        if columns > MAX_COLUMNS {
            return Some(Err(ReadError::TooManyColumns { columns, limit: MAX_COLUMNS }));
        }
        Some(if columns == 0 {
            Err(ReadError::Empty)
        } else {
            Ok(Self { number, big_endian, by_column, rows, columns })
        })
    }

    fn read_batch(&self, stream: &mut impl Read, rows: usize) -> Result<Vec<ColumnBuilder>, ReadError> {
        let mut columns: Vec<ColumnBuilder> = (0..self.columns).map(|_| self.number.column()).collect();
        if self.by_column {
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
        let size = self.number.size();
        fill(stream, &mut bytes[..size])?;
        if self.big_endian {
            bytes[..size].reverse();
        }
        column.push(self.number.value(bytes));
        Ok(())
    }
}

impl Number {
    fn size(self) -> usize {
        match self {
            Self::Bool => 1,
            Self::Signed(size) | Self::Unsigned(size) | Self::Float(size) => size,
        }
    }

    fn column(self) -> ColumnBuilder {
        match self {
            Self::Bool => ColumnBuilder::text(),
            Self::Signed(_) | Self::Unsigned(_) => ColumnBuilder::numbers(),
            Self::Float(_) => ColumnBuilder::reals(),
        }
    }

    /// The value of little-endian `bytes` with zeros behind it.
    fn value(self, bytes: [u8; 8]) -> Value<'static> {
        let word = u64::from_le_bytes(bytes);
        match self {
            Self::Bool => Value::Text(if word == 0 { "false" } else { "true" }),
            Self::Unsigned(_) => Value::Whole(word.into()),
            Self::Signed(size) => {
                let unused = 64 - 8 * size as u32;
                Value::Whole(((word << unused) as i64 >> unused).into())
            }
            Self::Float(4) => Value::Number(f64::from(f32::from_bits(word as u32))),
            Self::Float(_) => Value::Number(f64::from_bits(word)),
        }
    }
}

/// Reads `<f8`, `>i4`, `|b1`, …: the type, and whether the large byte comes first.
fn parse_kind(kind: &str) -> Option<(Number, bool)> {
    let (order, kind) = kind.split_at_checked(1)?;
    let number = match kind {
        "b1" => Number::Bool,
        "i1" | "i2" | "i4" | "i8" => Number::Signed(kind[1..].parse().ok()?),
        "u1" | "u2" | "u4" | "u8" => Number::Unsigned(kind[1..].parse().ok()?),
        "f4" | "f8" => Number::Float(kind[1..].parse().ok()?),
        _ => return None,
    };
    match order {
        "<" | "|" | "=" => Some((number, false)),
        ">" => Some((number, true)),
        _ => None,
    }
}

/// The text behind a key.
fn value_of<'h>(header: &'h str, key: &str) -> Option<&'h str> {
    let behind = header.split_once(&format!("'{key}'"))?.1;
    Some(behind.trim_start().strip_prefix(':')?.trim_start())
}

fn fill(stream: &mut impl Read, bytes: &mut [u8]) -> Result<(), ReadError> {
    stream.read_exact(bytes).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => ReadError::Truncated(FORMAT),
        _ => ReadError::Io(error),
    })
}

fn damaged(reason: String) -> ReadError {
    ReadError::Damaged { format: FORMAT, reason }
}

fn unsupported(what: String) -> ReadError {
    ReadError::Unsupported { format: FORMAT, what }
}
