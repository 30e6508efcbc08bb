//! `graph`: edges added to a DAG, stopping anywhere.

use std::sync::Arc;

use gflowcausal_determinism::StreamRng;
use gflowcausal_graph::{Closure, Dag, Edge, NodeSet};

use super::{Action, Rules, State, action_edge, edge_action, shuffle};
use crate::{LogReward, Terminal};

/// A DAG that holds the required edges from the start, none that is forbidden, and no node with too many parents.
///
/// Every DAG between the required edges and one that obeys the rules obeys them too, so each is reached and each
/// has all its optional edges as parents. Stopping is always open.
pub(super) struct GraphState {
    rules: Arc<Rules>,
    parents: Vec<NodeSet>,
    /// How many edges were added to the required ones.
    added: usize,
    closure: Closure,
    stopped: bool,
}

impl GraphState {
    pub(super) fn new(rules: Arc<Rules>) -> Self {
        let nodes = rules.nodes();
        let mut state = Self {
            parents: vec![NodeSet::empty(nodes); nodes],
            added: 0,
            closure: Closure::empty(nodes),
            stopped: false,
            rules,
        };
        for edge in Arc::clone(&state.rules).constraints().required_edges() {
            state.insert(edge);
        }
        state
    }

    fn insert(&mut self, edge: Edge) {
        self.parents[edge.to].insert(edge.from);
        self.closure.insert(edge);
    }

    fn stop_action(&self) -> Action {
        (self.rules.nodes() * self.rules.nodes()) as Action
    }

    /// Theorem 1, mask, and the rules, for all edges into `to`.
    fn allowed_into(&self, to: usize) -> NodeSet {
        let mut open = self.rules.open_parents(to, &self.parents[to]);
        open.subtract(&self.closure.descendants(to));
        open
    }

    fn dag(&self) -> Dag {
        Dag::from_parents(&self.parents).expect("the mask lets no cycle in")
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
            actions.extend(self.allowed_into(to).iter().map(|from| edge_action(nodes, Edge { from, to })));
        }
        actions.push(self.stop_action());
        actions.sort_unstable();
    }

    fn apply(&mut self, action: Action) {
        if action == self.stop_action() {
            self.stopped = true;
        } else {
            self.insert(action_edge(self.rules.nodes(), action));
            self.added += 1;
        }
    }

    fn is_terminal(&self) -> bool {
        self.stopped
    }

    /// Every edge that is not required removed; the stop alone, once stopped.
    fn parents(&self, actions: &mut Vec<Action>) {
        actions.clear();
        if self.stopped {
            actions.push(self.stop_action());
        } else {
            actions.extend(added_edges(&self.parents, &self.rules));
        }
    }

    fn terminal(&self) -> Option<Terminal> {
        self.stopped.then(|| Terminal::Dag(self.dag()))
    }

    /// The change of the effect's local term, or of the whole graph's reward where it is not local.
    fn gain(&self, action: Action, reward: &dyn LogReward) -> Option<f64> {
        if action == self.stop_action() {
            return Some(0.0);
        }
        let edge = action_edge(self.rules.nodes(), action);
        Some(match reward.local() {
            Some(local) => {
                let before = &self.parents[edge.to];
                local.log_local(edge.to, &before.with(edge.from)) - local.log_local(edge.to, before)
            }
            None => {
                let before = self.dag();
                let mut after = before.clone();
                after.insert(edge).expect("the mask lets no cycle in");
                reward.log_reward(&Terminal::Dag(after)) - reward.log_reward(&Terminal::Dag(before))
            }
        })
    }
}

/// The edges of a graph that are not required, sorted by effect, then cause.
fn added_edges(parents: &[NodeSet], rules: &Rules) -> Vec<Action> {
    let edges =
        parents.iter().enumerate().flat_map(|(to, set)| set.iter().map(move |from| Edge { from, to }));
    edges.filter(|&edge| !rules.is_required(edge)).map(|edge| edge_action(parents.len(), edge)).collect()
}

/// The optional edges in random order, then the stop.
pub(super) fn way_to(dag: &Dag, rules: &Rules, rng: &mut StreamRng) -> Vec<Action> {
    let nodes = dag.nodes();
    let optional = dag.edges().filter(|&edge| !rules.is_required(edge));
    let mut actions: Vec<Action> = optional.map(|edge| edge_action(nodes, edge)).collect();
    shuffle(&mut actions, rng);
    actions.push((nodes * nodes) as Action);
    actions
}
