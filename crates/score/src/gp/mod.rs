//! `gp`: Gaussian-process regression on the parents, any smooth function of all of them together.
//!
//! The kernel depends on the parent set alone, so a factorisation is made once and serves every variable outside it.

mod cell;
mod hyperparameter_grid;
mod kd_tree;
mod kernel;
mod marginal;
mod median_heuristic;

pub(crate) use kernel::Kernel;
pub use marginal::GpMarginal;

/// How many terms are remembered.
const ROOM: usize = 1 << 22;
