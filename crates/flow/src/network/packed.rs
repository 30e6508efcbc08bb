//! Products of a few rows with a matrix that stays the same: laid out once, used at every step of a batch.
//!
//! A general product lays out both factors each time it is called, which at 32 rows takes as long as the arithmetic.

use pulp::{Simd, WithSimd};

use super::gemm::Matrix;

/// How many rows are worked on side by side: with two vectors each, as many sums as hide the delay of an addition.
const ROWS: usize = 6;

/// A matrix in panels of two vector widths of columns, each from the first row to the last.
#[derive(Debug, Clone, Default)]
pub(super) struct Packed {
    columns: usize,
    panel_columns: usize,
    panels: Vec<f32>,
    is_current: bool,
}

impl Packed {
    /// Says that the matrix has changed.
    pub(super) fn forget(&mut self) {
        self.is_current = false;
    }

    /// Lays out `matrix` unless it was laid out since [`Self::forget`].
    pub(super) fn update(&mut self, matrix: Matrix<'_>) {
        if self.is_current {
            return;
        }
        self.is_current = true;
        self.columns = matrix.columns();
        self.panel_columns = pulp::Arch::new().dispatch(VectorPair);
        let panel = self.panel_columns * matrix.rows();
        self.panels.clear();
        self.panels.resize(self.columns.div_ceil(self.panel_columns) * panel, 0.0);
        for (number, panel) in self.panels.chunks_exact_mut(panel).enumerate() {
            let first = number * self.panel_columns;
            let count = self.panel_columns.min(self.columns - first);
            for (row, values) in panel.chunks_exact_mut(self.panel_columns).enumerate() {
                (0..count).for_each(|column| values[column] = matrix.get(row, first + column));
            }
        }
    }

    /// `target ← rows · matrix`, both row after row.
    pub(super) fn multiply(&self, rows: &[f32], target: &mut [f32]) {
        let inner = self.panels.len() / self.columns.next_multiple_of(self.panel_columns);
        pulp::Arch::new().dispatch(Product { packed: self, inner, rows, target });
    }
}

/// How many numbers two vectors of this processor hold.
struct VectorPair;

impl WithSimd for VectorPair {
    type Output = usize;

    fn with_simd<S: Simd>(self, _: S) -> usize {
        2 * S::F32_LANES
    }
}

struct Product<'a> {
    packed: &'a Packed,
    inner: usize,
    rows: &'a [f32],
    target: &'a mut [f32],
}

impl WithSimd for Product<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { packed, inner, rows, target } = self;
        let groups = rows.chunks(ROWS * inner).zip(target.chunks_mut(ROWS * packed.columns));
        for (rows, target) in groups {
            match rows.len() / inner {
                ROWS => packed.multiply_group::<S, ROWS>(simd, inner, rows, target),
                _ => {
                    let single = rows.chunks_exact(inner).zip(target.chunks_exact_mut(packed.columns));
                    single.for_each(|(row, target)| packed.multiply_group::<S, 1>(simd, inner, row, target));
                }
            }
        }
    }
}

impl Packed {
    /// `N` rows with all panels.
    #[inline(always)]
    fn multiply_group<S: Simd, const N: usize>(
        &self,
        simd: S,
        inner: usize,
        rows: &[f32],
        target: &mut [f32],
    ) {
        let rows: [&[f32]; N] = std::array::from_fn(|n| &rows[n * inner..(n + 1) * inner]);
        for (number, panel) in self.panels.chunks_exact(self.panel_columns * inner).enumerate() {
            let sums = panel_sums(simd, S::as_simd_f32s(panel).0, rows);
            let first = number * self.panel_columns;
            let count = self.panel_columns.min(self.columns - first);
            for (n, sums) in sums.iter().enumerate() {
                let values: &[f32] = pulp::bytemuck::cast_slice(sums);
                target[n * self.columns + first..][..count].copy_from_slice(&values[..count]);
            }
        }
    }
}

/// The products of each row with the two vectors of columns of one panel.
#[inline(always)]
fn panel_sums<S: Simd, const N: usize>(simd: S, panel: &[S::f32s], rows: [&[f32]; N]) -> [[S::f32s; 2]; N] {
    let mut sums = [[simd.splat_f32s(0.0); 2]; N];
    for (at, [left, right]) in panel.as_chunks().0.iter().enumerate() {
        for n in 0..N {
            let value = simd.splat_f32s(rows[n][at]);
            sums[n][0] = simd.mul_add_e_f32s(value, *left, sums[n][0]);
            sums[n][1] = simd.mul_add_e_f32s(value, *right, sums[n][1]);
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::super::gemm::set_product;
    use super::*;

    #[test]
    fn products_are_those_of_the_general_product() {
        for (rows, inner, columns) in [(1, 1, 1), (5, 3, 2), (6, 16, 16), (32, 40, 33), (13, 7, 100)] {
            let values = |count: usize| -> Vec<f32> { (0..count).map(|i| (i as f32 * 0.7).sin()).collect() };
            let (left, right) = (values(rows * inner), values(inner * columns));
            let matrix = Matrix::new(&right, columns);
            let (mut expected, mut found) = (vec![0.0; rows * columns], vec![f32::NAN; rows * columns]);
            let mut packed = Packed::default();
            for matrix in [matrix, Matrix::new(&right, inner).transposed()] {
                set_product(Matrix::new(&left, inner), matrix, &mut expected);
                packed.forget();
                packed.update(matrix);
                packed.multiply(&left, &mut found);
                let is_close = |(a, b): (&f32, &f32)| (a - b).abs() < 1e-5;
                assert!(found.iter().zip(&expected).all(is_close), "{rows}×{inner}×{columns}");
            }
        }
    }
}
