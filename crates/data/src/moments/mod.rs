//! Row count, means and covariance in one pass: mergeable, threaded, and exact for columns far from zero.

mod block;
mod error;

use gflowcausal_determinism::{map, thread_count};
use serde::{Deserialize, Serialize};

use block::exact_sum;
pub use error::MomentsError;

use crate::{Table, Values};

/// How many rows have one mean and one scatter matrix before they are merged into the rest.
///
/// Fixed, so that neither the number of threads nor the size of memory can change a result.
const BLOCK: usize = 2048;

/// The sufficient statistics of a Gaussian: how many rows, their mean and their scatter about it.
///
/// Blocks of rows are centred on their own mean before they are squared and merged by the formula of Chan, Golub
/// and LeVeque (1983). Means carry a second word, because a mean near 1e9 is itself rounded to 1e-7.
///
/// ```
/// use gflowcausal_data::Moments;
/// let moments = Moments::of_columns(&[&[1e9, 1e9 + 1.0, 1e9 + 2.0], &[0.0, 1.0, 5.0]]);
/// assert_eq!(moments.mean(), [1e9 + 1.0, 2.0]);
/// assert_eq!(moments.scatter(), [2.0, 5.0, 5.0, 14.0]);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Parts")]
pub struct Moments {
    rows: u64,
    mean: Vec<f64>,
    /// What rounding took from `mean`.
    mean_rest: Vec<f64>,
    scatter: Vec<f64>,
}

/// Stored moments before they are checked.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Parts {
    rows: u64,
    mean: Vec<f64>,
    mean_rest: Vec<f64>,
    scatter: Vec<f64>,
}

impl TryFrom<Parts> for Moments {
    type Error = MomentsError;

    fn try_from(parts: Parts) -> Result<Self, MomentsError> {
        let d = parts.mean.len();
        if parts.scatter.len() != d * d || parts.mean_rest.len() != d {
            return Err(MomentsError::Shape { mean: d, scatter: parts.scatter.len() });
        }
        Ok(Self { rows: parts.rows, mean: parts.mean, mean_rest: parts.mean_rest, scatter: parts.scatter })
    }
}

impl Moments {
    /// No rows yet, of `columns` variables.
    #[must_use]
    pub fn empty(columns: usize) -> Self {
        let zeros = vec![0.0; columns];
        Self { rows: 0, mean: zeros.clone(), mean_rest: zeros, scatter: vec![0.0; columns * columns] }
    }

    /// The moments of a table of numbers, complete and finite.
    ///
    /// # Errors
    /// The first column that is categorical, or the first value that is missing or infinite.
    pub fn of_table(table: &Table) -> Result<Self, MomentsError> {
        let columns = table.columns().iter().map(finite_column).collect::<Result<Vec<_>, _>>()?;
        Ok(Self::of_columns(&columns))
    }

    /// The moments of complete columns of equal length. Costs `n·d²` multiply-adds, on all threads.
    ///
    /// # Panics
    /// If the columns have different lengths.
    #[must_use]
    pub fn of_columns(columns: &[&[f64]]) -> Self {
        let rows = columns.first().map_or(0, |column| column.len());
        assert!(columns.iter().all(|column| column.len() == rows), "columns of different lengths");
        let blocks = rows.div_ceil(BLOCK);
        let wave = blocks_at_once(columns.len());
        let mut total = Self::empty(columns.len());
        for first in (0..blocks).step_by(wave) {
            let parts = map(wave.min(blocks - first), |k| {
                let start = (first + k) * BLOCK;
                let end = (start + BLOCK).min(rows);
                Self::of_column_block(&columns.iter().map(|column| &column[start..end]).collect::<Vec<_>>())
            });
            parts.iter().for_each(|part| total.merge(part));
        }
        total
    }

    /// The moments of complete rows, one after the other in `values`.
    ///
    /// # Panics
    /// If `values` does not hold whole rows of `columns` numbers.
    #[must_use]
    pub fn of_rows(values: &[f64], columns: usize) -> Self {
        let mut total = Self::empty(columns);
        if columns > 0 {
            assert_eq!(values.len() % columns, 0, "a row is cut short");
            values.chunks(BLOCK * columns).for_each(|block| total.merge(&Self::of_row_block(block, columns)));
        }
        total
    }

    /// What a table of `rows` rows with this mean and maximum-likelihood `covariance` would give.
    pub(crate) fn of_estimate(rows: u64, mean: Vec<f64>, covariance: &[f64]) -> Self {
        debug_assert_eq!(covariance.len(), mean.len() * mean.len());
        let scatter = covariance.iter().map(|value| value * rows as f64).collect();
        Self { rows, mean_rest: vec![0.0; mean.len()], mean, scatter }
    }

