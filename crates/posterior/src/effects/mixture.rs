//! The distribution of one effect: drawn values from graphs with a directed path, and a mass at zero from those without.

/// A mass that counts as a mode of its own.
const LEAST_MASS: f64 = 0.05;

/// How many bars a histogram has.
const BARS: usize = 24;

/// What rounding may take from a sum of weights.
const ROUNDING: f64 = 1e-9;

/// Weighted values, and the probability that there is no effect at all.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EffectDistribution {
    /// Values with their weights, ascending; weights and `none` sum to one.
    values: Vec<(f64, f64)>,
    none: f64,
}

/// The weights of equal parts of the line from `low` to `high`; the mass at zero is not in them.
#[derive(Debug, Clone, PartialEq)]
pub struct Histogram {
    /// Where the first bar begins.
    pub low: f64,
    /// Where the last bar ends.
    pub high: f64,
    /// The probability of each bar.
    pub weights: Vec<f64>,
}

impl EffectDistribution {
    /// The mixture of weighted `values` and of a mass at zero; weights are taken relative to their sum.
    #[must_use]
    pub fn new(mut values: Vec<(f64, f64)>, none: f64) -> Self {
        values.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        let total: f64 = none + values.iter().map(|(_, weight)| weight).sum::<f64>();
        if total <= 0.0 {
            return Self { values: Vec::new(), none: 1.0 };
        }
        values.iter_mut().for_each(|(_, weight)| *weight /= total);
        Self { none: if values.is_empty() { 1.0 } else { none / total }, values }
    }

    /// Every value times `factor`.
    #[must_use]
    pub fn scaled(&self, factor: f64) -> Self {
        let values = self.values.iter().map(|(value, weight)| (value * factor, *weight)).collect();
        Self::new(values, self.none)
    }

    /// The same with the mass at zero as a value like others.
    #[must_use]
    pub fn as_values(&self) -> Self {
        let zero = (self.none > 0.0).then_some((0.0, self.none));
        Self::new(self.values.iter().copied().chain(zero).collect(), 0.0)
    }

    /// Every value plus `offset`; for what is no effect but a value, and has no mass at zero.
    #[must_use]
    pub fn shifted(mut self, offset: f64) -> Self {
        self.values.iter_mut().for_each(|(value, _)| *value += offset);
        self
    }

    /// The mean over all graphs, those without an effect included.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.values.iter().fold(0.0, |sum, (value, weight)| sum + value * weight)
    }

    /// The mean over the graphs that have a directed path, where there are any.
    #[must_use]
    pub fn mean_given_path(&self) -> Option<f64> {
        let mass: f64 = self.values.iter().map(|(_, weight)| weight).sum();
        (mass > 0.0).then(|| self.mean() / mass)
    }

    /// The standard deviation of the mixture.
    #[must_use]
    pub fn standard_deviation(&self) -> f64 {
        let mean = self.mean();
        let about = |value: f64| (value - mean).powi(2);
        let spread: f64 = self.values.iter().map(|(value, weight)| weight * about(*value)).sum();
        (spread + self.none * about(0.0)).sqrt()
    }

    /// The probability that no directed path leads from the cause to the effect.
    #[must_use]
    pub fn probability_none(&self) -> f64 {
        self.none
    }

    /// The probability of an effect above zero.
    #[must_use]
    pub fn probability_positive(&self) -> f64 {
        self.mass(|value| value > 0.0)
    }

    /// The probability of an effect below zero.
    #[must_use]
    pub fn probability_negative(&self) -> f64 {
        self.mass(|value| value < 0.0)
    }

    fn mass(&self, is_in: impl Fn(f64) -> bool) -> f64 {
        let members = self.values.iter().filter(|(value, _)| is_in(*value));
        members.fold(0.0, |sum, (_, weight)| sum + weight)
    }

    /// The least value that a share of at least `probability` does not exceed; the mass at zero counts as a value.
    #[must_use]
    pub fn quantile(&self, probability: f64) -> f64 {
        let zero = self.values.partition_point(|(value, _)| *value < 0.0);
        let (below, above) = self.values.split_at(zero);
        let mass = (self.none > 0.0).then_some((0.0, self.none));
        let mut cumulative = 0.0;
        let mut last = 0.0;
        for (value, weight) in below.iter().copied().chain(mass).chain(above.iter().copied()) {
            cumulative += weight;
            last = value;
            if cumulative + ROUNDING >= probability {
                break;
            }
        }
        last
    }

    /// The two ends that leave out the same share on either side, `level` between them.
    #[must_use]
    pub fn interval(&self, level: f64) -> (f64, f64) {
        let tail = 0.5 * (1.0 - level);
        (self.quantile(tail), self.quantile(1.0 - tail))
    }

    /// The drawn values in bars; none where there is nothing but zero.
    #[must_use]
    pub fn histogram(&self) -> Option<Histogram> {
        let given_path = Self::new(self.values.clone(), 0.0);
        let (mut low, mut high) = given_path.interval(0.99);
        if self.none > 0.0 {
            (low, high) = (low.min(0.0), high.max(0.0));
        }
        let width = (high - low) / BARS as f64;
        if self.values.is_empty() || width <= 0.0 {
            return None;
        }
        let mut weights = vec![0.0; BARS];
        for (value, weight) in &self.values {
            let bar = ((value - low) / width).floor().clamp(0.0, (BARS - 1) as f64);
            weights[bar as usize] += weight;
        }
        Some(Histogram { low, high, weights })
    }

    /// Whether graphs disagree: some have no effect and some have one, or the effects have two modes.
    #[must_use]
    pub fn is_split(&self) -> bool {
        let is_mode = |mass: f64| mass >= LEAST_MASS;
        (is_mode(self.none) && is_mode(1.0 - self.none))
            || self.histogram().is_some_and(|histogram| histogram.is_bimodal())
    }
}

