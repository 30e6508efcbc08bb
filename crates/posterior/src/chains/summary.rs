//! What a run of chains says: edge probabilities, and how far they can be trusted.

use super::diagnostics::{Groups, median};
use super::record::Record;
use super::{ChainsConfig, Target};

/// An edge is settled when its probability is within this of 0 or 1; effective sizes are those of the others.
const SETTLED: f64 = 0.01;

/// Into how many parts a start is cut for its effective size.
const PARTS: usize = 8;

/// Edge probabilities of all starts and their agreement.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// The probability of each edge, row causes column.
    pub edge_probabilities: Vec<f64>,
    /// The same from each start alone.
    pub by_start: Vec<Vec<f64>>,
    /// The largest potential scale reduction factor of an edge, from the halves of all starts.
    pub largest_r_hat: f64,
    /// The mean potential scale reduction factor of the edges that are not settled.
    pub mean_r_hat: f64,
    /// The smallest effective sample size of an edge that is not settled.
    pub smallest_ess: f64,
    /// Their median effective sample size.
    pub median_ess: f64,
    /// The largest Monte Carlo standard error of an edge probability.
    pub largest_error: f64,
    /// The mean Monte Carlo standard error over all pairs.
    pub mean_error: f64,
}

/// Means over what was recorded after the burn-in.
pub(super) fn summarize(target: &Target<'_>, records: &[&Record], config: &ChainsConfig) -> Summary {
    let used: Vec<_> = records.iter().map(|record| record.used(config.burn_in)).collect();
    let halves = Groups::new(&used, 2);
    let parts = Groups::new(&used, PARTS);
    let starts = Groups::new(&used, 1);
    let nodes = target.nodes();
    let samples = starts.samples();

    let mut by_start = vec![vec![0.0; nodes * nodes]; used.len()];
    let mut edge_probabilities = vec![0.0; nodes * nodes];
    let (mut largest_r_hat, mut largest_error, mut total_error) = (1.0_f64, 0.0_f64, 0.0);
    let (mut r_hats, mut sizes) = (Vec::new(), Vec::new());
    for (index, edge) in target.edges().enumerate() {
        let cell = edge.from * nodes + edge.to;
        let means = starts.means(index);
        let probability = means.iter().sum::<f64>() / means.len() as f64;
        by_start.iter_mut().zip(&means).for_each(|(matrix, &mean)| matrix[cell] = mean);
        edge_probabilities[cell] = probability;

        let r_hat = halves.r_hat(index);
        let error = parts.standard_error(index);
        largest_r_hat = largest_r_hat.max(r_hat);
        largest_error = largest_error.max(error);
        total_error += error;
        if (SETTLED..=1.0 - SETTLED).contains(&probability) {
            r_hats.push(r_hat);
            sizes.push(probability * (1.0 - probability) / (error * error).max(f64::MIN_POSITIVE));
        }
    }
    let smallest_ess = sizes.iter().copied().fold(f64::INFINITY, f64::min);
    Summary {
        edge_probabilities,
        by_start,
        largest_r_hat,
        mean_r_hat: if r_hats.is_empty() { 1.0 } else { r_hats.iter().sum::<f64>() / r_hats.len() as f64 },
        smallest_ess: smallest_ess.min(samples),
        median_ess: median(&mut sizes).unwrap_or(samples).min(samples),
        largest_error,
        mean_error: total_error / (nodes * nodes.saturating_sub(1)).max(1) as f64,
    }
}