    /// Adds to one sum of products.
    pub(crate) fn add_scatter(&mut self, i: usize, j: usize, more: f64) {
        let d = self.columns();
        self.scatter[i * d + j] += more;
    }

    /// Takes in the rows that `other` has seen.
    ///
    /// # Panics
    /// If the two have different numbers of columns.
    pub fn merge(&mut self, other: &Self) {
        assert_eq!(self.columns(), other.columns(), "moments of different columns");
        if other.rows == 0 {
            return;
        }
        if self.rows == 0 {
            self.clone_from(other);
            return;
        }
        let (n, m) = (self.rows as f64, other.rows as f64);
        let shift = self.shift_to(other);
        for (i, row) in self.scatter.chunks_exact_mut(shift.len()).enumerate() {
            let theirs = &other.scatter[i * shift.len()..][..shift.len()];
            let scale = shift[i] * (n * m / (n + m));
            for (sum, (their, shift)) in row.iter_mut().zip(theirs.iter().zip(&shift)) {
                *sum += their + scale * shift;
            }
        }
        for (k, shift) in shift.iter().enumerate() {
            let rest = self.mean_rest[k] + shift * (m / (n + m));
            (self.mean[k], self.mean_rest[k]) = exact_sum(self.mean[k], rest);
        }
        self.rows += other.rows;
    }

    /// The other mean less this one, without the rounding of either.
    fn shift_to(&self, other: &Self) -> Vec<f64> {
        let rests = other.mean_rest.iter().zip(&self.mean_rest).map(|(theirs, mine)| theirs - mine);
        let means = other.mean.iter().zip(&self.mean).map(|(theirs, mine)| theirs - mine);
        means.zip(rests).map(|(mean, rest)| mean + rest).collect()
    }

    /// How many rows were seen.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// How many columns there are.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.mean.len()
    }

    /// The mean of each column.
    #[must_use]
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// Sums of products about the mean, `d × d`, row by row.
    #[must_use]
    pub fn scatter(&self) -> &[f64] {
        &self.scatter
    }

    /// Maximum-likelihood covariance (scatter over the number of rows), `d × d`, row by row.
    #[must_use]
    pub fn covariance(&self) -> Vec<f64> {
        let rows = (self.rows as f64).max(1.0);
        self.scatter.iter().map(|sum| sum / rows).collect()
    }

    /// The maximum-likelihood standard deviation of each column.
    #[must_use]
    pub fn deviations(&self) -> Vec<f64> {
        let rows = (self.rows as f64).max(1.0);
        self.scatter.iter().step_by(self.columns() + 1).map(|sum| (sum / rows).sqrt()).collect()
    }

    /// The moments after each column is divided by its standard deviation and centred (a constant one stays).
    #[must_use]
    pub fn standardized(&self) -> Self {
        let d = self.columns();
        let scale: Vec<f64> = self
            .deviations()
            .into_iter()
            .map(|deviation| if deviation > 0.0 { deviation } else { 1.0 })
            .collect();
        let scatter = (0..d * d).map(|k| self.scatter[k] / scale[k / d] / scale[k % d]).collect();
        Self { rows: self.rows, mean: vec![0.0; d], mean_rest: vec![0.0; d], scatter }
    }
}

/// How many blocks to work on at a time: enough for all threads, but no more than a gigabyte of scatter matrices.
pub(crate) fn blocks_at_once(columns: usize) -> usize {
    (2 * thread_count()).min((1 << 27) / (columns * columns).max(1)).max(1)
}

fn finite_column(column: &crate::Column) -> Result<&[f64], MomentsError> {
    let name = || column.name.clone();
    let Values::Continuous(values) = &column.values else { return Err(MomentsError::Categorical(name())) };
    match values.iter().position(|value| !value.is_finite()) {
        None => Ok(values),
        Some(k) if values[k].is_nan() => Err(MomentsError::Missing { column: name(), row: k + 1 }),
        Some(k) => Err(MomentsError::Infinite { column: name(), row: k + 1 }),
    }
}

#[cfg(test)]
mod tests {
    use gflowcausal_determinism::with_threads;
    use proptest::prelude::*;

    use super::*;

