//! `chain` (Case 3): a path that takes in an unused variable before its head or after its tail.

use std::collections::VecDeque;
use std::sync::Arc;

use gflowcausal_determinism::rand::RngExt;
use gflowcausal_determinism::{StreamRng, log_sum_exp};
use gflowcausal_graph::{Edge, NodeSet, Order};

use super::policy_queries::PolicyQueries;
use super::{
    Action, Environment, InputChange, Registration, Rules, State, Walk, action_edge, edge_action, wrong_kind,
};
use crate::{LogReward, Network, Terminal, TerminalKind};

pub(super) const REGISTRATION: Registration = Registration {
    build: |rules| Box::new(Chain { rules }),
    terminal: TerminalKind::Order,
    every_state_stops: false,
    shows_matrix: true,
    shares_inputs: false,
};

#[derive(Debug)]
struct Chain {
    rules: Arc<Rules>,
}

impl Environment for Chain {
    fn walk(&self) -> Walk {
        Walk::Chain
    }

    fn nodes(&self) -> usize {
        self.rules.nodes()
    }

    fn inputs(&self) -> usize {
        self.nodes() * self.nodes()
    }

    fn longest_trajectory(&self) -> usize {
        self.nodes() - 1
    }

    fn initial(&self) -> Box<dyn State> {
        Box::new(ChainState::new(Arc::clone(&self.rules)))
    }

    fn leads_to(&self, terminal: &Terminal) -> bool {
        self.rules.permit_order(terminal)
    }

    /// Takes the head or the tail off, each with probability one half, until two variables are left; then turns round.
    fn sample_backward_trajectory(&self, terminal: &Terminal, rng: &mut StreamRng) -> Vec<Action> {
        let Some(order) = terminal.as_order() else { wrong_kind(self.walk(), terminal) };
        let (mut head, mut tail) = (0, order.nodes() - 1);
        let mut actions = Vec::with_capacity(order.nodes() - 1);
        while tail - head > 1 {
            if rng.random_bool(0.5) {
                actions.push(joint(order, head));
                head += 1;
            } else {
                tail -= 1;
                actions.push(joint(order, tail));
            }
        }
        actions.push(joint(order, head));
        actions.reverse();
        actions
    }

    /// Over the intervals of the order, each reached from the one without its head and the one without its tail: all
    /// `2^(d−2)` trajectories pass through them. `d²/2` evaluations.
    fn log_probability(
        &self,
        network: &dyn Network,
        viewed: Option<&dyn LogReward>,
        terminal: &Terminal,
    ) -> Option<f64> {
        let order = terminal.as_order()?;
        let nodes = order.nodes();
        let mut queries = PolicyQueries::new(viewed);
        let start = queries.push(None, &[], &*self.initial());
        let rows = self.push_intervals(order, start, &mut queries);
        queries.evaluate(network);
        let mut arrival = vec![vec![f64::NEG_INFINITY; nodes]; nodes];
        for length in 1..nodes {
            for (head, tail) in (0..nodes - length).map(|head| (head, head + length)) {
                arrival[head][tail] = if length == 1 {
                    queries.log_policy(start, joint(order, head))
                } else {
                    let by_head = queries.log_policy(rows[head + 1][tail], joint(order, head));
                    let by_tail = queries.log_policy(rows[head][tail - 1], joint(order, tail - 1));
                    log_sum_exp(
                        [arrival[head + 1][tail] + by_head, arrival[head][tail - 1] + by_tail].into_iter(),
                    )
                };
            }
        }
        Some(arrival[0][nodes - 1])
    }
}

impl Chain {
    /// The row of the interval from each head to each tail, both included.
    fn push_intervals(
        &self,
        order: &Order,
        start: usize,
        queries: &mut PolicyQueries<'_>,
    ) -> Vec<Vec<usize>> {
        let nodes = order.nodes();
        let mut rows = vec![vec![start; nodes]; nodes];
        for (head, rows) in rows.iter_mut().enumerate() {
            let mut state = self.initial();
            for tail in head + 1..nodes {
                let action = joint(order, tail - 1);
                state.apply(action);
                rows[tail] = queries.push(Some(rows[tail - 1]), &[InputChange::on(action)], &*state);
            }
        }
        rows
    }
}

/// The action that joins the variables at `position` and after it.
fn joint(order: &Order, position: usize) -> Action {
    let path = order.as_slice();
    edge_action(order.nodes(), Edge::new(path[position], path[position + 1]))
}

/// A path `v₁ → … → v_m`, causes first; empty or of at least two variables.
///
/// It can become an order that the rules permit as long as the rules permit the path itself and no variable outside
/// must stand between two of its own. Every interval of such an order is such a path, so knowledge takes no trajectory
/// to an order away, and from each such path there is an action to another: the latest of the variables that must come
/// before it, the earliest of those that must come after it, or, if there are neither, any variable at all.
#[derive(Clone)]
struct ChainState {
    rules: Arc<Rules>,
    path: VecDeque<usize>,
    used: NodeSet,
    /// All that must come before some variable of the path.
    above: NodeSet,
    /// All that must come after some variable of the path.
    below: NodeSet,
}

impl ChainState {
    fn new(rules: Arc<Rules>) -> Self {
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
