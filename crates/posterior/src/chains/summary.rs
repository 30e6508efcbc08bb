//! What a run of chains says: edge probabilities, and how far they can be trusted.

use super::diagnostics::{Groups, median};
use super::record::Record;
use super::{ChainsConfig, Target};

/// An edge is uncertain from this probability on, up to one minus it: effective sizes are those of such edges.
const UNCERTAIN_FROM: f64 = 0.01;

/// An edge below this is hardly ever there: its R-hat is 1 up to this share, and its standard error no larger than its
/// probability. With a thousand variables nearly all edges are such.
const NEVER: f64 = 1e-6;

/// Into how many parts a start is cut for its effective size.
const PARTS: usize = 8;

/// A start is left out if all layerings there are, each as likely as the likeliest it has seen, would have less than this
/// share of the mass, as a logarithm.
const NEGLIGIBLE: f64 = -7.0;

/// R-hat is infinite where starts never leave different graphs; this is reported instead.
const LARGEST_R_HAT: f64 = 1000.0;

/// Edge probabilities of all starts and their agreement.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// The probability of each edge, row causes column.
    pub edge_probabilities: Vec<f64>,
    /// The same from each start that is used.
    pub by_start: Vec<Vec<f64>>,
    /// How many starts have seen no layering that could matter, and are not used.
    pub left_out: usize,
    /// The largest potential scale reduction factor of an edge, from the halves of all starts.
    pub largest_r_hat: f64,
    /// The mean potential scale reduction factor of the uncertain edges.
    pub mean_r_hat: f64,
    /// The smallest effective sample size of an uncertain edge.
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
    let least = least_log_weight(target.nodes(), records);
    let used = records.iter().map(|record| record.used(config.burn_in, least));
    let used: Vec<_> = used.filter(|batches| !batches.is_empty()).collect();
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

        let (r_hat, error) = if probability < NEVER {
            (1.0, probability)
        } else {
            (halves.r_hat(index), parts.standard_error(index))
        };
        largest_r_hat = largest_r_hat.max(r_hat);
        largest_error = largest_error.max(error);
        total_error += error;
        if (UNCERTAIN_FROM..=1.0 - UNCERTAIN_FROM).contains(&probability) {
            r_hats.push(r_hat);
            sizes.push(probability * (1.0 - probability) / (error * error).max(f64::MIN_POSITIVE));
        }
    }
    let smallest_ess = sizes.iter().copied().fold(f64::INFINITY, f64::min);
    Summary {
        edge_probabilities,
        by_start,
        left_out: records.len() - used.len(),
        largest_r_hat: largest_r_hat.min(LARGEST_R_HAT),
        mean_r_hat: mean(&r_hats).unwrap_or(1.0).min(LARGEST_R_HAT),
        smallest_ess: smallest_ess.min(samples),
        median_ess: median(&mut sizes).unwrap_or(samples).min(samples),
        largest_error,
        mean_error: total_error / (nodes * nodes.saturating_sub(1)).max(1) as f64,
    }
}

/// The log-weight below which layerings cannot matter, however many they are: the largest that any start has seen, less the
/// logarithm of the number of all layerings.
pub(super) fn least_log_weight(nodes: usize, records: &[&Record]) -> f64 {
    let largest = records.iter().map(|record| record.largest()).fold(f64::NEG_INFINITY, f64::max);
    largest - log_layerings(nodes) + NEGLIGIBLE
}

/// The logarithm of the number of layerings (ordered set partitions, the Fubini numbers): close to `n! / (2 (ln 2)ⁿ⁺¹)`.
fn log_layerings(nodes: usize) -> f64 {
    let log_factorial: f64 = (1..=nodes).map(|k| (k as f64).ln()).sum();
    let log_2 = std::f64::consts::LN_2;
    log_factorial - log_2 - (nodes + 1) as f64 * log_2.ln()
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::log_layerings;

    #[test]
    fn layerings_are_counted_by_the_fubini_numbers() {
        // OEIS A000670.
        for (nodes, count) in [(3, 13.0), (5, 541.0), (10, 102_247_563.0)] {
            assert!((log_layerings(nodes) - f64::ln(count)).abs() < 0.01, "{nodes}");
        }
    }
}
