//! Matrix products, on one thread.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};

use crate::real::Real;

/// A matrix in a slice.
#[derive(Debug, Clone, Copy)]
pub struct Matrix<'a, R>(MatRef<'a, R>);

impl<'a, R: Real> Matrix<'a, R> {
    /// `values`, row after row.
    pub fn new(values: &'a [R], columns: usize) -> Self {
        Self::strided(values, [values.len() / columns.max(1), columns], columns)
    }

    /// A part of a wider matrix: `rows` rows of `columns` numbers, each `row_stride` after the one before.
    ///
    /// # Panics
    /// If the last of them lies behind the end of `values`.
    pub fn strided(values: &'a [R], [rows, columns]: [usize; 2], row_stride: usize) -> Self {
        Self(MatRef::from_row_major_slice_with_stride(values, rows, columns, row_stride))
    }

    /// Rows for columns; nothing is moved.
    pub fn transposed(self) -> Self {
        Self(self.0.transpose())
    }
}

/// `target ← left · right`, with `target` row after row.
///
/// # Panics
/// If the shapes do not fit.
pub fn product<R: Real>(left: Matrix<'_, R>, right: Matrix<'_, R>, target: &mut [R]) {
    multiply(left, right, Accum::Replace, target);
}

/// `target ← target + left · right`, with `target` row after row.
///
/// # Panics
/// If the shapes do not fit.
pub fn add_product<R: Real>(left: Matrix<'_, R>, right: Matrix<'_, R>, target: &mut [R]) {
    multiply(left, right, Accum::Add, target);
}

fn multiply<R: Real>(left: Matrix<'_, R>, right: Matrix<'_, R>, accum: Accum, target: &mut [R]) {
    let target = MatMut::from_row_major_slice_mut(target, left.0.nrows(), right.0.ncols());
    matmul(target, accum, left.0, right.0, R::ONE, Par::Seq);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_of_small_matrices() {
        let (a, b) = ([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [1.0, 0.0, 2.0, 1.0, 0.0, 3.0]);
        let mut sum = [10.0, 0.0, 0.0, 0.0];
        add_product(Matrix::new(&a, 3), Matrix::new(&b, 2), &mut sum);
        assert_eq!(sum, [15.0, 11.0, 14.0, 23.0]);
        let mut sum = [7.0_f32; 4];
        let (a, b) = (a.map(|x| x as f32), b.map(|x| x as f32));
        product(Matrix::new(&a, 2).transposed(), Matrix::new(&b, 2), &mut sum);
        assert_eq!(sum, [7.0, 18.0, 10.0, 22.0]);
        // The last two columns of the first two rows of `a`, taken as rows of three.
        let part = Matrix::strided(&a[1..], [2, 2], 3);
        product(part, Matrix::new(&b[..4], 2), &mut sum);
        assert_eq!(sum, [8.0, 3.0, 17.0, 6.0]);
    }
}
