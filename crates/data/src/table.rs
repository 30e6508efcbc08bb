//! A table of named, typed columns of equal length.

use std::collections::BTreeSet;

/// The code of a missing category.
pub const MISSING_CODE: u32 = u32::MAX;

/// The values of one variable, one for each row.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// Real numbers; a missing one is NaN.
    Continuous(Vec<f64>),
    /// Categories by number: `levels[code]` is the text, [`MISSING_CODE`] stands for a missing one.
    #[expect(missing_docs, reason = "the sentence above names both fields")]
    Categorical { codes: Vec<u32>, levels: Vec<String> },
}

impl Values {
    /// How many rows there are.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Continuous(values) => values.len(),
            Self::Categorical { codes, .. } => codes.len(),
        }
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many rows have no value.
    #[must_use]
    pub fn missing(&self) -> usize {
        match self {
            Self::Continuous(values) => values.iter().filter(|value| value.is_nan()).count(),
            Self::Categorical { codes, .. } => codes.iter().filter(|&&code| code == MISSING_CODE).count(),
        }
    }
}

/// One variable: its name and its values.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// What the user calls it.
    pub name: String,
    /// What was measured.
    pub values: Values,
}

impl Column {
    /// A column of real numbers.
    #[must_use]
    pub fn continuous(name: impl Into<String>, values: Vec<f64>) -> Self {
        Self { name: name.into(), values: Values::Continuous(values) }
    }

    /// The real numbers, if that is what the column holds.
    #[must_use]
    pub fn as_continuous(&self) -> Option<&[f64]> {
        match &self.values {
            Values::Continuous(values) => Some(values),
            Values::Categorical { .. } => None,
        }
    }
}

/// Columns that do not make a table.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "a variant's sentence names its fields")]
pub enum TableError {
    /// A column with another number of rows than the first one.
    #[error("column '{column}' has {rows} rows, the first column has {expected}")]
    Length { column: String, rows: usize, expected: usize },
    /// Two columns of one name.
    #[error("two columns are named '{0}'")]
    DuplicateName(String),
    /// A category number that has no text.
    #[error("column '{column}' has category number {code} but only {levels} levels")]
    UnknownLevel { column: String, code: u32, levels: usize },
}

/// Named columns of equal length.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    columns: Vec<Column>,
    rows: usize,
}

impl Table {
    /// Checks that the columns have one length and different names.
    ///
    /// # Errors
    /// The first column that does not fit.
    pub fn new(columns: Vec<Column>) -> Result<Self, TableError> {
        let rows = columns.first().map_or(0, |column| column.values.len());
        let mut names = BTreeSet::new();
        for column in &columns {
            check_column(column, rows)?;
            if !names.insert(column.name.as_str()) {
                return Err(TableError::DuplicateName(column.name.clone()));
            }
        }
        Ok(Self { columns, rows })
    }

    /// How many rows there are.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The columns, in the user's order.
    #[must_use]
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The columns' names, in the user's order.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> + Clone + '_ {
        self.columns.iter().map(|column| column.name.as_str())
    }

    /// The index of the column called `name`.
    #[must_use]
    pub fn position(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }

    /// Whether every column holds real numbers.
    #[must_use]
    pub fn is_continuous(&self) -> bool {
        self.columns.iter().all(|column| column.as_continuous().is_some())
    }

    /// How many cells have no value.
    #[must_use]
    pub fn missing(&self) -> usize {
        self.columns.iter().map(|column| column.values.missing()).sum()
    }
}

fn check_column(column: &Column, rows: usize) -> Result<(), TableError> {
    let name = || column.name.clone();
    if column.values.len() != rows {
        return Err(TableError::Length { column: name(), rows: column.values.len(), expected: rows });
    }
    let Values::Categorical { codes, levels } = &column.values else { return Ok(()) };
    let unknown = codes.iter().find(|&&code| code != MISSING_CODE && code as usize >= levels.len());
    match unknown {
        Some(&code) => Err(TableError::UnknownLevel { column: name(), code, levels: levels.len() }),
        None => Ok(()),
    }
}
