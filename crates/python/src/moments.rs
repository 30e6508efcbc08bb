//! Means and covariances that merge, so that parts of a table can be processed on different machines.

use std::path::PathBuf;
use std::sync::Arc;

use gflowcausal::data::{self, Missing, ReadOptions, Source, stream_moments};
use gflowcausal::graph::UnknownChoice;
use gflowcausal::with_threads;
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;

use crate::error::{Failure, guarded};
use crate::run::run_interruptible;
use crate::table::Table;

/// How many rows, their means and their covariance.
#[pyclass(frozen, module = "gflowcausal._native")]
pub(crate) struct Moments {
    pub(crate) names: Vec<String>,
    pub(crate) moments: data::Moments,
}

#[pymethods]
impl Moments {
    /// The moments of a table of numbers.
    #[staticmethod]
    fn of_table(py: Python<'_>, table: &Table) -> PyResult<Self> {
        let names = table.table.names().map(str::to_owned).collect();
        let table = Arc::clone(&table.table);
        let moments =
            run_interruptible(py, move |_| with_threads(0, || Ok(data::Moments::of_table(&table)?)))?;
        Ok(Self { names, moments })
    }

    /// The moments of a file of numbers, in memory that does not grow with its rows.
    #[staticmethod]
    fn read(py: Python<'_>, path: PathBuf, missing: &str) -> PyResult<Self> {
        let wrong = |error: UnknownChoice| Failure::Argument(error.to_string());
        let missing: Missing = missing.parse().map_err(wrong)?;
        let source = Source::Path(path);
        run_interruptible(py, move |_| {
            let streamed = with_threads(0, || stream_moments(&source, &ReadOptions::default(), missing))?;
            Ok(Self { names: streamed.names, moments: streamed.moments })
        })
    }

    /// What both have seen.
    fn merged(&self, other: &Self) -> PyResult<Self> {
        let merged = guarded(|| {
            if self.names != other.names {
                let (mine, theirs) = (self.names.join(", "), other.names.join(", "));
                let text = format!("moments of other columns: {theirs} instead of {mine}");
                return Err(Failure::Argument(text));
            }
            let mut moments = self.moments.clone();
            moments.merge(&other.moments);
            Ok(Self { names: self.names.clone(), moments })
        });
        Ok(merged?)
    }

    #[getter]
    fn names(&self) -> Vec<String> {
        self.names.clone()
    }

    #[getter]
    fn rows(&self) -> u64 {
        self.moments.rows()
    }

    #[getter]
    fn mean<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.moments.mean())
    }

    /// The maximum-likelihood covariance.
    #[getter]
    fn covariance<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let columns = self.moments.columns();
        PyArray1::from_vec(py, self.moments.covariance()).reshape([columns, columns])
    }

    /// All of it in JSON, digit by digit.
    fn to_json(&self) -> PyResult<String> {
        Ok(crate::json(&(&self.names, &self.moments))?)
    }

    /// Moments that [`to_json`](Self::to_json) wrote.
    #[staticmethod]
    fn of_json(text: &str) -> PyResult<Self> {
        let (names, moments) =
            serde_json::from_str(text).map_err(|error| Failure::Argument(format!("moments: {error}")))?;
        Ok(Self { names, moments })
    }

    fn __repr__(&self) -> String {
        const SHOWN: usize = 8;
        let more = if self.names.len() > SHOWN { ", …" } else { "" };
        let names = self.names.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
        format!("Moments({} rows of {} variables: {names}{more})", self.moments.rows(), self.names.len())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        Ok((py.import("gflowcausal._data")?.getattr("restore_moments")?, (self.to_json()?,)))
    }
}
