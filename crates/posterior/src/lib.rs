//! The posterior over DAGs: `P(G) ∝ exp(score(G)/T)`, each DAG once.

mod bridge_sampling;
mod chains;
mod consensus;
mod coverage;
mod effective_sample_size;
mod effects;
mod exact;
mod importance;
mod log_z_by_recapture;
mod runners_up;
mod summary;

pub use bridge_sampling::log_z_by_bridge;
pub use chains::{Chains, ChainsConfig, ChainsEnd, ChainsError, ChainsState, Draw, Summary};
pub use consensus::Consensus;
pub use coverage::{Coverage, Refusal};
pub use effective_sample_size::effective_sample_size_of;
pub use effects::{
    Categories, CurveEffect, CurveEffects, DiscreteEffects, EffectDistribution, EffectSettings, Histogram,
    LevelEffects, LinearData, LinearEffects, Outcome, Scale, WeightedDag,
};
pub use exact::{Exact, ExactError, LayerState};
pub use importance::{GraphSample, Source};
pub use log_z_by_recapture::log_z_by_recapture;
pub use runners_up::{Ranking, RunnerUp};
pub use summary::{Candidate, CandidateLimit, Convergence, Objects, ParentSets, Posterior};
