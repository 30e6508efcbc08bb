//! The effective sample size of weighted draws; that of chains follows from their Monte Carlo errors (`chains/diagnostics.rs`).

use gflowcausal_determinism::log_sum_exp;

use crate::importance::GraphSample;

/// Kish: `(Σ w)² / Σ w²` over single draws.
pub(crate) fn effective_sample_size(draws: &[GraphSample], shares: &[f64]) -> f64 {
    let squares: f64 =
        draws.iter().zip(shares).map(|(draw, share)| share * share / f64::from(draw.count)).sum();
    if squares > 0.0 { 1.0 / squares } else { 0.0 }
}

/// Kish's effective sample size of draws with these log-weights.
#[must_use]
pub fn effective_sample_size_of(log_weights: &[f64]) -> f64 {
    let total = log_sum_exp(log_weights.iter().copied());
    let squares = log_sum_exp(log_weights.iter().map(|log_weight| 2.0 * log_weight));
    if total.is_finite() { (2.0 * total - squares).exp() } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::effective_sample_size_of;

    #[test]
    fn one_heavy_draw_counts_alone() {
        assert!((effective_sample_size_of(&[700.0; 5]) - 5.0).abs() < 1e-9);
        assert!((effective_sample_size_of(&[-900.0, -2000.0, -3000.0]) - 1.0).abs() < 1e-9);
        assert!((effective_sample_size_of(&[0.0, 2_f64.ln()]) - 9.0 / 5.0).abs() < 1e-12);
        assert_eq!(effective_sample_size_of(&[]), 0.0);
    }
}
