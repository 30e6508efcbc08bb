//! The orders of sortnregress (by variance) and R²-sortnregress.

use gflowcausal_data::Moments;
use gflowcausal_graph::{Constraints, Order};
use gflowcausal_score::{Correlation, ScoreError, coefficients_of_determination};

use crate::constrained_order::{grown_order, smallest};

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

/// The order in which, of those that may follow, the one with the smallest `key` does.
fn sorted(keys: &[f64], constraints: &Constraints) -> Order {
    grown_order(constraints, |_, next| smallest(next, |node| keys[node]))
}
