//! `order`: append an unused node until all are placed. One way to each order.

use std::sync::Arc;

use gflowcausal_graph::{NodeSet, Order};

use super::{Action, Rules, State};
use crate::{LocalLogReward, LogReward, Terminal};

/// The nodes placed so far. The network sees them as a set, the reward as a sequence.
pub(super) struct OrderState {
    rules: Arc<Rules>,
    placed: NodeSet,
    sequence: Vec<usize>,
}

impl OrderState {
    pub(super) fn new(rules: Arc<Rules>) -> Self {
        let nodes = rules.nodes();
        Self { rules, placed: NodeSet::empty(nodes), sequence: Vec::with_capacity(nodes) }
    }
}

impl State for OrderState {
    fn allowed(&self, actions: &mut Vec<Action>) {
        actions.clear();
        actions.extend(self.rules.open_after(&self.placed).map(|node| node as Action));
    }

    fn apply(&mut self, action: Action) {
        self.placed.insert(action as usize);
        self.sequence.push(action as usize);
    }

    fn is_terminal(&self) -> bool {
        self.sequence.len() == self.rules.nodes()
    }

    /// The state is a sequence, so its last node alone can be taken back.
    fn parents(&self, actions: &mut Vec<Action>) {
        actions.clear();
        actions.extend(self.sequence.last().map(|&node| node as Action));
    }

    fn terminal(&self) -> Option<Terminal> {
        self.is_terminal()
            .then(|| Terminal::Order(Order::new(self.sequence.clone()).expect("each node is placed once")))
    }

    /// The term of the node that comes next, given those before it, less what it usually brings.
    ///
    /// With it a flow that depends on the set alone is enough for DB, SubTB and FM: the flow of a sequence is the
    /// flow of its set times the reward gathered on the way. What the members of a set usually bring is a matter of
    /// the set too; left in, it would be hundreds of nats that the network had to learn before anything else.
    fn gain(&self, action: Action, reward: &dyn LogReward) -> Option<f64> {
        let (local, node) = (reward.local()?, action as usize);
        Some(local.log_local(node, &self.placed) - usual_term(local, node, self.rules.nodes()))
    }
}

/// Halfway between the term of `node` with nothing and with everything else before it.
fn usual_term(local: &dyn LocalLogReward, node: usize, nodes: usize) -> f64 {
    let (none, all) = (NodeSet::empty(nodes), NodeSet::full(nodes).without(node));
    0.5 * (local.log_local(node, &none) + local.log_local(node, &all))
}

pub(super) fn way_to(order: &Order) -> Vec<Action> {
    order.iter().map(|node| node as Action).collect()
}
