//! The posterior over DAGs: `P(G) ∝ exp(score(G)/T)`, each DAG once.

mod chains;
mod exact;
mod importance;
mod summary;

pub use chains::{Chains, ChainsConfig, ChainsEnd, ChainsError, ChainsState, Draw, Summary};
pub use exact::{Exact, ExactError, LayerState};
pub use importance::{GraphSample, Weighting};
pub use summary::{Candidate, ExactDifference, Posterior};
