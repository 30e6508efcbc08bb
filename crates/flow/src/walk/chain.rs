//! `chain` (Case 3): a path that takes in an unused node before its head or after its tail.

use std::collections::VecDeque;
use std::sync::Arc;

use gflowcausal_determinism::StreamRng;
use gflowcausal_determinism::rand::RngExt;
use gflowcausal_graph::{Edge, NodeSet, Order};

use super::{Action, Rules, State, action_edge, edge_action};
use crate::Terminal;

/// A path `v₁ → … → v_m`, causes first; empty or of at least two nodes.
///
/// It can become an order that obeys the rules as long as it does so itself and no node outside must stand
/// between two nodes of the path. Every interval of such an order is such a path, so knowledge takes no way to an
/// order away, and from each such path there is an action to another: the latest of the nodes that must come
/// before it, the earliest of those that must come after it, or, if there are neither, any node at all.
pub(super) struct ChainState {
    rules: Arc<Rules>,
    path: VecDeque<usize>,
    used: NodeSet,
    /// All that must come before some node of the path.
    above: NodeSet,
    /// All that must come after some node of the path.
    below: NodeSet,
}

impl ChainState {
    pub(super) fn new(rules: Arc<Rules>) -> Self {
        let none = NodeSet::empty(rules.nodes());
        Self { rules, path: VecDeque::new(), used: none.clone(), above: none.clone(), below: none }
    }

    fn ends(&self) -> Option<(usize, usize)> {
        Some((*self.path.front()?, *self.path.back()?))
    }

    /// Whether `edge` can be the whole path.
    fn may_start(&self, edge: Edge) -> bool {
        edge.from != edge.to
            && !self.rules.before(edge.from).contains(edge.to)
            && self.rules.after(edge.from).is_disjoint(self.rules.before(edge.to))
    }

    fn may_lead(&self, node: usize) -> bool {
        !self.rules.is_partial()
            || self.rules.before(node).is_disjoint(&self.used)
                && !self.leaves_a_gap(self.rules.after(node), &self.above)
    }

    fn may_follow(&self, node: usize) -> bool {
        !self.rules.is_partial()
            || self.rules.after(node).is_disjoint(&self.used)
                && !self.leaves_a_gap(self.rules.before(node), &self.below)
    }

    /// Whether an unused node would have to stand between the new node and the path.
    fn leaves_a_gap(&self, beside_node: &NodeSet, beside_path: &NodeSet) -> bool {
        let mut between = beside_node.clone();
        between.intersect_with(beside_path);
        !between.is_subset(&self.used)
    }

    fn take_in(&mut self, node: usize) {
        self.used.insert(node);
        self.above.union_with(self.rules.before(node));
        self.below.union_with(self.rules.after(node));
    }

    fn start_actions(&self, actions: &mut Vec<Action>) {
        let count = (self.rules.nodes() * self.rules.nodes()) as Action;
        actions.extend((0..count).filter(|&action| self.may_start(action_edge(self.rules.nodes(), action))));
    }

    fn growth_actions(&self, head: usize, tail: usize, actions: &mut Vec<Action>) {
        let nodes = self.rules.nodes();
        for node in (0..nodes).filter(|&node| !self.used.contains(node)) {
            if self.may_lead(node) {
                actions.push(edge_action(nodes, Edge::new(node, head)));
            }
            if self.may_follow(node) {
                actions.push(edge_action(nodes, Edge::new(tail, node)));
            }
        }
        actions.sort_unstable();
    }
}

impl State for ChainState {
    fn allowed(&self, actions: &mut Vec<Action>) {
        actions.clear();
        match self.ends() {
            None => self.start_actions(actions),
            Some((head, tail)) => self.growth_actions(head, tail, actions),
        }
    }

    fn apply(&mut self, action: Action) {
        let Edge { from, to } = action_edge(self.rules.nodes(), action);
        match self.ends() {
            Some((head, _)) if to == head => {
                self.path.push_front(from);
                self.take_in(from);
            }
            Some(_) => {
                self.path.push_back(to);
                self.take_in(to);
            }
            None => {
                self.path.extend([from, to]);
                self.take_in(from);
                self.take_in(to);
            }
        }
    }

    fn is_terminal(&self) -> bool {
        self.path.len() == self.rules.nodes()
    }

    /// The path without its head and the path without its tail; the initial state when two nodes are left.
    fn parents(&self, actions: &mut Vec<Action>) {
        actions.clear();
        let nodes = self.rules.nodes();
        let last = self.path.len().saturating_sub(2);
        let joints = match self.path.len() {
            0 => vec![],
            2 => vec![0],
            _ => vec![0, last],
        };
        actions.extend(
            joints.into_iter().map(|i| edge_action(nodes, Edge::new(self.path[i], self.path[i + 1]))),
        );
    }

    fn terminal(&self) -> Option<Terminal> {
        self.is_terminal().then(|| {
            let sequence = self.path.iter().copied().collect();
            Terminal::Order(Order::new(sequence).expect("a path visits each node once"))
        })
    }
}

/// Takes the head or the tail off, each with probability one half, until two nodes are left; then turns round.
pub(super) fn way_to(order: &Order, rng: &mut StreamRng) -> Vec<Action> {
    let (nodes, path) = (order.nodes(), order.as_slice());
    let joint = |i: usize| edge_action(nodes, Edge::new(path[i], path[i + 1]));
    let (mut head, mut tail) = (0, nodes - 1);
    let mut actions = Vec::with_capacity(nodes - 1);
    while tail - head > 1 {
        if rng.random_bool(0.5) {
            actions.push(joint(head));
            head += 1;
        } else {
            tail -= 1;
            actions.push(joint(tail));
        }
    }
    actions.push(joint(head));
    actions.reverse();
    actions
}
