//! The values of a record batch: buffers, unpacked and checked, one column after the other.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::read::arrow::flat::Table;
use crate::read::arrow::schema::{Form, Kind, Number};
use crate::read::arrow::{damaged, unsupported};
use crate::read::column::{ColumnBuilder, Value};
use crate::read::error::ReadError;
use crate::read::unpack::{MAX_UNPACKED, unpack_lz4, unpack_zstd};

/// The entries of each dictionary, by its key.
pub(super) type Dictionaries = BTreeMap<i64, Vec<Entry>>;

/// One entry of a dictionary.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Entry {
    Missing,
    Number(f64),
    Whole(i128),
    Text(String),
}

impl From<Value<'_>> for Entry {
    fn from(value: Value<'_>) -> Self {
        match value {
            Value::Missing => Self::Missing,
            Value::Number(number) => Self::Number(number),
            Value::Whole(number) => Self::Whole(number),
            Value::Text(text) => Self::Text(text.into()),
        }
    }
}

/// A record batch: how long its columns are, and the buffers that are not used yet.
pub(super) struct Batch<'a> {
    rows: usize,
    buffers: Box<dyn Iterator<Item = [i64; 2]> + 'a>,
    view_buffers: Box<dyn Iterator<Item = i64> + 'a>,
    packing: Option<Packing>,
    body: &'a [u8],
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Packing {
    Lz4,
    Zstd,
}

impl<'a> Batch<'a> {
    pub(super) fn new(header: Table<'a>, body: &'a [u8]) -> Result<Self, ReadError> {
        let rows = usize::try_from(header.i64(0)?).map_err(|_| damaged("a negative number of rows"))?;
        let packing = match header.table(3)?.map(|packing| packing.u8(0)).transpose()? {
            None => None,
            Some(0) => Some(Packing::Lz4),
            Some(1) => Some(Packing::Zstd),
            Some(other) => return Err(unsupported(&format!("compression number {other}"))),
        };
        let buffers = Box::new(header.vector(2, 16)?.pairs());
        let view_buffers = Box::new(header.vector(4, 8)?.singles());
        Ok(Self { rows, buffers, view_buffers, packing, body })
    }

    /// The values of all columns.
    pub(super) fn columns(
        mut self,
        kinds: impl Iterator<Item = Kind>,
        dictionaries: &Dictionaries,
    ) -> Result<Vec<ColumnBuilder>, ReadError> {
        let columns = kinds.map(|kind| self.column(kind, dictionaries).map(|column| (kind, column)));
        let mut columns = columns.collect::<Result<Vec<_>, _>>()?;
        // Columns with buffers have proved that there are that many rows; without any, the number is just a claim.
        if columns.iter().all(|(kind, _)| *kind == Kind::Null) && self.rows > 0 {
            return Err(unsupported("no column with a value"));
        }
        for (_, nulls) in columns.iter_mut().filter(|(kind, _)| *kind == Kind::Null) {
            (0..self.rows).for_each(|_| nulls.push_missing());
        }
        Ok(columns.into_iter().map(|(_, column)| column).collect())
    }

    /// The entries of a dictionary.
    pub(super) fn entries(mut self, kind: Kind) -> Result<Vec<Entry>, ReadError> {
        let none = Dictionaries::new();
        let array = self.array(kind, &none)?;
        (0..self.rows).map(|row| array.value(row).map(Entry::from)).collect()
    }

    fn column(&mut self, kind: Kind, dictionaries: &Dictionaries) -> Result<ColumnBuilder, ReadError> {
        if kind == Kind::Null {
            return Ok(ColumnBuilder::numbers());
        }
        let array = self.array(kind, dictionaries)?;
        let mut column = array.empty_column();
        for row in 0..self.rows {
            column.push(array.value(row)?);
        }
        Ok(column)
    }

