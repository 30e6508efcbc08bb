//! The truth to test against: every state of a small walk, every order, and the subset lattice.

mod distribution;
mod lattice;
mod states;

pub use distribution::Distribution;
pub use lattice::{Divergence, Lattice, LatticeError};
pub use states::{StateSpace, TooManyStates};
