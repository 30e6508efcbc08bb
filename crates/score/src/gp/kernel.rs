//! The kernel of a Gaussian process that is likeliest for one response: for whoever needs the function and not its likelihood.

use faer::Mat;

use super::cell::Cell;
use super::hyperparameter_grid::HyperparameterGrid;
use super::median_heuristic::typical;

/// A radial kernel, and the variance of the noise in units of the signal's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Kernel {
    squared_bandwidth: f64,
    pub(crate) noise: f32,
}

impl Kernel {
    /// The likeliest kernel for `response` over `columns`, of the grid that the score searches, and its log-likelihood.
    /// None when no two rows differ.
    pub(crate) fn likeliest(columns: &[&[f64]], response: &[f64]) -> Option<(Self, f64)> {
        let bandwidth = typical(columns, response.len())?;
        let single = |column: &&[f64]| column.iter().map(|&value| value as f32).collect();
        let values: Vec<Vec<f32>> = columns.iter().map(single).collect();
        let responses = Mat::from_fn(response.len(), 1, |row, _| response[row] as f32);
        let mut grid = HyperparameterGrid::new(vec![Cell::new(&values, bandwidth as f32, responses)]);
        grid.search();
        let (halvings, noise) = grid.likeliest(0);
        let quarter = 0.25_f64.powi(halvings as i32);
        Some((Self { squared_bandwidth: bandwidth * quarter, noise }, grid.max_log_likelihood(0)))
    }

    /// How alike two rows are whose squared distance is `square`.
    pub(crate) fn of(&self, square: f64) -> f64 {
        (-0.5 * square / self.squared_bandwidth).exp()
    }
}
