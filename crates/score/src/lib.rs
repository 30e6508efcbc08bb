//! Scores of graphs and orders on data: one local-score engine for sampling, search, posteriors and pruning.
//!
//! Scores are natural logarithms and higher is better. Three kinds are distinguished by type: a [`LocalScore`] is a sum
//! over variables given their parents, a [`OrderModularScore`] a sum over variables given the set before them, an
//! [`OrderScore`] any number for an order.

mod bdeu;
mod best_parents;
mod cache;
mod degenerate_gaussian;
mod dose_response;
mod error;
mod explain;
mod families;
mod gaussian;
mod gp;
mod lanes;
mod local;
mod location_scale;
mod log_variance;
mod noise_shape;
mod non_gaussian;
mod order_score;
mod parent_set_table;
mod prune;
mod quadratic;
mod regress;
mod shared_terms;
mod sortability;
mod spline;
mod standard_columns;
mod student_t;
mod varsort;

pub use bdeu::Bdeu;
pub use best_parents::{BestParents, GrowShrink, GrowShrinkTrees};
pub use cache::Cached;
pub use degenerate_gaussian::DegenerateGaussian;
pub use dose_response::{AdjustmentRegression, DoseResponse, DoseResponses, JointResponse, Regressor};
pub use error::ScoreError;
pub use explain::{ScoredEdge, ScoredGraph, ScoredNode, score_graph};
pub use families::{Families, Family};
pub use gaussian::{Bge, BgePrior, Bic, BicEqual, Correlation, GaussianScore, GaussianStatistics, Penalty};
pub use gp::GpMarginal;
pub use local::{GraphScore, LocalScore};
pub use location_scale::LocationScale;
pub use non_gaussian::NonGaussian;
pub use order_score::{Insertion, OrderModularScore, OrderScore, best_insertion, moved};
pub use parent_set_table::{
    KnownTerms, MissedParentSearch, ParentSetTables, SumsAround, TableSettings, candidate_parents,
    evaluate_by_size,
};
pub use prune::{
    ByScore, Cam, Lasso, LinearModel, NoPruning, Prune, Selected, TTest, Threshold, prune, prune_order,
};
pub use quadratic::Quadratic;
pub use regress::Ols;
pub use sortability::{Sortability, coefficients_of_determination};
pub use spline::Spline;
pub use varsort::Varsort;
