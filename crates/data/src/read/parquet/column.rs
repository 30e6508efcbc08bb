//! One column of one row group: its type, and its values in batches.

use std::sync::Arc;

use parquet::basic::{Compression, ConvertedType, LogicalType, Type as Physical};
use parquet::column::page::PageReader;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl, get_column_reader};
use parquet::data_type::DataType;
use parquet::errors::ParquetError;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::serialized_reader::SerializedPageReader;
use parquet::schema::types::ColumnDescriptor;

use crate::read::column::{ColumnBuilder, Value};
use crate::read::error::ReadError;
use crate::read::parquet::input::Input;
use crate::read::parquet::pages::Checked;
use crate::read::parquet::{FORMAT, parquet_error, unsupported_type};

/// What the values of a column are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Kind {
    Bool,
    Signed,
    Unsigned,
    Real,
    /// A whole number of this fraction of one.
    Decimal(f64),
    Text,
}

impl Kind {
    /// The kind of a column, or the name of a type that is neither number nor category.
    pub(super) fn of(column: &ColumnDescriptor) -> Result<Self, &'static str> {
        if column.path().parts().len() > 1 || column.max_rep_level() > 0 {
            return Err("nested");
        }
        let annotated = match column.logical_type_ref() {
            Some(logical) => Self::of_logical(logical, column.type_scale())?,
            None => Self::of_converted(column.converted_type(), column.type_scale())?,
        };
        annotated.map_or_else(|| Self::of_physical(column.physical_type()), Ok)
    }

    fn of_logical(logical: &LogicalType, scale: i32) -> Result<Option<Self>, &'static str> {
        Ok(Some(match logical {
            LogicalType::String | LogicalType::Enum | LogicalType::Json => Self::Text,
            LogicalType::Integer(integer) if integer.is_signed => Self::Signed,
            LogicalType::Integer(_) => Self::Unsigned,
            LogicalType::Decimal(_) => Self::Decimal(10f64.powi(-scale)),
            LogicalType::Unknown => return Ok(None),
            LogicalType::Date => return Err("date"),
            LogicalType::Time(_) => return Err("time"),
            LogicalType::Timestamp(_) => return Err("timestamp"),
            LogicalType::Uuid => return Err("uuid"),
            LogicalType::Float16 => return Err("half-precision number"),
            _ => return Err("binary"),
        }))
    }

    /// The older notation of the same.
    fn of_converted(converted: ConvertedType, scale: i32) -> Result<Option<Self>, &'static str> {
        use ConvertedType as C;
        Ok(Some(match converted {
            C::NONE => return Ok(None),
            C::UTF8 | C::ENUM | C::JSON => Self::Text,
            C::DECIMAL => Self::Decimal(10f64.powi(-scale)),
            C::INT_8 | C::INT_16 | C::INT_32 | C::INT_64 => Self::Signed,
            C::UINT_8 | C::UINT_16 | C::UINT_32 | C::UINT_64 => Self::Unsigned,
            C::DATE => return Err("date"),
            C::TIME_MILLIS | C::TIME_MICROS => return Err("time"),
            C::TIMESTAMP_MILLIS | C::TIMESTAMP_MICROS => return Err("timestamp"),
            C::INTERVAL => return Err("interval"),
            C::BSON => return Err("binary"),
            C::MAP | C::MAP_KEY_VALUE | C::LIST => return Err("nested"),
        }))
    }

    fn of_physical(physical: Physical) -> Result<Self, &'static str> {
        match physical {
            Physical::BOOLEAN => Ok(Self::Bool),
            Physical::INT32 | Physical::INT64 => Ok(Self::Signed),
            Physical::FLOAT | Physical::DOUBLE => Ok(Self::Real),
            Physical::BYTE_ARRAY => Ok(Self::Text),
            Physical::INT96 => Err("timestamp"),
            Physical::FIXED_LEN_BYTE_ARRAY => Err("binary"),
        }
    }

    fn column(self) -> ColumnBuilder {
        match self {
            Self::Bool | Self::Text => ColumnBuilder::text(),
            Self::Signed | Self::Unsigned => ColumnBuilder::numbers(),
            Self::Real | Self::Decimal(_) => ColumnBuilder::reals(),
        }
    }

    /// The number that `stored` stands for; `unsigned` is the same bits without a sign.
    fn value(self, stored: i64, unsigned: u64) -> Value<'static> {
        match self {
            Self::Unsigned => Value::Whole(unsigned.into()),
            Self::Decimal(unit) => Value::Number(stored as f64 * unit),
            _ => Value::Whole(stored.into()),
        }
    }
}

/// Reads one column of one row group.
pub(super) struct ColumnChunk {
    name: String,
    kind: Kind,
    reader: ColumnReader,
    optional: bool,
}

