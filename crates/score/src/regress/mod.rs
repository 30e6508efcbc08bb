//! Regressions of one variable on its candidate parents.

mod lasso;
mod ols;

pub(crate) use lasso::adaptive_lasso;
pub use ols::Ols;
