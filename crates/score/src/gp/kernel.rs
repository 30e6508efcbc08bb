//! The radial kernel of some columns: squared distances, their median, and the matrix it makes.

use faer::{Mat, Side};

/// Squared distances between all rows, in the lower triangle; nothing above it is ever read.
pub(super) struct Distances {
    squared: Mat<f64>,
    median: f64,
}

impl Distances {
    /// Between the rows of `columns`: `O(n² p)`. `None` when all rows are equal.
    pub(super) fn between(columns: &[&[f64]], rows: usize) -> Option<Self> {
        let mut squared = Mat::zeros(rows, rows);
        for column in columns {
            for (j, &x) in column.iter().enumerate() {
                let below = lower_of(&mut squared, j).iter_mut().zip(&column[j..]);
                below.for_each(|(sum, other)| *sum += (other - x) * (other - x));
            }
        }
        let median = median_of(&mut pairs_of(&mut squared))?;
        Some(Self { squared, median })
    }

    /// `exp(−d²/(2·median d²))`.
    pub(super) fn kernel(mut self) -> Kernel {
        let scale = -0.5 / self.median;
        for j in 0..self.squared.ncols() {
            lower_of(&mut self.squared, j).iter_mut().for_each(|value| *value = (*value * scale).exp());
        }
        Kernel { values: self.squared }
    }
}

/// The part of column `j` from the diagonal down.
fn lower_of(matrix: &mut Mat<f64>, j: usize) -> &mut [f64] {
    &mut matrix.col_as_slice_mut(j)[j..]
}

fn pairs_of(squared: &mut Mat<f64>) -> Vec<f64> {
    (0..squared.ncols()).flat_map(|j| lower_of(squared, j)[1..].to_vec()).collect()
}

/// The median, the mean of the two middle ones when their number is even. When more than half are zero, the smallest
/// of the others: some bandwidth above zero is needed.
fn median_of(values: &mut [f64]) -> Option<f64> {
    let middle = values.len() / 2;
    if values.is_empty() {
        return None;
    }
    let (below, &mut upper, _) = values.select_nth_unstable_by(middle, f64::total_cmp);
    let lower = below.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let median = if values.len().is_multiple_of(2) { 0.5 * (lower + upper) } else { upper };
    if median > 0.0 {
        return Some(median);
    }
    values.iter().copied().filter(|&value| value > 0.0).min_by(f64::total_cmp)
}

/// A radial kernel matrix `K`, in the lower triangle, with ones on the diagonal.
pub(super) struct Kernel {
    values: Mat<f64>,
}

/// `K + λI = L Lᵀ`.
pub(super) struct Factor {
    lower: faer::linalg::solvers::Llt<f64>,
}

impl Kernel {
    /// The kernel with half the bandwidth: the fourth power of each entry.
    pub(super) fn half_bandwidth(&self) -> Self {
        let mut values = self.values.clone();
        for j in 0..values.ncols() {
            lower_of(&mut values, j).iter_mut().for_each(|value| *value = value.powi(4));
        }
        Self { values }
    }

    /// The factor of `K + ridge·I`: `O(n³/3)`. `None` only if rounding left it indefinite.
    pub(super) fn factor(&mut self, ridge: f64) -> Option<Factor> {
        (0..self.values.ncols()).for_each(|j| self.values[(j, j)] = 1.0 + ridge);
        let lower = self.values.llt(Side::Lower).ok();
        (0..self.values.ncols()).for_each(|j| self.values[(j, j)] = 1.0);
        lower.map(|lower| Factor { lower })
    }
}

impl Factor {
    /// `ln |K + λI|`.
    pub(super) fn log_det(&self) -> f64 {
        let lower = self.lower.L();
        2.0 * (0..lower.ncols()).map(|j| lower[(j, j)].ln()).sum::<f64>()
    }

    /// `L⁻¹ y` for each column: `O(n²)` a column.
    pub(super) fn whiten(&self, columns: &Mat<f64>) -> Mat<f64> {
        let mut white = columns.clone();
        self.lower.L().solve_lower_triangular_in_place(white.as_mut());
        white
    }

    /// `(K + λI)⁻¹ y` for each column: `O(n²)` a column.
    pub(super) fn solve(&self, columns: &Mat<f64>) -> Mat<f64> {
        let mut solved = self.whiten(columns);
        self.lower.L().transpose().solve_upper_triangular_in_place(solved.as_mut());
        solved
    }
}
