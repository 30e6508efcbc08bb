//! Which network learns the flows, and its shape.

use gflowcausal_graph::choices;
use serde::{Deserialize, Serialize};

use super::mlp::{Mlp, MlpConfig};
use super::taped::{Architecture, Cnn, Taped, Transformer, Vgg16};
use super::{Network, taped};
use crate::Environment;

choices! {
    /// What learns the flows.
    pub enum NetworkName: "network" {
        /// Two hidden layers that see one bit change at a time.
        Mlp = "mlp",
        /// Convolutions of the adjacency matrix, each pooled; walks over d × d states only.
        Cnn = "cnn",
        /// VGG-16 on the adjacency matrix, the paper's at 100 variables; width 512 is the published one.
        Vgg16 = "vgg16",
        /// CORL's encoder with a token for each variable; width 256 is the published one.
        Transformer = "transformer",
    }
}

/// The shape of a network.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NetworkConfig {
    /// Which network.
    pub name: NetworkName,
    /// How many hidden layers of `mlp`, convolutions of `cnn` or blocks of `transformer` there are; those of `vgg16` are 16.
    pub layers: usize,
    /// How many units a layer of `mlp` and the last layer of `cnn` have, how many channels the widest convolutions of
    /// `vgg16`, how many numbers stand for a variable in `transformer`.
    pub width: usize,
}

impl Default for NetworkConfig {
    fn default() -> Self {
        let MlpConfig { layers, width } = MlpConfig::default();
        Self { name: NetworkName::Mlp, layers, width }
    }
}

impl NetworkConfig {
    /// The network over the states of `environment`, at the first values that `seed` gives.
    ///
    /// # Panics
    /// If a dimension is zero, or the network sees matrices and the environment shows none.
    #[must_use]
    pub fn network(&self, environment: &dyn Environment, sees_reward: bool, seed: u64) -> Box<dyn Network> {
        let Self { layers, width, .. } = *self;
        let size = taped::Size::of(environment, self);
        match self.name {
            NetworkName::Mlp => {
                let reward_inputs = reward_inputs(environment, sees_reward);
                let (inputs, actions) = (environment.inputs(), environment.actions());
                let config = MlpConfig { layers, width };
                Box::new(Mlp::with_reward_inputs(inputs, reward_inputs, actions, &config, seed))
            }
            NetworkName::Cnn => Box::new(Taped::<Cnn>::new(size, seed)),
            NetworkName::Vgg16 => Box::new(Taped::<Vgg16>::new(size, seed)),
            NetworkName::Transformer => Box::new(Taped::<Transformer>::new(size, seed)),
        }
    }

    /// How many parameters that network has; none if no number can say.
    pub(crate) fn parameters(&self, environment: &dyn Environment, sees_reward: bool) -> Option<usize> {
        let Self { layers, width, .. } = *self;
        let size = taped::Size::of(environment, self);
        match self.name {
            NetworkName::Mlp => MlpConfig { layers, width }.parameters(
                environment.inputs(),
                reward_inputs(environment, sees_reward),
                environment.actions(),
            ),
            NetworkName::Cnn => Cnn::parameters(size),
            NetworkName::Vgg16 => Vgg16::parameters(size),
            NetworkName::Transformer => Transformer::parameters(size),
        }
    }
}

fn reward_inputs(environment: &dyn Environment, sees_reward: bool) -> usize {
    if sees_reward { environment.reward_inputs() } else { 0 }
}
