//! The posterior over DAGs: `P(G) ∝ exp(score(G)/T)`, each DAG once.

mod chains;
mod exact;

pub use chains::{Chains, ChainsConfig, ChainsEnd, ChainsError, ChainsState, Draw, Summary};
pub use exact::{Exact, ExactError, LayerState};
