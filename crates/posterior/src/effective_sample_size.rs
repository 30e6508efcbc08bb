//! The effective sample size of weighted draws; that of chains follows from their Monte Carlo errors (`chains/diagnostics.rs`).

use crate::importance::GraphSample;

/// Kish: `(Σ w)² / Σ w²` over single draws.
pub(crate) fn effective_sample_size(draws: &[GraphSample], shares: &[f64]) -> f64 {
    let squares: f64 =
        draws.iter().zip(shares).map(|(draw, share)| share * share / f64::from(draw.count)).sum();
    if squares > 0.0 { 1.0 / squares } else { 0.0 }
}
