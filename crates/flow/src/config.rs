//! All settings of a training run, in one struct that is checked before it runs.

use std::ops::Deref;

use serde::{Deserialize, Serialize};

use crate::{FlowScale, NetworkConfig, NetworkName, Objective, ObjectiveName, Walk};

/// `λ` of SubTB unless said otherwise.
const LAMBDA: f64 = 0.9;

/// The learning rate of `ln Z` unless said otherwise.
const LOG_PARTITION_LEARNING_RATE: f64 = 0.1;

/// Settings of a training run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TrainConfig {
    /// How graphs are grown.
    pub walk: Walk,
    /// Which balance is learned.
    pub objective: ObjectiveName,
    /// On which scale flow matching compares; logarithms unless said otherwise.
    pub flow_scale: Option<FlowScale>,
    /// How much shorter stretches count more in SubTB; 0.9 unless said otherwise.
    pub lambda: Option<f64>,
    /// The most iterations.
    pub iterations: usize,
    /// How many trajectories an iteration learns from.
    pub batch_size: usize,
    /// Where all random numbers come from.
    pub seed: u64,
    /// The network's shape.
    pub network: NetworkConfig,
    /// How parameters follow the gradient.
    pub optimizer: OptimizerConfig,
    /// How often actions are drawn at random.
    pub exploration: ExplorationConfig,
    /// How the reward is flattened at first.
    pub temperature: TemperatureConfig,
    /// How terminal states are remembered.
    pub replay: ReplayConfig,
    /// How draws of the target itself are learned from.
    pub reference: ReferenceConfig,
    /// Whether the network sees what the reward says of the next steps.
    pub sees_reward: bool,
    /// A trajectory (in modified DB: a step) that is out of balance by more nats than this does not count by its square but in
    /// proportion (Huber); none: always by its square.
    pub residual_limit: Option<f64>,
    /// How many terminal states local search improves in each iteration, half of them sampled, half remembered.
    pub improvements: usize,
    /// Stops early when so many iterations bring neither a better terminal state nor a loss lower by a twentieth
    /// than the same number of iterations before; none: never. Counted from the end of annealing.
    pub patience: Option<usize>,
}

impl Default for TrainConfig {
    fn default() -> Self {
        Self {
            walk: Walk::Order,
            objective: ObjectiveName::Tb,
            flow_scale: None,
            lambda: None,
            iterations: 2000,
            batch_size: 64,
            seed: 0,
            network: NetworkConfig::default(),
            optimizer: OptimizerConfig::default(),
            exploration: ExplorationConfig::default(),
            temperature: TemperatureConfig::default(),
            replay: ReplayConfig::default(),
            reference: ReferenceConfig::default(),
            sees_reward: false,
            residual_limit: None,
            improvements: 0,
            patience: None,
        }
    }
}

/// Adam's step lengths.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OptimizerConfig {
    /// The step length of the network's parameters.
    pub learning_rate: f64,
    /// Where the step length arrives, geometrically, at the last iteration. None: it stays.
    pub final_learning_rate: Option<f64>,
    /// The policy that is drawn from has the exponential moving average of the network's parameters: how much of it each
    /// iteration keeps. None: it has the parameters themselves.
    pub averaging: Option<f64>,
    /// The step length of `ln Z`; 0.1 unless said otherwise.
    pub log_partition_learning_rate: Option<f64>,
}

impl Default for OptimizerConfig {
    fn default() -> Self {
        Self {
            learning_rate: 1e-3,
            final_learning_rate: None,
            averaging: None,
            log_partition_learning_rate: None,
        }
    }
}

/// The probability of a random action: decreases linearly, then stays constant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExplorationConfig {
    /// At the first iteration.
    pub start: f64,
    /// After `iterations`.
    pub end: f64,
    /// For how many iterations it decreases.
    pub iterations: usize,
}

impl Default for ExplorationConfig {
    fn default() -> Self {
        Self { start: 0.1, end: 0.01, iterations: 1000 }
    }
}

/// The temperature `T` of `ln r / T`: decreases geometrically, then stays constant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TemperatureConfig {
    /// Where it stays.
    pub target: f64,
    /// Where it starts. None: at the spread of the log-rewards of random terminal states, or at the target where
    /// that is higher.
    pub start: Option<f64>,
    /// For how many iterations it decreases; zero: it is the target from the first iteration.
    pub iterations: usize,
}

impl Default for TemperatureConfig {
    fn default() -> Self {
        Self { target: 1.0, start: None, iterations: 1000 }
    }
}