impl Histogram {
    /// Whether a valley of at most half the height of either side parts two masses that both count.
    fn is_bimodal(&self) -> bool {
        let smooth: Vec<f64> = (0..self.weights.len()).map(|bar| self.smoothed(bar)).collect();
        let peak = |bars: &[f64]| bars.iter().copied().fold(0.0, f64::max);
        (1..smooth.len() - 1).any(|valley| {
            let (left, right) = (&smooth[..valley], &smooth[valley + 1..]);
            let masses = [&self.weights[..valley], &self.weights[valley + 1..]];
            smooth[valley] <= 0.5 * peak(left).min(peak(right))
                && masses.iter().all(|bars| bars.iter().sum::<f64>() >= LEAST_MASS)
        })
    }

    /// The mean of a bar and its neighbours.
    fn smoothed(&self, bar: usize) -> f64 {
        let near = &self.weights[bar.saturating_sub(1)..(bar + 2).min(self.weights.len())];
        near.iter().sum::<f64>() / near.len() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn even(values: &[f64]) -> Vec<(f64, f64)> {
        values.iter().map(|&value| (value, 1.0)).collect()
    }

    #[test]
    fn graphs_without_a_path_count_as_zeros() {
        let effect = EffectDistribution::new(even(&[2.0, 3.0, -1.0]), 1.0);
        assert_eq!(effect.probability_none(), 0.25);
        assert_eq!((effect.probability_positive(), effect.probability_negative()), (0.5, 0.25));
        assert_eq!(effect.mean(), 1.0);
        assert!((effect.mean_given_path().unwrap() - 4.0 / 3.0).abs() < 1e-12);
        assert!((effect.standard_deviation() - 2.5_f64.sqrt()).abs() < 1e-12);
        let quantiles = [0.01, 0.25, 0.26, 0.5, 0.51, 1.0].map(|p| effect.quantile(p));
        assert_eq!(quantiles, [-1.0, -1.0, 0.0, 0.0, 2.0, 3.0]);
    }

    #[test]
    fn nothing_drawn_is_no_effect() {
        let effect = EffectDistribution::new(Vec::new(), 0.0);
        assert_eq!((effect.mean(), effect.interval(0.9), effect.probability_none()), (0.0, (0.0, 0.0), 1.0));
        assert_eq!((effect.histogram(), effect.is_split()), (None, false));
    }

    #[test]
    fn two_values_are_two_modes_and_one_value_is_one() {
        let swing = |k: u32| [0.7, 1.3, 2.9].map(|pace| (f64::from(k) * pace).sin()).iter().sum::<f64>();
        let around = |centre: f64| (0..300).map(move |k| centre + 0.05 * swing(k));
        let one: Vec<f64> = around(0.8).collect();
        assert!(!EffectDistribution::new(even(&one), 0.0).is_split());
        let two: Vec<f64> = around(0.8).chain(around(-0.5)).collect();
        let split = EffectDistribution::new(even(&two), 0.0);
        assert!(split.is_split());
        let histogram = split.histogram().unwrap();
        assert!((histogram.weights.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        assert!(EffectDistribution::new(even(&one), 150.0).is_split(), "a third has no effect");
        assert!(!EffectDistribution::new(even(&one), 2.0).is_split(), "a hundredth is no part");
    }

    #[test]
    fn a_negative_factor_turns_the_distribution_round() {
        let effect = EffectDistribution::new(even(&[1.0, 2.0, 3.0, 4.0]), 0.0).scaled(-2.0);
        assert_eq!(effect.interval(0.5), (-8.0, -4.0));
        assert_eq!(effect.mean(), -5.0);
    }
}
