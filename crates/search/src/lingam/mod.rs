//! LiNGAM: the order of linear causes, read from what is not Gaussian about them.

mod candidates;
mod direct_lingam;
mod fast_ica;
mod ica_lingam;
mod linear_sum_assignment;
mod vector;

pub use direct_lingam::direct_lingam;
pub use ica_lingam::{LingamError, ica_lingam};
