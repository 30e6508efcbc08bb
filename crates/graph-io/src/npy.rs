//! NumPy's `.npy` files: one bare matrix of integers, booleans or floats.

use gflowcausal_data::{NpyHeader, ReadError};
use gflowcausal_graph::NamedGraph;

use crate::format::{FormatReader, Registration};
use crate::{Format, FormatError, ReadOptions, WriteError, matrix};

const MAGIC: &[u8] = b"\x93NUMPY";

pub(crate) const FORMAT: Registration = Registration {
    extensions: &["npy"],
    read: FormatReader::Bytes { detects: is_npy, read },
    write: Some(write),
};

fn is_npy(file: &[u8]) -> bool {
    file.starts_with(MAGIC)
}

fn read(file: &[u8], options: &ReadOptions) -> Result<NamedGraph, FormatError> {
    let mut body = file;
    let header = NpyHeader::read(&mut body).map_err(refuse)?;
    let nodes = nodes(&header.shape)?;
    let expected = (nodes as u64).saturating_mul(nodes as u64).saturating_mul(header.size() as u64);
    if expected != body.len() as u64 {
        return Err(FormatError::NpyLength { expected, found: body.len() as u64 });
    }
    matrix::check_size(nodes)?;
    let mut values: Vec<f64> = body.chunks_exact(header.size()).map(|bytes| header.number(bytes)).collect();
    if header.fortran_order {
        values = (0..values.len()).map(|at| values[at % nodes * nodes + at / nodes]).collect();
    }
    matrix::to_graph(matrix::names(options.names.as_deref(), nodes)?, &values, options.orientation)
}

fn nodes(shape: &[usize]) -> Result<usize, FormatError> {
    match *shape {
        [rows, columns] if rows == columns => Ok(rows),
        [rows, columns] => Err(FormatError::NotSquare { rows, columns }),
        _ => Err(FormatError::NpyHeader("its shape is not that of a matrix".to_owned())),
    }
}

fn refuse(error: ReadError) -> FormatError {
    match error {
        ReadError::Truncated(_) => FormatError::NpyHeader("it ends early".to_owned()),
        ReadError::Damaged { reason, .. } => FormatError::NpyHeader(reason),
        ReadError::Unsupported { what, .. } => FormatError::NpyType(what),
        other => FormatError::NpyHeader(other.to_string()),
    }
}

/// Whole numbers as `i1` where there are no weights, else `f8`.
fn write(named: &NamedGraph) -> Result<Vec<u8>, WriteError> {
    let values = matrix::from_graph(named, Format::Npy)?;
    let nodes = named.names().len();
    let descr = if named.has_weights() { "<f8" } else { "|i1" };
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({nodes}, {nodes}), }}");
    // The numbers start at a multiple of 64 bytes, after a line break.
    while !(MAGIC.len() + 4 + header.len() + 1).is_multiple_of(64) {
        header.push(' ');
    }
    header.push('\n');
    let mut file = [MAGIC, &[1, 0], &(header.len() as u16).to_le_bytes(), header.as_bytes()].concat();
    for value in values {
        if named.has_weights() { file.extend(value.to_le_bytes()) } else { file.push(value as u8) }
    }
    Ok(file)
}
