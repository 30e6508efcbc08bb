//! Options from a Python dictionary to the one configuration that all front ends share.

use gflowcausal::Config;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyString};
use serde::de::DeserializeOwned;
use toml::{Table, Value};

use crate::error::Failure;

/// A configuration; keys may be written with underscores, and `None` leaves an option open.
pub(crate) fn config(options: &Bound<'_, PyDict>) -> Result<Config, Failure> {
    Config::from_table(table(options, '-')?).map_err(|reason| Failure::Argument(reason.replace('\n', " ")))
}

/// What to simulate, in the same notation.
pub(crate) fn simulation<T: DeserializeOwned>(options: &Bound<'_, PyDict>) -> Result<T, Failure> {
    table(options, '_')?.try_into().map_err(said)
}

fn said(error: toml::de::Error) -> Failure {
    Failure::Argument(error.to_string().trim_end().replace('\n', " "))
}

fn table(options: &Bound<'_, PyDict>, dash: char) -> Result<Table, Failure> {
    let mut table = Table::new();
    for (key, value) in options.iter() {
        let key: String = key.extract().map_err(Failure::Python)?;
        if !value.is_none() {
            table.insert(key.replace('_', &dash.to_string()), toml_value(&key, &value)?);
        }
    }
    Ok(table)
}

fn toml_value(key: &str, value: &Bound<'_, PyAny>) -> Result<Value, Failure> {
    let refused = || Failure::Argument(format!("{key} cannot be {}", shown(value)));
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(Value::String(text.to_string()));
    }
    if value.is_instance_of::<PyBool>() {
        return value.extract().map(Value::Boolean).map_err(Failure::Python);
    }
    if value.is_instance_of::<PyInt>() {
        return value.extract().map(Value::Integer).map_err(|_| refused());
    }
    if value.is_instance_of::<PyFloat>() {
        return value.extract().map(Value::Float).map_err(Failure::Python);
    }
    // Numbers of other packages know how to become Python's own; so do lists of one, which stay lists.
    if let (Err(_), Ok(own)) = (value.len(), value.call_method0("item")) {
        return if own.is(value) { Err(refused()) } else { toml_value(key, &own) };
    }
    let list = value.try_iter().map_err(|_| refused())?;
    let items = list.map(|item| item.map_err(Failure::Python).and_then(|item| toml_value(key, &item)));
    items.collect::<Result<_, _>>().map(Value::Array)
}

fn shown(value: &Bound<'_, PyAny>) -> String {
    value.repr().map_or_else(|_| "this".to_owned(), |text| text.to_string())
}
