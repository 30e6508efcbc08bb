//! How a graph is grown: the walks, each in one place that decides actions, stopping, parents and the way back.

mod chain;
mod edges;
mod free;
mod graph;
mod order;
mod rules;

use std::fmt;
use std::sync::Arc;

use gflowcausal_determinism::StreamRng;
use gflowcausal_determinism::rand::RngExt;
use gflowcausal_graph::{Constraints, Edge};
use serde::{Deserialize, Serialize};

pub(crate) use rules::Rules;

use crate::{LogReward, Terminal};

/// The number of an action: `from · d + to` for an edge, `d²` for stopping, the node itself in [`Walk::Order`].
///
/// An action other than stopping is also the number of the network input that it switches on.
pub type Action = u32;

/// A way to grow a graph or an order step by step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Walk {
    /// The paper's Case 1: any edge that closes no cycle, until all pairs are joined.
    Complete,
    /// The paper's Case 2: any edge that closes no cycle, until the order is identified.
    Edges,
    /// The paper's Case 3: a path that grows at its head or its tail.
    Chain,
    /// Nodes appended to an order; the state is the set of nodes placed so far.
    Order,
    /// Edges added to a DAG, stopping anywhere.
    Graph,
    /// One direction chosen for each pair, cycles and all.
    Free,
}

impl Walk {
    /// Every walk.
    pub const ALL: [Self; 6] =
        [Self::Complete, Self::Edges, Self::Chain, Self::Order, Self::Graph, Self::Free];

    /// The name users type.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::Edges => "edges",
            Self::Chain => "chain",
            Self::Order => "order",
            Self::Graph => "graph",
            Self::Free => "free",
        }
    }
}

impl fmt::Display for Walk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Where a walk has come to.
pub trait State: Send {
    /// Replaces `actions` by the actions open here, in ascending order; none when the state is terminal.
    fn allowed(&self, actions: &mut Vec<Action>);

    /// Takes `action`, which must be one of the allowed ones.
    fn apply(&mut self, action: Action);

    /// Whether the walk ends here.
    fn is_terminal(&self) -> bool;

    /// Replaces `actions` by those that lead here, each from the one state that lacks it: the state's parents.
    ///
    /// The backward policy is uniform over them.
    fn parents(&self, actions: &mut Vec<Action>);

    /// What the state stands for, if it is terminal.
    fn terminal(&self) -> Option<Terminal>;

    /// The log-reward that `action` adds, in walks where every state has a reward of its own and `reward` can
    /// tell it.
    fn gain(&self, action: Action, reward: &dyn LogReward) -> Option<f64> {
        let _ = (action, reward);
        None
    }
}

/// A set-up that no walk can start from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WalkError {
    /// Nothing to order.
    #[error("a walk needs at least two variables, not {0}")]
    TooFewNodes(usize),
}

/// A walk over given variables, within what is known about them.
#[derive(Debug, Clone)]
pub struct Terrain {
    walk: Walk,
    rules: Arc<Rules>,
}

impl Terrain {
    /// The states of `walk` that lead to what `constraints` permit.
    ///
    /// # Errors
    /// With fewer than two variables.
    pub fn new(walk: Walk, constraints: Constraints) -> Result<Self, WalkError> {
        if constraints.nodes() < 2 {
            return Err(WalkError::TooFewNodes(constraints.nodes()));
        }
        Ok(Self { walk, rules: Arc::new(Rules::new(constraints)) })
    }

    /// How the graph is grown.
    #[must_use]
    pub fn walk(&self) -> Walk {
        self.walk
    }

