//! Schedules of exploration, temperature and learning rate.

use crate::{ExplorationConfig, OptimizerConfig, TemperatureConfig};

impl ExplorationConfig {
    /// The probability of a random action at `iteration`.
    #[must_use]
    pub fn at(&self, iteration: usize) -> f64 {
        self.start + (self.end - self.start) * progress(iteration, self.iterations)
    }
}

impl TemperatureConfig {
    /// The temperature at `iteration`, when the log-rewards of random terminal states have the standard deviation
    /// `spread`: geometric from the start to the target.
    ///
    /// At a temperature of one spread, random states differ by about one nat: little enough to learn from all of
    /// them.
    #[must_use]
    pub fn at(&self, iteration: usize, spread: f64) -> f64 {
        if self.is_at_target(iteration) {
            return self.target;
        }
        let start = self.start.unwrap_or_else(|| spread.max(self.target));
        start * (self.target / start).powf(progress(iteration, self.iterations))
    }

    /// Whether the temperature is the target from `iteration` on.
    #[must_use]
    pub fn is_at_target(&self, iteration: usize) -> bool {
        iteration >= self.iterations
    }
}

impl OptimizerConfig {
    /// By what factor step lengths have shrunk at `iteration` of `iterations`.
    #[must_use]
    pub fn shrinkage(&self, iteration: usize, iterations: usize) -> f64 {
        let last = self.final_learning_rate.unwrap_or(self.learning_rate);
        (last / self.learning_rate).powf(progress(iteration, iterations))
    }
}

/// From 0 to 1 in `length` iterations.
fn progress(iteration: usize, length: usize) -> f64 {
    if iteration >= length { 1.0 } else { iteration as f64 / length as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedules_start_fall_and_stay() {
        let exploration = ExplorationConfig { start: 0.5, end: 0.1, iterations: 4 };
        let temperature = TemperatureConfig { target: 1.0, start: None, iterations: 2 };
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} {b}");
        for (i, expected) in [(0, 0.5), (2, 0.3), (4, 0.1), (9, 0.1)] {
            close(exploration.at(i), expected);
        }
        close(temperature.at(0, 100.0), 100.0);
        close(temperature.at(1, 100.0), 10.0);
        close(temperature.at(2, 100.0), 1.0);
        close(temperature.at(0, 0.2), 1.0);
        let never = TemperatureConfig { target: 3.0, start: None, iterations: 0 };
        close(never.at(0, 100.0), 3.0);
        let optimizer = OptimizerConfig { final_learning_rate: Some(1e-5), ..OptimizerConfig::default() };
        for (i, expected) in [(0, 1.0), (5, 0.1), (10, 0.01)] {
            close(optimizer.shrinkage(i, 10), expected);
        }
        assert!(never.is_at_target(0) && !temperature.is_at_target(1));
    }
}
