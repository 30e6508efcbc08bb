//! The GFlowNet: walks, objectives, network, training, sampling — and the exact answers they are tested against.
//!
//! This crate knows states and log-rewards. It never sees data.

mod exact;
mod log_space;
mod network;
mod objective;
mod reward;
mod terminal;
mod walk;

pub use exact::{Distribution, Lattice, LatticeError, StateSpace, TooManyStates};
pub use network::{Activation, Mlp, MlpConfig, Network, Row, Tape, TensorShape};
pub use objective::{FlowGradient, FlowScale, Objective, ObjectiveName, TrajectoryFlows};
pub use reward::{LocalLogReward, LogReward, SumOfLocal};
pub use terminal::Terminal;
pub use walk::{Action, State, Terrain, Walk, WalkError};
