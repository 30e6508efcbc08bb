//! Distributions over terminal states, and how far two of them are apart.

use std::collections::HashMap;

use gflowcausal_determinism::log_sum_exp;

use crate::Terminal;

/// A probability for each of finitely many terminal states.
#[derive(Debug, Clone)]
pub struct Distribution {
    outcomes: Vec<Terminal>,
    log_probabilities: Vec<f64>,
    index: HashMap<Terminal, usize>,
}

impl Distribution {
    /// Each terminal with probability proportional to its weight, given as a logarithm; repeated ones add up.
    #[must_use]
    pub fn from_log_weights(weighted: impl IntoIterator<Item = (Terminal, f64)>) -> Self {
        let mut outcomes = Vec::new();
        let mut weights: Vec<f64> = Vec::new();
        let mut index = HashMap::new();
        for (terminal, weight) in weighted {
            let at = *index.entry(terminal).or_insert_with_key(|terminal: &Terminal| {
                outcomes.push(terminal.clone());
                weights.push(f64::NEG_INFINITY);
                outcomes.len() - 1
            });
            weights[at] = log_sum_exp([weights[at], weight].into_iter());
        }
        let total = log_sum_exp(weights.iter().copied());
        weights.iter_mut().for_each(|weight| *weight -= total);
        Self { outcomes, log_probabilities: weights, index }
    }

    /// The frequencies of a sample.
    #[must_use]
    pub fn from_samples(samples: impl IntoIterator<Item = Terminal>) -> Self {
        Self::from_log_weights(samples.into_iter().map(|terminal| (terminal, 0.0)))
    }

    /// The terminal states, in the order in which they were first named.
    #[must_use]
    pub fn outcomes(&self) -> &[Terminal] {
        &self.outcomes
    }

    /// `ln P` of each of the [`Self::outcomes`].
    #[must_use]
    pub fn log_probabilities(&self) -> &[f64] {
        &self.log_probabilities
    }

    /// The probability of `terminal`; zero if it was never named.
    #[must_use]
    pub fn probability(&self, terminal: &Terminal) -> f64 {
        self.index.get(terminal).map_or(0.0, |&at| self.log_probabilities[at].exp())
    }

    /// `½ Σ |P − Q|`: the largest difference in probability of any event.
    #[must_use]
    pub fn total_variation(&self, other: &Self) -> f64 {
        0.5 * self.pairs(other).map(|(p, q)| (p - q).abs()).sum::<f64>()
    }

    /// The Jensen–Shannon divergence in nats: the mean divergence of the two from their mixture, at most `ln 2`.
    #[must_use]
    pub fn jensen_shannon(&self, other: &Self) -> f64 {
        let part = |p: f64, mixture: f64| if p > 0.0 { 0.5 * p * (p / mixture).ln() } else { 0.0 };
        self.pairs(other).map(|(p, q)| part(p, 0.5 * (p + q)) + part(q, 0.5 * (p + q))).sum()
    }

    /// Both probabilities of each terminal state that either names.
    fn pairs<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = (f64, f64)> + 'a {
        let mine = self.outcomes.iter().map(|x| (self.probability(x), other.probability(x)));
        let theirs = other.outcomes.iter().filter(|x| !self.index.contains_key(x));
        mine.chain(theirs.map(|x| (0.0, other.probability(x))))
    }
}

#[cfg(test)]
mod tests {
    use gflowcausal_graph::Order;

    use super::*;

    fn order(sequence: [usize; 2]) -> Terminal {
        Terminal::Order(Order::new(sequence.to_vec()).unwrap())
    }

    #[test]
    fn distances_of_known_pairs() {
        let sure = Distribution::from_samples([order([0, 1])]);
        let even = Distribution::from_samples([order([1, 0]), order([0, 1])]);
        let other = Distribution::from_samples([order([1, 0])]);
        assert!((sure.total_variation(&even) - 0.5).abs() < 1e-12);
        assert!((sure.total_variation(&other) - 1.0).abs() < 1e-12);
        assert!((sure.jensen_shannon(&other) - std::f64::consts::LN_2).abs() < 1e-12);
        // ½ KL(1,0 ‖ ¾,¼) + ½ KL(½,½ ‖ ¾,¼)
        let expected = 0.5 * (4.0_f64 / 3.0).ln() + 0.25 * (2.0_f64 / 3.0).ln() + 0.25 * 2.0_f64.ln();
        assert!((sure.jensen_shannon(&even) - expected).abs() < 1e-12);
        assert!((even.jensen_shannon(&sure) - expected).abs() < 1e-12);
        assert_eq!(even.total_variation(&even), 0.0);
    }
}
