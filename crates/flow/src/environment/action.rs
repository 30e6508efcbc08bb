//! Actions as numbers: which edge an action adds, which inputs of the network it switches.

use gflowcausal_determinism::StreamRng;
use gflowcausal_determinism::rand::RngExt;
use gflowcausal_graph::Edge;

/// The number of an action: where actions add edges `from · d + to`, and `d²` for stopping; where they place
/// variables the variable itself.
pub type Action = u32;

/// One input of the network that is switched on or off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InputChange {
    /// The number of the input.
    pub input: u32,
    /// Whether it is on afterwards.
    pub is_on: bool,
}

impl InputChange {
    /// Switches `input` on.
    #[must_use]
    pub const fn on(input: u32) -> Self {
        Self { input, is_on: true }
    }

    /// Switches `input` off.
    #[must_use]
    pub const fn off(input: u32) -> Self {
        Self { input, is_on: false }
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
pub(super) fn shuffle(actions: &mut [Action], rng: &mut StreamRng) {
    for last in (1..actions.len()).rev() {
        actions.swap(last, rng.random_range(0..=last));
    }
}
