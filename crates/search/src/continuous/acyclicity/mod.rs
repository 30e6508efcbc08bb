//! The acyclicity constraint `h`: zero for a DAG, above zero for a graph with a cycle. NOTEARS and DAGMA have one each.

mod log_det;
mod m_matrix;
mod trace_exponential;

pub(super) use log_det::{log_det_h, write_transposed_m_matrix};
pub(super) use m_matrix::invert_m_matrix;
pub(super) use trace_exponential::excess_trace;
pub use trace_exponential::{Exponential, acyclicity_h};
