//! Orders around a graph: judged roughly, but for the parents that the graph already has.

use gflowcausal_graph::{Dag, NodeSet};
use gflowcausal_score::{BestParents, LocalScore, OrderScore, PlacementScore};

use super::scores::OrderModel;

/// A rough score of orders that knows the parents of one graph, which a closer look may have found.
///
/// Where they stand before their child they are weighed against what the rough look finds, so that the graph is worth
/// no less than it is.
pub(crate) struct Around<'a> {
    placements: &'a dyn PlacementScore,
    search: &'a dyn BestParents,
    /// The parents of each variable, and what they are worth.
    known: Vec<(NodeSet, f64)>,
}

impl<'a> Around<'a> {
    pub(super) fn new(
        placements: &'a dyn PlacementScore,
        search: &'a dyn BestParents,
        score: &dyn LocalScore,
        graph: &Dag,
    ) -> Self {
        let worth = |node| (graph.parents(node).clone(), score.local(node, graph.parents(node)));
        Self { placements, search, known: (0..graph.nodes()).map(worth).collect() }
    }

    /// The parents that the graph gives `node`, if they all stand before it and are worth more than `rough`.
    fn better(&self, node: usize, before: &NodeSet, rough: f64) -> Option<&(NodeSet, f64)> {
        Some(&self.known[node]).filter(|(parents, worth)| *worth > rough && parents.is_subset(before))
    }
}

impl OrderModel for Around<'_> {
    fn order_score(&self) -> &dyn OrderScore {
        self
    }

    fn best_parents(&self) -> Option<&dyn BestParents> {
        Some(self)
    }
}

impl PlacementScore for Around<'_> {
    fn name(&self) -> &'static str {
        self.placements.name()
    }

    fn nodes(&self) -> usize {
        self.known.len()
    }

    fn placement(&self, node: usize, before: &NodeSet) -> f64 {
        let rough = self.placements.placement(node, before);
        self.better(node, before, rough).map_or(rough, |(_, worth)| *worth)
    }
}

impl BestParents for Around<'_> {
    fn best_parents(&self, node: usize, before: &NodeSet) -> Option<NodeSet> {
        match self.better(node, before, self.placements.placement(node, before)) {
            Some((parents, _)) => Some(parents.clone()),
            None => self.search.best_parents(node, before),
        }
    }
}
