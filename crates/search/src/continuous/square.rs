//! Square matrices, row by row in a slice: products, the exponential of a non-negative one, the inverse of an M-matrix.

use faer::linalg::matmul::matmul;
use faer::reborrow::{Reborrow, ReborrowMut};
use faer::{Accum, MatMut, MatRef, Par};

/// Blocks of at most this many rows are inverted row by row; larger ones by products of their quarters.
const SMALL: usize = 16;

/// The coefficients `1/k!` of the exponential; with norms up to 1 the next term is below 1e-14.
const TAYLOR: [f64; 17] = {
    let mut terms = [1.0; 17];
    let mut k = 1;
    while k < 17 {
        terms[k] = terms[k - 1] / k as f64;
        k += 1;
    }
    terms
};

/// `product ← a b`.
pub(super) fn multiply(size: usize, a: &[f64], b: &[f64], product: &mut [f64]) {
    let (a, b) = (view(size, a), view(size, b));
    matmul(MatMut::from_row_major_slice_mut(product, size, size), Accum::Replace, a, b, 1.0, Par::Seq);
}

fn view(size: usize, values: &[f64]) -> MatRef<'_, f64> {
    MatRef::from_row_major_slice(values, size, size)
}

/// Exponentials of matrices of one size, without new memory for each.
pub(super) struct Exponential {
    size: usize,
    powers: [Vec<f64>; 4],
    sum: Vec<f64>,
    product: Vec<f64>,
}

impl Exponential {
    pub(super) fn new(size: usize) -> Self {
        let zeros = || vec![0.0; size * size];
        Self { size, powers: [zeros(), zeros(), zeros(), zeros()], sum: zeros(), product: zeros() }
    }

    /// `e^a` of a matrix without negative entries: nothing cancels, so halving the exponent until its norm is at most 1,
    /// Taylor's sum to the 16th power and squaring back are exact to rounding. Six products and one for each halving.
    pub(super) fn of(&mut self, a: &[f64]) -> &[f64] {
        let halvings = halvings(self.size, a);
        let scale = 0.5_f64.powi(halvings);
        self.powers[0].iter_mut().zip(a).for_each(|(power, a)| *power = scale * a);
        for k in 1..4 {
            let (known, rest) = self.powers.split_at_mut(k);
            multiply(self.size, &known[k - 1], &known[0], &mut rest[0]);
        }
        self.add_terms();
        for _ in 0..halvings {
            multiply(self.size, &self.sum, &self.sum, &mut self.product);
            std::mem::swap(&mut self.sum, &mut self.product);
        }
        &self.sum
    }

    /// The exponential that was computed last.
    pub(super) fn last(&self) -> &[f64] {
        &self.sum
    }

    /// Taylor's sum in blocks of four powers, Horner's rule over the blocks (Paterson and Stockmeyer 1973).
    fn add_terms(&mut self) {
        let Self { size, powers, sum, product } = self;
        sum.iter_mut().zip(&powers[3]).for_each(|(sum, power)| *sum = TAYLOR[16] * power);
        for block in (0..4).rev() {
            if block < 3 {
                multiply(*size, sum, &powers[3], product);
                std::mem::swap(sum, product);
            }
            let terms = &TAYLOR[4 * block..4 * block + 4];
            sum.iter_mut().step_by(*size + 1).for_each(|diagonal| *diagonal += terms[0]);
            for (term, power) in terms[1..].iter().zip(&*powers) {
                sum.iter_mut().zip(power).for_each(|(sum, power)| *sum += term * power);
            }
        }
    }
}

/// `tr e^A − d` of a `d × d` matrix without negative entries, row by row: zero without cycles, else more for shorter and
/// stronger ones.
///
/// ```
/// use gflowcausal_search::cycle_measure;
/// assert_eq!(cycle_measure(2, &[0.0, 1.0, 0.0, 0.0]), 0.0);
/// assert!((cycle_measure(2, &[0.0, 1.0, 1.0, 0.0]) - 2.0 * (1.0_f64.cosh() - 1.0)).abs() < 1e-14);
/// ```
#[must_use]
pub fn cycle_measure(size: usize, a: &[f64]) -> f64 {
    excess_trace(size, Exponential::new(size).of(a))
}

/// The trace of a matrix beyond that of the identity.
pub(super) fn excess_trace(size: usize, matrix: &[f64]) -> f64 {
    matrix.iter().step_by(size + 1).map(|diagonal| diagonal - 1.0).sum()
}

/// How often `a` is halved until its rows sum to at most 1.
fn halvings(size: usize, a: &[f64]) -> i32 {
    let norm = a.chunks_exact(size).map(|row| row.iter().sum::<f64>()).fold(0.0, f64::max);
    if norm > 1.0 { norm.log2().ceil() as i32 } else { 0 }
}

/// Inverts in place a matrix whose entries off the diagonal are not positive; returns the logarithm of its determinant.
///
/// None when it is not a nonsingular M-matrix: a pivot is not positive. Then `matrix` holds nothing of use. No pivoting
/// is needed, because the part that elimination leaves of an M-matrix is one again.
pub(super) fn invert_m_matrix(size: usize, matrix: &mut [f64], scratch: &mut Vec<f64>) -> Option<f64> {
    scratch.resize(size * size, 0.0);
    invert(MatMut::from_row_major_slice_mut(matrix, size, size), scratch)
}

/// `[A B; C D]⁻¹` from `A⁻¹` and the inverse of `S = D − C A⁻¹ B`.
fn invert(matrix: MatMut<'_, f64>, scratch: &mut [f64]) -> Option<f64> {
    let size = matrix.nrows();
    if size <= SMALL {
        return invert_small(matrix);
    }
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

    use super::*;

    fn random(size: usize, seed: u64) -> Vec<f64> {
        let mut rng = stream(seed, Stream::Test { k: size as u64 });
        (0..size * size).map(|_| rng.random::<f64>()).collect()
    }

    fn largest_difference(a: &[f64], b: &[f64]) -> f64 {
        a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    }

    #[test]
    fn the_exponential_is_taylors_sum() {
        for size in [1, 2, 7] {
            let a = random(size, 1);
            let mut term: Vec<f64> =
                (0..size * size).map(|k| f64::from(u8::from(k % (size + 1) == 0))).collect();
            let mut sum = term.clone();
            let mut next = term.clone();
            for k in 1..80 {
                multiply(size, &term, &a, &mut next);
                term.iter_mut().zip(&next).for_each(|(term, next)| *term = next / f64::from(k));
                sum.iter_mut().zip(&term).for_each(|(sum, term)| *sum += term);
            }
            let ours = Exponential::new(size).of(&a).to_vec();
            assert!(largest_difference(&ours, &sum) < 1e-11 * sum.iter().copied().fold(0.0, f64::max));
        }
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
