//! An edge set without cycles that grows within what is known: what `complete` and `edges` have in common.

use std::sync::Arc;

use gflowcausal_graph::{Closure, Edge, GrowingDag};

use super::{Action, Rules, action_edge, edge_action};

/// A growing DAG whose orders the rules permit.
///
/// Knowledge enters the mask alone: an edge is allowed if it closes no cycle with the edges so far *and* the
/// partial order. Whether the order is identified is decided by the edges so far alone; else an order would have the
/// more terminal states the less knowledge says about it, and would be drawn more often for that. While a pair is
/// open one of its two directions is allowed, so no state is without an action.
#[derive(Clone)]
pub(super) struct AcyclicEdges {
    rules: Arc<Rules>,
    dag: GrowingDag,
    /// The closure of the edges and the partial order, where there is one.
    within_rules: Option<Closure>,
}

impl AcyclicEdges {
    pub(super) fn empty(rules: Arc<Rules>) -> Self {
        Self { dag: GrowingDag::empty(rules.nodes()), within_rules: rules.partial_order(), rules }
    }

    pub(super) fn dag(&self) -> &GrowingDag {
        &self.dag
    }

    /// Theorem 1, mask, and the partial order: appends the actions of all edges that close no cycle, ascending.
    pub(super) fn allowed(&self, actions: &mut Vec<Action>) {
        let nodes = self.rules.nodes();
        for from in 0..nodes {
            let mut effects = self.dag.allowed_effects(from);
            if let Some(closure) = &self.within_rules {
                effects.subtract(&closure.ancestors(from));
            }
            actions.extend(effects.iter().map(|to| edge_action(nodes, Edge { from, to })));
        }
    }

    pub(super) fn apply(&mut self, action: Action) {
        let edge = action_edge(self.rules.nodes(), action);
        self.dag.apply(edge).expect("only allowed actions are taken");
        if let Some(closure) = &mut self.within_rules {
            closure.insert(edge);
        }
    }

    /// Appends the actions of all edges so far, ascending.
    pub(super) fn edges(&self, actions: &mut Vec<Action>) {
        let nodes = self.rules.nodes();
        actions.extend(self.dag.dag().edges().map(|edge| edge_action(nodes, edge)));
    }
}