    /// The buffers of the next column, long enough for all rows.
    fn array<'d>(&mut self, kind: Kind, dictionaries: &'d Dictionaries) -> Result<Array<'d>, ReadError>
    where
        'a: 'd,
    {
        let validity = self.buffer()?;
        if !validity.is_empty() {
            check_length(&validity, self.rows.div_ceil(8))?;
        }
        let data = match kind {
            Kind::Null => return Err(unsupported("a dictionary of nothing")),
            Kind::Bool => Data::Bools(self.buffer_of(self.rows.div_ceil(8))?),
            Kind::Number(number) => Data::Numbers(number, self.numbers(number)?),
            Kind::Text { wide } => self.text(wide)?,
            Kind::TextView => self.text_view()?,
            Kind::Dictionary { index, id } => {
                let entries = dictionaries.get(&id).ok_or_else(|| damaged("a dictionary is missing"))?;
                Data::Keys(index, self.numbers(index)?, entries)
            }
        };
        Ok(Array { validity, data })
    }

    fn numbers(&mut self, number: Number) -> Result<Cow<'a, [u8]>, ReadError> {
        self.buffer_of(self.rows.checked_mul(number.bytes).ok_or_else(too_short)?)
    }

    fn text<'d>(&mut self, wide: bool) -> Result<Data<'d>, ReadError>
    where
        'a: 'd,
    {
        let offset = Number { bytes: if wide { 8 } else { 4 }, form: Form::Signed };
        let ends = self.rows.checked_add(usize::from(self.rows > 0));
        let length = ends.and_then(|ends| ends.checked_mul(offset.bytes)).ok_or_else(too_short)?;
        Ok(Data::Text { offset, offsets: self.buffer_of(length)?, text: self.buffer()? })
    }

    fn text_view<'d>(&mut self) -> Result<Data<'d>, ReadError>
    where
        'a: 'd,
    {
        let views = self.buffer_of(self.rows.checked_mul(16).ok_or_else(too_short)?)?;
        let count = self.view_buffers.next().ok_or_else(|| damaged("a number of buffers is missing"))?;
        let texts = (0..count).map(|_| self.buffer()).collect::<Result<_, _>>()?;
        Ok(Data::View { views, texts })
    }

    fn buffer_of(&mut self, length: usize) -> Result<Cow<'a, [u8]>, ReadError> {
        let buffer = self.buffer()?;
        check_length(&buffer, length)?;
        Ok(buffer)
    }

    /// The next buffer, unpacked.
    fn buffer(&mut self) -> Result<Cow<'a, [u8]>, ReadError> {
        let [offset, length] = self.buffers.next().ok_or_else(|| damaged("a buffer is missing"))?;
        let start = usize::try_from(offset).map_err(|_| too_short())?;
        let end = usize::try_from(length)
            .ok()
            .and_then(|length| start.checked_add(length))
            .ok_or_else(too_short)?;
        let buffer = self.body.get(start..end).ok_or_else(too_short)?;
        match self.packing {
            Some(packing) if !buffer.is_empty() => packing.unpack(buffer),
            _ => Ok(Cow::Borrowed(buffer)),
        }
    }
}

impl Packing {
    /// Unpacks a buffer that begins with its unpacked length; −1 says that it is not packed.
    fn unpack(self, buffer: &[u8]) -> Result<Cow<'_, [u8]>, ReadError> {
        let (length, packed) = buffer.split_first_chunk().ok_or_else(too_short)?;
        let length = i64::from_le_bytes(*length);
        if length == -1 {
            return Ok(Cow::Borrowed(packed));
        }
        let length =
            usize::try_from(length).ok().filter(|&length| length <= MAX_UNPACKED).ok_or_else(too_short)?;
        let unpacked = match self {
            Self::Lz4 => unpack_lz4(packed, length),
            Self::Zstd => unpack_zstd(packed, length),
        };
        let unpacked = unpacked.map_err(|error| damaged(&error.to_string()))?;
        check_length(&unpacked, length)?;
        Ok(Cow::Owned(unpacked))
    }
}

/// The buffers of one column.
struct Array<'a> {
    /// One bit for each value that is there; empty if all are.
    validity: Cow<'a, [u8]>,
    data: Data<'a>,
}

