//! Sums in log space.

/// Below this the exponential function is zero, and slow to find out.
const UNDERFLOW: f64 = -746.0;

/// What lies so far below a sum does not change it.
const LOST: f64 = -60.0;

/// `exp x`, at once where it is zero.
#[inline]
#[must_use]
pub fn exp_or_zero(x: f64) -> f64 {
    if x < UNDERFLOW { 0.0 } else { x.exp() }
}

/// `ln Σ exp(x)`; negative infinity for no terms.
#[must_use]
pub fn log_sum_exp(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let largest = values.clone().fold(f64::NEG_INFINITY, f64::max);
    if largest == f64::NEG_INFINITY {
        return largest;
    }
    largest + values.map(|value| exp_or_zero(value - largest)).sum::<f64>().ln()
}

/// `ln(exp a + exp b)`.
#[must_use]
pub fn log_add(a: f64, b: f64) -> f64 {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    // Also where both are the logarithm of zero, whose difference is no number.
    if low == f64::NEG_INFINITY || low - high < LOST { high } else { high + (low - high).exp().ln_1p() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_stay_finite_where_the_terms_would_not() {
        let expected = 1000.0 + 2.0_f64.ln();
        assert!((log_sum_exp([1000.0, 1000.0].into_iter()) - expected).abs() < 1e-12);
        assert!((log_add(1000.0, 1000.0) - expected).abs() < 1e-12);
    }

    #[test]
    fn the_logarithm_of_zero_adds_nothing() {
        assert_eq!(log_sum_exp(std::iter::empty()), f64::NEG_INFINITY);
        assert_eq!(log_sum_exp([f64::NEG_INFINITY, 3.0].into_iter()), 3.0);
        assert_eq!(log_add(f64::NEG_INFINITY, 3.0), 3.0);
        assert_eq!(log_add(f64::NEG_INFINITY, f64::NEG_INFINITY), f64::NEG_INFINITY);
    }
}
