//! Sums of products between all pairs of columns, as blocked matrix products.

/// Columns per tile: two tiles of a block's rows stay in the second-level cache, and only tiles on and below the
/// diagonal are computed.
const TILE: usize = 64;

/// A block of centred numbers, row after row or column after column.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Centred<'a> {
    pub(crate) values: &'a [f64],
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) layout: Layout,
}

/// Which neighbours lie side by side in memory.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Layout {
    Rows,
    Columns,
}

impl Centred<'_> {
    /// The distance between a row and the next, and between a column and the next.
    fn strides(&self) -> (usize, usize) {
        match self.layout {
            Layout::Rows => (self.columns, 1),
            Layout::Columns => (1, self.rows),
        }
    }

    /// Adds each column's sum to `sums`.
    pub(crate) fn add_sums(&self, sums: &mut [f64]) {
        match self.layout {
            Layout::Rows => {
                for row in self.values.chunks_exact(self.columns) {
                    sums.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
                }
            }
            Layout::Columns => {
                let columns = self.values.chunks_exact(self.rows);
                for (sum, column) in sums.iter_mut().zip(columns) {
                    column.iter().for_each(|value| *sum += value);
                }
            }
        }
    }
}

/// Adds `Xᵀ X` to the part of `scatter` on and below the diagonal tiles. Costs `rows · d²` multiply-adds.
pub(crate) fn add_products(scatter: &mut [f64], x: Centred<'_>) {
    for i in (0..x.columns).step_by(TILE) {
        for j in (0..=i).step_by(TILE) {
            add_tile(scatter, x, (i, j));
        }
    }
}

/// Copies what is below the diagonal to above it.
pub(crate) fn mirror(scatter: &mut [f64], d: usize) {
    for i in 0..d {
        for j in 0..i {
            scatter[j * d + i] = scatter[i * d + j];
        }
    }
}

#[expect(unsafe_code, reason = "the matrix product takes raw pointers; the extents are asserted first")]
fn add_tile(scatter: &mut [f64], x: Centred<'_>, (i, j): (usize, usize)) {
    let d = x.columns;
    let (height, width) = (TILE.min(d - i), TILE.min(d - j));
    let (row, column) = x.strides();
    let (left, right, out) = (&x.values[i * column..], &x.values[j * column..], &mut scatter[i * d + j..]);
    let end = |columns: usize| (x.rows - 1) * row + (columns - 1) * column + 1;
    assert!(x.rows > 0 && end(height) <= left.len() && end(width) <= right.len());
    assert!((height - 1) * d + width <= out.len());
    let (row, column) = (row as isize, column as isize);
    // SAFETY: the last element that each pointer reaches lies inside its slice, as just asserted.
    unsafe {
        matrixmultiply::dgemm(
            height,
            x.rows,
            width,
            1.0,
            left.as_ptr(),
            column,
            row,
            right.as_ptr(),
            row,
            column,
            1.0,
            out.as_mut_ptr(),
            d as isize,
            1,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn both_layouts_give_the_sums_of_products(rows in 1usize..20, d in 1usize..150) {
            let cell = |row: usize, column: usize| ((row * 31 + column * 17) % 23) as f64 - 11.0;
            let by_row: Vec<f64> = (0..rows * d).map(|k| cell(k / d, k % d)).collect();
            let by_column: Vec<f64> = (0..rows * d).map(|k| cell(k % rows, k / rows)).collect();
            let mut expected = vec![0.0; d * d];
            for (k, sum) in expected.iter_mut().enumerate() {
                *sum = (0..rows).map(|row| cell(row, k / d) * cell(row, k % d)).sum();
            }
            for (values, layout) in [(&by_row, Layout::Rows), (&by_column, Layout::Columns)] {
                let mut scatter = vec![0.0; d * d];
                add_products(&mut scatter, Centred { values, rows, columns: d, layout });
                mirror(&mut scatter, d);
                prop_assert_eq!(&scatter, &expected);
            }
        }
    }
}
