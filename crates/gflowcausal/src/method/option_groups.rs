//! Options that several methods read together.

use crate::options::option;

/// The names of options, in groups.
pub type OptionGroups = &'static [&'static [&'static str]];

/// How graphs are scored.
pub(super) const SCORE: &[&str] = &[option::score, option::penalty, option::sample_size, option::rows_used];

/// How an order becomes a graph.
pub(super) const PRUNING: &[&str] = &[option::prune, option::threshold, option::alpha];

/// What a policy learns, and on which walk.
pub(super) const POLICY: &[&str] = &[option::walk, option::objective, option::flow_scale, option::network];

/// How a network is trained.
pub(super) const NETWORK: &[&str] =
    &[option::iterations, option::batch_size, option::learning_rate, option::hidden];

/// What is drawn from a distribution over graphs.
pub(super) const DRAWS: &[&str] = &[option::temperature, option::samples];
