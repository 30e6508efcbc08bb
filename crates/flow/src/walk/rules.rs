//! What is known about the variables, as a walk needs it: which edges may be, which must be, who comes first.

use gflowcausal_graph::{Closure, Edge, NodeSet};

/// The edges that knowledge allows and requires, and the partial order that follows.
#[derive(Debug, Clone)]
pub struct Rules {
    nodes: usize,
    required: Vec<Edge>,
    may_be_caused_by: Vec<NodeSet>,
    before: Vec<NodeSet>,
    after: Vec<NodeSet>,
    max_parents: usize,
}

impl Rules {
    /// Nothing is known about `nodes` variables.
    #[must_use]
    pub fn none(nodes: usize) -> Self {
        Self::new(nodes, Vec::new(), |_| true, nodes)
    }

    /// `required` edges (acyclic, allowed, within `max_parents`) and those that `allows` accepts.
    #[must_use]
    pub fn new(nodes: usize, required: Vec<Edge>, allows: impl Fn(Edge) -> bool, max_parents: usize) -> Self {
        let may_be_caused_by = (0..nodes)
            .map(|to| NodeSet::of(nodes, (0..nodes).filter(|&from| from != to && allows(Edge { from, to }))))
            .collect();
        let mut closure = Closure::empty(nodes);
        for &edge in &required {
            closure.insert(edge);
        }
        let before = (0..nodes).map(|node| closure.ancestors(node).without(node)).collect();
        let after = (0..nodes).map(|node| closure.descendants(node).without(node)).collect();
        Self { nodes, required, may_be_caused_by, before, after, max_parents }
    }

    pub(crate) fn nodes(&self) -> usize {
        self.nodes
    }

    pub(crate) fn required(&self) -> &[Edge] {
        &self.required
    }

    pub(crate) fn is_required(&self, edge: Edge) -> bool {
        self.required.contains(&edge)
    }

    /// The variables that may be a direct cause of `to`.
    pub(crate) fn may_be_caused_by(&self, to: usize) -> &NodeSet {
        &self.may_be_caused_by[to]
    }

    /// The variables that come before `node` in every order.
    pub(crate) fn before(&self, node: usize) -> &NodeSet {
        &self.before[node]
    }

    /// The variables that come after `node` in every order.
    pub(crate) fn after(&self, node: usize) -> &NodeSet {
        &self.after[node]
    }

    pub(crate) fn max_parents(&self) -> usize {
        self.max_parents
    }

    /// The closure of what must come before what, if anything must.
    pub(crate) fn partial_order(&self) -> Option<Closure> {
        (!self.required.is_empty()).then(|| {
            let mut closure = Closure::empty(self.nodes);
            for &edge in &self.required {
                closure.insert(edge);
            }
            closure
        })
    }
}
