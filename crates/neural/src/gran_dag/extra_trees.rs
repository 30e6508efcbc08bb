//! Extremely randomised trees (Geurts et al. 2006), for the importance of each variable in the prediction of another.

use gflowcausal_determinism::rand::RngExt;
use gflowcausal_determinism::{Stream, StreamRng, cancellation_point, stream};
use gflowcausal_graph::NodeSet;

/// How many trees are grown for a variable.
const TREES: usize = 100;

/// A node with fewer rows is not split. Single rows at the leaves, the usual setting, take three times as long for the same importances.
const LEAST_ROWS: usize = 5;

/// A variable is important if its importance is above this share of the mean.
const SHARE: f64 = 0.75;

/// The variables that matter for predicting `target`, GraN-DAG's preliminary neighbours.
pub(super) fn important_features(columns: &[&[f64]], target: usize, seed: u64) -> NodeSet {
    let importances = importances(columns, target, seed);
    let mean = importances.iter().sum::<f64>() / columns.len() as f64;
    let kept = (0..columns.len()).filter(|&k| k != target && importances[k] > SHARE * mean);
    NodeSet::of(columns.len(), kept)
}

/// By how much each variable reduces the variance of `target`, over all splits of all trees, in shares of the whole.
fn importances(columns: &[&[f64]], target: usize, seed: u64) -> Vec<f64> {
    let rows = columns[target].len();
    let mut sums = vec![0.0; columns.len()];
    for k in 0..TREES {
        cancellation_point();
        let rng = stream(seed, Stream::Tree { target: target as u64, k: k as u64 });
        let mut tree = Tree { columns, target, rng, reductions: vec![0.0; columns.len()] };
        tree.grow(&mut (0..rows).collect::<Vec<_>>());
        let total: f64 = tree.reductions.iter().sum();
        if total > 0.0 {
            sums.iter_mut().zip(&tree.reductions).for_each(|(sum, part)| *sum += part / total);
        }
    }
    sums
}

/// A tree as it grows; only what its splits reduce is kept.
struct Tree<'a> {
    columns: &'a [&'a [f64]],
    target: usize,
    rng: StreamRng,
    reductions: Vec<f64>,
}

/// A split of rows and by how much it reduces the sum of squares.
struct Split {
    feature: usize,
    threshold: f64,
    reduction: f64,
}

impl Tree<'_> {
    fn grow(&mut self, rows: &mut [usize]) {
        if rows.len() < LEAST_ROWS {
            return;
        }
        let Some(split) = self.best_split(rows) else { return };
        self.reductions[split.feature] += split.reduction;
        let column = self.columns[split.feature];
        let mut below = 0;
        for k in 0..rows.len() {
            if column[rows[k]] <= split.threshold {
                rows.swap(below, k);
                below += 1;
            }
        }
        let (left, right) = rows.split_at_mut(below);
        self.grow(left);
        self.grow(right);
    }

    /// The best of one random threshold for each variable that varies.
    fn best_split(&mut self, rows: &[usize]) -> Option<Split> {
        let mut best: Option<Split> = None;
        for feature in (0..self.columns.len()).filter(|&feature| feature != self.target) {
            let column = self.columns[feature];
            let range = rows.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &row| {
                (low.min(column[row]), high.max(column[row]))
            });
            if range.0 >= range.1 {
                continue;
            }
            let threshold = range.0 + (range.1 - range.0) * self.rng.random::<f64>();
            let reduction = self.reduction(rows, column, threshold);
            if best.as_ref().is_none_or(|best| reduction > best.reduction) {
                best = Some(Split { feature, threshold, reduction });
            }
        }
        best.filter(|best| best.reduction > 0.0)
    }

    /// `n₁ n₂ / (n₁ + n₂) · (mean₁ − mean₂)²`.
    fn reduction(&self, rows: &[usize], column: &[f64], threshold: f64) -> f64 {
        let values = self.columns[self.target];
        let (mut count, mut sum, mut total) = (0.0, 0.0, 0.0);
        for &row in rows {
            let is_below = f64::from(u8::from(column[row] <= threshold));
            count += is_below;
            sum += is_below * values[row];
            total += values[row];
        }
        let rest = rows.len() as f64 - count;
        if count == 0.0 || rest == 0.0 {
            return 0.0;
        }
        count * rest / rows.len() as f64 * (sum / count - (total - sum) / rest).powi(2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_matter_and_noise_does_not() {
        let mut rng = stream(3, Stream::Test { k: 0 });
        let mut columns: Vec<Vec<f64>> =
            (0..8).map(|_| (0..300).map(|_| rng.random::<f64>() - 0.5).collect()).collect();
        let (causes, effects) = columns.split_at_mut(7);
        for (row, effect) in effects[0].iter_mut().enumerate() {
            *effect = 0.1 * *effect + (4.0 * causes[2][row]).sin() + 12.0 * causes[5][row].powi(2);
        }
        let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        let kept = important_features(&columns, 7, 1);
        assert!(kept.contains(2) && kept.contains(5) && !kept.contains(7), "{kept:?}");
        assert!(kept.len() <= 4, "{kept:?}");
        assert_eq!(kept, important_features(&columns, 7, 1));
    }
}
