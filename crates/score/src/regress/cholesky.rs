//! Cholesky factorisation of semidefinite matrices: dependent directions are passed over.

/// A direction with less than this share of its own diagonal left is a linear function of those before it.
const DEPENDENT: f64 = 1e-10;

/// The Cholesky factor of a positive semidefinite matrix.
///
/// A direction that depends on those before it has an empty column: it takes part in nothing.
pub(crate) struct Cholesky {
    size: usize,
    /// Lower triangle, row by row; the diagonal is zero for a dependent direction.
    lower: Vec<f64>,
}

impl Cholesky {
    /// Factorises the `size × size` matrix: `O(k³/3)`, in loops over neighbouring numbers.
    pub(crate) fn new(mut matrix: Vec<f64>, size: usize) -> Self {
        let diagonal: Vec<f64> = (0..size).map(|i| matrix[i * size + i]).collect();
        let mut column = vec![0.0; size];
        for j in 0..size {
            let pivot = matrix[j * size + j];
            let scale = if pivot > DEPENDENT * diagonal[j] { pivot.sqrt().recip() } else { 0.0 };
            for i in j..size {
                column[i] = matrix[i * size + j] * scale;
                matrix[i * size + j] = column[i];
            }
            for i in j + 1..size {
                add_multiple(&mut matrix[i * size + j + 1..=i * size + i], -column[i], &column[j + 1..=i]);
            }
        }
        Self { size, lower: matrix }
    }

    /// The lower triangle, row by row, with zeros above it.
    pub(crate) fn into_lower(mut self) -> Vec<f64> {
        let k = self.size;
        (0..k * k).filter(|cell| cell % k > cell / k).for_each(|cell| self.lower[cell] = 0.0);
        self.lower
    }

    fn pivot(&self, i: usize) -> f64 {
        self.lower[i * self.size + i]
    }

    /// Whether no direction depends on the others.
    pub(crate) fn is_definite(&self) -> bool {
        (0..self.size).all(|i| self.pivot(i) > 0.0)
    }

    /// The logarithm of the determinant, without dependent directions.
    pub(crate) fn log_det(&self) -> f64 {
        (0..self.size).map(|i| self.pivot(i)).filter(|&pivot| pivot > 0.0).map(|pivot| 2.0 * pivot.ln()).sum()
    }

    /// The inverse, with zeros for dependent directions: `O(2k³/3)`.
    pub(crate) fn inverse(&self) -> Vec<f64> {
        let k = self.size;
        let factor = self.inverse_lower();
        let mut inverse = vec![0.0; k * k];
        for t in 0..k {
            let row = &factor[t * k..=t * k + t];
            for (a, &weight) in row.iter().enumerate() {
                add_multiple(&mut inverse[a * k..=a * k + a], weight, &row[..=a]);
            }
        }
        for a in 0..k {
            (0..a).for_each(|b| inverse[b * k + a] = inverse[a * k + b]);
        }
        inverse
    }

    fn inverse_lower(&self) -> Vec<f64> {
        let k = self.size;
        let mut inverse = vec![0.0; k * k];
        for i in (0..k).filter(|&i| self.pivot(i) > 0.0) {
            let (done, rest) = inverse.split_at_mut(i * k);
            let scale = self.pivot(i).recip();
            for t in 0..i {
                add_multiple(&mut rest[..=t], -scale * self.lower[i * k + t], &done[t * k..=t * k + t]);
            }
            rest[i] = scale;
        }
        inverse
    }
}

fn add_multiple(target: &mut [f64], factor: f64, source: &[f64]) {
    target.iter_mut().zip(source).for_each(|(value, other)| *value += factor * other);
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
        let factor = Cholesky::new(matrix.clone(), 4);
        let inverse = factor.inverse();
        assert!(factor.is_definite());
        for k in 0..16 {
            let entry: f64 = (0..4).map(|t| inverse[k / 4 * 4 + t] * matrix[t * 4 + k % 4]).sum();
            assert!((entry - f64::from(u8::from(k / 4 == k % 4))).abs() < 1e-9);
        }
        let logs = Cholesky::new(inverse, 4).log_det() + factor.log_det();
        assert!(logs.abs() < 1e-9);
    }

    #[test]
    fn a_dependent_direction_is_passed_over() {
        let factor = Cholesky::new(gram(true), 4);
        assert!(!factor.is_definite());
        let inverse = factor.inverse();
        let without: Vec<f64> = gram(true)
            .into_iter()
            .enumerate()
            .filter(|(k, _)| k / 4 != 2 && k % 4 != 2)
            .map(|(_, v)| v)
            .collect();
        let smaller = Cholesky::new(without, 3);
        assert!((smaller.log_det() - factor.log_det()).abs() < 1e-9);
        let kept: Vec<f64> =
            inverse.iter().enumerate().filter(|(k, _)| k / 4 != 2 && k % 4 != 2).map(|(_, v)| *v).collect();
        assert!(kept.iter().zip(smaller.inverse()).all(|(a, b)| (a - b).abs() < 1e-9));
        assert!(inverse[8..12].iter().all(|&value| value == 0.0));
    }
}
