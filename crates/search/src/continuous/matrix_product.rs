//! The product of two square matrices, row by row.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use gflowcausal_determinism::cancellation_point;

/// `product ← a b`.
pub(super) fn multiply(size: usize, a: &[f64], b: &[f64], product: &mut [f64]) {
    cancellation_point();
    let (a, b) = (view(size, a), view(size, b));
    matmul(MatMut::from_row_major_slice_mut(product, size, size), Accum::Replace, a, b, 1.0, Par::Seq);
}

fn view(size: usize, values: &[f64]) -> MatRef<'_, f64> {
    MatRef::from_row_major_slice(values, size, size)
}
