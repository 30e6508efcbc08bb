//! A Gaussian process on rows that are near one another: its covariance, factorised for any bandwidth and noise.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::triangular_solve::solve_lower_triangular_in_place;
use faer::{Mat, MatMut, Par, Spec};

/// Some rows of some responses, and how alike the rows are.
///
/// In single precision: with noise of at least 1/256 of the signal, rounding moves a log-likelihood by hundredths.
pub(super) struct Cell {
    /// `exp(−d²/2ℓ²)` for the widest bandwidth, in the lower triangle; nothing above it is ever read.
    kernel: Mat<f32>,
    /// A column for each response.
    responses: Mat<f32>,
}

impl Cell {
    /// From the parents' values at the cell's rows and the `responses` there: `O(n² p)`.
    pub(super) fn new(columns: &[Vec<f32>], squared_bandwidth: f32, responses: Mat<f32>) -> Self {
        let rows = responses.nrows();
        let mut kernel: Mat<f32> = Mat::zeros(rows, rows);
        let scale = -0.5 / squared_bandwidth;
        for j in 0..rows {
            let below = &mut kernel.col_as_slice_mut(j)[j..];
            for column in columns {
                let x = column[j];
                below.iter_mut().zip(&column[j..]).for_each(|(sum, other)| *sum += (other - x) * (other - x));
            }
            below.iter_mut().for_each(|value| *value = (*value * scale).exp());
        }
        Self { kernel, responses }
    }

    pub(super) fn rows(&self) -> usize {
        self.responses.nrows()
    }

    pub(super) fn responses(&self) -> usize {
        self.responses.ncols()
    }

    /// `ln|K + λI|`; and `yᵀ(K + λI)⁻¹y` of each response is added to `quadratic`.
    ///
    /// `K` has the widest bandwidth halved `halvings` times. `O(n³/3)`, and `O(n²)` a response. `None` only if
    /// rounding left the matrix indefinite.
    pub(super) fn factorise(
        &self,
        halvings: usize,
        noise: f32,
        room: &mut Room,
        quadratic: &mut [f64],
    ) -> Option<f64> {
        let (rows, count) = (self.rows(), quadratic.len());
        self.write_covariance(halvings, noise, &mut room.covariance);
        let mut factor = MatMut::from_column_major_slice_mut(&mut room.covariance[..rows * rows], rows, rows);
        let stack = MemStack::new(&mut room.stack);
        cholesky_in_place(factor.as_mut(), Default::default(), Par::Seq, stack, Spec::default()).ok()?;
        let mut white = MatMut::from_column_major_slice_mut(&mut room.responses[..rows * count], rows, count);
        white.copy_from(&self.responses);
        solve_lower_triangular_in_place(factor.as_ref(), white.as_mut(), Par::Seq);
        for (sum, column) in quadratic.iter_mut().zip(room.responses.chunks_exact(rows)) {
            *sum += column.iter().map(|&value| f64::from(value).powi(2)).sum::<f64>();
        }
        let pivots = room.covariance[..rows * rows].iter().step_by(rows + 1);
        Some(2.0 * pivots.map(|&pivot| f64::from(pivot).ln()).sum::<f64>())
    }

    /// Half the bandwidth is the fourth power of each entry.
    fn write_covariance(&self, halvings: usize, noise: f32, into: &mut [f32]) {
        let rows = self.rows();
        for j in 0..rows {
            let below = &mut into[j * rows + j..(j + 1) * rows];
            below.copy_from_slice(&self.kernel.col_as_slice(j)[j..]);
            for _ in 0..halvings {
                below.iter_mut().for_each(|value| *value = (*value * *value) * (*value * *value));
            }
            below[0] = 1.0 + noise;
        }
    }
}

/// Where cells are factorised, one after the other.
pub(super) struct Room {
    covariance: Vec<f32>,
    responses: Vec<f32>,
    stack: MemBuffer,
}

impl Room {
    /// Enough for each of `cells`.
    pub(super) fn for_cells(cells: &[Cell]) -> Self {
        let rows = cells.iter().map(Cell::rows).max().unwrap_or(0);
        let responses = cells.iter().map(Cell::responses).max().unwrap_or(0);
        Self {
            covariance: vec![0.0; rows * rows],
            responses: vec![0.0; rows * responses],
            stack: MemBuffer::new(cholesky_in_place_scratch::<f32>(rows, Par::Seq, Spec::default())),
        }
    }
}
