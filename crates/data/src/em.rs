//! Mean and covariance of a Gaussian table with gaps, by expectation–maximisation.

use std::collections::BTreeMap;

use faer::linalg::solvers::{LltError, Solve};
use faer::{Mat, MatRef, Side};
use gflowcausal_determinism::map;

use crate::{Column, MissingError, Moments, Table, Values};

/// The largest change of any mean or covariance, in standard deviations, at which the estimate stands.
const TOLERANCE: f64 = 1e-9;

/// More iterations than this mean that the data hardly determine the estimate.
const MAX_ITERATIONS: usize = 10_000;

/// A standardised column with less variance than this, given the columns before it, follows from them.
const LEFT: f64 = 1e-12;

/// Patterns are summed in this many groups, whatever the number of threads.
const GROUPS: usize = 64;

/// The maximum-likelihood Gaussian of a table with gaps.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct EmEstimate {
    /// Mean and covariance, as if from a complete table of as many rows as have any value.
    pub moments: Moments,
    /// How many times the gaps were filled in anew.
    pub iterations: usize,
}

impl Moments {
    /// Mean and covariance of a table of numbers with gaps, by expectation–maximisation (Little and Rubin 2019,
    /// section 11.2.1), if whether a value is missing does not depend on the value itself.
    ///
    /// Each iteration replaces a gap by its regression on the values of its row and adds the variance about that
    /// regression. It ends when no mean and no covariance of the standardised columns changes by more than `1e-9`.
    /// Costs `O(n·d² + p·d³)` an iteration for `p` different patterns of gaps. The result does not depend on the
    /// number of threads; a complete table gives the moments of the table.
    ///
    /// # Errors
    /// When a column is categorical, infinite, empty or determined by others, when two columns are never seen
    /// together, or when the estimate does not settle.
    pub fn of_incomplete(table: &Table) -> Result<EmEstimate, MissingError> {
        let columns = numbers(table)?;
        if table.missing() == 0 {
            return Ok(EmEstimate { moments: Self::of_columns(&columns), iterations: 0 });
        }
        let names: Vec<&str> = table.names().collect();
        let scales = columns.iter().zip(&names).map(|(column, name)| Scale::of(column, name));
        let scales = scales.collect::<Result<Vec<_>, _>>()?;
        let patterns = Patterns::of(&columns, &scales);
        patterns.check_pairs(&names)?;
        let (estimate, iterations) = patterns.fit(&names)?;
        Ok(EmEstimate { moments: unscale(&estimate, &scales), iterations })
    }
}

fn numbers(table: &Table) -> Result<Vec<&[f64]>, MissingError> {
    let check = |column: &Column| match &column.values {
        Values::Categorical { .. } => Err(MissingError::Categorical(column.name.clone())),
        Values::Continuous(values) => match values.iter().position(|value| value.is_infinite()) {
            Some(row) => Err(MissingError::Infinite { column: column.name.clone(), row: row + 1 }),
            None => Ok(()),
        },
    };
    table.columns().iter().try_for_each(check)?;
    Ok(table.columns().iter().filter_map(Column::as_continuous).collect())
}

/// Mean and standard deviation of the values that are there.
struct Scale {
    mean: f64,
    deviation: f64,
}

impl Scale {
    fn of(column: &[f64], name: &str) -> Result<Self, MissingError> {
        let present: Vec<f64> = column.iter().copied().filter(|value| !value.is_nan()).collect();
        if present.is_empty() {
            return Err(MissingError::EmptyColumn(name.into()));
        }
        let moments = Moments::of_columns(&[&present]);
        let (mean, deviation) = (moments.mean()[0], moments.deviations()[0]);
        if deviation > 0.0 { Ok(Self { mean, deviation }) } else { Err(MissingError::Singular(name.into())) }
    }
}

/// Rows that lack the same columns.
struct Pattern {
    present: Vec<usize>,
    absent: Vec<usize>,
    /// Standardised rows, one after the other; what is absent is filled in anew in each iteration.
    rows: Vec<f64>,
}

/// All rows that have any value, by pattern.
struct Patterns {
    d: usize,
    rows: u64,
    patterns: Vec<Pattern>,
}

/// Mean and covariance (column by column) of the standardised columns.
#[derive(Debug, Clone)]
struct Gaussian {
    mean: Vec<f64>,
    covariance: Vec<f64>,
}

