//! `complete` (Case 1) and `edges` (Case 2): any edge that closes no cycle, until all are in or the order is known.

use std::sync::Arc;

use gflowcausal_determinism::StreamRng;
use gflowcausal_determinism::rand::RngExt;
use gflowcausal_graph::{Closure, Edge, NodeSet, Order};

use super::{Action, Rules, State, action_edge, edge_action, shuffle};
use crate::Terminal;

/// When the walk ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// All `d(d−1)/2` edges are in.
    Complete,
    /// The closure is a total order (Theorem 2).
    Identified,
}

/// An edge set without cycles.
///
/// Knowledge enters the mask alone: an edge is allowed if it closes no cycle with the edges so far *and* the
/// partial order. Identification asks the edges so far alone; else an order would have the more terminal states
/// the less knowledge says about it, and would be drawn more often for that. While a pair is open one of its two
/// directions is allowed, so the walk is never stuck.
pub(super) struct EdgesState {
    rules: Arc<Rules>,
    stop: Stop,
    children: Vec<NodeSet>,
    count: usize,
    closure: Closure,
    /// The closure of the edges and the partial order, where there is one.
    within_rules: Option<Closure>,
}

impl EdgesState {
    pub(super) fn new(rules: Arc<Rules>, stop: Stop) -> Self {
        let nodes = rules.nodes();
        Self {
            stop,
            children: vec![NodeSet::empty(nodes); nodes],
            count: 0,
            closure: Closure::empty(nodes),
            within_rules: rules.partial_order(),
            rules,
        }
    }

    /// Theorem 1, mask, for all edges from `from`: not there yet, and not to an ancestor.
    fn allowed_from(&self, from: usize) -> NodeSet {
        let mut open = NodeSet::full(self.rules.nodes());
        open.subtract(&self.within_rules.as_ref().unwrap_or(&self.closure).ancestors(from));
        open.subtract(&self.children[from]);
        open
    }

    fn edges(&self) -> impl Iterator<Item = Edge> + '_ {
        self.children.iter().enumerate().flat_map(|(from, set)| set.iter().map(move |to| Edge { from, to }))
    }
}

impl State for EdgesState {
    fn allowed(&self, actions: &mut Vec<Action>) {
        actions.clear();
        if self.is_terminal() {
            return;
        }
        let nodes = self.rules.nodes();
        for from in 0..nodes {
            actions.extend(self.allowed_from(from).iter().map(|to| edge_action(nodes, Edge { from, to })));
        }
    }

    fn apply(&mut self, action: Action) {
        let edge = action_edge(self.rules.nodes(), action);
        self.count += usize::from(self.children[edge.from].insert(edge.to));
        self.closure.insert(edge);
        if let Some(closure) = &mut self.within_rules {
            closure.insert(edge);
        }
    }

    fn is_terminal(&self) -> bool {
        let nodes = self.rules.nodes();
        match self.stop {
            Stop::Complete => self.count == nodes * (nodes - 1) / 2,
            Stop::Identified => self.closure.is_total_order(),
        }
    }

    /// Every edge removed; at a terminal state of `edges` only an edge between neighbours of the order, because
    /// without any other edge the order is still known, and from there no walk goes on.
    fn parents(&self, actions: &mut Vec<Action>) {
        actions.clear();
        let nodes = self.rules.nodes();
        match self.closure.order().filter(|_| self.stop == Stop::Identified) {
            Some(order) => actions.extend(joints(&order)),
            None => actions.extend(self.edges().map(|edge| edge_action(nodes, edge))),
        }
    }

    fn terminal(&self) -> Option<Terminal> {
        self.closure.order().filter(|_| self.is_terminal()).map(Terminal::Order)
    }
}

/// The edges between neighbours of `order`.
fn joints(order: &Order) -> impl Iterator<Item = Action> + '_ {
    order.as_slice().windows(2).map(|pair| edge_action(order.nodes(), Edge::new(pair[0], pair[1])))
}

/// All edges of the complete graph of `order`, in random order.
pub(super) fn way_to_complete(order: &Order, rng: &mut StreamRng) -> Vec<Action> {
    let mut actions: Vec<Action> =
        order.complete_dag().edges().map(|edge| edge_action(order.nodes(), edge)).collect();
    shuffle(&mut actions, rng);
    actions
}

/// A random terminal state of `order` (each edge between strangers in or out), the edges in random order but for
/// the last, which joins two neighbours.
pub(super) fn way_to_identified(order: &Order, rng: &mut StreamRng) -> Vec<Action> {
    let mut neighbours: Vec<Action> = joints(order).collect();
    let last = neighbours.swap_remove(rng.random_range(0..neighbours.len()));
    let mut actions = neighbours;
    for (position, from) in order.iter().enumerate() {
        for to in order.iter().skip(position + 2) {
            if rng.random_bool(0.5) {
                actions.push(edge_action(order.nodes(), Edge { from, to }));
            }
        }
    }
    shuffle(&mut actions, rng);
    actions.push(last);
    actions
}
