//! Parquet files, column by column on all threads, a few thousand rows at a time.
//!
//! Packed by snappy, gzip, LZ4, Zstandard or not at all, all unpacked in Rust.

mod column;
mod input;
mod pages;

use std::io::Cursor;
use std::panic::{AssertUnwindSafe, catch_unwind};

use gflowcausal_determinism::{map, map_slices};
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader, RowGroupMetaData};
use parquet::file::reader::{ChunkReader, Length};

use crate::read::error::ReadError;
use crate::read::parquet::column::{ColumnChunk, Kind};
use crate::read::parquet::input::Input;
use crate::read::sink::Sink;
use crate::read::source::{self, Content, Source};

const FORMAT: &str = "Parquet";

/// How many rows are in memory at a time when only the moments are wanted.
const BATCH: usize = 1 << 13;

/// Reads a Parquet file.
pub(super) fn read_parquet(source: &Source, sink: &mut impl Sink) -> Result<(), ReadError> {
    let input = match source {
        Source::Path(path) => Input::new(Box::new(source::open(path)?)),
        Source::Bytes { bytes, .. } => Input::new(Box::new(Cursor::new(bytes.clone()))),
        Source::Stdin => unreachable!("standard input is text"),
    };
    let input = input.map_err(ReadError::Io)?;
    check_ends(&input)?;
    // The parquet crate trusts lengths and counts inside a file and panics on contradictions. A damaged file is no
    // bug of this program, so the panic ends here.
    let read = catch_unwind(AssertUnwindSafe(|| read_groups(&input, sink)));
    read.unwrap_or_else(|_| Err(damaged("its parts contradict each other")))
}

fn read_groups(input: &Input, sink: &mut impl Sink) -> Result<(), ReadError> {
    let metadata = ParquetMetaDataReader::new().parse_and_finish(input).map_err(parquet_error)?;
    let kinds = kinds(&metadata)?;
    sink.begin(
        metadata.file_metadata().schema_descr().columns().iter().map(|column| column.name().into()).collect(),
    )?;
    for group in metadata.row_groups() {
        read_group(input, group, &kinds, sink)?;
    }
    Ok(())
}

fn kinds(metadata: &ParquetMetaData) -> Result<Vec<Kind>, ReadError> {
    let columns = metadata.file_metadata().schema_descr().columns().iter();
    let kind_of = |column: &parquet::schema::types::ColumnDescPtr| {
        let name = column.path().parts().first().map_or(column.name(), String::as_str);
        Kind::of(column).map_err(|kind| unsupported_type(name, kind))
    };
    columns.map(kind_of).collect()
}

fn read_group(
    input: &Input,
    group: &RowGroupMetaData,
    kinds: &[Kind],
    sink: &mut impl Sink,
) -> Result<(), ReadError> {
    let rows = usize::try_from(group.num_rows()).map_err(|_| damaged("a negative number of rows"))?;
    if group.num_columns() != kinds.len() {
        return Err(damaged("a row group with other columns than the rest"));
    }
    check_compression(group)?;
    let open = |k: usize| ColumnChunk::open(input.clone(), group.column(k), rows, kinds[k]);
    let mut columns = map(kinds.len(), open).into_iter().collect::<Result<Vec<_>, _>>()?;
    for start in (0..rows).step_by(BATCH) {
        let count = BATCH.min(rows - start);
        let batch = map_slices(&mut columns, 1, |_, column| column[0].read(count));
        sink.take(batch.into_iter().collect::<Result<_, _>>()?)?;
    }
    Ok(())
}

fn check_compression(group: &RowGroupMetaData) -> Result<(), ReadError> {
    let refused = group.columns().iter().find_map(|column| match column.compression() {
        Compression::BROTLI(_) => Some("Brotli"),
        Compression::LZO => Some("LZO"),
        _ => None,
    });
    match refused {
        Some(name) => Err(ReadError::Unsupported { format: FORMAT, what: format!("{name} compression") }),
        None => Ok(()),
    }
}

/// A whole file begins and ends with the same four letters.
fn check_ends(input: &Input) -> Result<(), ReadError> {
    const ENDS: &[u8] = b"PAR1";
    if input.len() == 0 {
        return Err(ReadError::Empty);
    }
    let letters = |start: u64| input.get_bytes(start, 4).map_err(|_| ReadError::Truncated(FORMAT));
    match (letters(0)?.as_ref(), letters(input.len() - 4)?.as_ref()) {
        (ENDS, ENDS) => Ok(()),
        (b"PARE", _) | (_, b"PARE") => {
            Err(ReadError::Unsupported { format: FORMAT, what: "encrypted columns".into() })
        }
        (ENDS, _) => Err(ReadError::Truncated(FORMAT)),
        _ => Err(ReadError::WrongContent { expected: FORMAT, found: Content::Other }),
    }
}

fn parquet_error(error: ParquetError) -> ReadError {
    match error {
        ParquetError::EOF(_) => ReadError::Truncated(FORMAT),
        ParquetError::NYI(what) => ReadError::Unsupported { format: FORMAT, what },
        other => damaged(&other.to_string()),
    }
}

fn damaged(reason: &str) -> ReadError {
    ReadError::Damaged { format: FORMAT, reason: reason.into() }
}

fn unsupported_type(column: &str, kind: &str) -> ReadError {
    ReadError::UnsupportedType { column: column.into(), kind: kind.into() }
}