impl Patterns {
    fn of(columns: &[&[f64]], scales: &[Scale]) -> Self {
        let d = columns.len();
        let mut by_gaps: BTreeMap<Vec<bool>, Vec<f64>> = BTreeMap::new();
        for row in 0..columns[0].len() {
            let gaps: Vec<bool> = columns.iter().map(|column| column[row].is_nan()).collect();
            if gaps.iter().any(|gap| !gap) {
                let cells = columns
                    .iter()
                    .zip(scales)
                    .map(|(column, scale)| (column[row] - scale.mean) / scale.deviation);
                by_gaps.entry(gaps).or_default().extend(cells);
            }
        }
        let rows = by_gaps.values().map(|cells| cells.len() / d).sum::<usize>() as u64;
        let patterns = by_gaps.into_iter().map(|(gaps, rows)| Pattern::new(&gaps, rows)).collect();
        Self { d, rows, patterns }
    }

    /// Two columns that are never seen together leave their covariance open.
    fn check_pairs(&self, names: &[&str]) -> Result<(), MissingError> {
        let mut together = vec![false; self.d * self.d];
        for pattern in &self.patterns {
            for (k, &i) in pattern.present.iter().enumerate() {
                pattern.present[k..].iter().for_each(|&j| together[i * self.d + j] = true);
            }
        }
        let upper = (0..self.d).flat_map(|i| (i..self.d).map(move |j| (i, j)));
        match upper.into_iter().find(|&(i, j)| !together[i * self.d + j]) {
            Some((i, j)) => Err(MissingError::NeverTogether(names[i].into(), names[j].into())),
            None => Ok(()),
        }
    }

    /// Repeats both steps until nothing moves.
    fn fit(&self, names: &[&str]) -> Result<(Moments, usize), MissingError> {
        let mut current = Gaussian::standard(self.d);
        let mut change = f64::INFINITY;
        for iteration in 1..=MAX_ITERATIONS {
            let moments = self
                .expected_moments(&current)
                .map_err(|column| MissingError::Singular(names[column].into()))?;
            let next = Gaussian::of(&moments);
            change = current.distance(&next);
            if change <= TOLERANCE {
                return Ok((moments, iteration));
            }
            current = next;
        }
        Err(MissingError::NotConverged { iterations: MAX_ITERATIONS, change })
    }

    /// The expectation step: the moments of the rows with their gaps filled in; the column at fault if there are none.
    fn expected_moments(&self, gaussian: &Gaussian) -> Result<Moments, usize> {
        let size = self.patterns.len().div_ceil(GROUPS);
        let groups: Vec<&[Pattern]> = self.patterns.chunks(size).collect();
        let sums: Vec<Result<Moments, usize>> = map(groups.len(), |group| {
            let mut sum = Moments::empty(self.d);
            for pattern in groups[group] {
                sum.merge(&pattern.expected_moments(gaussian)?);
            }
            Ok(sum)
        });
        let mut total = Moments::empty(self.d);
        for sum in sums {
            total.merge(&sum?);
        }
        debug_assert_eq!(total.rows(), self.rows);
        Ok(total)
    }
}

impl Pattern {
    fn new(gaps: &[bool], rows: Vec<f64>) -> Self {
        let (absent, present) = (0..gaps.len()).partition(|&column| gaps[column]);
        Self { present, absent, rows }
    }

    /// Fills gaps in by `μ_M + Σ_MO Σ_OO⁻¹ (x_O − μ_O)` and adds `Σ_MM − Σ_MO Σ_OO⁻¹ Σ_OM` for each row.
    fn expected_moments(&self, gaussian: &Gaussian) -> Result<Moments, usize> {
        let d = gaussian.mean.len();
        if self.absent.is_empty() {
            return Ok(Moments::of_rows(&self.rows, d));
        }
        let slopes = gaussian.slopes(&self.present, &self.absent)?;
        let mut filled = self.rows.clone();
        for row in filled.chunks_exact_mut(d) {
            for (k, &absent) in self.absent.iter().enumerate() {
                let terms = self
                    .present
                    .iter()
                    .enumerate()
                    .map(|(l, &j)| slopes[(l, k)] * (row[j] - gaussian.mean[j]));
                row[absent] = gaussian.mean[absent] + terms.sum::<f64>();
            }
        }
        let mut moments = Moments::of_rows(&filled, d);
        let rows = moments.rows() as f64;
        for (k, &i) in self.absent.iter().enumerate() {
            for &j in &self.absent {
                let explained =
                    self.present.iter().enumerate().map(|(l, &o)| slopes[(l, k)] * gaussian.covariance(o, j));
                moments.add_scatter(i, j, rows * (gaussian.covariance(i, j) - explained.sum::<f64>()));
            }
        }
        Ok(moments)
    }
}

