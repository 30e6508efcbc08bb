//! Sums of numbers that are known by their logarithm.

/// `ln Σ exp(x)`; negative infinity for no terms.
pub(crate) fn log_sum_exp(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let largest = values.clone().fold(f64::NEG_INFINITY, f64::max);
    if largest == f64::NEG_INFINITY {
        return largest;
    }
    largest + values.map(|value| (value - largest).exp()).sum::<f64>().ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_stay_finite_where_the_terms_would_not() {
        let sum = log_sum_exp([1000.0, 1000.0].into_iter());
        assert!((sum - (1000.0 + 2.0_f64.ln())).abs() < 1e-12);
        assert_eq!(log_sum_exp(std::iter::empty()), f64::NEG_INFINITY);
        assert_eq!(log_sum_exp([f64::NEG_INFINITY, 3.0].into_iter()), 3.0);
    }
}
