//! Regressions of one variable on its candidate parents.

mod additive;
mod cholesky;
mod lasso;
mod ols;
mod spline_basis;

pub(crate) use additive::{AdditiveFit, AdditiveProblem, consecutive};
pub(crate) use cholesky::{Cholesky, dot};
pub(crate) use lasso::adaptive_lasso;
pub use ols::Ols;
pub(crate) use spline_basis::SplineBasis;