impl Gaussian {
    /// Independent columns, to begin with.
    fn standard(d: usize) -> Self {
        let covariance = (0..d * d).map(|cell| f64::from(cell / d == cell % d)).collect();
        Self { mean: vec![0.0; d], covariance }
    }

    /// The maximisation step.
    fn of(moments: &Moments) -> Self {
        Self { mean: moments.mean().to_vec(), covariance: moments.covariance() }
    }

    fn covariance(&self, i: usize, j: usize) -> f64 {
        self.covariance[i * self.mean.len() + j]
    }

    /// `Σ_OO⁻¹ Σ_OM`: how each absent column follows from the present ones; or the column that follows from others.
    fn slopes(&self, present: &[usize], absent: &[usize]) -> Result<Mat<f64>, usize> {
        let among =
            Mat::from_fn(present.len(), present.len(), |i, j| self.covariance(present[i], present[j]));
        let between =
            Mat::from_fn(present.len(), absent.len(), |i, j| self.covariance(present[i], absent[j]));
        solve(among.as_ref(), &between).map_err(|column| present[column])
    }

    /// The largest difference of any mean or covariance.
    fn distance(&self, other: &Self) -> f64 {
        let means = self.mean.iter().zip(&other.mean);
        let covariances = self.covariance.iter().zip(&other.covariance);
        means.chain(covariances).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    }
}

/// Solves a positive definite system; or the first column that follows from those before it.
fn solve(matrix: MatRef<'_, f64>, right: &Mat<f64>) -> Result<Mat<f64>, usize> {
    let factor = matrix
        .llt(Side::Lower)
        .map_err(|LltError::NonPositivePivot { index }| index.min(matrix.nrows() - 1))?;
    match (0..matrix.nrows()).find(|&k| factor.L()[(k, k)].powi(2) < LEFT) {
        Some(column) => Err(column),
        None => Ok(factor.solve(right)),
    }
}

/// Back to the units of the table.
fn unscale(standard: &Moments, scales: &[Scale]) -> Moments {
    let d = scales.len();
    let mean =
        standard.mean().iter().zip(scales).map(|(mean, scale)| scale.mean + scale.deviation * mean).collect();
    let covariance: Vec<f64> = standard
        .covariance()
        .iter()
        .enumerate()
        .map(|(cell, value)| value * scales[cell / d].deviation * scales[cell % d].deviation)
        .collect();
    Moments::of_estimate(standard.rows(), mean, &covariance)
}

#[cfg(test)]
mod tests {
    use gflowcausal_determinism::with_threads;

    use super::*;

    const N: f64 = f64::NAN;

    fn gappy() -> Table {
        let a = [
            0.0, 0.3, -0.27, -0.89, -0.45, -0.99, 0.06, 1.34, -0.49, -0.62, 0.49, 0.36, 0.11, -0.93, N, 0.7,
            -1.34, -0.46, -1.9, -1.29, -1.84, -0.24, N, N, 0.16, N, -2.52, -0.54, N, 0.11, -1.53, -0.48,
            -0.98, -0.81, 1.06, -0.81, -0.03, 0.88, N, -0.11,
        ];
        let b = [
            0.11, 0.3, N, -0.64, 1.0, -2.34, 0.91, 1.19, N, 1.5, 1.15, -0.91, 0.16, -0.17, -0.21, 1.24,
            -1.14, N, -0.08, N, -1.27, N, -0.89, -0.97, N, -0.35, -1.11, N, -1.36, N, N, -2.37, N, N, 2.11,
            0.04, -0.35, 0.34, -0.72, 1.43,
        ];
        let c = [
            96.82, N, 91.82, 101.33, 112.52, 75.37, 108.36, 94.08, 106.23, 127.78, 106.4, 93.98, N, 118.15,
            98.12, 111.27, 89.11, N, 101.31, 75.47, 102.67, N, 105.45, N, 85.58, 92.17, 116.08, 117.46, 85.1,
            89.77, 116.55, 86.23, 86.99, 99.85, N, 97.96, 99.39, N, 108.39, 117.39,
        ];
        table([("a", &a), ("b", &b), ("c", &c)])
    }

    fn table<const D: usize>(columns: [(&str, &[f64]); D]) -> Table {
        Table::new(columns.map(|(name, values)| Column::continuous(name, values.to_vec())).into()).unwrap()
    }