    /// Whole numbers of 1024ths around `centre`: sums of their products are exact in 128 bits.
    fn grains(rows: usize, seed: u64) -> Vec<i64> {
        let step = |state: u64| {
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407)
        };
        let states = std::iter::successors(Some(step(seed)), |&state| Some(step(state)));
        states.take(rows).map(|state| (state >> 52) as i64 - 2048).collect()
    }

    fn around(centre: f64, grains: &[i64]) -> Vec<f64> {
        grains.iter().map(|&grain| centre + grain as f64 / 1024.0).collect()
    }

    /// Σ(a − ā)(b − b̄) without any rounding before the last division.
    fn exact_scatter(a: &[i64], b: &[i64]) -> f64 {
        let sum = |values: &[i64]| values.iter().map(|&value| i128::from(value)).sum::<i128>();
        let products: i128 = a.iter().zip(b).map(|(&a, &b)| i128::from(a) * i128::from(b)).sum();
        let n = a.len() as i128;
        (n * products - sum(a) * sum(b)) as f64 / n as f64 / (1024.0 * 1024.0)
    }

    #[test]
    fn a_column_far_from_zero_is_right_to_twelve_digits() {
        let rows = 100_003;
        let (a, b) = (grains(rows, 1), grains(rows, 2));
        let moments = Moments::of_columns(&[&around(1e9, &a), &around(-3e9, &b)]);
        let exact =
            [exact_scatter(&a, &a), exact_scatter(&a, &b), exact_scatter(&b, &a), exact_scatter(&b, &b)];
        let scale = exact[0].max(exact[3]);
        for (mine, exact) in moments.scatter().iter().zip(exact) {
            assert!((mine - exact).abs() <= 1e-12 * scale, "{mine} is not {exact}");
        }
    }

    #[test]
    fn the_second_word_of_the_mean_is_what_rounding_took() {
        let values = around(1e9, &grains(50_000, 3));
        let moments = Moments::of_columns(&[&values]);
        let offset: f64 = values.iter().map(|value| value - 1e9).sum::<f64>() / 50_000.0;
        assert!(((moments.mean[0] - 1e9) + moments.mean_rest[0] - offset).abs() < 1e-12);
    }

    #[test]
    fn threads_and_layout_do_not_change_a_bit() {
        let columns: Vec<Vec<f64>> = (0..7).map(|k| around(k as f64, &grains(20_000, k))).collect();
        let views: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        let by_threads = |threads| with_threads(threads, || Moments::of_columns(&views));
        assert_eq!(by_threads(1), by_threads(3));
        let rows: Vec<f64> =
            (0..20_000).flat_map(|row| columns.iter().map(move |column| column[row])).collect();
        assert_eq!(by_threads(1), Moments::of_rows(&rows, 7));
    }

    proptest! {
        #[test]
        fn merging_two_parts_is_the_moments_of_both(cut in 0usize..3000, rows in 3000usize..6000, seed: u64) {
            let (a, b) = (grains(rows, seed), grains(rows, !seed));
            let (x, y) = (around(5.0, &a), around(0.0, &b));
            let mut merged = Moments::of_columns(&[&x[..cut], &y[..cut]]);
            merged.merge(&Moments::of_columns(&[&x[cut..], &y[cut..]]));
            prop_assert_eq!(merged.rows(), rows as u64);
            for (mine, exact) in merged.scatter().iter().zip([(&a, &a), (&a, &b), (&b, &a), (&b, &b)]) {
                prop_assert!((mine - exact_scatter(exact.0, exact.1)).abs() < 1e-10 * rows as f64);
            }
        }
    }

    #[test]
    fn standardized_moments_have_unit_variances() {
        let moments = Moments::of_columns(&[&[1.0, 2.0, 3.0, 6.0], &[5.0, 5.0, 5.0, 5.0]]).standardized();
        assert_eq!(moments.mean(), [0.0, 0.0]);
        assert!((moments.covariance()[0] - 1.0).abs() < 1e-15);
        assert_eq!(moments.covariance()[3], 0.0);
    }

    #[test]
    fn a_table_with_a_gap_an_infinity_or_categories_has_no_moments() {
        let table = |values: Vec<f64>| Table::new(vec![crate::Column::continuous("a", values)]).unwrap();
        let error = |values| Moments::of_table(&table(values)).unwrap_err().to_string();
        assert_eq!(error(vec![1.0, f64::NAN]), "column 'a' has no value in row 2");
        assert_eq!(error(vec![f64::INFINITY]), "column 'a' has an infinite value in row 1");
        let codes = crate::Column::categorical("sex", vec![0], vec!["f".into()]);
        assert_eq!(
            Moments::of_table(&Table::new(vec![codes]).unwrap()).unwrap_err().to_string(),
            "column 'sex' is categorical: means and covariances need numbers"
        );
        assert_eq!(Moments::of_table(&table(vec![1.0, 3.0])).unwrap().mean(), [2.0]);
    }

    #[test]
    fn stored_moments_come_back_and_torn_ones_are_refused() {
        let moments = Moments::of_columns(&[&[1.0, 2.0], &[0.1, 0.7]]);
        let stored = serde_json::to_string(&moments).unwrap();
        assert_eq!(serde_json::from_str::<Moments>(&stored).unwrap(), moments);
        let torn = r#"{"rows":2,"mean":[1.0],"mean_rest":[0.0],"scatter":[]}"#;
        let error = serde_json::from_str::<Moments>(torn).unwrap_err().to_string();
        assert!(error.starts_with("moments of 1 columns with a scatter matrix of 0 cells"), "{error}");
    }
}
