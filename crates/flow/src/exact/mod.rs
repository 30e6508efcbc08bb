//! Exact distributions of small problems, the reference for policies: all states of an environment, and the subset lattice of all orders.

mod distribution;
mod lattice;
mod states;

pub use distribution::Distribution;
pub use lattice::{Lattice, LatticeError};
pub use states::{StateSpace, TooManyStates};
