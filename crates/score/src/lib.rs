//! Whatever looks at data given a graph: one local-score engine for sampling, search, posteriors and pruning.
//!
//! Scores are natural logarithms and higher is better.

mod local;

pub use local::{LocalScore, dag_score};
