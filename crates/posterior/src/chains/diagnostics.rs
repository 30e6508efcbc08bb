//! Agreement between chains: R̂ (the potential scale reduction factor) and Monte Carlo errors from means of batches.

use super::record::Batch;

/// The starts, each cut into equally many stretches of consecutive batches.
#[derive(Debug)]
pub(super) struct Groups<'a> {
    groups: Vec<&'a [Batch]>,
}

impl<'a> Groups<'a> {
    /// Cuts each start into `parts`, or into as many as it has batches.
    pub(super) fn new(starts: &[&'a [Batch]], parts: usize) -> Self {
        let cut = |batches: &&'a [Batch]| {
            let (batches, parts) = (*batches, parts.min(batches.len()).max(1));
            let bound = move |part: usize| part * batches.len() / parts;
            (0..parts).map(move |part| &batches[bound(part)..bound(part + 1)])
        };
        Self { groups: starts.iter().flat_map(cut).collect() }
    }

    /// How many layerings were recorded.
    pub(super) fn samples(&self) -> f64 {
        self.groups.iter().flat_map(|group| group.iter()).map(Batch::samples).sum::<u64>() as f64
    }

    /// The mean of possible edge number `edge` in each group.
    pub(super) fn means(&self, edge: usize) -> Vec<f64> {
        let mean = |group: &&[Batch]| {
            let samples: u64 = group.iter().map(Batch::samples).sum();
            group.iter().map(|batch| batch.sum(edge)).sum::<f64>() / samples as f64
        };
        self.groups.iter().map(mean).collect()
    }

    /// R̂, the potential scale reduction factor, of an edge's presence: the square root of its total variance over the mean
    /// variance within groups (Gelman & Rubin 1992, for an indicator).
    ///
    /// With the probabilities `p_k` of the groups and their mean `p`, that is `√(p(1−p) / mean p_k(1−p_k))`: infinite where
    /// chains are stuck at 0 and at 1, near one where a rare edge was seen by one chain alone.
    pub(super) fn r_hat(&self, edge: usize) -> f64 {
        let means = self.means(edge);
        let count = means.len() as f64;
        let p = means.iter().sum::<f64>() / count;
        let within = means.iter().map(|p| p * (1.0 - p)).sum::<f64>() / count;
        let total = p * (1.0 - p);
        if total <= within.max(0.0) { 1.0 } else { (total / within.max(0.0)).sqrt() }
    }

    /// The standard error of the mean over all groups, from the spread of the groups.
    pub(super) fn standard_error(&self, edge: usize) -> f64 {
        let means = self.means(edge);
        let count = means.len() as f64;
        if means.len() < 2 {
            return f64::INFINITY;
        }
        let mean = means.iter().sum::<f64>() / count;
        let variance = means.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0);
        (variance / count).sqrt()
    }
}

/// The middle of the values.
pub(super) fn median(values: &mut [f64]) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}
