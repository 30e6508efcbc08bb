//! The GFlowNet: environments, objectives, network, training, sampling — the exact answers they are tested against, and the
//! actor–critic that they are compared with.
//!
//! This crate knows states and log-rewards. It never sees data.

mod adam;
mod backward_policy;
mod checkpoint;
mod config;
mod environment;
mod exact;
mod network;
mod objective;
mod observer;
mod replay;
mod reward;
mod rollout;
mod sampler;
mod schedule;
mod soft_actor_critic;
mod terminal;
mod trainer;

pub use checkpoint::{CheckpointError, Policy, ResumeError, check_checkpoint};
pub use config::{
    ConfigError, ExplorationConfig, OptimizerConfig, ReferenceConfig, ReplayConfig, TemperatureConfig,
    TrainConfig, ValidTrainConfig,
};
pub use environment::{Action, CloneState, Environment, EnvironmentError, InputChange, State, Walk};
pub use exact::{Distribution, Lattice, LatticeError, StateSpace, TooManyStates};
pub use network::{
    DENSE_SHARE, Mlp, MlpConfig, Network, NetworkConfig, NetworkName, Tape, TensorShape, add_square_product,
};
pub use objective::{FlowGradient, FlowScale, Objective, ObjectiveName, TrajectoryFlows};
pub use observer::{Event, Observer, Progress, Stopped};
pub use reward::{LayerLogReward, LocalLogReward, LogReward};
pub use sampler::{Sample, Sampler};
pub use soft_actor_critic::{EntropyWeight, RewardForm, SacConfig, SoftActorCritic, ValidSacConfig};
pub use terminal::{Terminal, TerminalKind};
pub use trainer::{Best, LocalSearch, Problem, TrainError, Trainer};
