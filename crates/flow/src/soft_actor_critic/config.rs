//! The settings of soft actor–critic, checked before they run.

use std::ops::Deref;

use crate::config::{check, positive, share};
use crate::trainer::check_parameters;
use crate::{ConfigError, Environment, NetworkConfig, TrainConfig, TrainError, Walk};

/// The weight of the entropy where tuning starts.
const FIRST_WEIGHT: f64 = 1.0;

/// How much the entropy of the policy counts beside the reward.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum EntropyWeight {
    /// Always so much, in units of the spread of the reward among random terminal states.
    Fixed(f64),
    /// As much as keeps the policy at this share of the entropy of drawing every allowed action alike.
    Tuned {
        /// The share.
        share: f64,
    },
}

impl EntropyWeight {
    pub(super) fn first_weight(self) -> f64 {
        match self {
            Self::Fixed(weight) => weight,
            Self::Tuned { .. } => FIRST_WEIGHT,
        }
    }

    /// The entropy that the policy is to have where so many actions are allowed.
    pub(super) fn target(self, allowed: usize) -> f64 {
        match self {
            Self::Fixed(_) => 0.0,
            Self::Tuned { share } => share * (allowed as f64).ln(),
        }
    }
}

/// What is maximised, given `ln r`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RewardForm {
    /// `ln r` itself: for scores, which are logarithms.
    #[default]
    Log,
    /// `r`: for rewards that are small numbers, such as varsortability.
    Plain,
}

impl RewardForm {
    pub(super) fn of_log(self, log_reward: f64) -> f64 {
        match self {
            Self::Log => log_reward,
            Self::Plain => log_reward.exp(),
        }
    }
}

/// Settings of soft actor–critic.
#[derive(Debug, Clone, PartialEq)]
pub struct SacConfig {
    /// How graphs are grown.
    pub walk: Walk,
    /// The iterations.
    pub iterations: usize,
    /// How many trajectories the actor takes in an iteration.
    pub batch_size: usize,
    /// How many gradient steps follow.
    pub updates: usize,
    /// How many transitions a gradient step learns from.
    pub transitions: usize,
    /// How many transitions are remembered, the latest ones.
    pub capacity: usize,
    /// Where all random numbers come from.
    pub seed: u64,
    /// The shape of actor and critics.
    pub network: NetworkConfig,
    /// Adam's step length, for all of them.
    pub learning_rate: f64,
    /// How far targets follow critics in a step.
    pub target_rate: f64,
    /// The weight of the entropy.
    pub entropy: EntropyWeight,
    /// What is maximised.
    pub reward: RewardForm,
}

impl Default for SacConfig {
    fn default() -> Self {
        Self {
            walk: Walk::Edges,
            iterations: 1000,
            batch_size: 32,
            updates: 4,
            transitions: 256,
            capacity: 100_000,
            seed: 0,
            network: NetworkConfig::default(),
            learning_rate: 3e-4,
            target_rate: 0.005,
            entropy: EntropyWeight::Tuned { share: 0.98 },
            reward: RewardForm::Log,
        }
    }
}

/// A [`SacConfig`] that was checked.
#[derive(Debug, Clone, PartialEq)]
pub struct ValidSacConfig(SacConfig);

impl Deref for ValidSacConfig {
    type Target = SacConfig;

    fn deref(&self) -> &SacConfig {
        &self.0
    }
}

impl SacConfig {
    /// Checks every setting, alone and with the others.
    ///
    /// # Errors
    /// The first setting that is out of range or does not fit the walk.
    pub fn validate(self) -> Result<ValidSacConfig, ConfigError> {
        self.train_config().validate()?;
        let apart = self.walk.tells_states_apart();
        check("walk", 0.0, apart, "one that shows the edges so far as a matrix")?;
        positive("updates", self.updates as f64)?;
        positive("transitions", self.transitions as f64)?;
        positive("capacity", self.capacity as f64)?;
        positive("target_rate", self.target_rate)?;
        share("target_rate", self.target_rate)?;
        match self.entropy {
            EntropyWeight::Fixed(weight) => positive("entropy", weight)?,
            EntropyWeight::Tuned { share: of } => share("entropy.share", of)?,
        }
        Ok(ValidSacConfig(self))
    }

    /// What training and a file of the policy have in common with those of a GFlowNet.
    pub(super) fn train_config(&self) -> TrainConfig {
        let mut config = TrainConfig {
            walk: self.walk,
            iterations: self.iterations,
            batch_size: self.batch_size,
            seed: self.seed,
            network: self.network.clone(),
            ..TrainConfig::default()
        };
        config.optimizer.learning_rate = self.learning_rate;
        config
    }
}

impl ValidSacConfig {
    /// Refuses networks that would not fit into memory: there are five of them.
    pub(super) fn check_size(&self, environment: &dyn Environment) -> Result<(), TrainError> {
        let one = self.network.parameters(environment, false);
        check_parameters(one.and_then(|parameters| parameters.checked_mul(5)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_settings_are_named() {
        let refused = |config: SacConfig| config.validate().expect_err("it is bad").to_string();
        assert!(SacConfig::default().validate().is_ok());
        let config = SacConfig { entropy: EntropyWeight::Fixed(0.0), ..SacConfig::default() };
        assert_eq!(refused(config), "entropy is 0, but must be above zero");
        let config = SacConfig { entropy: EntropyWeight::Tuned { share: 2.0 }, ..SacConfig::default() };
        assert_eq!(refused(config), "entropy.share is 2, but must be from 0 to 1");
        let config = SacConfig { target_rate: 3.0, ..SacConfig::default() };
        assert_eq!(refused(config), "target_rate is 3, but must be from 0 to 1");
        let config = SacConfig { updates: 0, ..SacConfig::default() };
        assert_eq!(refused(config), "updates is 0, but must be above zero");
        assert!(SacConfig { walk: Walk::Order, ..SacConfig::default() }.validate().is_err());
    }
}
