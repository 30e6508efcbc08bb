//! `order`: an unplaced variable is appended until all are placed. One trajectory to each order.

use std::sync::Arc;

use gflowcausal_determinism::StreamRng;
use gflowcausal_graph::{NodeSet, Order};

use super::policy_queries::PolicyQueries;
use super::{Action, Environment, InputChange, Registration, Rules, State, Walk, wrong_kind};
use crate::{LocalLogReward, LogReward, Network, Terminal, TerminalKind};

pub(super) const REGISTRATION: Registration = Registration {
    build: |rules| Box::new(Orders { rules }),
    terminal: TerminalKind::Order,
    every_state_stops: false,
    shows_matrix: false,
    shares_inputs: true,
};

#[derive(Debug)]
struct Orders {
    rules: Arc<Rules>,
}

impl Environment for Orders {
    fn walk(&self) -> Walk {
        Walk::Order
    }

    fn nodes(&self) -> usize {
        self.rules.nodes()
    }

    fn inputs(&self) -> usize {
        self.nodes()
    }

    fn longest_trajectory(&self) -> usize {
        self.nodes()
    }

    fn initial(&self) -> Box<dyn State> {
        let (rules, nodes) = (Arc::clone(&self.rules), self.nodes());
        Box::new(OrderState { rules, placed: NodeSet::empty(nodes), sequence: Vec::with_capacity(nodes) })
    }

    /// The sequence: the network alone sees a set.
    fn state_key(&self, actions: &[Action]) -> Vec<Action> {
        actions.to_vec()
    }

    fn leads_to(&self, terminal: &Terminal) -> bool {
        self.rules.permit_order(terminal)
    }

    fn sample_backward_trajectory(&self, terminal: &Terminal, _: &mut StreamRng) -> Vec<Action> {
        let Some(order) = terminal.as_order() else { wrong_kind(self.walk(), terminal) };
        order.iter().map(|node| node as Action).collect()
    }

    fn has_partial_rewards(&self, reward: &dyn LogReward) -> bool {
        reward.local().is_some()
    }

    /// Along the one trajectory. `d` evaluations.
    fn log_probability(
        &self,
        network: &dyn Network,
        viewed: Option<&dyn LogReward>,
        terminal: &Terminal,
    ) -> Option<f64> {
        let order = terminal.as_order()?;
        let mut queries = PolicyQueries::new(viewed);
        let mut state = self.initial();
        let mut row = queries.push(None, &[], &*state);
        for node in order.iter().take(order.nodes() - 1) {
            state.apply(node as Action);
            row = queries.push(Some(row), &[InputChange::on(node as u32)], &*state);
        }
        queries.evaluate(network);
        Some(order.iter().enumerate().map(|(row, node)| queries.log_policy(row, node as Action)).sum())
    }
}

/// The variables placed so far. The network sees them as a set, the reward as a sequence.
#[derive(Clone)]
struct OrderState {
    rules: Arc<Rules>,
    placed: NodeSet,
    sequence: Vec<usize>,
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

    /// The state is a sequence, so its last variable alone can be taken back.
    fn parents(&self, actions: &mut Vec<Action>) {
        actions.clear();
        actions.extend(self.sequence.last().map(|&node| node as Action));
    }

    fn terminal(&self) -> Option<Terminal> {
        self.is_terminal()
            .then(|| Terminal::Order(Order::new(self.sequence.clone()).expect("each node is placed once")))
    }

    fn input_key(&self) -> Option<Vec<u64>> {
        Some(self.placed.words().to_vec())
    }

    /// The term of the variable that comes next, given those before it, less its usual term.
    ///
    /// With it a flow that depends on the set alone is enough for DB, SubTB and FM: the flow of a sequence is the
    /// flow of its set times the partial reward. The usual terms of a set's members depend on the set alone too; left
    /// in, they would be hundreds of nats that the network had to learn before anything else.
    fn delta_log_reward(&self, action: Action, reward: &dyn LogReward) -> Option<f64> {
        let (local, node) = (reward.local()?, action as usize);
        Some(local.log_local(node, &self.placed) - usual_term(local, node, self.rules.nodes()))
    }
}

/// Halfway between the term of `node` with nothing and with everything else before it.
fn usual_term(local: &dyn LocalLogReward, node: usize, nodes: usize) -> f64 {
    let (none, all) = (NodeSet::empty(nodes), NodeSet::full(nodes).without(node));
    0.5 * (local.log_local(node, &none) + local.log_local(node, &all))
}
