//! A table of named, typed columns of equal length.

use std::collections::BTreeSet;

use gflowcausal_determinism::rand::RngExt;
use gflowcausal_determinism::{Stream, map, stream};

use crate::Moments;

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

    /// Whether `row` has no value.
    ///
    /// # Panics
    /// If there is no such row.
    #[must_use]
    pub fn is_missing(&self, row: usize) -> bool {
        match self {
            Self::Continuous(values) => values[row].is_nan(),
            Self::Categorical { codes, .. } => codes[row] == MISSING_CODE,
        }
    }

    /// How many rows have no value.
    #[must_use]
    pub fn missing(&self) -> usize {
        (0..self.len()).filter(|&row| self.is_missing(row)).count()
    }

    /// The values of `rows`, in that order; a row may come more than once. Levels stay as they are.
    ///
    /// # Panics
    /// If there is no such row.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Self {
        match self {
            Self::Continuous(values) => Self::Continuous(rows.iter().map(|&row| values[row]).collect()),
            Self::Categorical { codes, levels } => {
                let codes = rows.iter().map(|&row| codes[row]).collect();
                Self::Categorical { codes, levels: levels.clone() }
            }
        }
    }

    /// Numbers centred and divided by their maximum-likelihood standard deviation; gaps stay gaps, a constant column
    /// becomes zero, categories stay as they are.
    #[must_use]
    pub fn standardized(&self) -> Self {
        let Self::Continuous(values) = self else { return self.clone() };
        let present: Vec<f64> = values.iter().copied().filter(|value| !value.is_nan()).collect();
        let moments = Moments::of_columns(&[&present]);
        let (mean, deviation) = (moments.mean()[0], moments.deviations()[0]);
        let scale = if deviation > 0.0 { deviation } else { 1.0 };
        Self::Continuous(values.iter().map(|value| (value - mean) / scale).collect())
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

    /// A column of categories: `levels[code]` is the text of each.
    #[must_use]
    pub fn categorical(name: impl Into<String>, codes: Vec<u32>, levels: Vec<String>) -> Self {
        Self { name: name.into(), values: Values::Categorical { codes, levels } }
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

    /// The rows `rows`, in that order; a row may come more than once, as in a bootstrap.
    ///
    /// # Panics
    /// If there is no such row.
    #[must_use]
    pub fn select_rows(&self, rows: &[usize]) -> Self {
        let columns = map(self.columns.len(), |k| self.with_values(k, self.columns[k].values.select(rows)));
        Self { columns, rows: rows.len() }
    }

    /// As many rows as there are, drawn with replacement: the `k`-th bootstrap of `seed`.
    #[must_use]
    pub fn resampled(&self, seed: u64, k: u64) -> Self {
        let mut rng = stream(seed, Stream::Bootstrap { k });
        let rows: Vec<usize> = (0..self.rows).map(|_| rng.random_range(0..self.rows)).collect();
        self.select_rows(&rows)
    }

    /// The same table with every column of numbers centred and of unit variance.
    #[must_use]
    pub fn standardized(&self) -> Self {
        let columns = map(self.columns.len(), |k| self.with_values(k, self.columns[k].values.standardized()));
        Self { columns, rows: self.rows }
    }

    fn with_values(&self, column: usize, values: Values) -> Column {
        Column { name: self.columns[column].name.clone(), values }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        Table::new(vec![
            Column::continuous("height", vec![1.0, f64::NAN, 3.0]),
            Column::categorical("sex", vec![0, 1, MISSING_CODE], vec!["f".into(), "m".into()]),
        ])
        .unwrap()
    }

    #[test]
    fn rows_can_be_drawn_again() {
        let drawn = table().select_rows(&[2, 2, 0]);
        assert_eq!(drawn.rows(), 3);
        assert_eq!(drawn.columns()[0].as_continuous(), Some([3.0, 3.0, 1.0].as_slice()));
        let sex = Values::Categorical {
            codes: vec![MISSING_CODE, MISSING_CODE, 0],
            levels: vec!["f".into(), "m".into()],
        };
        assert_eq!(drawn.columns()[1].values, sex);
    }

    #[test]
    fn a_bootstrap_draws_two_rows_in_three_and_another_k_draws_others() {
        let table = Table::new(vec![Column::continuous("row", (0..3000).map(f64::from).collect())]).unwrap();
        let drawn = |k| table.resampled(7, k).columns()[0].as_continuous().unwrap().to_vec();
        let distinct: BTreeSet<u64> = drawn(0).into_iter().map(|row| row as u64).collect();
        assert!((1840..1955).contains(&distinct.len()), "{} is not 1 − 1/e of 3000", distinct.len());
        assert_eq!(drawn(1), drawn(1));
        assert_ne!(drawn(0), drawn(1));
    }

    #[test]
    fn standardized_numbers_keep_their_gaps() {
        let standard = table().standardized();
        let height = standard.columns()[0].as_continuous().unwrap();
        assert_eq!((height[0], height[2]), (-1.0, 1.0));
        assert!(height[1].is_nan());
        assert_eq!(standard.columns()[1], table().columns()[1]);
        let constant = Values::Continuous(vec![7.0, 7.0]).standardized();
        assert_eq!(constant, Values::Continuous(vec![0.0, 0.0]));
    }

    #[test]
    fn gaps_are_counted() {
        assert_eq!(table().missing(), 2);
    }

    #[test]
    fn columns_that_do_not_fit_are_named() {
        let error = |columns| Table::new(columns).unwrap_err().to_string();
        let one = || Column::continuous("a", vec![1.0]);
        assert_eq!(
            error(vec![one(), Column::continuous("b", vec![])]),
            "column 'b' has 0 rows, the first column has 1"
        );
        assert_eq!(error(vec![one(), one()]), "two columns are named 'a'");
        assert_eq!(
            error(vec![Column::categorical("c", vec![4], vec!["x".into()])]),
            "column 'c' has category number 4 but only 1 levels"
        );
    }
}
