//! The posterior over DAGs: `P(G) ∝ exp(score(G)/T)`, each DAG once.

mod chains;

pub use chains::{Chains, ChainsConfig, ChainsEnd, ChainsError, ChainsState, Draw, Summary};
