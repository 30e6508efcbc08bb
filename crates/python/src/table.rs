//! Tables: read from files, or made of what Python holds.

use std::collections::BTreeMap;
use std::sync::Arc;

use gflowcausal::data::{self, Values};
use gflowcausal::graph::Dag;
use gflowcausal::{DataFile, FrontEnd, NamedTable, fingerprint, with_threads};
use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2, ToPyArray};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use crate::error::{Failure, guarded};
use crate::run::run_interruptible;
use crate::{arrow, columns};

/// What data that have no name are called.
const UNNAMED: &str = "data";

/// Named columns, made once and shared by all that read them.
#[pyclass(frozen, module = "gflowcausal._native")]
pub(crate) struct Table {
    pub(crate) table: Arc<data::Table>,
    /// What the user calls it.
    pub(crate) name: String,
    /// The graph held to be true, if it comes with the data.
    pub(crate) truth: Option<Dag>,
    /// Where it was read from.
    pub(crate) file: Option<DataFile>,
}

impl Table {
    pub(crate) fn unnamed(table: data::Table) -> Self {
        Self::of_shared(Arc::new(table))
    }

    pub(crate) fn of_shared(table: Arc<data::Table>) -> Self {
        Self { table, name: UNNAMED.into(), truth: None, file: None }
    }
}

#[pymethods]
impl Table {
    /// Reads a file, or a built-in data set.
    #[staticmethod]
    fn read(
        py: Python<'_>,
        path: String,
        no_header: bool,
        delimiter: Option<String>,
        types: Option<String>,
    ) -> PyResult<Self> {
        let file = DataFile { path, no_header, delimiter, types, sha256: None };
        run_interruptible(py, |_| with_threads(0, || read(file)))
    }

    /// A table of a matrix.
    #[staticmethod]
    fn of_matrix(
        matrix: PyReadonlyArray2<'_, f64>,
        names: Vec<String>,
        types: BTreeMap<String, String>,
    ) -> PyResult<Self> {
        let table = guarded(|| {
            let types = columns::types(types)?;
            columns::table(columns::of_matrix(&matrix, &names, &types)?, &types)
        });
        Ok(Self::unnamed(table?))
    }

    /// A table of columns, each an array of numbers or a list of cells.
    #[staticmethod]
    fn of_columns(
        names: Vec<String>,
        cells: Vec<Bound<'_, PyAny>>,
        types: BTreeMap<String, String>,
    ) -> PyResult<Self> {
        let table = guarded(|| {
            let types = columns::types(types)?;
            let columns = names.iter().zip(&cells).map(|(name, cells)| columns::of_any(name, cells, &types));
            columns::table(columns.collect::<Result<_, _>>()?, &types)
        });
        Ok(Self::unnamed(table?))
    }

    /// A table of whatever has `__arrow_c_stream__`.
    #[staticmethod]
    fn of_arrow(source: &Bound<'_, PyAny>, types: BTreeMap<String, String>) -> PyResult<Self> {
        let table = guarded(|| {
            let types = columns::types(types)?;
            columns::table(arrow::columns(source, &types)?, &types)
        });
        Ok(Self::unnamed(table?))
    }

    #[getter]
    fn names(&self) -> Vec<String> {
        self.table.names().map(str::to_owned).collect()
    }

    #[getter]
    fn rows(&self) -> usize {
        self.table.rows()
    }

    #[getter]
    fn is_continuous(&self) -> bool {
        self.table.is_continuous()
    }

    #[getter]
    fn sha256(&self) -> String {
        fingerprint(&self.table)
    }

    /// For each column its numbers, or a pair of codes (a missing one is −1) and levels.
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let column = |values: &Values| -> PyResult<Bound<'py, PyAny>> {
            Ok(match values {
                Values::Continuous(values) => values.to_pyarray(py).into_any(),
                Values::Categorical { codes, levels } => {
                    let codes: Vec<i64> = codes.iter().map(|&code| signed(code)).collect();
                    let codes = PyArray1::from_vec(py, codes).into_any();
                    PyTuple::new(py, [codes, PyList::new(py, levels)?.into_any()])?.into_any()
                }
            })
        };
        let columns = self.table.columns().iter().map(|of| column(&of.values));
        PyList::new(py, columns.collect::<PyResult<Vec<_>>>()?)
    }

    /// The `k`-th bootstrap.
    fn resampled(&self, py: Python<'_>, seed: u64, k: u64) -> PyResult<Self> {
        let table = Arc::clone(&self.table);
        run_interruptible(py, move |_| Ok(Self::unnamed(with_threads(1, || table.resampled(seed, k)))))
    }

    /// What the doctor says, in JSON.
    fn doctor(&self, py: Python<'_>, interventions: Option<String>) -> PyResult<String> {
        let table = Arc::clone(&self.table);
        run_interruptible(py, move |_| {
            let mut diagnosis = with_threads(0, || match &interventions {
                Some(column) => data::doctor_of_experiments(&table, column).map_err(gflowcausal::Error::from),
                None => Ok(data::doctor(&table)),
            })?;
            for finding in &mut diagnosis.findings {
                finding.fix = FrontEnd::Python.phrase(&finding.fix).into();
            }
            crate::json(&diagnosis)
        })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let py = slf.py();
        let table = slf.get();
        let state = (table.name.clone(), table.names(), table.columns(py)?).into_pyobject(py)?;
        Ok((py.import("gflowcausal._data")?.getattr("restore_table")?, state.into_any()))
    }

    /// A table of the name, names and columns that pickling stores.
    #[staticmethod]
    fn restore(name: String, names: Vec<String>, stored: Vec<Bound<'_, PyAny>>) -> PyResult<Self> {
        let mut table = Self::unnamed(guarded(|| restored(names, &stored))?);
        table.name = name;
        Ok(table)
    }
}

fn restored(names: Vec<String>, stored: &[Bound<'_, PyAny>]) -> Result<data::Table, Failure> {
    let columns = names.into_iter().zip(stored).map(|(name, values)| {
        let values = restored_values(values).map_err(Failure::Python)?;
        Ok(data::Column { name, values })
    });
    columns::table(columns.collect::<Result<_, Failure>>()?, &columns::Types::new())
}

fn restored_values(stored: &Bound<'_, PyAny>) -> PyResult<Values> {
    if let Ok((codes, levels)) = stored.extract::<(PyReadonlyArray1<'_, i64>, Vec<String>)>() {
        let codes = codes.as_array().iter().map(|&code| unsigned(code)).collect();
        return Ok(Values::Categorical { codes, levels });
    }
    Ok(Values::Continuous(stored.extract::<PyReadonlyArray1<'_, f64>>()?.as_array().to_vec()))
}

fn signed(code: u32) -> i64 {
    if code == data::MISSING_CODE { -1 } else { code.into() }
}

fn unsigned(code: i64) -> u32 {
    u32::try_from(code).unwrap_or(data::MISSING_CODE)
}

fn read(mut file: DataFile) -> Result<Table, Failure> {
    if file.path == "-" {
        // A file of that name: standard input belongs to the interpreter.
        file.path = "./-".into();
    }
    let NamedTable { name, table, truth } = file.read(None)?;
    Ok(Table { table: Arc::new(table), name, truth, file: Some(file) })
}
