//! What to do about values that are not there: refuse them, leave their rows out, or estimate around them.

use gflowcausal_graph::{Advice, choices, pluralize};

use crate::{Column, Table};

choices! {
    /// What to do about values that are not there.
    #[derive(Default)]
    pub enum Missing: "treatment of missing values" {
        /// Refuse, and say where the first one is.
        #[default]
        Error = "error",
        /// Leave out rows that lack any value.
        Drop = "drop",
        /// Estimate mean and covariance by expectation–maximisation.
        Em = "em",
    }
}

/// Why a treatment of missing values fails.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "a variant's message names its fields")]
pub enum MissingError {
    /// Gaps where none are allowed.
    #[error("{} missing; the first in column '{column}', row {row}", pluralize(*count, "value"))]
    Present { count: usize, column: String, row: usize },
    /// A gap in every row.
    #[error("each of the {0} rows has a missing value: nothing is left after dropping them")]
    NothingLeft(usize),
    /// Categories have no covariance.
    #[error("column '{0}' is categorical, but em needs numbers")]
    Categorical(String),
    /// A number that is not finite.
    #[error("column '{column}' has an infinite value in row {row}")]
    Infinite { column: String, row: usize },
    /// A column of gaps.
    #[error("column '{0}' has no values at all")]
    EmptyColumn(String),
    /// Two columns whose covariance the data say nothing about.
    #[error(
        "columns '{0}' and '{1}' never have a value in the same row, so nothing tells how they vary together"
    )]
    NeverTogether(String, String),
    /// A column whose variance is nothing once the others are known.
    #[error("column '{0}' is constant or follows exactly from the others")]
    Singular(String),
    /// The estimate still moved when the iterations were used up.
    #[error("the estimate still changes by {change:e} standard deviations after {iterations} iterations")]
    NotConverged { iterations: usize, change: f64 },
}

impl MissingError {
    /// The kind of problem, as a stable word.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Infinite { .. } => "infinite-value",
            Self::Singular(_) => "collinear-columns",
            Self::Categorical(_) => "text-column",
            Self::EmptyColumn(_) => "empty-column",
            _ => "missing-values",
        }
    }

    /// What helps.
    #[must_use]
    pub fn advice(&self) -> Advice {
        match self {
            Self::Present { .. } => fill_gaps(),
            Self::NothingLeft(_) => too_many_gaps("em"),
            Self::Categorical(column) => {
                Advice::new("use ").set("missing", "drop").then(format!(", or leave '{column}' out"))
            }
            Self::Infinite { .. } => "correct the value, or leave the cell empty".into(),
            Self::EmptyColumn(column) | Self::Singular(column) => {
                Advice::new("leave it out: ").set("exclude", column)
            }
            Self::NeverTogether(one, other) => format!("leave '{one}' or '{other}' out").into(),
            Self::NotConverged { .. } => too_many_gaps("drop"),
        }
    }
}

/// Advice where no value may be missing.
pub(crate) fn fill_gaps() -> Advice {
    Advice::new("use ").set("missing", "drop").then(" or ").set("missing", "em").then(", or fill the gaps")
}

/// Advice where a treatment of missing values fails on too many of them; `other` is the other treatment.
pub(crate) fn too_many_gaps(other: &str) -> Advice {
    Advice::new("leave out the column with the most gaps, or use ").set("missing", other)
}

impl Table {
    /// Checks that every value is there.
    ///
    /// # Errors
    /// Says how many are not, and where the first one is.
    pub fn require_complete(&self) -> Result<(), MissingError> {
        let first = (0..self.rows()).find_map(|row| {
            self.columns().iter().find(|column| column.values.is_missing(row)).map(|found| (found, row))
        });
        match first {
            None => Ok(()),
            Some((found, row)) => {
                self.refuse_empty_column()?;
                Err(MissingError::Present { count: self.missing(), column: found.name.clone(), row: row + 1 })
            }
        }
    }

    /// A column of gaps can neither be filled nor its rows be dropped.
    fn refuse_empty_column(&self) -> Result<(), MissingError> {
        let is_empty = |column: &&Column| (0..self.rows()).all(|row| column.values.is_missing(row));
        match self.columns().iter().find(is_empty) {
            Some(column) if self.rows() > 0 => Err(MissingError::EmptyColumn(column.name.clone())),
            _ => Ok(()),
        }
    }

    /// The rows without a gap, and how many others there were.
    ///
    /// # Errors
    /// When no row is complete.
    pub fn drop_incomplete(&self) -> Result<(Self, usize), MissingError> {
        let is_complete = |row: &usize| !self.columns().iter().any(|column| column.values.is_missing(*row));
        let complete: Vec<usize> = (0..self.rows()).filter(is_complete).collect();
        if complete.is_empty() && self.rows() > 0 {
            self.refuse_empty_column()?;
            return Err(MissingError::NothingLeft(self.rows()));
        }
        Ok((self.select_rows(&complete), self.rows() - complete.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MISSING_CODE;

    fn gappy() -> Table {
        Table::new(vec![
            Column::continuous("a", vec![1.0, 2.0, f64::NAN, 4.0]),
            Column::categorical("b", vec![0, MISSING_CODE, 0, 0], vec!["x".into()]),
        ])
        .unwrap()
    }

    #[test]
    fn gaps_are_refused_with_their_place() {
        let error = gappy().require_complete().unwrap_err();
        assert_eq!(error.to_string(), "2 values missing; the first in column 'b', row 2");
        assert_eq!(error.code(), "missing-values");
        assert_eq!(error.advice(), fill_gaps());
        assert_eq!(gappy().select_rows(&[0, 3]).require_complete(), Ok(()));
    }

    #[test]
    fn a_column_without_values_is_to_be_left_out() {
        let table = Table::new(vec![
            Column::continuous("a", vec![1.0, 2.0]),
            Column::continuous("b", vec![f64::NAN, f64::NAN]),
        ])
        .unwrap();
        for error in [table.require_complete().unwrap_err(), table.drop_incomplete().unwrap_err()] {
            assert_eq!(error.to_string(), "column 'b' has no values at all");
            assert_eq!(error.code(), "empty-column");
            assert_eq!(error.advice().to_string(), "leave it out: --exclude b");
        }
    }

    #[test]
    fn incomplete_rows_are_dropped_and_counted() {
        let (table, dropped) = gappy().drop_incomplete().unwrap();
        assert_eq!((table.columns()[0].as_continuous(), dropped), (Some([1.0, 4.0].as_slice()), 2));
        let error = gappy().select_rows(&[1, 2]).drop_incomplete().unwrap_err();
        assert_eq!(
            error.to_string(),
            "each of the 2 rows has a missing value: nothing is left after dropping them"
        );
        assert_eq!(error.advice(), too_many_gaps("em"));
    }

    #[test]
    fn policies_have_names() {
        for policy in Missing::ALL {
            assert_eq!(policy.to_string().parse(), Ok(*policy));
            assert_eq!(serde_json::to_string(&policy).unwrap(), format!("\"{policy}\""));
        }
        let error = "impute".parse::<Missing>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "unknown treatment of missing values 'impute': known are error, drop, em"
        );
    }
}
