//! `gp`: Gaussian-process regression on the parents, any smooth function of all of them together.
//!
//! The kernel depends on the parent set alone, so a factorisation is made once and serves every variable outside it.

mod kernel;
mod marginal;
mod ridge;

pub use marginal::GpMarginal;
pub use ridge::KernelRidge;

use faer::Mat;

use crate::standard::StandardColumns;

/// How many rows a Gaussian process looks at: more are thinned to this many, evenly spaced.
///
/// A factorisation costs `n³/3`; a thousand rows is what the published methods were measured on. The score is then
/// that of the rows kept, not scaled up.
const MAX_ROWS: usize = 1000;

/// How many terms are remembered.
const ROOM: usize = 1 << 22;

/// The columns side by side.
fn matrix_of(data: &StandardColumns) -> Mat<f64> {
    Mat::from_fn(data.rows, data.nodes(), |row, column| data.columns[column][row])
}
