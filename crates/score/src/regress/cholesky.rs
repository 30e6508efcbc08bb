//! Cholesky factorisation of semidefinite matrices: dependent directions are passed over.

use std::array;
use std::ops::Range;

use pulp::{Arch, Simd, WithSimd};

/// A direction with less than this share of its own diagonal left is a linear function of those before it.
const DEPENDENT: f64 = 1e-10;

/// How many columns are carried through a loop at once. Every lane does the same operations in the same order whatever the
/// width of the machine's vectors, so the bits do not depend on the machine.
const LANES: usize = 16;

/// The Cholesky factor of a positive semidefinite matrix.
///
/// A direction that depends on those before it has an empty column: it takes part in nothing.
pub(crate) struct Cholesky {
    size: usize,
    /// The transposed factor: row `j` is column `j` of the lower triangle, zero for a dependent direction.
    upper: Rows,
}

/// A square matrix, row by row, each padded to whole lanes with zeros.
struct Rows {
    stride: usize,
    values: Vec<f64>,
}

impl Rows {
    fn zeros(size: usize) -> Self {
        let stride = size.next_multiple_of(LANES);
        Self { stride, values: vec![0.0; size * stride] }
    }

    #[inline(always)]
    fn at(&self, row: usize, column: usize) -> f64 {
        self.values[row * self.stride + column]
    }

    #[inline(always)]
    fn row_mut(&mut self, row: usize) -> &mut [f64] {
        &mut self.values[row * self.stride..][..self.stride]
    }

    /// `left + Σ_t weight(t)·row t` in one chunk of columns, kept in registers from the first to the last `t`.
    #[inline(always)]
    fn add_rows(
        &self,
        mut left: [f64; LANES],
        chunk: usize,
        rows: Range<usize>,
        weight: impl Fn(usize) -> f64,
    ) -> [f64; LANES] {
        for t in rows {
            let known = &self.values[t * self.stride..][..self.stride].as_chunks::<LANES>().0[chunk];
            let weight = weight(t);
            left = array::from_fn(|lane| weight.mul_add(known[lane], left[lane]));
        }
        left
    }
}

/// Row `j` of the factor is what the rows before leave of row `j` of the matrix: `O(k³/6)`.
struct Factorization<'a> {
    matrix: &'a [f64],
    size: usize,
    upper: &'a mut Rows,
}

impl WithSimd for Factorization<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { matrix, size, upper } = self;
        for j in 0..size {
            upper.row_mut(j)[j..size].copy_from_slice(&matrix[j * size + j..(j + 1) * size]);
            for chunk in j / LANES..upper.stride / LANES {
                let own = upper.row_mut(j).as_chunks::<LANES>().0[chunk];
                let left = upper.add_rows(own, chunk, 0..j, |t| -upper.at(t, j));
                upper.row_mut(j).as_chunks_mut::<LANES>().0[chunk] = left;
            }
            let row = upper.row_mut(j);
            let (pivot, diagonal) = (row[j], matrix[j * size + j]);
            let scale = if pivot > DEPENDENT * diagonal { pivot.sqrt().recip() } else { 0.0 };
            row[j / LANES * LANES..j].fill(0.0);
            row[j..].iter_mut().for_each(|entry| *entry *= scale);
        }
    }
}

/// The inverse of the lower triangle, row by row: `O(k³/6)`.
struct InverseFactor<'a> {
    factor: &'a Cholesky,
    inverse: &'a mut Rows,
}

impl WithSimd for InverseFactor<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { factor: Cholesky { size, upper }, inverse } = self;
        for i in (0..*size).filter(|&i| upper.at(i, i) > 0.0) {
            let scale = upper.at(i, i).recip();
            for chunk in 0..=i / LANES {
                let sum = inverse.add_rows([0.0; LANES], chunk, chunk * LANES..i, |t| upper.at(t, i));
                inverse.row_mut(i).as_chunks_mut::<LANES>().0[chunk] = sum.map(|value| -scale * value);
            }
            inverse.row_mut(i)[i] = scale;
        }
    }
}

/// The product of the inverse factor's transpose with itself, its lower triangle: `O(k³/6)`.
struct Square<'a> {
    size: usize,
    factor: &'a Rows,
    square: &'a mut [f64],
}

impl WithSimd for Square<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { size, factor, square } = self;
        for a in 0..size {
            for chunk in 0..=a / LANES {
                let sum = factor.add_rows([0.0; LANES], chunk, a..size, |t| factor.at(t, a));
                let columns = chunk * LANES..((chunk + 1) * LANES).min(a + 1);
                square[a * size..][columns.clone()].copy_from_slice(&sum[..columns.len()]);
            }
        }
    }
}

impl Cholesky {
    /// Factorises the symmetric `size × size` matrix.
    pub(crate) fn new(matrix: &[f64], size: usize) -> Self {
        let mut upper = Rows::zeros(size);
        Arch::new().dispatch(Factorization { matrix, size, upper: &mut upper });
        Self { size, upper }
    }

