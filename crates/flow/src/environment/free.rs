//! `free` (the ablation "GFlowNets-Score"): one direction for each pair, whatever cycles that closes.

use std::sync::Arc;

use gflowcausal_determinism::StreamRng;
use gflowcausal_graph::{Edge, NodeSet, Pdag};

use super::action::shuffle;
use super::{Action, Environment, Registration, Rules, State, Walk, action_edge, edge_action, wrong_kind};
use crate::{Terminal, TerminalKind};

pub(super) const REGISTRATION: Registration = Registration {
    build: |rules| Box::new(Free { rules }),
    terminal: TerminalKind::Digraph,
    every_state_stops: false,
    shows_matrix: true,
    shares_inputs: false,
};

#[derive(Debug)]
struct Free {
    rules: Arc<Rules>,
}

impl Environment for Free {
    fn walk(&self) -> Walk {
        Walk::Free
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
        Box::new(FreeState::new(Arc::clone(&self.rules)))
    }

    /// Whether the rules permit the graph and no edge can be added.
    fn leads_to(&self, terminal: &Terminal) -> bool {
        let Terminal::Digraph(graph) = terminal else { return false };
        let permits = |node| self.rules.constraints().permits_parents(node, graph.parents(node));
        if graph.nodes() != self.nodes()
            || !(0..graph.nodes()).all(permits)
            || graph.undirected().next().is_some()
        {
            return false;
        }
        let mut state = FreeState::new(Arc::clone(&self.rules));
        graph.directed().for_each(|edge| state.insert(edge));
        state.is_terminal()
    }

    /// The optional edges in random order.
    fn sample_backward_trajectory(&self, terminal: &Terminal, rng: &mut StreamRng) -> Vec<Action> {
        let Terminal::Digraph(graph) = terminal else { wrong_kind(self.walk(), terminal) };
        let optional = graph.directed().filter(|&edge| !self.rules.is_required(edge));
        let mut actions: Vec<Action> = optional.map(|edge| edge_action(graph.nodes(), edge)).collect();
        shuffle(&mut actions, rng);
        actions
    }
}

/// At most one edge for each pair: the required ones from the start, none that is forbidden, and no node with too
/// many parents.
///
/// A trajectory ends when no edge is left to add, which without knowledge is when all pairs are joined. So a state
/// without an action is terminal, and each of its added edges can have been the last.
#[derive(Clone)]
struct FreeState {
    rules: Arc<Rules>,
    parents: Vec<NodeSet>,
    children: Vec<NodeSet>,
}

impl FreeState {
    fn new(rules: Arc<Rules>) -> Self {
        let none = vec![NodeSet::empty(rules.nodes()); rules.nodes()];
        let mut state = Self { rules, parents: none.clone(), children: none };
        for edge in Arc::clone(&state.rules).constraints().required_edges() {
            state.insert(edge);
        }
        state
    }

    fn insert(&mut self, edge: Edge) {
        self.parents[edge.to].insert(edge.from);
        self.children[edge.from].insert(edge.to);
    }

    fn allowed_into(&self, to: usize) -> NodeSet {
        let mut open = self.rules.open_parents(to, &self.parents[to]);
        open.subtract(&self.children[to]);
        open
    }

    fn edges(&self) -> impl Iterator<Item = Edge> + '_ {
        self.children.iter().enumerate().flat_map(|(from, set)| set.iter().map(move |to| Edge { from, to }))
    }
}

impl State for FreeState {
    fn allowed(&self, actions: &mut Vec<Action>) {
        actions.clear();
        let nodes = self.rules.nodes();
        for to in 0..nodes {
            actions.extend(self.allowed_into(to).iter().map(|from| edge_action(nodes, Edge { from, to })));
        }
        actions.sort_unstable();
    }

    fn apply(&mut self, action: Action) {
        self.insert(action_edge(self.rules.nodes(), action));
    }

    fn is_terminal(&self) -> bool {
        (0..self.rules.nodes()).all(|to| self.allowed_into(to).is_empty())
    }

    /// Every edge that is not required removed.
    fn parents(&self, actions: &mut Vec<Action>) {
        actions.clear();
        let nodes = self.rules.nodes();
        let added = self.edges().filter(|&edge| !self.rules.is_required(edge));
        actions.extend(added.map(|edge| edge_action(nodes, edge)));
    }

    fn terminal(&self) -> Option<Terminal> {
        self.is_terminal().then(|| {
            let mut graph = Pdag::empty(self.rules.nodes());
            for edge in self.edges() {
                graph.insert_directed(edge).expect("each pair is joined once");
            }
            Terminal::Digraph(graph)
        })
    }
}
