//! `bdeu`: the marginal likelihood of a discrete network under a Dirichlet prior spread evenly over the cells.

use gflowcausal_data::{Table, Values};
use gflowcausal_graph::NodeSet;
use statrs::function::gamma::ln_gamma;

use crate::{LocalScore, ScoreError};

/// The largest equivalent sample size: beyond it the prior drowns any table and its logarithms lose their digits.
const LARGEST_SAMPLE_SIZE: f64 = 1e6;

/// The Bayesian Dirichlet equivalent uniform score (Buntine 1991; Heckerman, Geiger and Chickering 1995).
///
/// With `q` configurations of the parents, `r` levels of the variable and the equivalent sample size `α`:
/// `Σ_j ln Γ(α/q)/Γ(α/q + N_j) + Σ_jk ln Γ(α/qr + N_jk)/Γ(α/qr)`. A cell without rows adds nothing, so only
/// configurations that occur are counted: the cost is `O(n·k)` for `k` parents, whatever `q` is.
#[derive(Debug, Clone, PartialEq)]
pub struct Bdeu {
    columns: Vec<Coded>,
    rows: usize,
    log_sample_size: f64,
}

/// One variable: a category number for each row, below `levels`.
#[derive(Debug, Clone, PartialEq)]
struct Coded {
    codes: Vec<u32>,
    levels: usize,
}

impl Coded {
    fn log_levels(&self) -> f64 {
        (self.levels.max(1) as f64).ln()
    }
}

impl Bdeu {
    /// The equivalent sample size unless another is asked for: the prior counts as one row.
    ///
    /// Larger values favour more parents.
    pub const SAMPLE_SIZE: f64 = 1.0;

    /// The score of a table of complete categorical columns, with a prior that counts as `sample_size` rows.
    ///
    /// # Errors
    /// No rows, a column that is not categorical or misses a cell, or a sample size outside `(0, 10⁶]`.
    pub fn new(table: &Table, sample_size: f64) -> Result<Self, ScoreError> {
        if table.rows() == 0 {
            return Err(ScoreError::NoRows);
        }
        if !(sample_size > 0.0 && sample_size <= LARGEST_SAMPLE_SIZE) {
            return Err(ScoreError::SampleSize(sample_size));
        }
        let columns = table.columns().iter().map(coded).collect::<Result<_, _>>()?;
        Ok(Self { columns, rows: table.rows(), log_sample_size: sample_size.ln() })
    }
}

fn coded(column: &gflowcausal_data::Column) -> Result<Coded, ScoreError> {
    let Values::Categorical { codes, levels } = &column.values else {
        return Err(ScoreError::NotCategorical { column: column.name.clone() });
    };
    if column.values.missing() > 0 {
        return Err(ScoreError::MissingCells { column: column.name.clone(), cells: column.values.missing() });
    }
    Ok(Coded { codes: codes.clone(), levels: levels.len() })
}

impl LocalScore for Bdeu {
    fn name(&self) -> &'static str {
        "bdeu"
    }

    fn nodes(&self) -> usize {
        self.columns.len()
    }

    fn local(&self, node: usize, parents: &NodeSet) -> f64 {
        let mut cells = Cells::of_rows(self.rows);
        let mut log_alpha = self.log_sample_size;
        for parent in parents.iter() {
            cells.split_by(&self.columns[parent]);
            log_alpha -= self.columns[parent].log_levels();
        }
        let configurations = log_rising_sum(&cells.counts(), log_alpha);
        cells.split_by(&self.columns[node]);
        log_rising_sum(&cells.counts(), log_alpha - self.columns[node].log_levels()) - configurations
    }

    fn is_score_equivalent(&self) -> bool {
        true
    }
}

/// `Σ ln Γ(α + N)/Γ(α)` over the counts, which are at least 1.
///
/// Written as `ln α + ln Γ(α + N) − ln Γ(α + 1)`, so that `α` may be too small to be represented.
fn log_rising_sum(counts: &[u32], log_alpha: f64) -> f64 {
    let alpha = log_alpha.exp();
    let first = log_alpha - ln_gamma(alpha + 1.0);
    counts.iter().map(|&count| first + ln_gamma(alpha + f64::from(count))).sum()
}

/// The rows, sorted into numbered cells that get finer with each variable.
struct Cells {
    /// The cell of each row.
    keys: Vec<u64>,
    /// Above every key.
    bound: u64,
}

impl Cells {
    /// All rows in one cell.
    fn of_rows(rows: usize) -> Self {
        Self { keys: vec![0; rows], bound: 1 }
    }

    /// The largest number of cells for which an array of counts is cheaper than sorting.
    fn dense_limit(&self) -> u64 {
        4 * (self.keys.len() as u64).max(256)
    }

    /// Splits every cell by the levels of `column`. Cells that nobody is in are closed up before their numbers grow
    /// past the limit, so a number stays below rows times levels.
    fn split_by(&mut self, column: &Coded) {
        let levels = column.levels.max(1) as u64;
        if self.bound.saturating_mul(levels) > self.dense_limit() {
            self.renumber();
        }
        self.bound *= levels;
        for (key, &code) in self.keys.iter_mut().zip(&column.codes) {
            *key = *key * levels + u64::from(code);
        }
    }

    /// Gives the cells that occur consecutive numbers, in the same order.
    fn renumber(&mut self) {
        let mut used = self.keys.clone();
        used.sort_unstable();
        used.dedup();
        for key in &mut self.keys {
            *key = used.partition_point(|other| other < key) as u64;
        }
        self.bound = used.len() as u64;
    }

    /// How many rows are in each cell that has any, in the order of the cells.
    fn counts(&mut self) -> Vec<u32> {
        if self.bound > self.dense_limit() {
            self.renumber();
        }
        let mut counts = vec![0; self.bound as usize];
        for &key in &self.keys {
            counts[key as usize] += 1;
        }
        counts.retain(|&count| count > 0);
        counts
    }
}
