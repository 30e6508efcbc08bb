//! Pruning by additive models: `cam`.

use faer::{Mat, Side};
use gflowcausal_data::Table;
use gflowcausal_graph::NodeSet;
use statrs::function::beta::beta_reg;

use super::Prune;
use crate::ScoreError;
use crate::regress::{AdditiveFit, AdditiveProblem, SplineBasis};
use crate::spline::{KNOTS, MAX_ROWS};
use crate::standard_columns::StandardColumns;

/// `cam`: the smooth function of the parent is significant in the additive model of all candidates.
///
/// As in the causal additive models of Bühlmann, Peters and Ernest (2014), but with natural cubic splines smoothed by
/// restricted likelihood. A spline has 10 knots, or `⌈n/3p⌉` (at least 3) when there are fewer than 30 rows for each of `p` candidates. More
/// than ten thousand rows are thinned to ten thousand.
#[derive(Debug)]
pub struct Cam {
    data: StandardColumns,
    alpha: f64,
}

impl Cam {
    /// The p-value that a parent must stay below unless another is asked for.
    pub const ALPHA: f64 = 0.001;

    /// The most rows that are used unless something else is asked for: more are thinned to this many, evenly spaced.
    pub const MAX_ROWS: usize = MAX_ROWS;

    /// The test on the rows of a table of complete real columns, at level `alpha`.
    ///
    /// # Errors
    /// No rows, or a column that is not real or misses a cell.
    pub fn new(table: &Table, alpha: f64) -> Result<Self, ScoreError> {
        Self::of_rows(table, alpha, Self::MAX_ROWS)
    }

    /// The same on at most `max_rows` rows, evenly spaced.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn of_rows(table: &Table, alpha: f64, max_rows: usize) -> Result<Self, ScoreError> {
        Ok(Self { data: StandardColumns::thinned(table, max_rows)?, alpha })
    }

    /// The p-value of the smooth function of each candidate, in ascending order of the candidates; 1 when there are
    /// too few rows to tell.
    #[must_use]
    pub fn p_values(&self, node: usize, candidates: &NodeSet) -> Vec<f64> {
        let size = knots(self.data.rows, candidates.len());
        let bases = candidates.iter().map(|parent| SplineBasis::new(&self.data.columns[parent], size));
        let (varying, bases): (Vec<usize>, Vec<SplineBasis>) =
            bases.enumerate().filter(|(_, basis)| basis.len() > 0).unzip();
        let mut p_values = vec![1.0; candidates.len()];
        let problem = AdditiveProblem::new(&bases, &self.data.columns[node]);
        if let Some(fit) = problem.fit() {
            varying.iter().enumerate().for_each(|(block, &at)| p_values[at] = p_value(&problem, &fit, block));
        }
        p_values
    }
}

/// The published rule for the size of a spline.
fn knots(rows: usize, candidates: usize) -> usize {
    if rows < 30 * candidates { rows.div_ceil(3 * candidates).clamp(3, KNOTS) } else { KNOTS }
}

impl Prune for Cam {
    fn keep(&self, node: usize, candidates: &NodeSet) -> Vec<usize> {
        let mut tested: Vec<(f64, usize)> =
            self.p_values(node, candidates).into_iter().zip(candidates.iter()).collect();
        tested.retain(|&(p_value, _)| p_value < self.alpha);
        tested.sort_by(|(p, i), (q, j)| p.total_cmp(q).then(i.cmp(j)));
        tested.into_iter().map(|(_, parent)| parent).collect()
    }
}

/// Whether one smooth function is zero: the test of Wood (2013).
///
/// Its Wald statistic uses as many directions of the posterior covariance, the widest first, as the function has
/// effective degrees of freedom, rounded; it is compared with Fisher's F.
fn p_value(problem: &AdditiveProblem, fit: &AdditiveFit, block: usize) -> f64 {
    let left = problem.rows as f64 - 1.0 - fit.edf;
    let directions = posterior_directions(problem, fit, block);
    if left < 1.0 || directions.is_empty() {
        return 1.0;
    }
    let rank = (reference_edf(problem, fit, block).round().max(1.0) as usize).min(directions.len());
    let noise = fit.residual / left;
    let wald: f64 = directions[..rank].iter().map(|(along, variance)| along * along / variance / noise).sum();
    let (rank, share) = (rank as f64, left / (left + wald));
    if wald > 0.0 { beta_reg(0.5 * left, 0.5 * rank, share) } else { 1.0 }
}

/// For each principal direction of the block's posterior covariance, the widest first: the coefficient along it and
/// its variance in units of the noise.
fn posterior_directions(problem: &AdditiveProblem, fit: &AdditiveFit, block: usize) -> Vec<(f64, f64)> {
    let (range, size) = (problem.blocks[block].clone(), problem.roughness.len());
    let entry = |i: usize, j: usize| fit.inverse[(range.start + i) * size + range.start + j];
    let covariance = Mat::from_fn(range.len(), range.len(), entry);
    let Ok(eigen) = covariance.self_adjoint_eigen(Side::Lower) else { return Vec::new() };
    let coefficients = &fit.coefficients[range.clone()];
    let along = |j: usize| eigen.U().col(j).iter().zip(coefficients).map(|(u, b)| u * b).sum();
    let widest = (0..range.len()).rev().map(|j| (along(j), eigen.S()[j]));
    widest.filter(|&(_, variance)| variance > 0.0).collect()
}

/// The degrees of freedom of a smooth function for testing: `2 tr(F) − tr(FF)` over the block, `F` the matrix that
/// shrinks the coefficients (Wood 2017, section 6.1.2).
fn reference_edf(problem: &AdditiveProblem, fit: &AdditiveFit, block: usize) -> f64 {
    let size = problem.roughness.len();
    let shrinkage = |a: usize, b: usize| fit.inverse[a * size + b] * fit.penalty[b];
    let squared = |a: usize| (0..size).map(|b| shrinkage(a, b) * shrinkage(b, a)).sum::<f64>();
    problem.blocks[block].clone().map(|a| 1.0 - squared(a)).sum()
}
