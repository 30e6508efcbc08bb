//! Kernel ridge regression as in CORL: the residual of a smoother with a fixed ridge.

use faer::Mat;
use gflowcausal_data::Table;
use gflowcausal_graph::NodeSet;

use super::kernel::Distances;
use super::{MAX_ROWS, ROOM, matrix_of};
use crate::shared::SharedTerms;
use crate::standard::StandardColumns;
use crate::{LocalScore, Penalty, ScoreError};

/// What CORL adds to a mean squared residual before it takes the logarithm.
const FLOOR: f64 = 1e-8;

/// `−(n/2) ln(RSS/n + 10⁻⁸) − (k/2)·price`, with the residual of `ŷ = K(K + I)⁻¹y`.
///
/// `K = exp(−d²/(2·median d²))` over the pairs of rows, on standardised columns: CORL's Gaussian process. It shrinks
/// as much for strong as for weak signals; [`GpMarginal`](crate::GpMarginal) is the default for that reason. More
/// than a thousand rows are thinned to a thousand.
#[derive(Debug)]
pub struct KernelRidge {
    data: StandardColumns,
    responses: Mat<f64>,
    price: f64,
    shared: SharedTerms,
}

impl KernelRidge {
    /// The score of a table of complete real columns.
    ///
    /// # Errors
    /// No rows, a column that is not real or misses a cell, or a penalty below zero.
    pub fn new(table: &Table, penalty: Penalty) -> Result<Self, ScoreError> {
        let data = StandardColumns::thinned(table, MAX_ROWS)?;
        let price = penalty.price(data.rows as u64, data.nodes())?;
        let shared = SharedTerms::with_room_for(ROOM, data.nodes());
        Ok(Self { responses: matrix_of(&data), data, price, shared })
    }

    /// What is left of every variable when it is regressed on `parents`: `y − K(K + I)⁻¹y = (K + I)⁻¹y`.
    fn residuals(&self, parents: &NodeSet) -> Option<Mat<f64>> {
        let columns: Vec<&[f64]> =
            parents.iter().map(|parent| self.data.columns[parent].as_slice()).collect();
        let mut kernel = Distances::between(&columns, self.data.rows)?.kernel();
        Some(kernel.factor(1.0)?.solve(&self.responses))
    }

    fn terms(&self, parents: &NodeSet) -> Vec<f64> {
        let residuals = self.residuals(parents);
        let residuals = residuals.as_ref().unwrap_or(&self.responses);
        let (rows, price) = (self.data.rows as f64, parents.len() as f64 * self.price);
        let term = |squares: f64| -0.5 * (rows * (squares / rows + FLOOR).ln() + price);
        (0..self.data.nodes()).map(|node| term(residuals.col(node).squared_norm_l2())).collect()
    }
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