/// The memory of terminal states.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ReplayConfig {
    /// How many are remembered, half of them the best, half the latest; zero: none.
    pub capacity: usize,
    /// The share of each batch that is drawn from memory.
    pub share: f64,
}

impl Default for ReplayConfig {
    fn default() -> Self {
        Self { capacity: 1024, share: 0.25 }
    }
}

/// Draws of the target, handed over by [`Trainer::set_reference`](crate::Trainer::set_reference).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(default, deny_unknown_fields)]
pub struct ReferenceConfig {
    /// For how many iterations, from the first, the policy learns by maximum likelihood from such draws alone.
    pub likelihood_iterations: usize,
    /// The share of each later batch that consists of them.
    pub share: f64,
}

/// A setting that cannot be.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "a variant's sentence names its fields")]
pub enum ConfigError {
    /// A number outside its range.
    #[error("{setting} is {value}, but must be {range}")]
    Range { setting: &'static str, value: f64, range: &'static str },
    /// A setting that nothing would read.
    #[error("{setting} has no effect {situation}")]
    NoEffect { setting: &'static str, situation: &'static str },
    /// An objective that the walk has no use for.
    #[error("objective {objective} does not apply to walk {walk}")]
    Objective { objective: ObjectiveName, walk: Walk },
    /// A network that sees matrices, where states are none.
    #[error(
        "network {network} sees states as matrices of edges, but walk {walk} shows none; {} do",
        matrix_walks()
    )]
    Network { network: NetworkName, walk: Walk },
}

/// A [`TrainConfig`] that was checked.
#[derive(Debug, Clone, PartialEq)]
pub struct ValidTrainConfig(TrainConfig);

impl Deref for ValidTrainConfig {
    type Target = TrainConfig;

    fn deref(&self) -> &TrainConfig {
        &self.0
    }
}

impl ValidTrainConfig {
    /// The objective with its settings.
    #[must_use]
    pub fn objective(&self) -> Objective {
        match self.objective {
            ObjectiveName::Fm => Objective::Fm(self.flow_scale.unwrap_or(FlowScale::Log)),
            ObjectiveName::Db => Objective::Db,
            ObjectiveName::Tb => Objective::Tb,
            ObjectiveName::Subtb => Objective::Subtb(self.lambda.unwrap_or(LAMBDA)),
            ObjectiveName::Mdb => Objective::Mdb(self.residual_limit.unwrap_or(f64::INFINITY)),
        }
    }

    /// The step length of `ln Z`.
    #[must_use]
    pub fn log_partition_learning_rate(&self) -> f64 {
        self.optimizer.log_partition_learning_rate.unwrap_or(LOG_PARTITION_LEARNING_RATE)
    }
}

impl TrainConfig {
    /// Checks every setting, alone and with the others.
    ///
    /// # Errors
    /// The first setting that is out of range, has no effect or does not fit the walk.
    pub fn validate(self) -> Result<ValidTrainConfig, ConfigError> {
        if !self.objective.applies_to(self.walk) {
            return Err(ConfigError::Objective { objective: self.objective, walk: self.walk });
        }
        if self.network.name != NetworkName::Mlp && !self.walk.shows_matrix() {
            return Err(ConfigError::Network { network: self.network.name, walk: self.walk });
        }
        self.check_ranges()?;
        self.check_effects()?;
        Ok(ValidTrainConfig(self))
    }

    fn check_ranges(&self) -> Result<(), ConfigError> {
        let Self { network, optimizer, exploration, temperature, replay, .. } = self;
        positive("iterations", self.iterations as f64)?;
        positive("batch_size", self.batch_size as f64)?;
        positive("network.layers", network.layers as f64)?;
        positive("network.width", network.width as f64)?;
        positive("lambda", self.lambda.unwrap_or(LAMBDA))?;
        positive("patience", self.patience.unwrap_or(1) as f64)?;
        positive("optimizer.learning_rate", optimizer.learning_rate)?;
        positive("optimizer.final_learning_rate", optimizer.final_learning_rate.unwrap_or(1.0))?;
        share("optimizer.averaging", optimizer.averaging.unwrap_or(0.0))?;
        let log_partition = optimizer.log_partition_learning_rate;
        positive(
            "optimizer.log_partition_learning_rate",
            log_partition.unwrap_or(LOG_PARTITION_LEARNING_RATE),
        )?;
        share("exploration.start", exploration.start)?;
        share("exploration.end", exploration.end)?;
        positive("temperature.target", temperature.target)?;
        positive("temperature.start", temperature.start.unwrap_or(1.0))?;
        share("reference.share", self.reference.share)?;
        positive("residual_limit", self.residual_limit.unwrap_or(1.0))?;
        share("replay.share", replay.share)
    }

