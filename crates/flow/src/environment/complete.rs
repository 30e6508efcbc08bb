//! `complete` (Case 1): any edge that closes no cycle, until all pairs are joined.

use std::sync::Arc;

use gflowcausal_determinism::StreamRng;

use super::action::shuffle;
use super::acyclic::AcyclicEdges;
use super::{Action, Environment, Registration, Rules, State, Walk, edge_action, wrong_kind};
use crate::{Terminal, TerminalKind};

pub(super) const REGISTRATION: Registration = Registration {
    build: |rules| Box::new(Complete { rules }),
    terminal: TerminalKind::Order,
    every_state_stops: false,
    shows_matrix: true,
    shares_inputs: false,
};

#[derive(Debug)]
struct Complete {
    rules: Arc<Rules>,
}

impl Environment for Complete {
    fn walk(&self) -> Walk {
        Walk::Complete
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
        Box::new(CompleteState {
            pairs: self.rules.pairs(),
            edges: AcyclicEdges::empty(Arc::clone(&self.rules)),
        })
    }

    fn leads_to(&self, terminal: &Terminal) -> bool {
        self.rules.permit_order(terminal)
    }

    /// All edges of the order's complete graph, in random order.
    fn sample_backward_trajectory(&self, terminal: &Terminal, rng: &mut StreamRng) -> Vec<Action> {
        let Some(order) = terminal.as_order() else { wrong_kind(self.walk(), terminal) };
        let edges = order.complete_dag();
        let mut actions: Vec<Action> = edges.edges().map(|edge| edge_action(order.nodes(), edge)).collect();
        shuffle(&mut actions, rng);
        actions
    }
}

#[derive(Clone)]
struct CompleteState {
    pairs: usize,
    edges: AcyclicEdges,
}

impl State for CompleteState {
    fn allowed(&self, actions: &mut Vec<Action>) {
        actions.clear();
        if !self.is_terminal() {
            self.edges.allowed(actions);
        }
    }

    fn apply(&mut self, action: Action) {
        self.edges.apply(action);
    }

    fn is_terminal(&self) -> bool {
        self.edges.dag().edge_count() == self.pairs
    }

    /// Every edge removed.
    fn parents(&self, actions: &mut Vec<Action>) {
        actions.clear();
        self.edges.edges(actions);
    }

    fn terminal(&self) -> Option<Terminal> {
        self.edges.dag().closure().order().filter(|_| self.is_terminal()).map(Terminal::Order)
    }
}