    /// Values of this program (numpy 2.4, where `x` has the columns above):
    /// ```python
    /// mu, sigma = np.zeros(3), np.eye(3)
    /// for _ in range(20000):
    ///     total, second = np.zeros(3), np.zeros((3, 3))
    ///     for row in x:
    ///         m = np.isnan(row); o = ~m
    ///         filled, extra = row.copy(), np.zeros((3, 3))
    ///         if m.any():
    ///             beta = np.linalg.solve(sigma[np.ix_(o, o)], sigma[np.ix_(o, m)])
    ///             filled[m] = mu[m] + (row[o] - mu[o]) @ beta
    ///             extra[np.ix_(m, m)] = sigma[np.ix_(m, m)] - sigma[np.ix_(m, o)] @ beta
    ///         total += filled; second += np.outer(filled, filled) + extra
    ///     mu = total / len(x); sigma = second / len(x) - np.outer(mu, mu)
    /// ```
    #[test]
    fn the_estimate_is_that_of_another_program() {
        let estimate = Moments::of_incomplete(&gappy()).unwrap().moments;
        assert_eq!(estimate.rows(), 40);
        let mean = [-0.4530753849967665, -0.2286132985327995, 100.5106168996888];
        let covariance = [
            0.7074981242295376,
            0.4715895800201334,
            -0.6272139492194242,
            0.4715895800201334,
            1.2163898892667948,
            9.172078018955004,
            -0.6272139492194242,
            9.172078018955004,
            150.07105742128806,
        ];
        let mine = estimate.mean().iter().chain(&estimate.covariance()).copied().collect::<Vec<_>>();
        for (mine, theirs) in mine.iter().zip(mean.iter().chain(&covariance)) {
            assert!((mine - theirs).abs() < 1e-7 * theirs.abs(), "{mine} is not {theirs}");
        }
    }

    #[test]
    fn a_complete_table_gives_its_own_moments() {
        let complete = gappy().drop_incomplete().unwrap().0;
        assert_eq!(Moments::of_incomplete(&complete).unwrap().moments, Moments::of_table(&complete).unwrap());
    }

    /// One gap of a column that the others say nothing about changes that column's mean and variance alone.
    #[test]
    fn gaps_in_one_column_are_regressions_on_the_complete_ones() {
        let x = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        let y = [1.0, 1.5, 3.5, 3.0, N, N];
        let estimate = Moments::of_incomplete(&table([("x", &x), ("y", &y)])).unwrap().moments;
        let seen = Moments::of_columns(&[&x[..4], &y[..4]]);
        let slope = seen.scatter()[1] / seen.scatter()[0];
        let mean = seen.mean()[1] + slope * (3.5 - seen.mean()[0]);
        assert!((estimate.mean()[1] - mean).abs() < 1e-7, "the regression estimator of Anderson (1957)");
        assert!((estimate.covariance()[1] / estimate.covariance()[0] - slope).abs() < 1e-7);
    }

    #[test]
    fn threads_do_not_change_a_bit() {
        let estimate = |threads| with_threads(threads, || Moments::of_incomplete(&gappy()).unwrap());
        assert_eq!(estimate(1), estimate(3));
    }

    #[test]
    fn what_cannot_be_estimated_is_named() {
        let error = |table: &Table| Moments::of_incomplete(table).unwrap_err().to_string();
        assert_eq!(error(&table([("a", &[1.0, 2.0]), ("b", &[N, N])])), "column 'b' has no values at all");
        assert_eq!(
            error(&table([("a", &[1.0, 2.0, N, N]), ("b", &[N, N, 3.0, 4.0])])),
            "columns 'a' and 'b' never have a value in the same row, so nothing tells how they vary together"
        );
        assert_eq!(
            error(&table([("a", &[1.0, 1.0, N]), ("b", &[1.0, 2.0, 3.0])])),
            "column 'a' is constant or follows exactly from the others"
        );
        let sums = [[1.0, 2.0, 3.0, 5.0, 4.0], [0.5, 0.1, 0.7, 0.2, 0.9], [1.5, 2.1, 3.7, 5.2, 4.9]];
        let gap = [N, 1.0, 2.0, 1.5, 0.3];
        let collinear = table([("a", &sums[0]), ("b", &sums[1]), ("sum", &sums[2]), ("gap", &gap)]);
        assert_eq!(error(&collinear), "column 'sum' is constant or follows exactly from the others");
        assert_eq!(
            error(&table([("a", &[1.0, f64::INFINITY]), ("b", &[N, 1.0])])),
            "column 'a' has an infinite value in row 2"
        );
        let words = Table::new(vec![Column::categorical("w", vec![0], vec!["x".into()])]).unwrap();
        assert_eq!(error(&words), "column 'w' is categorical, but em needs numbers");
    }
}
