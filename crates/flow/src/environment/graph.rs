//! `graph` (DAG-GFlowNet): edges added to a DAG, stopping anywhere.

use std::sync::Arc;

use gflowcausal_determinism::StreamRng;
use gflowcausal_graph::{Edge, GrowingDag, NodeSet};

use super::action::shuffle;
use super::{
    Action, Environment, InputChange, Registration, Rules, State, Walk, action_edge, edge_action, wrong_kind,
};
use crate::{LogReward, Terminal, TerminalKind};

pub(super) const REGISTRATION: Registration = Registration {
    build: |rules| Box::new(Graphs { rules }),
    terminal: TerminalKind::Dag,
    every_state_stops: true,
    shows_matrix: true,
    shares_inputs: false,
};

#[derive(Debug)]
struct Graphs {
    rules: Arc<Rules>,
}

impl Environment for Graphs {
    fn walk(&self) -> Walk {
        Walk::Graph
    }

    fn nodes(&self) -> usize {
        self.rules.nodes()
    }

    fn inputs(&self) -> usize {
        self.nodes() * self.nodes()
    }

    fn actions(&self) -> usize {
        self.inputs() + 1
    }

    fn stop(&self) -> Option<Action> {
        Some(stop_action(self.nodes()))
    }

    fn longest_trajectory(&self) -> usize {
        self.rules.pairs() + 1
    }

    fn initial(&self) -> Box<dyn State> {
        Box::new(GraphState::new(Arc::clone(&self.rules)))
    }

    fn leads_to(&self, terminal: &Terminal) -> bool {
        let constraints = self.rules.constraints();
        terminal.as_dag().is_some_and(|dag| dag.nodes() == self.nodes() && constraints.permits(dag))
    }

    /// The optional edges in random order, then the stop.
    fn sample_backward_trajectory(&self, terminal: &Terminal, rng: &mut StreamRng) -> Vec<Action> {
        let Some(dag) = terminal.as_dag() else { wrong_kind(self.walk(), terminal) };
        let optional = dag.edges().filter(|&edge| !self.rules.is_required(edge));
        let mut actions: Vec<Action> = optional.map(|edge| edge_action(dag.nodes(), edge)).collect();
        shuffle(&mut actions, rng);
        actions.push(stop_action(dag.nodes()));
        actions
    }

    fn has_partial_rewards(&self, _: &dyn LogReward) -> bool {
        true
    }
}

fn stop_action(nodes: usize) -> Action {
    (nodes * nodes) as Action
}

/// A DAG that holds the required edges from the start, none that is forbidden, and no node with too many parents.
///
/// Every DAG between the required edges and one that the rules permit is permitted too, so each is reached and each
/// has all its optional edges as parents. Stopping is always open.
#[derive(Clone)]
struct GraphState {
    rules: Arc<Rules>,
    dag: GrowingDag,
    stopped: bool,
}

impl GraphState {
    fn new(rules: Arc<Rules>) -> Self {
        let mut dag = GrowingDag::empty(rules.nodes());
        for edge in rules.constraints().required_edges() {
            dag.apply(edge).expect("required edges form no cycle");
        }
        Self { rules, dag, stopped: false }
    }

    /// Theorem 1, mask, and the rules, for all edges into `to`.
    fn allowed_causes(&self, to: usize) -> NodeSet {
        let mut open = self.rules.open_parents(to, self.dag.dag().parents(to));
        open.intersect_with(&self.dag.allowed_causes(to));
        open
    }
}

impl State for GraphState {
    fn allowed(&self, actions: &mut Vec<Action>) {
        actions.clear();
        if self.stopped {
            return;
        }
        let nodes = self.rules.nodes();
        for to in 0..nodes {
            actions.extend(self.allowed_causes(to).iter().map(|from| edge_action(nodes, Edge { from, to })));
        }
        actions.push(stop_action(nodes));
        actions.sort_unstable();
    }

    fn apply(&mut self, action: Action) {
        let nodes = self.rules.nodes();
        if action == stop_action(nodes) {
            self.stopped = true;
        } else {
            self.dag.apply(action_edge(nodes, action)).expect("only allowed actions are taken");
        }
    }

    fn is_terminal(&self) -> bool {
        self.stopped
    }

    /// Every edge that is not required removed, sorted by effect, then cause; the stop alone, once stopped.
    fn parents(&self, actions: &mut Vec<Action>) {
        actions.clear();
        let nodes = self.rules.nodes();
        if self.stopped {
            actions.push(stop_action(nodes));
            return;
        }
        for to in 0..nodes {
            let edges = self.dag.dag().parents(to).iter().map(|from| Edge { from, to });
            let optional = edges.filter(|&edge| !self.rules.is_required(edge));
            actions.extend(optional.map(|edge| edge_action(nodes, edge)));
        }
    }

    fn terminal(&self) -> Option<Terminal> {
        self.stopped.then(|| Terminal::Dag(self.dag.dag().clone()))
    }

    /// The edge's input; none for the stop, which the network does not see.
    fn input_changes(&self, action: Action, changes: &mut Vec<InputChange>) {
        changes.clear();
        if action != stop_action(self.rules.nodes()) {
            changes.push(InputChange::on(action));
        }
    }

    /// The edge's input; none for the stop.
    fn parent_input_changes(&self, action: Action, changes: &mut Vec<InputChange>) {
        changes.clear();
        if action != stop_action(self.rules.nodes()) {
            changes.push(InputChange::off(action));
        }
    }

    /// The change of the effect's local term, or of the whole graph's reward where it is not local.
    fn delta_log_reward(&self, action: Action, reward: &dyn LogReward) -> Option<f64> {
        if action == stop_action(self.rules.nodes()) {
            return Some(0.0);
        }
        let edge = action_edge(self.rules.nodes(), action);
        let before = self.dag.dag();
        Some(match reward.local() {
            Some(local) => {
                let parents = before.parents(edge.to);
                local.log_local(edge.to, &parents.with(edge.from)) - local.log_local(edge.to, parents)
            }
            None => {
                let mut after = before.clone();
                after.insert(edge).expect("the mask lets no cycle in");
                reward.log_reward(&Terminal::Dag(after)) - reward.log_reward(&Terminal::Dag(before.clone()))
            }
        })
    }
}
