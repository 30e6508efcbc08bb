//! Matrix products: the only unsafe call of the crate, behind checked bounds.

use crate::real::Real;

/// A matrix in a slice, by its strides.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Matrix<'a, R> {
    values: &'a [R],
    rows: usize,
    columns: usize,
    row_stride: usize,
    column_stride: usize,
}

impl<'a, R: Real> Matrix<'a, R> {
    /// `values`, row after row.
    pub(crate) fn new(values: &'a [R], columns: usize) -> Self {
        Self { values, rows: values.len() / columns.max(1), columns, row_stride: columns, column_stride: 1 }
    }

    /// A part of a wider matrix: `rows` rows of `columns` numbers, each `row_stride` after the one before.
    pub(crate) fn strided(values: &'a [R], [rows, columns]: [usize; 2], row_stride: usize) -> Self {
        Self { values, rows, columns, row_stride, column_stride: 1 }
    }

    /// Rows for columns; nothing is moved.
    pub(crate) fn transposed(self) -> Self {
        Self {
            rows: self.columns,
            columns: self.rows,
            row_stride: self.column_stride,
            column_stride: self.row_stride,
            ..self
        }
    }

    /// One more than the index of the last entry.
    fn end(&self) -> usize {
        match (self.rows, self.columns) {
            (0, _) | (_, 0) => 0,
            (rows, columns) => (rows - 1) * self.row_stride + (columns - 1) * self.column_stride + 1,
        }
    }
}

/// `target ← keep · target + left · right`, with `target` row after row.
///
/// # Panics
/// If the shapes do not fit.
#[expect(
    unsafe_code,
    reason = "the product is computed behind raw pointers; the assertions bound all of them"
)]
pub(crate) fn product<R: Real>(left: Matrix<'_, R>, right: Matrix<'_, R>, keep: R, target: &mut [R]) {
    let (rows, inner, columns) = (left.rows, left.columns, right.columns);
    assert_eq!(inner, right.rows, "inner dimensions differ");
    assert_eq!(target.len(), rows * columns, "the target has another shape");
    assert!(left.end() <= left.values.len() && right.end() <= right.values.len());
    // SAFETY: all entries of the factors lie in their slices and `target` holds exactly the product (asserted above);
    // `target` is borrowed mutably, so it overlaps neither.
    unsafe {
        R::gemm(
            [rows, inner, columns],
            left.values.as_ptr(),
            [left.row_stride as isize, left.column_stride as isize],
            right.values.as_ptr(),
            [right.row_stride as isize, right.column_stride as isize],
            keep,
            target.as_mut_ptr(),
            [columns as isize, 1],
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_of_small_matrices() {
        let (a, b) = ([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [1.0, 0.0, 2.0, 1.0, 0.0, 3.0]);
        let mut sum = [10.0, 0.0, 0.0, 0.0];
        product(Matrix::new(&a, 3), Matrix::new(&b, 2), 1.0, &mut sum);
        assert_eq!(sum, [15.0, 11.0, 14.0, 23.0]);
        let mut sum = [7.0_f32; 4];
        let (a, b) = (a.map(|x| x as f32), b.map(|x| x as f32));
        product(Matrix::new(&a, 2).transposed(), Matrix::new(&b, 2), 0.0, &mut sum);
        assert_eq!(sum, [7.0, 18.0, 10.0, 22.0]);
    }
}
