//! LiNGAM: the causal order of linear models with non-Gaussian noise.

mod admissible_next;
mod direct_lingam;
mod fast_ica;
mod ica_lingam;
mod linear_sum_assignment;
mod vector;

pub use direct_lingam::direct_lingam;
pub use ica_lingam::{LingamError, ica_lingam};
