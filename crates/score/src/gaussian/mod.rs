//! Scores of linear Gaussian models: functions of the number of rows and the covariance alone.

mod bge;
mod bic;
mod bic_equal;
mod correlation;
mod fit;
mod ldl;
mod partial;
mod schur;
mod simd;
mod subsets;
mod sweep;

pub use bge::{Bge, BgePrior};
pub use bic::{Bic, Penalty};
pub use bic_equal::BicEqual;
pub use correlation::Correlation;
pub use fit::{GaussianScore, GaussianStatistics};

pub(crate) use correlation::RESOLUTION;
pub(crate) use ldl::{Inverse, conditional_log_det, residual_fit};
pub(crate) use sweep::Sweep;
