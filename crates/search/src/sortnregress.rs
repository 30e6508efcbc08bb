//! The orders of sortnregress (by variance), R²-sortnregress and equal-variance top-down search.

use gflowcausal_data::Moments;
use gflowcausal_graph::{Constraints, NodeSet, Order};
use gflowcausal_score::{Correlation, ScoreError, coefficients_of_determination};

use crate::constrained_order::grown_order;

/// A variance below this share of the first one is rounding.
const RESOLUTION: f64 = 1e-12;

/// The variables by variance, smallest first (sortnregress; Reisach, Seiler and Weichwald 2021).
///
/// # Panics
/// If `constraints` have another number of variables.
#[must_use]
pub fn variance_order(moments: &Moments, constraints: &Constraints) -> Order {
    let d = moments.columns();
    let covariance = moments.covariance();
    let variances: Vec<f64> = (0..d).map(|node| covariance[node * d + node]).collect();
    sorted(&variances, constraints)
}

/// The variables by the share of their variance that all others explain, smallest first (R²-sortnregress; Reisach et
/// al. 2023). Costs `O(d³)`.
///
/// # Errors
/// No rows, or a column without a finite variance.
pub fn r2_order(moments: &Moments, constraints: &Constraints) -> Result<Order, ScoreError> {
    let explained = coefficients_of_determination(&Correlation::of_moments(moments)?);
    Ok(sorted(&explained, constraints))
}

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

/// The order in which, of those that may follow, the one with the smallest `key` does.
fn sorted(keys: &[f64], constraints: &Constraints) -> Order {
    grown_order(constraints, |_, next| smallest(next, |node| keys[node]))
}

fn smallest(next: &NodeSet, key: impl Fn(usize) -> f64) -> usize {
    let by_key = |a: &usize, b: &usize| key(*a).total_cmp(&key(*b));
    next.iter().min_by(by_key).expect("one of those that may follow")
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
