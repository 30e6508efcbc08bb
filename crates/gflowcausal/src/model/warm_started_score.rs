//! A screening score of orders around one graph, whose parents it knows.

use gflowcausal_graph::{Dag, NodeSet};
use gflowcausal_score::{BestParents, LocalScore, OrderModularScore};

/// A screening score of orders that starts from the parents of one graph, which a fuller search may have found.
///
/// Where they all come before their child they compete with the parents that screening finds, so that an order of the
/// graph scores no less than the graph.
pub(crate) struct WarmStartedScore<'a> {
    screening: &'a dyn BestParents,
    /// The parents of each variable, and its local score with them.
    known: Vec<(NodeSet, f64)>,
}

impl<'a> WarmStartedScore<'a> {
    pub(super) fn new(screening: &'a dyn BestParents, score: &dyn LocalScore, graph: &Dag) -> Self {
        let scored = |node| (graph.parents(node).clone(), score.local(node, graph.parents(node)));
        Self { screening, known: (0..graph.nodes()).map(scored).collect() }
    }

    /// The parents that the graph gives `node`, if they all come before it and score above `screened`.
    fn better(&self, node: usize, before: &NodeSet, screened: f64) -> Option<&(NodeSet, f64)> {
        Some(&self.known[node]).filter(|(parents, score)| *score > screened && parents.is_subset(before))
    }
}

impl OrderModularScore for WarmStartedScore<'_> {
    fn name(&self) -> &'static str {
        OrderModularScore::name(self.screening)
    }

    fn nodes(&self) -> usize {
        self.known.len()
    }

    fn local(&self, node: usize, before: &NodeSet) -> f64 {
        let screened = self.screening.local(node, before);
        self.better(node, before, screened).map_or(screened, |(_, score)| *score)
    }
}

impl BestParents for WarmStartedScore<'_> {
    fn best_parents(&self, node: usize, before: &NodeSet) -> Option<NodeSet> {
        match self.better(node, before, self.screening.local(node, before)) {
            Some((parents, _)) => Some(parents.clone()),
            None => self.screening.best_parents(node, before),
        }
    }
}
