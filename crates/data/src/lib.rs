//! Tables in: typed columns, readers, checks, moments, and simulated data with a known graph.

mod moments;
mod table;

pub use moments::Moments;
pub use table::{Column, MISSING_CODE, Table, TableError, Values};
