//! Columns that Python holds: numbers in arrays, cells in lists, by the rules of files that know their types.

use std::collections::BTreeMap;

use gflowcausal::data::{Column, ColumnType, ReadError, Table, Value, column_of};
use numpy::ndarray::{ArrayView2, Axis};
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PyString};

use crate::error::Failure;

/// How many rows of a matrix are turned into columns at a time: they stay in cache.
const BLOCK: usize = 512;

/// The types that the user sets, by column.
pub(crate) type Types = BTreeMap<String, ColumnType>;

/// Reads `{"ward": "categorical"}`.
pub(crate) fn types(asked: BTreeMap<String, String>) -> Result<Types, Failure> {
    let typed = |(column, kind): (String, String)| match kind.parse::<ColumnType>() {
        Ok(kind) => Ok((column, kind)),
        Err(error) => Err(Failure::Argument(format!("types: {error}"))),
    };
    asked.into_iter().map(typed).collect()
}

/// A table of these columns, if they make one.
pub(crate) fn table(mut columns: Vec<Column>, types: &Types) -> Result<Table, Failure> {
    for (at, column) in columns.iter_mut().enumerate().filter(|(_, column)| column.name.is_empty()) {
        column.name = format!("X{}", at + 1);
    }
    let known = |name: &String| columns.iter().any(|column| column.name == *name);
    if let Some((column, &kind)) = types.iter().find(|(name, _)| !known(name)) {
        let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
        let known = names.join(", ");
        return Err(ReadError::UnknownColumn { column: column.clone(), kind, known }.into());
    }
    if columns.is_empty() {
        return Err(ReadError::Empty.into());
    }
    let count = columns.len();
    let table = Table::new(columns).map_err(ReadError::from)?;
    if table.rows() == 0 { Err(ReadError::NoRows(count).into()) } else { Ok(table) }
}

/// The columns of a matrix, each copied once.
pub(crate) fn of_matrix(
    matrix: &PyReadonlyArray2<'_, f64>,
    names: &[String],
    types: &Types,
) -> Result<Vec<Column>, Failure> {
    let matrix = matrix.as_array();
    if matrix.ncols() != names.len() {
        let (names, columns) = (names.len(), matrix.ncols());
        return Err(Failure::Argument(format!("{names} names for {columns} columns")));
    }
    let reals = transposed(matrix).into_iter().zip(names);
    reals.map(|(values, name)| of_reals(name, values, types)).collect()
}

fn transposed(matrix: ArrayView2<'_, f64>) -> Vec<Vec<f64>> {
    let mut columns: Vec<Vec<f64>> = vec![];
    columns.resize_with(matrix.ncols(), || Vec::with_capacity(matrix.nrows()));
    for block in matrix.axis_chunks_iter(Axis(0), BLOCK) {
        for (column, values) in columns.iter_mut().zip(block.columns()) {
            column.extend(values.iter());
        }
    }
    columns
}

fn of_reals(name: &str, values: Vec<f64>, types: &Types) -> Result<Column, Failure> {
    match types.get(name) {
        Some(ColumnType::Categorical) => {
            Ok(column_of(name, values.into_iter().map(number), Some(ColumnType::Categorical))?)
        }
        _ => Ok(Column::continuous(name, values)),
    }
}

fn number(value: f64) -> Value<'static> {
    if value.is_nan() { Value::Missing } else { Value::Number(value) }
}

/// A column of an array of numbers, or of a list of cells.
pub(crate) fn of_any(name: &str, column: &Bound<'_, PyAny>, types: &Types) -> Result<Column, Failure> {
    let asked = types.get(name).copied();
    if let Ok(reals) = column.extract::<PyReadonlyArray1<'_, f64>>() {
        return of_reals(name, reals.as_array().to_vec(), types);
    }
    if let Ok(whole) = column.extract::<PyReadonlyArray1<'_, i64>>() {
        let cells = whole.as_array().to_vec();
        return Ok(column_of(name, cells.into_iter().map(|cell| Value::Whole(cell.into())), asked)?);
    }
    let cells = column.try_iter().map_err(Failure::Python)?;
    let cells = cells.map(|cell| Cell::of(name, &cell.map_err(Failure::Python)?));
    let cells = cells.collect::<Result<Vec<Cell>, Failure>>()?;
    Ok(column_of(name, cells.iter().map(Cell::value), asked)?)
}

/// One cell of a list.
enum Cell {
    Missing,
    Number(f64),
    Whole(i128),
    Text(String),
}

impl Cell {
    fn of(column: &str, cell: &Bound<'_, PyAny>) -> Result<Self, Failure> {
        if cell.is_none() {
            return Ok(Self::Missing);
        }
        if let Ok(text) = cell.cast::<PyString>() {
            return Ok(Self::Text(text.to_cow().map_err(Failure::Python)?.into_owned()));
        }
        if let Ok(flag) = cell.cast::<PyBool>() {
            return Ok(Self::Text(flag.is_true().to_string()));
        }
        if cell.is_instance_of::<PyInt>() {
            let kind = || Failure::unsupported(column, "whole number of more than 128 bits");
            return cell.extract().map(Self::Whole).map_err(|_| kind());
        }
        if let Ok(real) = cell.cast::<PyFloat>() {
            let real = real.value();
            return Ok(if real.is_nan() { Self::Missing } else { Self::Number(real) });
        }
        let kind = cell.get_type().name().map_or_else(|_| "object".to_owned(), |name| name.to_string());
        Err(Failure::unsupported(column, &kind))
    }

    fn value(&self) -> Value<'_> {
        match self {
            Self::Missing => Value::Missing,
            Self::Number(number) => Value::Number(*number),
            Self::Whole(number) => Value::Whole(*number),
            Self::Text(text) => Value::Text(text),
        }
    }
}