    /// The lower triangle, row by row, with zeros above it.
    pub(crate) fn into_lower(self) -> Vec<f64> {
        let k = self.size;
        (0..k * k).map(|cell| self.upper.at(cell % k, cell / k)).collect()
    }

    fn pivot(&self, i: usize) -> f64 {
        self.upper.at(i, i)
    }

    /// Whether no direction depends on the others.
    pub(crate) fn is_definite(&self) -> bool {
        (0..self.size).all(|i| self.pivot(i) > 0.0)
    }

    /// The logarithm of the determinant, without dependent directions.
    pub(crate) fn log_det(&self) -> f64 {
        (0..self.size).map(|i| self.pivot(i)).filter(|&pivot| pivot > 0.0).map(|pivot| 2.0 * pivot.ln()).sum()
    }

    /// The inverse, with zeros for dependent directions: `O(k³/3)`.
    pub(crate) fn inverse(&self) -> Vec<f64> {
        let k = self.size;
        let (mut factor, mut inverse) = (Rows::zeros(k), vec![0.0; k * k]);
        Arch::new().dispatch(InverseFactor { factor: self, inverse: &mut factor });
        Arch::new().dispatch(Square { size: k, factor: &factor, square: &mut inverse });
        for a in 0..k {
            (0..a).for_each(|b| inverse[b * k + a] = inverse[a * k + b]);
        }
        inverse
    }
}

pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `XᵀX` of a tall matrix whose third column is the sum of the first two when `dependent`.
    fn gram(dependent: bool) -> Vec<f64> {
        let row = |i: u32| {
            let (a, b) = (f64::from(i * 7 % 5), f64::from(i * 3 % 11));
            [a, b, if dependent { a + b } else { f64::from(i * i % 13) }, 1.0]
        };
        (0..16).map(|k| (0..30).map(|i| row(i)[k / 4] * row(i)[k % 4]).sum()).collect()
    }

    #[test]
    fn inverse_times_matrix_is_one() {
        let matrix = gram(false);
        let factor = Cholesky::new(&matrix, 4);
        let inverse = factor.inverse();
        assert!(factor.is_definite());
        for k in 0..16 {
            let entry: f64 = (0..4).map(|t| inverse[k / 4 * 4 + t] * matrix[t * 4 + k % 4]).sum();
            assert!((entry - f64::from(u8::from(k / 4 == k % 4))).abs() < 1e-9);
        }
        let logs = Cholesky::new(&inverse, 4).log_det() + factor.log_det();
        assert!(logs.abs() < 1e-9);
    }

    #[test]
    fn sizes_beyond_one_chunk_are_factorised_too() {
        for size in [1, 15, 16, 17, 40] {
            let entry = |a: usize, b: usize| 0.8_f64.powi((a as i32 - b as i32).abs());
            let matrix: Vec<f64> = (0..size * size).map(|cell| entry(cell / size, cell % size)).collect();
            let factor = Cholesky::new(&matrix, size);
            // The determinant of the correlations of an autoregression.
            let log_det = (size - 1) as f64 * 0.36_f64.ln();
            assert!((factor.log_det() - log_det).abs() < 1e-9, "{size}");
            let inverse = factor.inverse();
            for cell in 0..size * size {
                let (a, b) = (cell / size, cell % size);
                let product = (0..size).map(|t| inverse[a * size + t] * matrix[t * size + b]).sum::<f64>();
                assert!((product - f64::from(u8::from(a == b))).abs() < 1e-9, "{size}: {a}, {b}");
            }
            let lower = factor.into_lower();
            for cell in 0..size * size {
                let product = dot(&lower[cell / size * size..][..size], &lower[cell % size * size..][..size]);
                assert!((product - matrix[cell]).abs() < 1e-12, "{size}: {cell}");
            }
        }
    }

    #[test]
    fn a_dependent_direction_is_passed_over() {
        let factor = Cholesky::new(&gram(true), 4);
        assert!(!factor.is_definite());
        let inverse = factor.inverse();
        let without: Vec<f64> = gram(true)
            .into_iter()
            .enumerate()
            .filter(|(k, _)| k / 4 != 2 && k % 4 != 2)
            .map(|(_, v)| v)
            .collect();
        let smaller = Cholesky::new(&without, 3);
        assert!((smaller.log_det() - factor.log_det()).abs() < 1e-9);
        let kept: Vec<f64> =
            inverse.iter().enumerate().filter(|(k, _)| k / 4 != 2 && k % 4 != 2).map(|(_, v)| *v).collect();
        assert!(kept.iter().zip(smaller.inverse()).all(|(a, b)| (a - b).abs() < 1e-9));
        assert!(inverse[8..12].iter().all(|&value| value == 0.0));
    }
}
