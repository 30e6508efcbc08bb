//! Whatever looks at data given a graph: one local-score engine for sampling, search, posteriors and pruning.
//!
//! Scores are natural logarithms and higher is better. Three kinds are told apart by type: a [`LocalScore`] is a sum
//! over variables given their parents, a [`PlacementScore`] a sum over variables given the set before them, an
//! [`OrderScore`] any number for an order.

mod cache;
mod error;
mod gaussian;
mod local;
mod order;
mod parents;
mod prune;
mod regress;
mod sortability;
mod varsort;

pub use cache::{CacheCounts, Cached};
pub use error::ScoreError;
pub use gaussian::{
    Bge, BgePrior, Bic, BicEqual, CompleteGaussian, Correlation, Fit, GaussianScore, Penalty, SparseBicEqual,
};
pub use local::{GraphScore, LocalScore};
pub use order::{Complete, Insertion, OrderScore, PlacementScore, best_insertion, moved};
pub use parents::{BestParents, GrowShrink, ParentForest, ParentSums};
pub use prune::{Lasso, LinearModel, NoPruning, Prune, Selected, TTest, Threshold, prune, prune_order};
pub use regress::Ols;
pub use sortability::Sortability;
pub use varsort::Varsort;
