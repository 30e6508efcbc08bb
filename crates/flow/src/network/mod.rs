//! What a network is to the rest of the engine: log-flows forward, gradients backward, a list of parameters.

mod config;
mod gemm;
mod mlp;
mod packed;
mod relu;
mod requested;
mod tape;
mod taped;
mod vector;

pub use config::{NetworkConfig, NetworkName};
pub use gemm::add_square_product;
pub(crate) use gflowcausal_autodiff::{add_scaled, vectorised};
pub use mlp::{DENSE_SHARE, Mlp, MlpConfig};
pub use tape::Tape;

/// A part of a network's parameters: its name and its shape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TensorShape {
    /// What the part is called in checkpoints.
    pub name: String,
    /// The length of each dimension, slowest first.
    pub shape: Vec<usize>,
}

/// Anything that gives log-flows for states and takes the gradient of the loss by them.
///
/// States come as the rows of a [`Tape`], each another row with some inputs switched. Forward may be called again and
/// again as rows are added; backward is called on the last rows first.
pub trait Network: Send + Sync {
    /// Fills in the log-flows that are requested of the rows from `first` on.
    fn forward(&self, tape: &mut Tape, first: usize);

    /// Adds to `gradient` what the gradients of the rows from `first` on bring, given that all later rows were
    /// processed. Rows before `first` may accumulate from this and are processed later.
    fn backward(&self, tape: &mut Tape, first: usize, gradient: &mut [f32]);

    /// All parameters, one tensor after the other.
    fn parameters(&self) -> &[f32];

    /// All parameters, to be changed.
    fn parameters_mut(&mut self) -> &mut [f32];

    /// How the parameters divide into tensors.
    fn tensors(&self) -> Vec<TensorShape>;

    /// How many numbers it keeps for each row of a tape.
    fn numbers_per_row(&self) -> usize;
}
