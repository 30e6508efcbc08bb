//! Statistics of training: the rewards of random trajectories, and whether the loss still decreases.

use gflowcausal_determinism::rand::RngExt;
use gflowcausal_determinism::{Stream, StreamRng, cancellation_point, map, stream};

use super::{TrainError, finite};
use crate::{Environment, LogReward, Progress, Terminal, ValidTrainConfig};

/// How many random trajectories the statistics are of.
const RANDOM_TRAJECTORIES: usize = 256;

/// By what factor the mean loss of a window must decrease for training to continue.
const PROGRESS_FACTOR: f64 = 0.95;

/// The log-rewards of random terminal states.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct RewardStats {
    pub(crate) mean: f64,
    pub(crate) deviation: f64,
    /// The mean of `ln P_F(τ) − ln P_B(τ)` under the uniform policy.
    pub(crate) mean_log_ratio: f64,
}

impl RewardStats {
    pub(crate) fn of_random_trajectories(
        environment: &dyn Environment,
        reward: &dyn LogReward,
        seed: u64,
    ) -> Result<Self, TrainError> {
        let trajectories = map(RANDOM_TRAJECTORIES, |k| {
            random_trajectory(environment, &mut stream(seed, Stream::RandomWalk { k: k as u64 }))
        });
        let (terminals, log_ratios): (Vec<Terminal>, Vec<f64>) = trajectories.into_iter().unzip();
        let log_rewards = finite(reward.log_rewards(&terminals))?;
        let mean = mean(&log_rewards);
        let squares: Vec<f64> = log_rewards.iter().map(|value| (value - mean).powi(2)).collect();
        Ok(Self { mean, deviation: self::mean(&squares).sqrt(), mean_log_ratio: self::mean(&log_ratios) })
    }
}

/// Where any allowed action at each state leads, and `ln P_F − ln P_B` of the trajectory.
fn random_trajectory(environment: &dyn Environment, rng: &mut StreamRng) -> (Terminal, f64) {
    let mut state = environment.initial();
    let (mut actions, mut log_ratio) = (Vec::new(), 0.0);
    loop {
        if let Some(terminal) = state.terminal() {
            return (terminal, log_ratio);
        }
        cancellation_point();
        state.allowed(&mut actions);
        log_ratio -= (actions.len() as f64).ln();
        state.apply(actions[rng.random_range(0..actions.len())]);
        state.parents(&mut actions);
        log_ratio += (actions.len() as f64).ln();
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Whether training still makes progress, evaluated over stretches of `patience` iterations after annealing and warm start.
///
/// Training has converged at the end of a stretch that brought no better terminal state and whose mean loss is not a
/// twentieth lower than that of the stretch before.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Convergence {
    /// Iterations in the running stretch, and the sum of their losses.
    pub(crate) count: f64,
    pub(crate) sum: f64,
    /// The mean loss of the stretch before; zero if there was none.
    pub(crate) previous: f64,
    /// The best log-reward at the beginning of the running stretch.
    pub(crate) best_before: f64,
    /// One once converged.
    pub(crate) reached: f64,
}

impl Convergence {
    pub(crate) fn is_reached(&self) -> bool {
        self.reached > 0.0
    }

    pub(crate) fn record(&mut self, config: &ValidTrainConfig, progress: &Progress) {
        let Some(patience) = config.patience else { return };
        let is_warm = progress.iteration > config.reference.likelihood_iterations;
        if !(config.temperature.is_at_target(progress.iteration) && is_warm) {
            return;
        }
        if self.count == 0.0 && self.previous == 0.0 {
            self.best_before = progress.best_log_reward;
        }
        self.count += 1.0;
        self.sum += progress.loss;
        if self.count >= patience as f64 {
            self.end_stretch(progress.best_log_reward);
        }
    }

    fn end_stretch(&mut self, best: f64) {
        let loss = self.sum / self.count;
        let is_first = self.previous == 0.0;
        let stands_still = best <= self.best_before && loss >= PROGRESS_FACTOR * self.previous;
        let reached = if !is_first && stands_still { 1.0 } else { 0.0 };
        *self = Self { count: 0.0, sum: 0.0, previous: loss, best_before: best, reached };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{TemperatureConfig, TrainConfig};

    fn stops_after(losses: impl Fn(usize) -> f64, bests: impl Fn(usize) -> f64) -> Option<usize> {
        let temperature = TemperatureConfig { iterations: 10, ..TemperatureConfig::default() };
        let config =
            TrainConfig { patience: Some(5), temperature, ..TrainConfig::default() }.validate().unwrap();
        let mut convergence = Convergence::default();
        (1..200).find(|&iteration| {
            let progress = Progress {
                iteration,
                loss: losses(iteration),
                mean_log_reward: 0.0,
                best_log_reward: bests(iteration),
                temperature: 1.0,
                exploration: 0.0,
                log_partition: 0.0,
            };
            convergence.record(&config, &progress);
            convergence.is_reached()
        })
    }

    #[test]
    fn training_stops_when_neither_loss_nor_best_gets_better() {
        assert_eq!(stops_after(|_| 1.0, |_| -3.0), Some(19), "two stretches after annealing");
        assert_eq!(stops_after(|i| 0.9_f64.powi(i as i32), |_| -3.0), None);
        assert_eq!(stops_after(|_| 1.0, |i| i.min(42) as f64), Some(49));
    }
}
