//! NOTEARS: `h(A) = tr e^A − d`, and the exponential of a non-negative matrix behind it.

use super::super::matrix_product::multiply;

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

/// Exponentials of matrices of one size, without new memory for each.
#[derive(Debug)]
pub struct Exponential {
    size: usize,
    powers: [Vec<f64>; 4],
    sum: Vec<f64>,
    product: Vec<f64>,
}

impl Exponential {
    /// For matrices of `size` rows.
    #[must_use]
    pub fn new(size: usize) -> Self {
        let zeros = || vec![0.0; size * size];
        Self { size, powers: [zeros(), zeros(), zeros(), zeros()], sum: zeros(), product: zeros() }
    }

    /// `e^a` of a matrix without negative entries: nothing cancels, so halving the exponent until its norm is at most 1,
    /// Taylor's sum to the 16th power and squaring back are exact to rounding. Six products and one for each halving.
    pub fn of(&mut self, a: &[f64]) -> &[f64] {
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
    #[must_use]
    pub fn last(&self) -> &[f64] {
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
/// use gflowcausal_search::acyclicity_h;
/// assert_eq!(acyclicity_h(2, &[0.0, 1.0, 0.0, 0.0]), 0.0);
/// assert!((acyclicity_h(2, &[0.0, 1.0, 1.0, 0.0]) - 2.0 * (1.0_f64.cosh() - 1.0)).abs() < 1e-14);
/// ```
#[must_use]
pub fn acyclicity_h(size: usize, a: &[f64]) -> f64 {
    excess_trace(size, Exponential::new(size).of(a))
}

/// The trace of a matrix beyond that of the identity.
pub(in super::super) fn excess_trace(size: usize, matrix: &[f64]) -> f64 {
    matrix.iter().step_by(size + 1).map(|diagonal| diagonal - 1.0).sum()
}

/// How often `a` is halved until its rows sum to at most 1.
fn halvings(size: usize, a: &[f64]) -> i32 {
    let norm = a.chunks_exact(size).map(|row| row.iter().sum::<f64>()).fold(0.0, f64::max);
    if norm > 1.0 { norm.log2().ceil() as i32 } else { 0 }
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
}
