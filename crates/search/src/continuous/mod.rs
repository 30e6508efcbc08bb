//! Graphs as matrices of weights that a continuous optimiser moves: NOTEARS and DAGMA.

mod dagma;
mod notears;
mod orthant;
mod square;
mod weights;

pub use dagma::Dagma;
pub use notears::Notears;
pub use square::cycle_measure;
pub use weights::Weighted;
