//! Skewness, outliers and heavy tails of one column.

use crate::column_values::QUARTILES_PER_DEVIATION;

/// A robust deviation this many times the usual one is an outlier.
pub(super) const FAR: f64 = 10.0;

/// Tails are heavy if more than this share of the values is so many robust deviations from the median: 1.6 % of Laplacian
/// values are, and 0.006 % of normal ones.
const TAIL: f64 = 4.0;
const TAIL_SHARE: f64 = 0.01;

/// Fewer values than this make no tail.
const LEAST_FAR: usize = 5;

/// The third standardised moment; values of any scale.
pub(super) fn skewness(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let largest = values.iter().map(|value| (value - mean).abs()).fold(0.0, f64::max);
    let (mut second, mut third) = (0.0, 0.0);
    for value in values {
        let z = (value - mean) / largest;
        second += z * z;
        third += z * z * z;
    }
    (third / n) / (second / n).powf(1.5)
}

/// Whether an extreme is far from the median, in robust deviations, and whether many values are rather far. Costs `O(n)`;
/// reorders the values.
pub(super) fn tails(values: &mut [f64]) -> [bool; 2] {
    if values.is_empty() {
        return [false; 2];
    }
    let last = values.len() - 1;
    let mut at = |quarters: usize| *values.select_nth_unstable_by(quarters * last / 4, f64::total_cmp).1;
    let [least, lower, median, upper, most] = [0, 1, 2, 3, 4].map(&mut at);
    let deviation = (upper - lower) / QUARTILES_PER_DEVIATION;
    let far = values.iter().filter(|&&value| (value - median).abs() > TAIL * deviation).count();
    let is_heavy = far >= LEAST_FAR && far as f64 > TAIL_SHARE * values.len() as f64;
    [(most - median).max(median - least) > FAR * deviation, is_heavy].map(|is| is && deviation > 0.0)
}
