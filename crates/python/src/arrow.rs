//! Columns of another program's memory, by Arrow's C stream interface: nothing is copied before it reaches the table.

use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::types::{
    ArrowPrimitiveType, Decimal128Type, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type,
    Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, DataType};
use gflowcausal::data::{Column, ColumnType, ReadError, Value, column_of};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::columns::Types;
use crate::error::Failure;

/// The columns of whatever has `__arrow_c_stream__`.
pub(crate) fn columns(source: &Bound<'_, PyAny>, types: &Types) -> Result<Vec<Column>, Failure> {
    let reader = reader(source).map_err(Failure::Python)?.map_err(damaged)?;
    let schema = reader.schema();
    let batches = reader.collect::<Result<Vec<RecordBatch>, ArrowError>>().map_err(damaged)?;
    let column = |(at, field): (usize, &arrow_schema::FieldRef)| {
        column(field.name(), field.data_type(), &batches, at, types.get(field.name()).copied())
    };
    schema.fields().iter().enumerate().map(column).collect()
}

fn reader(source: &Bound<'_, PyAny>) -> PyResult<Result<RecordBatchStreamReader, ArrowError>> {
    let capsule = source.call_method0("__arrow_c_stream__")?;
    let capsule = capsule.cast::<PyCapsule>()?;
    let pointer = capsule.pointer_checked(Some(c"arrow_array_stream"))?;
    let stream = pointer.cast::<FFI_ArrowArrayStream>().as_ptr();
    #[expect(unsafe_code, reason = "a capsule hands over a bare pointer")]
    // SAFETY: a capsule of this name holds a valid ArrowArrayStream, by the Arrow PyCapsule interface; the reader takes
    // it over and leaves a released one behind, which the capsule's destructor passes by.
    let reader = unsafe { RecordBatchStreamReader::from_raw(stream) };
    Ok(reader)
}

fn damaged(error: ArrowError) -> Failure {
    ReadError::Damaged { format: "Arrow", reason: error.to_string() }.into()
}

fn column(
    name: &str,
    kind: &DataType,
    batches: &[RecordBatch],
    at: usize,
    asked: Option<ColumnType>,
) -> Result<Column, Failure> {
    let parts = || batches.iter().map(|batch| batch.column(at));
    if *kind == DataType::Float64 && asked != Some(ColumnType::Categorical) {
        return Ok(Column::continuous(name, reals(parts())));
    }
    let cells = parts().map(|part| cells(name, part)).collect::<Result<Vec<_>, Failure>>()?;
    Ok(column_of(name, cells.into_iter().flatten(), asked)?)
}

fn reals<'a>(parts: impl Iterator<Item = &'a ArrayRef> + Clone) -> Vec<f64> {
    let mut values = Vec::with_capacity(parts.clone().map(Array::len).sum());
    for part in parts {
        let part = part.as_primitive::<Float64Type>();
        match part.null_count() {
            0 => values.extend_from_slice(part.values()),
            _ => values.extend(part.iter().map(|value| value.unwrap_or(f64::NAN))),
        }
    }
    values
}

type Cells<'a> = Box<dyn Iterator<Item = Value<'a>> + 'a>;

/// The cells of one part of a column.
fn cells<'a>(name: &str, part: &'a ArrayRef) -> Result<Cells<'a>, Failure> {
    Ok(match part.data_type() {
        DataType::Null => Box::new((0..part.len()).map(|_| Value::Missing)),
        DataType::Boolean => Box::new(part.as_boolean().iter().map(|flag| flag.map_or(Value::Missing, word))),
        DataType::Int8 => whole::<Int8Type>(part),
        DataType::Int16 => whole::<Int16Type>(part),
        DataType::Int32 => whole::<Int32Type>(part),
        DataType::Int64 => whole::<Int64Type>(part),
        DataType::UInt8 => whole::<UInt8Type>(part),
        DataType::UInt16 => whole::<UInt16Type>(part),
        DataType::UInt32 => whole::<UInt32Type>(part),
        DataType::UInt64 => whole::<UInt64Type>(part),
        DataType::Float16 => {
            let values = part.as_primitive::<Float16Type>().iter();
            Box::new(values.map(|value| real(value.map(f64::from))))
        }
        DataType::Float32 => {
            Box::new(part.as_primitive::<Float32Type>().iter().map(|value| real(value.map(f64::from))))
        }
        DataType::Float64 => Box::new(part.as_primitive::<Float64Type>().iter().map(real)),
        DataType::Decimal128(_, scale) => {
            let unit = 10f64.powi(-i32::from(*scale));
            let values = part.as_primitive::<Decimal128Type>().iter();
            Box::new(values.map(move |value| real(value.map(|value| value as f64 * unit))))
        }
        DataType::Utf8 => Box::new(part.as_string::<i32>().iter().map(text)),
        DataType::LargeUtf8 => Box::new(part.as_string::<i64>().iter().map(text)),
        DataType::Utf8View => Box::new(part.as_string_view().iter().map(text)),
        DataType::Dictionary(_, _) => entries(name, part)?,
        other => return Err(Failure::unsupported(name, &other.to_string())),
    })
}

fn whole<T: ArrowPrimitiveType>(part: &ArrayRef) -> Cells<'_>
where
    i128: From<T::Native>,
{
    let cell = |value: Option<T::Native>| value.map_or(Value::Missing, |value| Value::Whole(value.into()));
    Box::new(part.as_primitive::<T>().iter().map(cell))
}

fn real<'a>(value: Option<f64>) -> Value<'a> {
    value.filter(|value| !value.is_nan()).map_or(Value::Missing, Value::Number)
}

fn text(value: Option<&str>) -> Value<'_> {
    value.map_or(Value::Missing, Value::Text)
}

fn word<'a>(flag: bool) -> Value<'a> {
    Value::Text(if flag { "true" } else { "false" })
}

/// The entries of a dictionary that the keys of a column point to.
fn entries<'a>(name: &str, part: &'a ArrayRef) -> Result<Cells<'a>, Failure> {
    let dictionary = part.as_any_dictionary();
    let known: Vec<Value<'a>> = cells(name, dictionary.values())?.collect();
    if known.is_empty() {
        return Ok(Box::new((0..part.len()).map(|_| Value::Missing)));
    }
    let keys = dictionary.normalized_keys();
    let keys = keys.into_iter().enumerate();
    Ok(Box::new(keys.map(move |(row, key)| if part.is_null(row) { Value::Missing } else { known[key] })))
}
