//! Causal effects over drawn graphs: for each graph the effect that its parameters' posterior gives, and the mixture of them.

mod curves;
mod discrete;
mod joint_interventions;
mod linear;
mod mixture;
mod regression;

use std::collections::BTreeMap;

use gflowcausal_graph::{Dag, Edge, NodeSet};

pub use curves::{CurveEffect, CurveEffects};
pub use discrete::{Categories, DiscreteEffects, LevelEffects};
pub use linear::{LinearData, LinearEffects, Outcome, Scale};
pub use mixture::{EffectDistribution, Histogram};

use crate::GraphSample;
use crate::importance::shares;

/// A graph and its share of all that were drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct WeightedDag {
    /// The graph.
    pub dag: Dag,
    /// Its probability among the drawn graphs.
    pub weight: f64,
}

impl WeightedDag {
    /// The graphs of `draws`, each once, in the order of their first appearance.
    #[must_use]
    pub fn of_draws(draws: &[GraphSample]) -> Vec<Self> {
        let mut places: BTreeMap<Vec<Edge>, usize> = BTreeMap::new();
        let mut graphs: Vec<Self> = Vec::new();
        for (draw, share) in draws.iter().zip(shares(draws)) {
            let place = *places.entry(draw.dag.edges().collect()).or_insert(graphs.len());
            match graphs.get_mut(place) {
                Some(known) => known.weight += share,
                None => graphs.push(Self { dag: draw.dag.clone(), weight: share }),
            }
        }
        graphs
    }

    /// How many of about `draws` parameter draws are of this graph: at least one, so that no graph is left out.
    fn parameter_draws(&self, draws: usize) -> usize {
        ((self.weight * draws as f64).round() as usize).max(1)
    }
}

/// How effects are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EffectSettings {
    /// Where random numbers come from.
    pub seed: u64,
    /// About how many parameter vectors are drawn, over all graphs together.
    pub draws: usize,
}

impl Default for EffectSettings {
    /// Enough that the ends of a 90 % interval are those of a 90 ± 1 % interval.
    fn default() -> Self {
        Self { seed: 0, draws: 4000 }
    }
}

/// Parents of `cause` that block every back-door path to `effect`, without those that are not needed for it.
///
/// Fewer strata have more rows each; and a cause that is a function of its parents leaves strata in which some of its levels never
/// occur, which matters only if they have to be distinguished.
fn adjustment_set(dag: &Dag, cause: usize, effect: usize) -> NodeSet {
    let mut cut = dag.clone();
    for child in dag.children(cause).iter() {
        cut.remove(Edge::new(cause, child));
    }
    let alone = |node: usize| NodeSet::of(dag.nodes(), [node]);
    let mut set = dag.parents(cause).clone();
    for parent in dag.parents(cause).iter() {
        let smaller = set.without(parent);
        if cut.d_separates(&smaller, &alone(cause), &alone(effect)) {
            set = smaller;
        }
    }
    set
}
