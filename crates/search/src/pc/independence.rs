//! Tests of conditional independence: Fisher's z, G² and χ².

use gflowcausal_data::{Column, Moments, Table, Values};
use gflowcausal_score::{Correlation, ScoreError};
use statrs::function::erf::erfc;
use statrs::function::gamma::gamma_ur;

/// A test of whether two variables are independent given others.
pub trait IndependenceTest: Send + Sync {
    /// How many variables there are.
    fn nodes(&self) -> usize;

    /// The p-value of independence of the pair given `given`: large values say independent.
    fn p_value(&self, pair: [usize; 2], given: &[usize]) -> f64;
}

/// Data that a test cannot be made of.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TestError {
    /// A column of numbers where categories are needed.
    #[error("column '{0}' holds numbers: the test is for categories")]
    NotCategorical(String),
    /// A column with missing cells.
    #[error("column '{0}' has missing cells")]
    MissingCells(String),
}

/// Fisher's z: the partial correlation, on the scale on which it is nearly normal with variance `1/(n − k − 3)`.
#[derive(Debug, Clone)]
pub struct FisherZ {
    correlation: Correlation,
    rows: f64,
}

impl FisherZ {
    /// The test of the rows behind `moments`.
    ///
    /// # Errors
    /// No rows, or a column without a finite variance.
    pub fn new(moments: &Moments) -> Result<Self, ScoreError> {
        Ok(Self { correlation: Correlation::of_moments(moments)?, rows: moments.rows() as f64 })
    }
}

impl IndependenceTest for FisherZ {
    fn nodes(&self) -> usize {
        self.correlation.nodes()
    }

    /// `2 (1 − Φ(√(n − k − 3) · |artanh r|))`; 1 when there are too few rows to tell.
    fn p_value(&self, pair: [usize; 2], given: &[usize]) -> f64 {
        let df = self.rows - given.len() as f64 - 3.0;
        if df <= 0.0 {
            return 1.0;
        }
        let z = df.sqrt() * self.correlation.partial(pair, given).atanh().abs();
        erfc(z / std::f64::consts::SQRT_2)
    }
}

/// `G²` or Pearson's `χ²` of the contingency tables, one for each configuration of what is given.
#[derive(Debug, Clone)]
pub struct CategoryTest {
    columns: Vec<Coded>,
    rows: usize,
    is_likelihood_ratio: bool,
}

#[derive(Debug, Clone)]
struct Coded {
    codes: Vec<u32>,
    levels: usize,
}

impl CategoryTest {
    /// `G²`: twice the logarithm of the likelihood ratio.
    ///
    /// # Errors
    /// A column that is not categorical or misses a cell.
    pub fn g_square(table: &Table) -> Result<Self, TestError> {
        Self::new(table, true)
    }

    /// Pearson's `χ²`.
    ///
    /// # Errors
    /// A column that is not categorical or misses a cell.
    pub fn chi_square(table: &Table) -> Result<Self, TestError> {
        Self::new(table, false)
    }

    fn new(table: &Table, is_likelihood_ratio: bool) -> Result<Self, TestError> {
        let columns = table.columns().iter().map(coded).collect::<Result<_, _>>()?;
        Ok(Self { columns, rows: table.rows(), is_likelihood_ratio })
    }

    /// For each row the number of its configuration of `given`, and how many configurations occur.
    fn strata(&self, given: &[usize]) -> (Vec<usize>, usize) {
        let mut strata = vec![0; self.rows];
        let mut count = 1;
        for &column in given {
            let Coded { codes, levels } = &self.columns[column];
            for (stratum, &code) in strata.iter_mut().zip(codes) {
                *stratum = *stratum * levels + code as usize;
            }
            count = close_up(&mut strata, count * levels);
        }
        (strata, count)
    }
}

/// Gives the numbers below `bound` that occur consecutive ones; says how many there are.
fn close_up(numbers: &mut [usize], bound: usize) -> usize {
    let mut fresh = vec![0; bound];
    numbers.iter().for_each(|&number| fresh[number] = 1);
    let mut count = 0;
    for entry in &mut fresh {
        count += *entry;
        *entry = count;
    }
    numbers.iter_mut().for_each(|number| *number = fresh[*number] - 1);
    count
}

fn coded(column: &Column) -> Result<Coded, TestError> {
    let Values::Categorical { codes, levels } = &column.values else {
        return Err(TestError::NotCategorical(column.name.clone()));
    };
    if column.values.missing() > 0 {
        return Err(TestError::MissingCells(column.name.clone()));
    }
    Ok(Coded { codes: codes.clone(), levels: levels.len().max(1) })
}

impl IndependenceTest for CategoryTest {
    fn nodes(&self) -> usize {
        self.columns.len()
    }

    /// The statistic summed over the configurations that occur, against `Σ (rows − 1)(columns − 1)` degrees of freedom,
    /// where rows and columns without a count are left out; 1 without any degree of freedom or where every count is as expected.
    fn p_value(&self, [a, b]: [usize; 2], given: &[usize]) -> f64 {
        let (strata, count) = self.strata(given);
        let (first, second) = (&self.columns[a], &self.columns[b]);
        let size = first.levels * second.levels;
        let mut counts = vec![0_u32; count * size];
        for ((stratum, &x), &y) in strata.iter().zip(&first.codes).zip(&second.codes) {
            counts[stratum * size + x as usize * second.levels + y as usize] += 1;
        }
        let tables = counts.chunks_exact(size).map(|table| self.statistic(table, second.levels));
        let (statistic, df) = tables.fold((0.0, 0), |all, one| (all.0 + one.0, all.1 + one.1));
        // Rounding leaves a little less than nothing; the function refuses zero.
        if df == 0 || statistic <= 0.0 { 1.0 } else { gamma_ur(df as f64 / 2.0, statistic / 2.0) }
    }
}

impl CategoryTest {
    /// The statistic of one table and its degrees of freedom.
    fn statistic(&self, table: &[u32], width: usize) -> (f64, usize) {
        let lines: Vec<f64> = table.chunks_exact(width).map(|row| row.iter().sum::<u32>().into()).collect();
        let columns: Vec<f64> =
            (0..width).map(|at| table.iter().skip(at).step_by(width).sum::<u32>().into()).collect();
        let total: f64 = lines.iter().sum();
        let mut statistic = 0.0;
        for (row, line) in table.chunks_exact(width).zip(&lines) {
            for (&count, column) in row.iter().zip(&columns) {
                statistic += self.cell(count.into(), line * column / total);
            }
        }
        let used = |sums: &[f64]| sums.iter().filter(|&&sum| sum > 0.0).count() - 1;
        (statistic, used(&lines) * used(&columns))
    }

    fn cell(&self, count: f64, expected: f64) -> f64 {
        match self.is_likelihood_ratio {
            _ if expected == 0.0 => 0.0,
            true if count == 0.0 => 0.0,
            true => 2.0 * count * (count / expected).ln(),
            false => (count - expected).powi(2) / expected,
        }
    }
}
