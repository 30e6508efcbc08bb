//! What encoders see of a table: for each variable its values in some rows, drawn anew each time.

use gflowcausal_determinism::rand::RngExt;
use gflowcausal_determinism::{Stream, stream};

use gflowcausal_autodiff::Real;

/// The columns of a table with mean 0 and deviation 1, so that networks do not depend on units.
#[derive(Debug)]
pub(crate) struct Observations {
    columns: Vec<Vec<f64>>,
}

impl Observations {
    pub(crate) fn new(columns: &[&[f64]]) -> Self {
        let standard = |column: &&[f64]| {
            let count = column.len().max(1) as f64;
            let mean = column.iter().sum::<f64>() / count;
            let variance = column.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / count;
            let scale = if variance > 0.0 { variance.sqrt().recip() } else { 1.0 };
            column.iter().map(|x| (x - mean) * scale).collect()
        };
        Self { columns: columns.iter().map(standard).collect() }
    }

    /// A row for each variable of each of `groups`: its values in `inputs` rows of the table, the same rows within a group.
    pub(crate) fn draw<R: Real>(&self, seed: u64, iteration: usize, groups: usize, inputs: usize) -> Vec<R> {
        let mut rng = stream(seed, Stream::Batch { iteration: iteration as u64 });
        let rows = self.columns.first().map_or(0, Vec::len).max(1);
        let mut values = Vec::with_capacity(groups * self.columns.len() * inputs);
        for _ in 0..groups {
            let drawn: Vec<usize> = (0..inputs).map(|_| rng.random_range(0..rows)).collect();
            for column in &self.columns {
                values.extend(drawn.iter().map(|&row| R::of(column[row])));
            }
        }
        values
    }
}
