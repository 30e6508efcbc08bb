//! A few rows of the data, for pictures of two columns in a report.

use gflowcausal_data::{MISSING_CODE, Table, Values};
use serde::{Deserialize, Serialize};

/// The most rows that are kept.
const ROWS: usize = 400;

/// The most cells.
const CELLS: usize = 40_000;

/// Rows of the table, evenly spaced.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Preview {
    /// How many rows the table has.
    pub of: usize,
    /// A part of each column, in the order of the variables.
    pub columns: Vec<PreviewColumn>,
}

/// A part of a column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum PreviewColumn {
    /// Numbers with five digits; none where one is missing.
    Numbers(Vec<Option<f64>>),
    /// Categories.
    Categories {
        /// What they are called.
        levels: Vec<String>,
        /// Which one stands in each row; none where it is missing.
        codes: Vec<Option<u32>>,
    },
}

impl Preview {
    /// A part of `table`; none where it has no rows.
    #[must_use]
    pub fn of(table: &Table) -> Option<Self> {
        let (rows, columns) = (table.rows(), table.columns().len());
        let kept = ROWS.min(CELLS / columns.max(1)).min(rows);
        let at: Vec<usize> = (0..kept).map(|k| k * rows / kept).collect();
        let column = |values: &Values| match values.select(&at) {
            Values::Continuous(values) => PreviewColumn::Numbers(values.into_iter().map(short).collect()),
            Values::Categorical { codes, levels } => {
                let known = |code: u32| (code != MISSING_CODE).then_some(code);
                PreviewColumn::Categories { levels, codes: codes.into_iter().map(known).collect() }
            }
        };
        let columns = || table.columns().iter().map(|values| column(&values.values)).collect();
        (kept > 0).then(|| Self { of: rows, columns: columns() })
    }
}

/// Five digits of a number.
fn short(value: f64) -> Option<f64> {
    value.is_finite().then(|| format!("{value:.4e}").parse().unwrap_or(value))
}

#[cfg(test)]
mod tests {
    use gflowcausal_data::Column;

    use super::*;

    #[test]
    fn rows_are_spread_and_gaps_stay_gaps() {
        let numbers = (0..1000).map(|row| if row == 0 { f64::NAN } else { f64::from(row) / 3.0 }).collect();
        let codes = (0..1000).map(|row| if row == 0 { MISSING_CODE } else { row % 2 }).collect();
        let columns = vec![
            Column::continuous("x", numbers),
            Column::categorical("y", codes, vec!["a".into(), "b".into()]),
        ];
        let preview = Preview::of(&Table::new(columns).unwrap()).unwrap();
        let text = serde_json::to_string(&preview).unwrap();
        assert!(text.starts_with("{\"of\":1000,\"columns\":[[null,0.66667,1.6667,"), "{text}");
        assert_eq!(serde_json::from_str::<Preview>(&text).unwrap(), preview);
        let PreviewColumn::Numbers(values) = &preview.columns[0] else { panic!("numbers") };
        assert_eq!((values.len(), values[399]), (400, Some(332.33)));
    }
}
