//! Graphs as matrices of weights that a continuous optimiser moves: NOTEARS and DAGMA.

mod acyclicity;
mod dagma;
mod matrix_product;
mod notears;
mod owl_qn;
mod weights;

pub use acyclicity::{Exponential, acyclicity_h};
pub use dagma::Dagma;
pub use notears::Notears;
pub use weights::Weighted;
