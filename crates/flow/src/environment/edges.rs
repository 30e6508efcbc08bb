//! `edges` (Case 2): any edge that closes no cycle, until the order is identified.

use std::f64::consts::LN_2;
use std::sync::Arc;

use gflowcausal_determinism::StreamRng;
use gflowcausal_determinism::rand::RngExt;
use gflowcausal_graph::{Edge, Order};

use super::action::shuffle;
use super::acyclic::AcyclicEdges;
use super::{Action, Environment, Registration, Rules, State, Walk, edge_action, wrong_kind};
use crate::{Terminal, TerminalKind};

pub(super) const REGISTRATION: Registration = Registration {
    build: |rules| Box::new(Edges { rules }),
    terminal: TerminalKind::Order,
    every_state_stops: false,
    shows_matrix: true,
    shares_inputs: false,
};

#[derive(Debug)]
struct Edges {
    rules: Arc<Rules>,
}

impl Environment for Edges {
    fn walk(&self) -> Walk {
        Walk::Edges
    }

    fn nodes(&self) -> usize {
        self.rules.nodes()
    }

    fn inputs(&self) -> usize {
        self.nodes() * self.nodes()
    }

    fn longest_trajectory(&self) -> usize {
        self.rules.pairs()
    }

    fn initial(&self) -> Box<dyn State> {
        Box::new(EdgesState(AcyclicEdges::empty(Arc::clone(&self.rules))))
    }

    fn leads_to(&self, terminal: &Terminal) -> bool {
        self.rules.permit_order(terminal)
    }

    /// A random terminal state of the order (each edge between variables that are not neighbours in or out), the
    /// edges in random order but for the last, which joins two neighbours.
    fn sample_backward_trajectory(&self, terminal: &Terminal, rng: &mut StreamRng) -> Vec<Action> {
        let Some(order) = terminal.as_order() else { wrong_kind(self.walk(), terminal) };
        let mut actions: Vec<Action> = neighbour_edges(order).collect();
        let last = actions.swap_remove(rng.random_range(0..actions.len()));
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

    /// METHOD: each order has `2^((d−1)(d−2)/2)` terminal states.
    fn log_multiplicity(&self) -> f64 {
        let nodes = self.nodes();
        ((nodes - 1) * (nodes - 2) / 2) as f64 * LN_2
    }
}

#[derive(Clone)]
struct EdgesState(AcyclicEdges);

impl State for EdgesState {
    fn allowed(&self, actions: &mut Vec<Action>) {
        actions.clear();
        if !self.is_terminal() {
            self.0.allowed(actions);
        }
    }

    fn apply(&mut self, action: Action) {
        self.0.apply(action);
    }

    /// Theorem 2: the closure is a total order.
    fn is_terminal(&self) -> bool {
        self.0.dag().closure().is_total_order()
    }

    /// Every edge removed; at a terminal state only an edge between neighbours of the order, because without any
    /// other edge the order is still identified, and no trajectory goes on from there.
    fn parents(&self, actions: &mut Vec<Action>) {
        actions.clear();
        match self.0.dag().closure().order() {
            Some(order) => actions.extend(neighbour_edges(&order)),
            None => self.0.edges(actions),
        }
    }

    fn terminal(&self) -> Option<Terminal> {
        self.0.dag().closure().order().map(Terminal::Order)
    }
}

/// The edges between neighbours of `order`.
fn neighbour_edges(order: &Order) -> impl Iterator<Item = Action> + '_ {
    order.as_slice().windows(2).map(|pair| edge_action(order.nodes(), Edge::new(pair[0], pair[1])))
}
