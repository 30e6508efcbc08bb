//! Real columns on one scale: centred, with unit variance, at any order of magnitude.

use gflowcausal_data::Table;

use crate::ScoreError;

/// A column whose standard deviation is below this share of its largest value is constant up to rounding.
const CONSTANT: f64 = 1e-13;

/// The real columns of a table, centred and divided by their standard deviation. A constant one is all zeros.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StandardColumns {
    pub(crate) rows: usize,
    pub(crate) columns: Vec<Vec<f64>>,
    /// The natural logarithm of what each column was divided by.
    pub(crate) log_scale: Vec<f64>,
}

impl StandardColumns {
    /// # Errors
    /// No rows, or a column that is categorical, misses a cell or holds an infinite number.
    pub(crate) fn new(table: &Table) -> Result<Self, ScoreError> {
        Self::thinned(table, usize::MAX)
    }

    /// From at most `max_rows` rows, evenly spaced.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub(crate) fn thinned(table: &Table, max_rows: usize) -> Result<Self, ScoreError> {
        if table.rows() == 0 {
            return Err(ScoreError::NoRows);
        }
        let rows = table.rows().min(max_rows);
        let mut columns = Vec::with_capacity(table.columns().len());
        let mut log_scale = Vec::with_capacity(table.columns().len());
        for (index, column) in table.columns().iter().enumerate() {
            let name = || column.name.clone();
            let values =
                column.as_continuous().ok_or_else(|| ScoreError::NotContinuous { column: name() })?;
            if column.values.missing() > 0 {
                return Err(ScoreError::MissingCells { column: name(), cells: column.values.missing() });
            }
            let thin: Vec<f64> = (0..rows).map(|k| values[evenly(k, rows, table.rows())]).collect();
            let (scaled, log) = standardized(&thin).ok_or(ScoreError::NotFinite { column: index })?;
            columns.push(scaled);
            log_scale.push(log);
        }
        Ok(Self { rows, columns, log_scale })
    }

    /// At most `max_rows` of the rows, evenly spaced, on the same scale but centred again, and what each column was centred by.
    pub(crate) fn few(&self, max_rows: usize) -> (Self, Vec<f64>) {
        let rows = self.rows.min(max_rows);
        let mut offsets = Vec::with_capacity(self.columns.len());
        let mut thin = |column: &Vec<f64>| {
            let mut kept: Vec<f64> = (0..rows).map(|k| column[evenly(k, rows, self.rows)]).collect();
            let mean = kept.iter().sum::<f64>() / rows as f64;
            kept.iter_mut().for_each(|value| *value -= mean);
            offsets.push(mean);
            kept
        };
        let columns = self.columns.iter().map(&mut thin).collect();
        (Self { rows, columns, log_scale: self.log_scale.clone() }, offsets)
    }

    /// How many variables there are.
    pub(crate) fn nodes(&self) -> usize {
        self.columns.len()
    }
}

/// The row that is `k`th of `count` spread evenly over `rows`.
fn evenly(k: usize, count: usize, rows: usize) -> usize {
    (k as u128 * rows as u128 / count as u128) as usize
}

/// The values divided by the largest before anything is squared, so that 1e±150 neither over- nor underflows.
fn standardized(values: &[f64]) -> Option<(Vec<f64>, f64)> {
    let largest = values.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
    if !values.iter().all(|value| value.is_finite()) {
        return None;
    }
    let unit = if largest > 0.0 { largest } else { 1.0 };
    let rows = values.len() as f64;
    let mean = values.iter().map(|value| value / unit).sum::<f64>() / rows;
    let centred: Vec<f64> = values.iter().map(|value| value / unit - mean).collect();
    let deviation = (centred.iter().map(|value| value * value).sum::<f64>() / rows).sqrt();
    if deviation <= CONSTANT {
        return Some((vec![0.0; values.len()], 0.0));
    }
    Some((centred.iter().map(|value| value / deviation).collect(), deviation.ln() + unit.ln()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_scale_gives_the_same_column() {
        let (plain, log) = standardized(&[1.0, 2.0, 4.0, 9.0]).expect("finite");
        for scale in [1e-150, 1e150, 1e300] {
            let (scaled, log_scaled) =
                standardized(&[scale, 2.0 * scale, 4.0 * scale, 9.0 * scale]).expect("finite");
            assert!(plain.iter().zip(&scaled).all(|(a, b)| (a - b).abs() < 1e-12));
            assert!((log_scaled - log - scale.ln()).abs() < 1e-9);
        }
    }

    #[test]
    fn a_constant_column_is_zero_even_after_rounding() {
        assert_eq!(standardized(&[0.1 + 0.2, 0.3, 0.3]), Some((vec![0.0; 3], 0.0)));
        assert_eq!(standardized(&[1.0, f64::INFINITY]), None);
    }
}
