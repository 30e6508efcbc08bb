//! Reverse-mode differentiation by hand: what was computed with matrices is recorded on a tape, and gradients run back
//! over it.
//!
//! Everything is generic over the precision, so that gradients are checked in double and used in single.

mod encoder;
mod gemm;
mod layer;
mod real;
mod tape;
mod vector;

pub use encoder::{Encoder, EncoderSize};
pub use gemm::{Matrix, add_product, product};
pub use layer::{Convolution, Linear, Norm, Normalisation, uniform};
pub use real::Real;
pub use tape::{Tape, Var};
pub use vector::{add_scaled, dot, vectorised};
