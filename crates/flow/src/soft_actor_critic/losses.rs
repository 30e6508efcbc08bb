//! The losses of actor and critics at one state, with their slopes.

/// `Σ π(a) (Q(a) − α ln π(a))`: the soft value of a state.
pub(super) fn soft_value(log_policy: &[f64], values: &[f64], alpha: f64) -> f64 {
    log_policy.iter().zip(values).map(|(log, value)| log.exp() * (value - alpha * log)).sum()
}

/// The entropy of a policy.
pub(super) fn entropy(log_policy: &[f64]) -> f64 {
    -log_policy.iter().map(|log| log.exp() * log).sum::<f64>()
}

/// `½ (Q(a) − y)²` and its slope.
pub(super) fn critic_loss(value: f64, target: f64) -> (f64, f64) {
    let residual = value - target;
    (0.5 * residual * residual, residual)
}

/// `Σ π(a) (α ln π(a) − Q(a))` and its slopes by the logits of `π`.
///
/// The slope by logit `k` is `π(k) (α ln π(k) − Q(k) − loss)`.
pub(super) fn actor_loss(log_policy: &[f64], values: &[f64], alpha: f64) -> (f64, Vec<f64>) {
    let loss = -soft_value(log_policy, values, alpha);
    let slope = |(log, value): (&f64, &f64)| log.exp() * (alpha * log - value - loss);
    (loss, log_policy.iter().zip(values).map(slope).collect())
}

#[cfg(test)]
mod tests {
    use gflowcausal_determinism::log_sum_exp;

    use super::*;

    const STEP: f64 = 1e-5;

    fn log_softmax(logits: &[f64]) -> Vec<f64> {
        let total = log_sum_exp(logits.iter().copied());
        logits.iter().map(|logit| logit - total).collect()
    }

    #[test]
    fn slopes_are_central_differences() {
        let (logits, values) = ([0.3, -1.2, 2.0, 0.0], [1.0, 0.5, -0.7, 4.0]);
        for alpha in [0.05, 1.0, 7.0] {
            let loss = |logits: &[f64]| actor_loss(&log_softmax(logits), &values, alpha).0;
            let (_, slopes) = actor_loss(&log_softmax(&logits), &values, alpha);
            for (k, slope) in slopes.iter().enumerate() {
                let moved = |by: f64| {
                    let mut moved = logits;
                    moved[k] += by;
                    loss(&moved)
                };
                let expected = (moved(STEP) - moved(-STEP)) / (2.0 * STEP);
                assert!((slope - expected).abs() < 1e-8, "logit {k}: {slope} {expected}");
            }
        }
        let (_, slope) = critic_loss(1.7, -0.4);
        let expected = (critic_loss(1.7 + STEP, -0.4).0 - critic_loss(1.7 - STEP, -0.4).0) / (2.0 * STEP);
        assert!((slope - expected).abs() < 1e-8);
    }

    #[test]
    fn the_soft_value_is_largest_at_the_boltzmann_policy() {
        let (values, alpha) = ([1.0, 0.5, -0.7], 0.4);
        let scaled: Vec<f64> = values.iter().map(|value| value / alpha).collect();
        let best = soft_value(&log_softmax(&scaled), &values, alpha);
        assert!((best - alpha * log_sum_exp(scaled.iter().copied())).abs() < 1e-12);
        assert!(soft_value(&log_softmax(&[0.0, 0.1, 0.0]), &values, alpha) < best);
        assert!((entropy(&log_softmax(&[0.0; 3])) - 3.0_f64.ln()).abs() < 1e-12);
    }
}
