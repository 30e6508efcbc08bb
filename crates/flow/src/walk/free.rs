//! `free` (the ablation "GFlowNets-Score"): one direction for each pair, whatever cycles that closes.

use std::sync::Arc;

use gflowcausal_determinism::StreamRng;
use gflowcausal_graph::{Edge, NodeSet, Pdag};

use super::{Action, Rules, State, action_edge, edge_action, shuffle};
use crate::Terminal;

/// At most one edge for each pair: the required ones from the start, none that is forbidden, and no node with too
/// many parents.
///
/// The walk ends when no edge is left to add, which without knowledge is when all pairs are joined. A state is
/// never stuck for that reason, and each of its added edges can have been the last.
pub(super) struct FreeState {
    rules: Arc<Rules>,
    parents: Vec<NodeSet>,
    children: Vec<NodeSet>,
}

impl FreeState {
    pub(super) fn new(rules: Arc<Rules>) -> Self {
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

/// Whether `graph` obeys the rules and no edge can be added.
pub(super) fn is_complete(graph: &Pdag, rules: Arc<Rules>) -> bool {
    let obeys = |node| rules.constraints().permits_parents(node, graph.parents(node));
    if !(0..graph.nodes()).all(obeys) || graph.undirected().next().is_some() {
        return false;
    }
    let mut state = FreeState::new(rules);
    graph.directed().for_each(|edge| state.insert(edge));
    state.is_terminal()
}

/// The optional edges in random order.
pub(super) fn way_to(graph: &Pdag, rules: &Rules, rng: &mut StreamRng) -> Vec<Action> {
    let optional = graph.directed().filter(|&edge| !rules.is_required(edge));
    let mut actions: Vec<Action> = optional.map(|edge| edge_action(graph.nodes(), edge)).collect();
    shuffle(&mut actions, rng);
    actions
}
