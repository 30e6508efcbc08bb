//! The header of a NumPy file: the type and shape of the array, and how its numbers are stored.

use std::io::Read;

use super::{FORMAT, fill};
use crate::read::column::{ColumnBuilder, Value};
use crate::read::error::{ReadError, excerpt};
use crate::read::source::Content;

/// A header is a line of text; a longer one is no header.
const MAX_HEADER: usize = 1 << 16;

/// What the header of a NumPy file says.
///
/// ```
/// use gflowcausal_data::NpyHeader;
/// let mut file = b"\x93NUMPY\x01\x00\x39\x00{'descr': '<i2', 'fortran_order': False, 'shape': (1, 2)}\x05\x00\xff\xff".as_slice();
/// let header = NpyHeader::read(&mut file)?;
/// assert_eq!((header.shape.as_slice(), header.fortran_order), ([1, 2].as_slice(), false));
/// assert_eq!(file.chunks(header.size()).map(|bytes| header.number(bytes)).collect::<Vec<_>>(), [5.0, -1.0]);
/// # Ok::<(), gflowcausal_data::ReadError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct NpyHeader {
    number: Number,
    big_endian: bool,
    /// Whether columns lie one after the other, and not rows.
    pub fortran_order: bool,
    /// The length of each dimension.
    pub shape: Vec<usize>,
}

/// How a value is stored, and in how many bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Number {
    Bool,
    Signed(usize),
    Unsigned(usize),
    Float(usize),
}

impl NpyHeader {
    /// Reads a header and leaves `stream` at the first number.
    ///
    /// # Errors
    /// When the file ends early, is damaged, or holds something else than integers, booleans or floats.
    pub fn read(stream: &mut impl Read) -> Result<Self, ReadError> {
        let mut start = [0; 8];
        fill(stream, &mut start)?;
        if !start.starts_with(b"\x93NUMPY") {
            return Err(ReadError::WrongContent { expected: FORMAT, found: Content::Other });
        }
        let width = match start[6] {
            1 => 2,
            2 | 3 => 4,
            version => return Err(damaged(format!("version {version} of the format"))),
        };
        let mut length = [0; 4];
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
        let fortran_order = value_of(header, "fortran_order")?.starts_with("True");
        let shape = value_of(header, "shape")?.strip_prefix('(')?.split_once(')')?.0;
        // Python 2 wrote long numbers with an L.
        let shape = shape.split(',').map(|part| part.trim().trim_end_matches('L'));
        let shape =
            shape.filter(|part| !part.is_empty()).map(|part| part.parse().ok()).collect::<Option<_>>()?;
        let Some(kind) = descr.strip_prefix(['\'', '"']).and_then(|descr| descr.split(['\'', '"']).next())
        else {
            return Some(Err(unsupported("an array of records".into())));
        };
        let Some((number, big_endian)) = parse_kind(kind) else {
            return Some(Err(unsupported(format!("values of type {kind}"))));
        };
        Some(Ok(Self { number, big_endian, fortran_order, shape }))
    }

    /// How many bytes a number takes.
    #[must_use]
    pub fn size(&self) -> usize {
        match self.number {
            Number::Bool => 1,
            Number::Signed(size) | Number::Unsigned(size) | Number::Float(size) => size,
        }
    }

    /// The number that is stored as `bytes`; 1 for true.
    ///
    /// # Panics
    /// If there are more than eight bytes.
    #[must_use]
    pub fn number(&self, bytes: &[u8]) -> f64 {
        match self.value(bytes) {
            Value::Number(number) => number,
            Value::Whole(number) => number as f64,
            Value::Text(text) => f64::from(text == "true"),
            Value::Missing => f64::NAN,
        }
    }

    /// The value that is stored as `bytes`.
    pub(super) fn value(&self, bytes: &[u8]) -> Value<'static> {
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        if self.big_endian {
            word[..bytes.len()].reverse();
        }
        let word = u64::from_le_bytes(word);
        match self.number {
            Number::Bool => Value::Text(if word == 0 { "false" } else { "true" }),
            Number::Unsigned(_) => Value::Whole(word.into()),
            Number::Signed(size) => {
                let unused = 64 - 8 * size as u32;
                Value::Whole(((word << unused) as i64 >> unused).into())
            }
            Number::Float(4) => Value::Number(f64::from(f32::from_bits(word as u32))),
            Number::Float(_) => Value::Number(f64::from_bits(word)),
        }
    }

    /// A column for numbers of this type.
    pub(super) fn column(&self) -> ColumnBuilder {
        match self.number {
            Number::Bool => ColumnBuilder::text(),
            Number::Signed(_) | Number::Unsigned(_) => ColumnBuilder::numbers(),
            Number::Float(_) => ColumnBuilder::reals(),
        }
    }
}

/// Reads `<f8`, `>i4`, `|b1`, …: the type, and whether the large byte comes first.
fn parse_kind(kind: &str) -> Option<(Number, bool)> {
    let size = || kind.as_bytes().last().map(|digit| usize::from(digit - b'0'));
    let number = match kind.trim_start_matches(['<', '>', '|', '=']) {
        "b1" | "?" => Number::Bool,
        "i1" | "i2" | "i4" | "i8" => Number::Signed(size()?),
        "u1" | "u2" | "u4" | "u8" => Number::Unsigned(size()?),
        "f4" | "f8" => Number::Float(size()?),
        _ => return None,
    };
    Some((number, kind.starts_with('>')))
}

/// The text behind a key.
fn value_of<'h>(header: &'h str, key: &str) -> Option<&'h str> {
    let behind = header.split_once(&format!("'{key}'"))?.1;
    Some(behind.trim_start().strip_prefix(':')?.trim_start())
}

fn damaged(reason: String) -> ReadError {
    ReadError::Damaged { format: FORMAT, reason }
}

fn unsupported(what: String) -> ReadError {
    ReadError::Unsupported { format: FORMAT, what }
}
