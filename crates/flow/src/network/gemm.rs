//! Matrix products: the only unsafe call of the crate, behind checked bounds.

/// A matrix in a slice, by its strides.
#[derive(Debug, Clone, Copy)]
pub(super) struct Matrix<'a> {
    values: &'a [f32],
    rows: usize,
    columns: usize,
    row_stride: usize,
    column_stride: usize,
}

impl<'a> Matrix<'a> {
    /// `values`, row after row.
    pub(super) fn new(values: &'a [f32], columns: usize) -> Self {
        Self { values, rows: values.len() / columns, columns, row_stride: columns, column_stride: 1 }
    }

    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    pub(super) fn columns(&self) -> usize {
        self.columns
    }

    /// The entry at `row` and `column`.
    #[inline(always)]
    pub(super) fn get(&self, row: usize, column: usize) -> f32 {
        self.values[row * self.row_stride + column * self.column_stride]
    }

    /// Rows for columns; nothing is moved.
    pub(super) fn transposed(self) -> Self {
        Self {
            rows: self.columns,
            columns: self.rows,
            row_stride: self.column_stride,
            column_stride: self.row_stride,
            ..self
        }
    }
}

/// `sum ← sum + left · right`, with `sum` row after row.
///
/// # Panics
/// If the shapes do not fit.
pub(super) fn add_product(left: Matrix<'_>, right: Matrix<'_>, sum: &mut [f32]) {
    product(left, right, 1.0, sum);
}

/// `target ← left · right`, with `target` row after row.
///
/// # Panics
/// If the shapes do not fit.
pub(super) fn set_product(left: Matrix<'_>, right: Matrix<'_>, target: &mut [f32]) {
    product(left, right, 0.0, target);
}

/// `sum ← sum + left · right` for square matrices of `size` rows, computed as the networks compute theirs.
///
/// Large ones show the most that a machine can do; what a network reaches is a share of that.
///
/// # Panics
/// If a slice is no such matrix.
pub fn add_square_product(size: usize, left: &[f32], right: &[f32], sum: &mut [f32]) {
    add_product(Matrix::new(left, size), Matrix::new(right, size), sum);
}

/// `target ← keep · target + left · right`.
#[expect(
    unsafe_code,
    reason = "the product is computed behind raw pointers; the assertions bound all of them"
)]
fn product(left: Matrix<'_>, right: Matrix<'_>, keep: f32, target: &mut [f32]) {
    let (rows, inner, columns) = (left.rows, left.columns, right.columns);
    assert_eq!(inner, right.rows, "inner dimensions differ");
    assert_eq!(target.len(), rows * columns, "the target has another shape");
    assert_eq!(left.values.len(), rows * inner);
    assert_eq!(right.values.len(), inner * columns);
    // SAFETY: each slice holds exactly its matrix (asserted above), the strides are those of that matrix, and `target`
    // is borrowed mutably, so it overlaps neither.
    unsafe {
        matrixmultiply::sgemm(
            rows,
            inner,
            columns,
            1.0,
            left.values.as_ptr(),
            left.row_stride as isize,
            left.column_stride as isize,
            right.values.as_ptr(),
            right.row_stride as isize,
            right.column_stride as isize,
            keep,
            target.as_mut_ptr(),
            columns as isize,
            1,
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
        add_product(Matrix::new(&a, 3), Matrix::new(&b, 2), &mut sum);
        assert_eq!(sum, [15.0, 11.0, 14.0, 23.0]);
        let mut sum = [1.0; 4];
        add_square_product(2, &a[..4], &b[..4], &mut sum);
        assert_eq!(sum, [6.0, 3.0, 12.0, 5.0]);
        let mut sum = [7.0; 4];
        set_product(Matrix::new(&a, 2).transposed(), Matrix::new(&b, 2), &mut sum);
        assert_eq!(sum, [7.0, 18.0, 10.0, 22.0]);
    }
}
