//! Transforms of single columns: logarithms, and the normal scores of ranks.

use gflowcausal_graph::{Advice, choices};
use statrs::distribution::{ContinuousCDF, Normal};
use thiserror::Error;

use crate::{Column, Table, Values};

choices! {
    /// What is done to the numbers of a column.
    pub enum Transform: "transform" {
        /// Nothing.
        None = "none",
        /// The natural logarithm, of positive numbers.
        Log = "log",
        /// The standard normal quantile of each value's rank.
        Rank = "rank",
    }
}

/// Why a column cannot be transformed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TransformError {
    /// No `=`, or nothing before it.
    #[error("'{0}' is no transform of a column")]
    Syntax(String),
    /// A transform that does not exist.
    #[error("there is no transform '{0}'")]
    Unknown(String),
    /// A column that is not there.
    #[error("there is no column '{0}' to transform")]
    NoColumn(String),
    /// Categories have neither logarithms nor ranks.
    #[error("column '{0}' holds categories, which have neither logarithms nor ranks")]
    Categories(String),
    /// A number without a logarithm.
    #[error("column '{0}' holds numbers that are not positive, which have no logarithm")]
    NotPositive(String),
}

impl TransformError {
    /// What to do.
    #[must_use]
    pub fn advice(&self) -> Advice {
        match self {
            Self::Syntax(_) | Self::Unknown(_) => {
                Advice::new("write ").set("transform", "NAME=log").then(", NAME=rank or NAME=none")
            }
            Self::NoColumn(_) => "check the spelling of the column".into(),
            Self::Categories(_) => "leave the transform out".into(),
            Self::NotPositive(name) => Advice::new("use ").set("transform", format!("{name}=rank")),
        }
    }
}

impl Values {
    /// Every number by the standard normal quantile of its rank, `Φ⁻¹(rank / (n + 1))`; equal numbers share the middle of
    /// their ranks, gaps stay gaps and categories as they are. Costs `O(n log n)`.
    #[must_use]
    pub fn normal_scores(&self) -> Self {
        let Self::Continuous(values) = self else { return self.clone() };
        let mut order: Vec<usize> = (0..values.len()).filter(|&row| !values[row].is_nan()).collect();
        order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
        let normal = Normal::standard();
        let (mut scores, mut before, count) = (vec![f64::NAN; values.len()], 0, order.len() as f64);
        for equal in order.chunk_by(|&a, &b| values[a] == values[b]) {
            let rank = before as f64 + 0.5 * (equal.len() as f64 + 1.0);
            let score = normal.inverse_cdf(rank / (count + 1.0));
            equal.iter().for_each(|&row| scores[row] = score);
            before += equal.len();
        }
        Self::Continuous(scores)
    }
}

impl Table {
    /// The table with some columns transformed, each as `NAME=HOW`; of two about one column the later counts.
    ///
    /// # Errors
    /// A column that is not there or cannot be transformed so.
    pub fn transformed(&self, wanted: &[String]) -> Result<Self, TransformError> {
        let mut plan = vec![Transform::None; self.columns().len()];
        for text in wanted {
            let (name, how) = text.rsplit_once('=').ok_or_else(|| TransformError::Syntax(text.clone()))?;
            let how = how.parse().map_err(|_| TransformError::Unknown(how.to_owned()))?;
            plan[self.position(name).ok_or_else(|| TransformError::NoColumn(name.to_owned()))?] = how;
        }
        let columns = self.columns().iter().zip(plan).map(|(column, how)| transformed(column, how));
        let columns = columns.collect::<Result<Vec<_>, _>>()?;
        Ok(Self::new(columns).expect("columns keep their names and lengths"))
    }
}

fn transformed(column: &Column, how: Transform) -> Result<Column, TransformError> {
    let name = || column.name.clone();
    let values = match (how, column.as_continuous()) {
        (Transform::None, _) => return Ok(column.clone()),
        (_, None) => return Err(TransformError::Categories(name())),
        (Transform::Rank, _) => column.values.normal_scores(),
        (Transform::Log, Some(values)) if values.iter().any(|&value| value <= 0.0) => {
            return Err(TransformError::NotPositive(name()));
        }
        (Transform::Log, Some(values)) => Values::Continuous(values.iter().map(|value| value.ln()).collect()),
    };
    Ok(Column { name: name(), values })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let numbers = Column::continuous("a", vec![3.0, 1.0, f64::NAN, 1.0, 20.0]);
        let signed = Column::continuous("b=c", vec![-1.0, 0.0, 1.0, 2.0, 3.0]);
        Table::new(vec![numbers, signed, Column::categorical("k", vec![0; 5], vec!["x".into()])])
            .expect("a table")
    }

    fn column(wanted: &[&str], name: &str) -> Vec<f64> {
        let wanted: Vec<String> = wanted.iter().map(|&text| text.to_owned()).collect();
        let table = table().transformed(&wanted).expect("a transform");
        let at = table.position(name).expect("a column");
        table.columns()[at].as_continuous().expect("numbers").to_vec()
    }

    /// ```python
    /// from scipy.stats import norm, rankdata
    /// norm.ppf(rankdata([3, 1, 1, 20]) / 5)   # 0.2533471, -0.5244005, -0.5244005, 0.8416212
    /// ```
    #[test]
    fn normal_scores_equal_scipys_and_keep_gaps() {
        let scores = column(&["a=log", "a=rank"], "a");
        let expected =
            [0.2533471031357997, -0.5244005127080407, f64::NAN, -0.5244005127080407, 0.8416212335729143];
        for (score, expected) in scores.iter().zip(expected) {
            assert!((score - expected).abs() < 1e-9 || (score.is_nan() && expected.is_nan()), "{scores:?}");
        }
    }

    #[test]
    fn logarithms_are_natural_and_names_may_hold_equal_signs() {
        assert!((column(&["a=log"], "a")[4] - 20.0_f64.ln()).abs() < 1e-15);
        assert_eq!(column(&["b=c=none"], "b=c"), [-1.0, 0.0, 1.0, 2.0, 3.0]);
        assert!(column(&["b=c=rank"], "b=c")[2].abs() < 1e-12);
    }

    #[test]
    fn what_cannot_be_transformed_is_named() {
        let refused = |text: &str| table().transformed(&[text.to_owned()]).unwrap_err();
        assert_eq!(refused("a"), TransformError::Syntax("a".into()));
        assert_eq!(refused("a=sqrt"), TransformError::Unknown("sqrt".into()));
        assert_eq!(refused("d=log"), TransformError::NoColumn("d".into()));
        assert_eq!(refused("k=rank"), TransformError::Categories("k".into()));
        assert_eq!(refused("b=c=log"), TransformError::NotPositive("b=c".into()));
    }
}