    /// How many variables there are.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.rules.nodes()
    }

    pub(crate) fn rules(&self) -> &Rules {
        &self.rules
    }

    /// How many bits describe a state.
    #[must_use]
    pub fn inputs(&self) -> usize {
        if self.walk == Walk::Order { self.nodes() } else { self.nodes() * self.nodes() }
    }

    /// How many actions there are, allowed or not.
    #[must_use]
    pub fn actions(&self) -> usize {
        self.inputs() + usize::from(self.stop().is_some())
    }

    /// The action that ends the walk, where there is one.
    #[must_use]
    pub fn stop(&self) -> Option<Action> {
        (self.walk == Walk::Graph).then(|| self.inputs() as Action)
    }

    /// The longest way from the initial to a terminal state, in actions.
    #[must_use]
    pub fn longest(&self) -> usize {
        let nodes = self.nodes();
        match self.walk {
            Walk::Order => nodes,
            Walk::Chain => nodes - 1,
            Walk::Complete | Walk::Edges | Walk::Free => nodes * (nodes - 1) / 2,
            Walk::Graph => nodes * (nodes - 1) / 2 + 1,
        }
    }

    /// The initial state.
    #[must_use]
    pub fn initial(&self) -> Box<dyn State> {
        let rules = Arc::clone(&self.rules);
        match self.walk {
            Walk::Complete => Box::new(edges::EdgesState::new(rules, edges::Stop::Complete)),
            Walk::Edges => Box::new(edges::EdgesState::new(rules, edges::Stop::Identified)),
            Walk::Chain => Box::new(chain::ChainState::new(rules)),
            Walk::Order => Box::new(order::OrderState::new(rules)),
            Walk::Graph => Box::new(graph::GraphState::new(rules)),
            Walk::Free => Box::new(free::FreeState::new(rules)),
        }
    }

    /// The state that `actions` lead to.
    #[must_use]
    pub fn replay(&self, actions: &[Action]) -> Box<dyn State> {
        let mut state = self.initial();
        for &action in actions {
            state.apply(action);
        }
        state
    }

    /// Whether the walk can end in `terminal`: it is of the right kind and size, and knowledge permits it.
    #[must_use]
    pub fn leads_to(&self, terminal: &Terminal) -> bool {
        let constraints = self.rules.constraints();
        match (self.walk, terminal) {
            (Walk::Complete | Walk::Edges | Walk::Chain | Walk::Order, Terminal::Order(order)) => {
                order.nodes() == self.nodes() && constraints.permits_order(order)
            }
            (Walk::Graph, Terminal::Dag(dag)) => dag.nodes() == self.nodes() && constraints.permits(dag),
            (Walk::Free, Terminal::Digraph(graph)) => {
                graph.nodes() == self.nodes() && free::is_complete(graph, Arc::clone(&self.rules))
            }
            _ => false,
        }
    }

    /// One way to `terminal`, drawn by the backward policy (and, where several terminal states stand for the
    /// same order, from one of those at random).
    ///
    /// The way keeps to allowed actions if the walk [leads there](Self::leads_to).
    ///
    /// # Panics
    /// If `terminal` belongs to another walk.
    #[must_use]
    pub fn way_to(&self, terminal: &Terminal, rng: &mut StreamRng) -> Vec<Action> {
        match (self.walk, terminal) {
            (Walk::Complete, Terminal::Order(order)) => edges::way_to_complete(order, rng),
            (Walk::Edges, Terminal::Order(order)) => edges::way_to_identified(order, rng),
            (Walk::Chain, Terminal::Order(order)) => chain::way_to(order, rng),
            (Walk::Order, Terminal::Order(order)) => order::way_to(order),
            (Walk::Graph, Terminal::Dag(dag)) => graph::way_to(dag, &self.rules, rng),
            (Walk::Free, Terminal::Digraph(graph)) => free::way_to(graph, &self.rules, rng),
            (walk, terminal) => panic!("no {walk} walk ends in {terminal:?}"),
        }
    }

    /// The logarithm of the number of terminal states that stand for the same order or graph.
    ///
    /// METHOD: in `edges` each order has `2^((d−1)(d−2)/2)` of them, in every other walk one.
    #[must_use]
    pub fn log_copies(&self) -> f64 {
        let nodes = self.nodes();
        match self.walk {
            Walk::Edges => ((nodes - 1) * (nodes - 2) / 2) as f64 * std::f64::consts::LN_2,
            _ => 0.0,
        }
    }
}

/// The action that adds `edge`.
pub(crate) fn edge_action(nodes: usize, edge: Edge) -> Action {
    (edge.from * nodes + edge.to) as Action
}

/// The edge that `action` adds.
pub(crate) fn action_edge(nodes: usize, action: Action) -> Edge {
    Edge::new(action as usize / nodes, action as usize % nodes)
}

/// Brings `actions` into random order, every order equally likely.
fn shuffle(actions: &mut [Action], rng: &mut StreamRng) {
    for last in (1..actions.len()).rev() {
        actions.swap(last, rng.random_range(0..=last));
    }
}

#[cfg(test)]
mod tests;
