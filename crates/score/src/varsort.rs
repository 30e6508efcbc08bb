//! `varsort`: how well an order agrees with the sort by variance. A score of an order only.

use gflowcausal_data::Moments;
use gflowcausal_graph::Order;

use crate::order::OrderScore;
use crate::sortability::{agreement, log_deviations};
use crate::{Correlation, ScoreError};

/// What the order that is wrong about every pair is given.
const LEAST: f64 = 0.25;

/// The logarithm of the varsortability of an order's fully connected graph (the paper's eq. `varsor_r1`).
///
/// In the fully connected graph two variables `δ` positions apart are joined by a path of each length up to `δ`, so
/// the pair counts `δ` times: `ν = Σ δ·γ / Σ δ`, with `γ` 1 for a rise in variance, ½ for a tie, 0 for a fall. Its
/// maximum is *by definition* the sort by variance. The order that falls everywhere has `ν = 0`; it is given a quarter
/// of a path, half of what any other order has at least, so that its logarithm is finite.
#[derive(Debug, Clone, PartialEq)]
pub struct Varsort {
    log_deviation: Vec<f64>,
}

impl Varsort {
    /// The score of the rows behind `moments`.
    ///
    /// # Errors
    /// No rows, or a column without a finite variance.
    pub fn new(moments: &Moments) -> Result<Self, ScoreError> {
        Correlation::of_moments(moments)?;
        Ok(Self { log_deviation: log_deviations(moments) })
    }
}

impl OrderScore for Varsort {
    fn name(&self) -> &'static str {
        "varsort"
    }

    fn nodes(&self) -> usize {
        self.log_deviation.len()
    }

    /// `O(d²)`.
    fn score(&self, order: &Order) -> f64 {
        let sorted: Vec<f64> = order.iter().map(|node| self.log_deviation[node]).collect();
        let pairs = (0..sorted.len()).flat_map(|late| (0..late).map(move |early| (early, late)));
        let (mut right, mut all) = (0.0, 0.0);
        for (early, late) in pairs {
            let paths = (late - early) as f64;
            right += paths * agreement(sorted[early], sorted[late]);
            all += paths;
        }
        if all == 0.0 { 0.0 } else { (right.max(LEAST) / all).ln() }
    }
}