    fn check_effects(&self) -> Result<(), ConfigError> {
        let Self { optimizer, temperature, replay, .. } = self;
        let unread = |is: bool, setting, situation| {
            if is { Err(ConfigError::NoEffect { setting, situation }) } else { Ok(()) }
        };
        let (fm, subtb) = (self.objective == ObjectiveName::Fm, self.objective == ObjectiveName::Subtb);
        unread(self.flow_scale.is_some() && !fm, "flow_scale", "without objective fm")?;
        unread(self.lambda.is_some() && !subtb, "lambda", "without objective subtb")?;
        unread(
            optimizer.log_partition_learning_rate.is_some() && self.objective == ObjectiveName::Mdb,
            "optimizer.log_partition_learning_rate",
            "with objective mdb, which has no ln Z",
        )?;
        let usual = NetworkConfig::default().layers;
        unread(
            self.network.name == NetworkName::Vgg16 && self.network.layers != usual,
            "network.layers",
            "with network vgg16, which has sixteen",
        )?;
        unread(
            temperature.start.is_some() && temperature.iterations == 0,
            "temperature.start",
            "when temperature.iterations is zero",
        )?;
        unread(
            self.improvements > 0 && replay.capacity == 0,
            "improvements",
            "without replay: improved states are learned from there",
        )
    }
}

/// The walks whose states are matrices, in words.
fn matrix_walks() -> String {
    let names: Vec<&str> =
        Walk::ALL.iter().filter(|walk| walk.shows_matrix()).map(|walk| walk.name()).collect();
    match names.split_last() {
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    }
}

pub(crate) fn check(
    setting: &'static str,
    value: f64,
    holds: bool,
    range: &'static str,
) -> Result<(), ConfigError> {
    if holds && value.is_finite() { Ok(()) } else { Err(ConfigError::Range { setting, value, range }) }
}

pub(crate) fn positive(setting: &'static str, value: f64) -> Result<(), ConfigError> {
    check(setting, value, value > 0.0, "above zero")
}

pub(crate) fn share(setting: &'static str, value: f64) -> Result<(), ConfigError> {
    check(setting, value, (0.0..=1.0).contains(&value), "from 0 to 1")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(change: impl FnOnce(&mut TrainConfig)) -> String {
        let mut config = TrainConfig::default();
        change(&mut config);
        config.validate().unwrap_err().to_string()
    }

    #[test]
    fn bad_settings_are_named() {
        assert!(TrainConfig::default().validate().is_ok());
        let said = refused(|config| config.batch_size = 0);
        assert_eq!(said, "batch_size is 0, but must be above zero");
        let said = refused(|config| config.replay.share = 1.5);
        assert_eq!(said, "replay.share is 1.5, but must be from 0 to 1");
        let said = refused(|config| config.optimizer.learning_rate = f64::NAN);
        assert_eq!(said, "optimizer.learning_rate is NaN, but must be above zero");
        let said = refused(|config| config.lambda = Some(0.5));
        assert_eq!(said, "lambda has no effect without objective subtb");
        let said = refused(|config| config.objective = ObjectiveName::Mdb);
        assert_eq!(said, "objective mdb does not apply to walk order");
        let said = refused(|config| config.network.name = NetworkName::Cnn);
        assert_eq!(
            said,
            "network cnn sees states as matrices of edges, but walk order shows none; complete, edges, chain, graph and free do"
        );
        let said = refused(|config| {
            config.walk = Walk::Edges;
            config.network = NetworkConfig { name: NetworkName::Vgg16, layers: 3, width: 8 };
        });
        assert_eq!(said, "network.layers has no effect with network vgg16, which has sixteen");
        let said = refused(|config| {
            config.temperature = TemperatureConfig { start: Some(9.0), iterations: 0, target: 1.0 };
        });
        assert_eq!(said, "temperature.start has no effect when temperature.iterations is zero");
    }

    #[test]
    fn unknown_keys_are_refused_with_the_known_ones() {
        let error = serde_json::from_str::<TrainConfig>(r#"{"learning_rate": 1}"#).unwrap_err().to_string();
        assert!(
            error.contains("unknown field `learning_rate`, expected one of `walk`, `objective`"),
            "{error}"
        );
        let config: TrainConfig = serde_json::from_str(r#"{"walk": "chain", "objective": "fm"}"#).unwrap();
        assert_eq!(config, TrainConfig { walk: Walk::Chain, objective: ObjectiveName::Fm, ..config.clone() });
    }
}
