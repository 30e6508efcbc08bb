//! Inverses of M-matrices in place, by blocks: matrices whose entries off the diagonal are not positive.

use faer::linalg::matmul::matmul;
use faer::reborrow::{Reborrow, ReborrowMut};
use faer::{Accum, MatMut, Par};
use gflowcausal_determinism::cancellation_point;

/// Blocks of at most this many rows are inverted row by row; larger ones by products of their quarters.
const SMALL: usize = 16;

/// Inverts in place a matrix whose entries off the diagonal are not positive; returns the logarithm of its determinant.
///
/// None when it is not a nonsingular M-matrix: a pivot is not positive. Then `matrix` holds nothing of use. No pivoting
/// is needed, because the part that elimination leaves of an M-matrix is one again.
pub(in super::super) fn invert_m_matrix(
    size: usize,
    matrix: &mut [f64],
    scratch: &mut Vec<f64>,
) -> Option<f64> {
    scratch.resize(size * size, 0.0);
    invert(MatMut::from_row_major_slice_mut(matrix, size, size), scratch)
}

/// `[A B; C D]⁻¹` from `A⁻¹` and the inverse of `S = D − C A⁻¹ B`.
fn invert(matrix: MatMut<'_, f64>, scratch: &mut [f64]) -> Option<f64> {
    let size = matrix.nrows();
    if size <= SMALL {
        return invert_small(matrix);
    }
    cancellation_point();
    let half = size / 2;
    let rest = size - half;
    let (mut a, mut b, mut c, mut d) = matrix.split_at_mut(half, half);
    let log_a = invert(a.rb_mut(), scratch)?;
    let (right, scratch) = scratch.split_at_mut(half * rest);
    let (below, scratch) = scratch.split_at_mut(rest * half);
    let mut right = MatMut::from_row_major_slice_mut(right, half, rest);
    let mut below = MatMut::from_row_major_slice_mut(below, rest, half);
    matmul(right.rb_mut(), Accum::Replace, a.rb(), b.rb(), 1.0, Par::Seq);
    matmul(below.rb_mut(), Accum::Replace, c.rb(), a.rb(), 1.0, Par::Seq);
    matmul(d.rb_mut(), Accum::Add, c.rb(), right.rb(), -1.0, Par::Seq);
    let log_d = invert(d.rb_mut(), scratch)?;
    matmul(b.rb_mut(), Accum::Replace, right.rb(), d.rb(), -1.0, Par::Seq);
    matmul(c.rb_mut(), Accum::Replace, d.rb(), below.rb(), -1.0, Par::Seq);
    matmul(a.rb_mut(), Accum::Add, b.rb(), below.rb(), -1.0, Par::Seq);
    Some(log_a + log_d)
}

/// Gauss–Jordan elimination on a copy that stays in the nearest cache.
fn invert_small(mut matrix: MatMut<'_, f64>) -> Option<f64> {
    let size = matrix.nrows();
    let mut rows = [[0.0; SMALL]; SMALL];
    for (i, row) in rows.iter_mut().enumerate().take(size) {
        (0..size).for_each(|j| row[j] = matrix[(i, j)]);
    }
    let log_determinant = pulp::Arch::new().dispatch(
        #[inline(always)]
        || eliminate(&mut rows[..size]),
    )?;
    for (i, row) in rows.iter().enumerate().take(size) {
        (0..size).for_each(|j| matrix[(i, j)] = row[j]);
    }
    Some(log_determinant)
}

#[inline(always)]
fn eliminate(rows: &mut [[f64; SMALL]]) -> Option<f64> {
    let mut log_determinant = 0.0;
    for k in 0..rows.len() {
        let pivot = rows[k][k];
        if !(pivot > 0.0 && pivot.is_finite()) {
            return None;
        }
        log_determinant += pivot.ln();
        rows[k][k] = 1.0;
        rows[k].iter_mut().for_each(|value| *value /= pivot);
        let lead = rows[k];
        for (i, row) in rows.iter_mut().enumerate() {
            if i != k {
                let factor = std::mem::take(&mut row[k]);
                row.iter_mut().zip(&lead).for_each(|(value, lead)| *value -= factor * lead);
            }
        }
    }
    Some(log_determinant)
}

#[cfg(test)]
mod tests {
    use gflowcausal_determinism::rand::RngExt;
    use gflowcausal_determinism::{Stream, stream};

    use super::super::super::matrix_product::multiply;
    use super::*;

    fn random(size: usize, seed: u64) -> Vec<f64> {
        let mut rng = stream(seed, Stream::Test { k: size as u64 });
        (0..size * size).map(|_| rng.random::<f64>()).collect()
    }

    #[test]
    fn an_m_matrix_times_its_inverse_is_the_identity() {
        for size in [1, 5, 16, 17, 30, 67] {
            let mut matrix: Vec<f64> = random(size, 2).iter().map(|x| -0.9 * x / size as f64).collect();
            matrix.iter_mut().step_by(size + 1).for_each(|diagonal| *diagonal += 1.0);
            let mut inverse = matrix.clone();
            assert!(invert_m_matrix(size, &mut inverse, &mut vec![]).is_some());
            let mut product = vec![0.0; size * size];
            multiply(size, &matrix, &inverse, &mut product);
            product.iter_mut().step_by(size + 1).for_each(|diagonal| *diagonal -= 1.0);
            assert!(product.iter().all(|x| x.abs() < 1e-12), "{size}");
            assert!(inverse.iter().all(|&x| x >= 0.0));
        }
    }

    #[test]
    fn the_determinant_of_a_triangle_is_that_of_its_diagonal() {
        let size = 40;
        let mut matrix: Vec<f64> = random(size, 3).iter().map(|x| -x / 10.0).collect();
        (0..size * size).filter(|k| k / size > k % size).for_each(|k| matrix[k] = 0.0);
        matrix.iter_mut().step_by(size + 1).for_each(|diagonal| *diagonal = 0.8);
        let log_determinant = invert_m_matrix(size, &mut matrix, &mut vec![]).unwrap();
        assert!((log_determinant - size as f64 * 0.8_f64.ln()).abs() < 1e-10);
    }

    #[test]
    fn a_spectral_radius_above_the_diagonal_is_refused() {
        for size in [2, 20, 45] {
            let cycle = |strength: f64| {
                let mut matrix = vec![0.0; size * size];
                for i in 0..size {
                    matrix[i * size + i] = 1.0;
                    matrix[i * size + (i + 1) % size] = -strength;
                }
                invert_m_matrix(size, &mut matrix, &mut vec![])
            };
            assert!(cycle(0.99).is_some() && cycle(1.01).is_none(), "{size}");
        }
    }
}
