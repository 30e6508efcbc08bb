//! Causal discovery that returns a sampler of graphs: the best graph, the runners-up, and how sure to be of each edge.

mod posterior;
mod run_dir;

pub use posterior::{Candidate, Draw, Posterior, Weighting};
pub use run_dir::{FileError, RunDir};
