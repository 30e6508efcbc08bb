//! Equal-variance top-down search: the order of linear models whose noise variances are all the same.

use gflowcausal_data::Moments;
use gflowcausal_graph::{Constraints, Order};

use crate::constrained_order::{grown_order, smallest};

/// A variance below this share of the first one is rounding.
const RESOLUTION: f64 = 1e-12;

/// Each next variable the one whose variance given those before it is smallest (Chen, Drton and Wang 2019).
///
/// Finds an order of the true graph when effects are linear and all noise variances are equal. After placing `k`,
/// `C ← C − C[:,k] C[k,:] / C[k,k]` leaves `Var(j | placed)` on the diagonal. Costs `O(d³)`.
#[must_use]
pub fn equal_variance_order(moments: &Moments, constraints: &Constraints) -> Order {
    let mut left = Residuals::new(moments);
    grown_order(constraints, |placed, next| {
        if let Some(&last) = placed.last() {
            left.eliminate(last);
        }
        smallest(next, |node| left.variance(node))
    })
}

/// What the variables placed so far leave of all covariances.
struct Residuals {
    nodes: usize,
    matrix: Vec<f64>,
    first: Vec<f64>,
}

impl Residuals {
    fn new(moments: &Moments) -> Self {
        let nodes = moments.columns();
        let matrix = moments.covariance();
        let first = (0..nodes).map(|node| matrix[node * nodes + node]).collect();
        Self { nodes, matrix, first }
    }

    fn variance(&self, node: usize) -> f64 {
        self.matrix[node * self.nodes + node]
    }

    /// Takes what `pivot` explains off everything; a linear function of those before it explains nothing.
    fn eliminate(&mut self, pivot: usize) {
        let variance = self.variance(pivot);
        if variance <= RESOLUTION * self.first[pivot] {
            return;
        }
        let row: Vec<f64> = self.matrix[pivot * self.nodes..][..self.nodes].to_vec();
        for (node, entries) in self.matrix.chunks_exact_mut(self.nodes).enumerate() {
            let slope = row[node] / variance;
            entries.iter_mut().zip(&row).for_each(|(entry, shared)| *entry -= slope * shared);
        }
    }
}
