//! Knowledge as environments need it: which variables must come first, and which edges are masked.

use gflowcausal_graph::{Closure, Constraints, Edge, NodeSet};

use crate::Terminal;

/// Constraints, and for each variable the strict halves of the partial order that follows from them.
#[derive(Debug, Clone)]
pub(crate) struct Rules {
    constraints: Constraints,
    before: Vec<NodeSet>,
    after: Vec<NodeSet>,
}

impl Rules {
    pub(crate) fn new(constraints: Constraints) -> Self {
        let precedence = constraints.precedence();
        let nodes = 0..constraints.nodes();
        let before = nodes.clone().map(|node| precedence.ancestors(node).without(node)).collect();
        let after = nodes.map(|node| precedence.descendants(node).without(node)).collect();
        Self { constraints, before, after }
    }

    pub(crate) fn constraints(&self) -> &Constraints {
        &self.constraints
    }

    pub(crate) fn nodes(&self) -> usize {
        self.before.len()
    }

    /// How many pairs of variables there are.
    pub(super) fn pairs(&self) -> usize {
        self.nodes() * (self.nodes() - 1) / 2
    }

    pub(super) fn is_required(&self, edge: Edge) -> bool {
        self.constraints.required(edge.to).contains(edge.from)
    }

    /// Whether `terminal` is an order of these variables that knowledge permits.
    pub(super) fn permit_order(&self, terminal: &Terminal) -> bool {
        terminal
            .as_order()
            .is_some_and(|order| order.nodes() == self.nodes() && self.constraints.permits_order(order))
    }

    /// The variables that come before `node` in every order.
    pub(crate) fn before(&self, node: usize) -> &NodeSet {
        &self.before[node]
    }

    /// The variables that come after `node` in every order.
    pub(crate) fn after(&self, node: usize) -> &NodeSet {
        &self.after[node]
    }

    /// Whether anything must come before anything.
    pub(crate) fn is_partial(&self) -> bool {
        self.constraints.precedence().comparable_pairs() > 0
    }

    /// The nodes that may come next after those `placed`, in ascending order.
    pub(crate) fn open_after<'a>(&'a self, placed: &'a NodeSet) -> impl Iterator<Item = usize> + 'a {
        let is_partial = self.is_partial();
        (0..self.nodes())
            .filter(|&node| !placed.contains(node))
            .filter(move |&node| !is_partial || self.before(node).is_subset(placed))
    }

    /// The partial order, if anything must come before anything.
    pub(crate) fn partial_order(&self) -> Option<Closure> {
        self.is_partial().then(|| self.constraints.precedence().clone())
    }

    /// The variables that may still become a parent of `to` beside `parents`, acyclicity aside.
    pub(super) fn open_parents(&self, to: usize, parents: &NodeSet) -> NodeSet {
        if parents.len() >= self.constraints.max_parents() {
            return NodeSet::empty(self.nodes());
        }
        let mut open = self.constraints.allowed_parents(to).clone();
        open.subtract(parents);
        open
    }
}