enum Data<'a> {
    Bools(Cow<'a, [u8]>),
    Numbers(Number, Cow<'a, [u8]>),
    Text { offset: Number, offsets: Cow<'a, [u8]>, text: Cow<'a, [u8]> },
    View { views: Cow<'a, [u8]>, texts: Vec<Cow<'a, [u8]>> },
    Keys(Number, Cow<'a, [u8]>, &'a [Entry]),
}

impl Array<'_> {
    fn empty_column(&self) -> ColumnBuilder {
        let is_text = |entries: &[Entry]| entries.iter().any(|entry| matches!(entry, Entry::Text(_)));
        match &self.data {
            Data::Numbers(Number { form: Form::Signed | Form::Unsigned, .. }, _) => ColumnBuilder::numbers(),
            Data::Numbers(..) => ColumnBuilder::reals(),
            Data::Keys(_, _, entries) if !is_text(entries) => ColumnBuilder::reals(),
            _ => ColumnBuilder::text(),
        }
    }

    fn value(&self, row: usize) -> Result<Value<'_>, ReadError> {
        if !self.validity.is_empty() && !bit(&self.validity, row) {
            return Ok(Value::Missing);
        }
        match &self.data {
            Data::Bools(bits) => Ok(Value::Text(if bit(bits, row) { "true" } else { "false" })),
            Data::Numbers(number, bytes) => Ok(number.value(bytes, row)),
            Data::Text { offset, offsets, text } => {
                let end = |row| offset.index(offsets, row).ok_or_else(too_short);
                utf8(text.get(end(row)?..end(row + 1)?).ok_or_else(too_short)?)
            }
            Data::View { views, texts } => {
                utf8(view(&views[16 * row..16 * row + 16], texts).ok_or_else(too_short)?)
            }
            Data::Keys(index, keys, entries) => {
                let entry = index.index(keys, row).and_then(|key| entries.get(key));
                Ok(match entry.ok_or_else(|| damaged("a key is not in its dictionary"))? {
                    Entry::Missing => Value::Missing,
                    Entry::Number(number) => Value::Number(*number),
                    Entry::Whole(number) => Value::Whole(*number),
                    Entry::Text(text) => Value::Text(text),
                })
            }
        }
    }
}

impl Number {
    /// The bits of the value in `row`, its sign carried to the left.
    fn bits(self, bytes: &[u8], row: usize) -> i128 {
        let mut word = [0; 16];
        word[..self.bytes].copy_from_slice(&bytes[row * self.bytes..(row + 1) * self.bytes]);
        let unused = 128 - 8 * self.bytes as u32;
        let left = i128::from_le_bytes(word) << unused;
        if self.form == Form::Unsigned { (left as u128 >> unused) as i128 } else { left >> unused }
    }

    fn value(self, bytes: &[u8], row: usize) -> Value<'static> {
        let bits = self.bits(bytes, row);
        match self.form {
            Form::Signed | Form::Unsigned => Value::Whole(bits),
            Form::Decimal(unit) => Value::Number(bits as f64 * unit),
            Form::Float if self.bytes == 4 => Value::Number(f32::from_bits(bits as u32).into()),
            Form::Float => Value::Number(f64::from_bits(bits as u64)),
        }
    }

    /// The value as a place in a list.
    fn index(self, bytes: &[u8], row: usize) -> Option<usize> {
        usize::try_from(self.bits(bytes, row)).ok()
    }
}

/// The text that a view of 16 bytes refers to: short ones lie in the view itself.
fn view<'v>(view: &'v [u8], texts: &'v [Cow<'_, [u8]>]) -> Option<&'v [u8]> {
    let word = |k: usize| Some(u32::from_le_bytes(view.get(4 * k..4 * k + 4)?.try_into().ok()?) as usize);
    let length = word(0)?;
    if length <= 12 {
        return view.get(4..4 + length);
    }
    let (buffer, start) = (word(2)?, word(3)?);
    texts.get(buffer)?.get(start..start.checked_add(length)?)
}

fn utf8(bytes: &[u8]) -> Result<Value<'_>, ReadError> {
    std::str::from_utf8(bytes).map(Value::Text).map_err(|_| damaged("text that is not UTF-8"))
}

fn bit(bits: &[u8], row: usize) -> bool {
    bits[row / 8] >> (row % 8) & 1 == 1
}

fn check_length(buffer: &[u8], length: usize) -> Result<(), ReadError> {
    if buffer.len() < length { Err(too_short()) } else { Ok(()) }
}

fn too_short() -> ReadError {
    damaged("a buffer is too short for its values")
}