impl ColumnChunk {
    pub(super) fn open(
        input: Input,
        chunk: &ColumnChunkMetaData,
        rows: usize,
        kind: Kind,
    ) -> Result<Self, ReadError> {
        let column = chunk.column_descr_ptr();
        let (name, optional) = (column.name().to_owned(), column.max_def_level() > 0);
        let reader = get_column_reader(column, pages(input, chunk, rows).map_err(parquet_error)?);
        Ok(Self { name, kind, reader, optional })
    }

    /// The next `rows` values.
    pub(super) fn read(&mut self, rows: usize) -> Result<ColumnBuilder, ReadError> {
        let (kind, name) = (self.kind, &self.name);
        let batch = Batch { column: kind.column(), rows, optional: self.optional };
        match &mut self.reader {
            ColumnReader::BoolColumnReader(reader) => {
                batch.fill(reader, |&value| Ok(Value::Text(if value { "true" } else { "false" })))
            }
            ColumnReader::Int32ColumnReader(reader) => {
                batch.fill(reader, |&value| Ok(kind.value(value.into(), (value as u32).into())))
            }
            ColumnReader::Int64ColumnReader(reader) => {
                batch.fill(reader, |&value| Ok(kind.value(value, value as u64)))
            }
            ColumnReader::FloatColumnReader(reader) => {
                batch.fill(reader, |&value| Ok(Value::Number(value.into())))
            }
            ColumnReader::DoubleColumnReader(reader) => batch.fill(reader, |&value| Ok(Value::Number(value))),
            ColumnReader::ByteArrayColumnReader(reader) => {
                batch.fill(reader, |value| value_of_bytes(kind, value.data(), name))
            }
            ColumnReader::FixedLenByteArrayColumnReader(reader) => {
                batch.fill(reader, |value| value_of_bytes(kind, value.data(), name))
            }
            ColumnReader::Int96ColumnReader(_) => Err(unsupported_type(name, "timestamp")),
        }
    }
}

/// The next rows of a column, with gaps or without.
struct Batch {
    column: ColumnBuilder,
    rows: usize,
    optional: bool,
}

impl Batch {
    /// Reads values and gaps.
    fn fill<T: DataType>(
        mut self,
        reader: &mut ColumnReaderImpl<T>,
        value_of: impl for<'v> Fn(&'v T::T) -> Result<Value<'v>, ReadError>,
    ) -> Result<ColumnBuilder, ReadError> {
        let (mut values, mut levels) = (Vec::new(), Vec::new());
        let read =
            reader.read_records(self.rows, Some(&mut levels), None, &mut values).map_err(parquet_error)?;
        if read.0 < self.rows {
            return Err(ReadError::Truncated(FORMAT));
        }
        let mut values = values.iter();
        for row in 0..self.rows {
            let is_gap = self.optional && levels.get(row) == Some(&0);
            let value = if is_gap { None } else { values.next() };
            self.column.push(value.map_or(Ok(Value::Missing), &value_of)?);
        }
        Ok(self.column)
    }
}

/// Text, or a decimal number stored as bytes.
fn value_of_bytes<'v>(kind: Kind, bytes: &'v [u8], name: &str) -> Result<Value<'v>, ReadError> {
    match kind {
        Kind::Decimal(unit) => {
            let number = big_endian(bytes).ok_or_else(|| unsupported_type(name, "long decimal"))?;
            Ok(Value::Number(number * unit))
        }
        _ => std::str::from_utf8(bytes).map(Value::Text).map_err(|_| unsupported_type(name, "binary")),
    }
}

/// A whole number of at most 16 bytes in two's complement, the large byte first.
fn big_endian(bytes: &[u8]) -> Option<f64> {
    let sign = bytes.first().is_some_and(|&byte| byte >= 0x80);
    let start = if sign { -1 } else { 0 };
    (bytes.len() <= 16)
        .then(|| bytes.iter().fold(start, |sum: i128, &byte| (sum << 8) | i128::from(byte)) as f64)
}

/// The pages of a column, unpacked.
fn pages(
    input: Input,
    chunk: &ColumnChunkMetaData,
    rows: usize,
) -> Result<Box<dyn PageReader>, ParquetError> {
    let input = Arc::new(input);
    let is_packed = matches!(chunk.compression(), Compression::ZSTD(_));
    let mut chunk = chunk.clone();
    if is_packed {
        chunk = chunk.into_builder().set_compression(Compression::UNCOMPRESSED).build()?;
    }
    let reader = SerializedPageReader::new(input, &chunk, rows, None)?;
    Ok(Box::new(Checked { reader, is_packed }))
}
