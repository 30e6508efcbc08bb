//! The suites, studies and comparisons behind `gflowcausal bench`: from simulated data to one table.

mod bench;
mod bounds;
mod cells;
mod control;
mod error;
mod growth;
mod page;
mod paper;
mod peers;
mod process;
mod request;
mod runs;
mod study;
mod suite;
mod table;
mod validate;

pub use bench::{Bench, Event};
pub(crate) use control::Control;
pub use error::BenchError;
pub use page::{Page, csv};
pub use request::Request;
pub use runs::ENDS_WITH_INPUT;
pub use suite::MOST_SEEDS;
