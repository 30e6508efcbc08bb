//! LiNGAM: the order of linear causes, read from what is not Gaussian about them.

mod assignment;
mod candidates;
mod direct;
mod ica;
mod unmixing;
mod vector;

pub use direct::direct_lingam;
pub use ica::{LingamError, ica_lingam};
