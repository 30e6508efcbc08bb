//! What decides by itself how a column of numbers is modelled: few different values, or one far from all others.

use crate::{Column, Values};

/// Numbers with at most so many different values, each found so often on average, are likely codes.
const MOST_CODES: usize = 10;
const LEAST_ROWS_A_CODE: usize = 20;

/// A value is isolated if it is this many robust deviations from the median and hardly any value is on the way there.
const ISOLATED: f64 = 30.0;
const ON_THE_WAY: f64 = 5.0;

/// More of the rows than this are tails, not exceptions.
const MOST_ISOLATED: f64 = 0.01;

/// The ratio of quartile range to standard deviation of a normal distribution.
pub(crate) const QUARTILES_PER_DEVIATION: f64 = 1.349;

impl Column {
    /// Whether these are numbers of few different values, each in many rows: codes, grades or small counts, which have
    /// probabilities and no density. Costs `O(n)`.
    #[must_use]
    pub fn has_few_values(&self) -> bool {
        let Values::Continuous(values) = &self.values else { return false };
        let mut seen: Vec<f64> = Vec::with_capacity(MOST_CODES);
        let mut present = 0;
        for &value in values.iter().filter(|value| value.is_finite()) {
            present += 1;
            if !seen.contains(&value) {
                if seen.len() == MOST_CODES {
                    return false;
                }
                seen.push(value);
            }
        }
        present >= LEAST_ROWS_A_CODE * seen.len()
    }

    /// The rows of numbers so far from all others that they decide alone what means, variances and slopes are: misplaced
    /// points, wrong units, codes for what is missing. None in heavy tails, where values lie on the way. Costs `O(n)`.
    #[must_use]
    pub fn isolated_rows(&self) -> Vec<usize> {
        let Values::Continuous(values) = &self.values else { return Vec::new() };
        let mut sorted: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
        if sorted.is_empty() {
            return Vec::new();
        }
        let last = sorted.len() - 1;
        let mut at = |quarters: usize| *sorted.select_nth_unstable_by(quarters * last / 4, f64::total_cmp).1;
        let [lower, median, upper] = [1, 2, 3].map(&mut at);
        let deviation = (upper - lower) / QUARTILES_PER_DEVIATION;
        let is_beyond = |value: f64, deviations: f64| (value - median).abs() > deviations * deviation;
        let far = sorted.iter().filter(|&&value| is_beyond(value, ON_THE_WAY)).count();
        let rows =
            values.iter().enumerate().filter(|(_, value)| value.is_finite() && is_beyond(**value, ISOLATED));
        let rows: Vec<usize> = rows.map(|(row, _)| row).collect();
        let are_exceptions = far as f64 <= (MOST_ISOLATED * sorted.len() as f64).max(1.0);
        if deviation > 0.0 && are_exceptions && 2 * rows.len() > far { rows } else { Vec::new() }
    }
}
