//! The partition sum from draws of a policy and draws of the target together: bridge sampling (Meng & Wong 1996).

/// How many times the estimate is put into its own equation; the error shrinks by a factor each time.
const STEPS: usize = 200;

/// `ln Z` from `ln reward − ln policy` of draws of the policy and of draws of the target.
///
/// For every bridge function `h`, `Z = E_policy[h·reward] / E_target[h·policy]`, whatever the policy leaves out: where it has no
/// draws, `h·policy` is zero. Takes the `h` of least variance for independent draws,
/// `1 / (s₁ policy + s₂ reward / Z)` with the shares `s` of the draws. None without draws of both.
#[must_use]
pub fn log_z_by_bridge(of_policy: &[f64], of_target: &[f64]) -> Option<f64> {
    if of_policy.is_empty() || of_target.is_empty() {
        return None;
    }
    let total = (of_policy.len() + of_target.len()) as f64;
    let (s1, s2) = (of_policy.len() as f64 / total, of_target.len() as f64 / total);
    let mean = |ratios: &[f64], term: &dyn Fn(f64) -> f64| {
        ratios.iter().map(|&ratio| term(ratio)).sum::<f64>() / ratios.len() as f64
    };
    let mut log_z = median(of_target);
    for _ in 0..STEPS {
        // Both means over the present estimate, so that neither overflows.
        let above = mean(of_policy, &|ratio| 1.0 / (s1 * (log_z - ratio).exp() + s2));
        let below = mean(of_target, &|ratio| 1.0 / (s1 + s2 * (ratio - log_z).exp()));
        let step = (above.max(f64::MIN_POSITIVE) / below.max(f64::MIN_POSITIVE)).ln();
        log_z += step;
        if step.abs() < 1e-9 {
            break;
        }
    }
    Some(log_z)
}

fn median(values: &[f64]) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ratios as often as `probabilities` say, of rewards over the probabilities of a policy.
    fn ratios(probabilities: [f64; 3], rewards: [f64; 3], policy: [f64; 3]) -> Vec<f64> {
        let of = |i: usize| vec![(rewards[i] / policy[i]).ln(); (1000.0 * probabilities[i]).round() as usize];
        (0..3).flat_map(of).collect()
    }

    #[test]
    fn the_sum_is_found_from_both_sides() {
        let (rewards, policy) = ([4.0, 3.0, 1.0], [0.2, 0.3, 0.5]);
        let target = rewards.map(|reward| reward / 8.0);
        let log_z = log_z_by_bridge(&ratios(policy, rewards, policy), &ratios(target, rewards, policy));
        assert!((log_z.unwrap() - 8_f64.ln()).abs() < 1e-6, "{log_z:?}");
        assert_eq!(log_z_by_bridge(&[], &[1.0]), None);
    }

    /// The mean weight of the policy's own draws is 5, the mass that it covers; the sum is 8.
    #[test]
    fn a_mode_that_the_policy_leaves_out_counts() {
        let (rewards, policy) = ([4.0, 1.0, 3.0], [0.8, 0.2, 1e-12]);
        let target = rewards.map(|reward| reward / 8.0);
        let log_z = log_z_by_bridge(&ratios(policy, rewards, policy), &ratios(target, rewards, policy));
        assert!((log_z.unwrap() - 8_f64.ln()).abs() < 1e-6, "{log_z:?}");
    }
}
