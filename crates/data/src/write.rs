//! Tables out: CSV and Parquet whose numbers read back bit for bit.

use std::io::{self, Write};
use std::ops::Range;
use std::sync::Arc;

use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::{ColumnPath, Type};

use crate::{Column, MISSING_CODE, Table, Values};

/// How many rows of a Parquet file stand together: what a reader that streams holds in memory.
const ROW_GROUP: usize = 1 << 16;

/// Writes `table` as CSV: a header, then one line per row; a missing value is an empty cell.
///
/// Numbers are printed with the fewest digits that read back to the same bits, always with a point or an exponent so
/// that no reader takes them for categories.
///
/// ```
/// use gflowcausal_data::{Column, Table, write_csv};
/// let table = Table::new(vec![
///     Column::continuous("x", vec![0.1, f64::NAN]),
///     Column::continuous("y, in mm", vec![1e300, -2.0]),
/// ])?;
/// let mut csv = Vec::new();
/// write_csv(&table, &mut csv)?;
/// assert_eq!(csv, b"x,\"y, in mm\"\n0.1,1e300\n,-2.0\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When `to` cannot be written to.
pub fn write_csv(table: &Table, to: impl Write) -> io::Result<()> {
    csv_file(table, to).map_err(|error| match error.into_kind() {
        csv::ErrorKind::Io(cause) => cause,
        other => io::Error::other(format!("{other:?}")),
    })
}

fn csv_file(table: &Table, to: impl Write) -> csv::Result<()> {
    let mut writer = csv::Writer::from_writer(to);
    writer.write_record(table.names())?;
    let mut digits = ryu::Buffer::new();
    for row in 0..table.rows() {
        for column in table.columns() {
            writer.write_field(cell(&column.values, row, &mut digits))?;
        }
        writer.write_record(None::<&[u8]>)?;
    }
    Ok(writer.flush()?)
}

/// The text of one cell; a number is printed into `digits`.
fn cell<'a>(values: &'a Values, row: usize, digits: &'a mut ryu::Buffer) -> &'a str {
    match values {
        Values::Continuous(numbers) if numbers[row].is_nan() => "",
        Values::Continuous(numbers) => digits.format(numbers[row]),
        Values::Categorical { codes, .. } if codes[row] == MISSING_CODE => "",
        Values::Categorical { codes, levels } => &levels[codes[row] as usize],
    }
}

/// Writes `table` as Parquet, uncompressed: `DOUBLE` for numbers, `STRING` for categories, null for what is missing.
///
/// # Errors
/// When `to` cannot be written to.
pub fn write_parquet(table: &Table, to: impl Write + Send) -> io::Result<()> {
    parquet_file(table, to).map_err(|error| match error {
        ParquetError::External(cause) => match cause.downcast::<io::Error>() {
            Ok(cause) => *cause,
            Err(cause) => io::Error::other(cause),
        },
        other => io::Error::other(other),
    })
}

fn parquet_file(table: &Table, to: impl Write + Send) -> Result<(), ParquetError> {
    let mut file = SerializedFileWriter::new(to, Arc::new(schema(table)?), Arc::new(properties(table)))?;
    for start in (0..table.rows()).step_by(ROW_GROUP) {
        let rows = start..table.rows().min(start + ROW_GROUP);
        let mut group = file.next_row_group()?;
        for column in table.columns() {
            let mut writer = group.next_column()?.expect("the schema has this column");
            write_rows(&column.values, rows.clone(), &mut writer)?;
            writer.close()?;
        }
        group.close()?;
    }
    file.close().map(drop)
}

fn schema(table: &Table) -> Result<Type, ParquetError> {
    let fields = table.columns().iter().map(|column| field(column).map(Arc::new));
    Type::group_type_builder("table").with_fields(fields.collect::<Result<_, _>>()?).build()
}

fn field(column: &Column) -> Result<Type, ParquetError> {
    let (physical, logical) = match column.values {
        Values::Continuous(_) => (Physical::DOUBLE, None),
        Values::Categorical { .. } => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
    };
    Type::primitive_type_builder(&column.name, physical)
        .with_logical_type(logical)
        .with_repetition(Repetition::OPTIONAL)
        .build()
}

/// A dictionary pays for categories; real numbers hardly repeat.
fn properties(table: &Table) -> WriterProperties {
    let builder = WriterProperties::builder().set_dictionary_enabled(false);
    let categorical = table.columns().iter().filter(|column| column.as_continuous().is_none());
    categorical
        .fold(builder, |builder, column| {
            builder.set_column_dictionary_enabled(ColumnPath::from(column.name.clone()), true)
        })
        .build()
}

fn write_rows(
    values: &Values,
    rows: Range<usize>,
    writer: &mut SerializedColumnWriter<'_>,
) -> Result<usize, ParquetError> {
    let present = |is_present: bool| i16::from(is_present);
    match values {
        Values::Continuous(numbers) => {
            let levels: Vec<i16> =
                numbers[rows.clone()].iter().map(|number| present(!number.is_nan())).collect();
            let there: Vec<f64> = numbers[rows].iter().copied().filter(|number| !number.is_nan()).collect();
            writer.typed::<DoubleType>().write_batch(&there, Some(&levels), None)
        }
        Values::Categorical { codes, levels: names } => {
            let names: Vec<ByteArray> = names.iter().map(|name| name.as_str().into()).collect();
            let levels: Vec<i16> =
                codes[rows.clone()].iter().map(|&code| present(code != MISSING_CODE)).collect();
            let there: Vec<ByteArray> =
                codes[rows].iter().filter_map(|&code| names.get(code as usize).cloned()).collect();
            writer.typed::<ByteArrayType>().write_batch(&there, Some(&levels), None)
        }
    }
}
