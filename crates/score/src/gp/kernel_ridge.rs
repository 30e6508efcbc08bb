//! Kernel ridge regression as in CORL: the residual of a smoother with a fixed ridge.

use faer::linalg::solvers::Solve;
use faer::{Mat, Side};
use gflowcausal_data::Table;
use gflowcausal_graph::NodeSet;

use super::ROOM;
use super::distance::median;
use crate::shared_terms::SharedTerms;
use crate::standard_columns::StandardColumns;
use crate::{LocalScore, Penalty, ScoreError};

/// The most rows that are used: more are thinned to this many, evenly spaced.
///
/// A factorisation costs `n³/3`; a thousand rows is what the published methods were measured on. The score is then
/// that of the rows kept, not scaled up.
const MAX_ROWS: usize = 1000;

/// What CORL adds to a mean squared residual before it takes the logarithm.
const FLOOR: f64 = 1e-8;

/// `−(n/2) ln(RSS/n + 10⁻⁸) − (k/2)·penalty`, with the residual of `ŷ = K(K + I)⁻¹y`.
///
/// `K = exp(−d²/(2·median d²))` over the pairs of rows, on standardised columns: CORL's Gaussian process. It shrinks
/// as much for strong as for weak signals; [`GpMarginal`](crate::GpMarginal) is the default for that reason. More
/// than a thousand rows are thinned to a thousand.
#[derive(Debug)]
pub struct KernelRidge {
    data: StandardColumns,
    responses: Mat<f64>,
    penalty_per_parent: f64,
    shared: SharedTerms,
}

impl KernelRidge {
    /// The score of a table of complete real columns.
    ///
    /// # Errors
    /// No rows, a column that is not real or misses a cell, or a penalty below zero.
    pub fn new(table: &Table, penalty: Penalty) -> Result<Self, ScoreError> {
        let data = StandardColumns::thinned(table, MAX_ROWS)?;
        let penalty_per_parent = penalty.per_parent(data.rows as u64, data.nodes())?;
        let shared = SharedTerms::with_room_for(ROOM, data.nodes());
        let responses = Mat::from_fn(data.rows, data.nodes(), |row, column| data.columns[column][row]);
        Ok(Self { responses, data, penalty_per_parent, shared })
    }

    /// What is left of every variable when it is regressed on `parents`: `y − K(K + I)⁻¹y = (K + I)⁻¹y`.
    ///
    /// `None` when all rows are equal.
    fn residuals(&self, parents: &NodeSet) -> Option<Mat<f64>> {
        let columns: Vec<&[f64]> =
            parents.iter().map(|parent| self.data.columns[parent].as_slice()).collect();
        let mut kernel = squared_distances(&columns, self.data.rows);
        let mut pairs: Vec<f64> =
            (0..self.data.rows).flat_map(|j| lower_of(&mut kernel, j)[1..].to_vec()).collect();
        let scale = -0.5 / median(&mut pairs)?;
        for j in 0..self.data.rows {
            let below = lower_of(&mut kernel, j);
            below.iter_mut().for_each(|value| *value = (*value * scale).exp());
            below[0] += 1.0;
        }
        Some(kernel.llt(Side::Lower).ok()?.solve(&self.responses))
    }

    fn terms(&self, parents: &NodeSet) -> Vec<f64> {
        let residuals = self.residuals(parents);
        let residuals = residuals.as_ref().unwrap_or(&self.responses);
        let (rows, penalty) = (self.data.rows as f64, parents.len() as f64 * self.penalty_per_parent);
        let term = |squares: f64| -0.5 * (rows * (squares / rows + FLOOR).ln() + penalty);
        (0..self.data.nodes()).map(|node| term(residuals.col(node).squared_norm_l2())).collect()
    }
}

/// Between all rows, in the lower triangle: `O(n² p)`.
fn squared_distances(columns: &[&[f64]], rows: usize) -> Mat<f64> {
    let mut squared = Mat::zeros(rows, rows);
    for column in columns {
        for (j, &x) in column.iter().enumerate() {
            let below = lower_of(&mut squared, j).iter_mut().zip(&column[j..]);
            below.for_each(|(sum, other)| *sum += (other - x) * (other - x));
        }
    }
    squared
}

/// The part of column `j` from the diagonal down.
fn lower_of(matrix: &mut Mat<f64>, j: usize) -> &mut [f64] {
    &mut matrix.col_as_slice_mut(j)[j..]
}

impl LocalScore for KernelRidge {
    fn name(&self) -> &'static str {
        "gp"
    }

    fn nodes(&self) -> usize {
        self.data.nodes()
    }

    fn local(&self, node: usize, parents: &NodeSet) -> f64 {
        self.shared.term(node, parents, || self.terms(parents))
    }
}
