//! `layers`: a variable joins the open layer, or closes it and opens the next. One trajectory to each layering.

mod reward_view;

use std::sync::Arc;

use gflowcausal_determinism::StreamRng;
use gflowcausal_graph::{Layering, NodeSet};

use super::policy_queries::PolicyQueries;
use super::{Action, Environment, InputChange, Registration, Rules, State, Walk, wrong_kind};
use crate::{LayerLogReward, LogReward, Network, Terminal, TerminalKind};

pub(super) const REGISTRATION: Registration = Registration {
    build: |rules| Box::new(Layers { rules: Arc::new(LayerRules::new(rules)) }),
    terminal: TerminalKind::Layering,
    every_state_stops: false,
    shows_matrix: false,
    shares_inputs: true,
};

#[derive(Debug)]
struct Layers {
    rules: Arc<LayerRules>,
}

impl Environment for Layers {
    fn walk(&self) -> Walk {
        Walk::Layers
    }

    fn nodes(&self) -> usize {
        self.rules.nodes()
    }

    /// One bit for each variable in a layer before the last closed one, in that one, and in the open one.
    fn inputs(&self) -> usize {
        3 * self.nodes()
    }

    fn reward_inputs(&self) -> usize {
        reward_view::PER_VARIABLE * self.nodes()
    }

    /// Variable `v` joins the open layer by action `v` and opens the next by action `d + v`.
    fn actions(&self) -> usize {
        2 * self.nodes()
    }

    fn longest_trajectory(&self) -> usize {
        self.nodes()
    }

    fn initial(&self) -> Box<dyn State> {
        let none = NodeSet::empty(self.nodes());
        let place = Place { nodes: self.nodes(), within: none.clone(), closed: none.clone(), open: none };
        Box::new(LayersState { rules: Arc::clone(&self.rules), place, layers: Vec::new() })
    }

    /// The sequence: the network alone sees sets.
    fn state_key(&self, actions: &[Action]) -> Vec<Action> {
        actions.to_vec()
    }

    fn leads_to(&self, terminal: &Terminal) -> bool {
        let Terminal::Layering(layering) = terminal else { return false };
        layering.nodes() == self.nodes() && self.rules.permit(layering)
    }

    fn sample_backward_trajectory(&self, terminal: &Terminal, _: &mut StreamRng) -> Vec<Action> {
        let Terminal::Layering(layering) = terminal else { wrong_kind(self.walk(), terminal) };
        actions(layering)
    }

    fn has_partial_rewards(&self, reward: &dyn LogReward) -> bool {
        reward.layers().is_some()
    }

    /// Along the one trajectory. `d` evaluations.
    fn log_probability(
        &self,
        network: &dyn Network,
        viewed: Option<&dyn LogReward>,
        terminal: &Terminal,
    ) -> Option<f64> {
        let Terminal::Layering(layering) = terminal else { return None };
        if !self.leads_to(terminal) {
            return Some(f64::NEG_INFINITY);
        }
        let (mut queries, mut changes) = (PolicyQueries::new(viewed), Vec::new());
        let mut state = self.initial();
        let mut row = queries.push(None, &[], &*state);
        let actions = actions(layering);
        for &action in &actions[..actions.len() - 1] {
            state.input_changes(action, &mut changes);
            state.apply(action);
            row = queries.push(Some(row), &changes, &*state);
        }
        queries.evaluate(network);
        Some(actions.iter().enumerate().map(|(row, &action)| queries.log_policy(row, action)).sum())
    }
}

/// The actions that lead to `layering`.
fn actions(layering: &Layering) -> Vec<Action> {
    let nodes = layering.nodes();
    let of_layer = |(number, layer): (usize, &NodeSet)| {
        let opens = move |place: usize| number > 0 && place == 0;
        let members: Vec<usize> = layer.iter().collect();
        members
            .into_iter()
            .enumerate()
            .map(move |(place, node)| (if opens(place) { nodes + node } else { node }) as Action)
    };
    layering.layers().iter().enumerate().flat_map(of_layer).collect()
}

/// The constraints as conditions on layers.
///
/// A variable fits into a layer if it has a permitted parent set in the layers before with a member in the last of
/// them: its required parents lie there, and an allowed parent in the last. (Only required ones are allowed where there
/// may be no more.)
#[derive(Debug)]
struct LayerRules {
    rules: Arc<Rules>,
    /// No parent is required and all are allowed: then every variable fits everywhere.
    are_trivial: bool,
}

impl LayerRules {
    fn new(rules: Arc<Rules>) -> Self {
        let (constraints, nodes) = (rules.constraints(), rules.nodes());
        let is_free = |node| {
            constraints.required(node).is_empty() && constraints.allowed_parents(node).len() + 1 == nodes
        };
        let are_trivial = (0..nodes).all(is_free);
        Self { rules, are_trivial }
    }

    fn nodes(&self) -> usize {
        self.rules.nodes()
    }

    /// Whether `node` may have its parents within `within`, one of them in `last`.
    fn fits(&self, node: usize, within: &NodeSet, last: &NodeSet) -> bool {
        if self.are_trivial {
            return true;
        }
        let constraints = self.rules.constraints();
        let required = constraints.required(node);
        if within.is_empty() {
            return required.is_empty();
        }
        required.is_subset(within) && !constraints.allowed_parents(node).is_disjoint(last)
    }

    fn permit(&self, layering: &Layering) -> bool {
        let none = NodeSet::empty(self.nodes());
        let (mut within, mut last) = (none.clone(), &none);
        for layer in layering.layers() {
            if !layer.iter().all(|node| self.fits(node, &within, last)) {
                return false;
            }
            within.union_with(layer);
            last = layer;
        }
        true
    }

    /// Whether the variables that are not placed can all be placed.
    ///
    /// Puts each as early as it fits. A variable that did not fit after some layer for want of a required parent fits
    /// after the layer that has it; one that had no parent to touch, after the first that has one. So nothing is lost by
    /// being early, and what cannot be placed so cannot be placed at all.
    fn can_complete(&self, place: &Place) -> bool {
        if self.are_trivial {
            return true;
        }
        let mut reached = place.open.clone();
        let mut left: Vec<usize> = place.unplaced().collect();
        left.retain(|&node| {
            let joins = place.is_after_open(node) && self.fits(node, &place.within, &place.closed);
            if joins {
                reached.insert(node);
            }
            !joins
        });
        let mut within = place.within.clone();
        while !left.is_empty() {
            within.union_with(&reached);
            let before = left.len();
            let mut next = reached.clone();
            left.retain(|&node| {
                let fits = self.fits(node, &within, &reached);
                if fits {
                    next.insert(node);
                }
                !fits
            });
            if left.len() == before {
                return false;
            }
            reached = next;
        }
        true
    }
}

/// What decides how a layering can go on: everything in closed layers, the last of them, and the open one.
#[derive(Debug, Clone)]
struct Place {
    nodes: usize,
    within: NodeSet,
    closed: NodeSet,
    open: NodeSet,
}

impl Place {
    fn placed(&self) -> NodeSet {
        let mut placed = self.within.clone();
        placed.union_with(&self.open);
        placed
    }

    fn unplaced(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.nodes).filter(|&node| !self.within.contains(node) && !self.open.contains(node))
    }

    /// Whether `node` comes after all members of the open layer: they join in ascending order.
    fn is_after_open(&self, node: usize) -> bool {
        (node..self.nodes).all(|member| !self.open.contains(member))
    }

    fn after(&self, action: Action) -> Self {
        let node = action as usize % self.nodes;
        if (action as usize) < self.nodes {
            Self { open: self.open.with(node), ..self.clone() }
        } else {
            let open = NodeSet::of(self.nodes, [node]);
            Self { nodes: self.nodes, within: self.placed(), closed: self.open.clone(), open }
        }
    }
}

/// A layering under construction. The network sees three sets, the reward the sequence.
#[derive(Clone)]
struct LayersState {
    rules: Arc<LayerRules>,
    place: Place,
    /// The closed layers.
    layers: Vec<NodeSet>,
}

impl LayersState {
    fn may_join(&self, node: usize) -> bool {
        self.place.is_after_open(node) && self.rules.fits(node, &self.place.within, &self.place.closed)
    }

    /// The layers before which and in which the parents of a variable placed by `action` lie.
    fn log_term(&self, action: Action, reward: &dyn LayerLogReward) -> f64 {
        let nodes = self.rules.nodes();
        let (node, opens) = (action as usize % nodes, action as usize >= nodes);
        if opens {
            reward.log_sum(node, &self.place.placed(), Some(&self.place.open))
        } else {
            let last = (!self.place.within.is_empty()).then_some(&self.place.closed);
            reward.log_sum(node, &self.place.within, last)
        }
    }

    /// The switches of the inputs of `set` from kind `from` to kind `to`.
    fn push_moved(&self, set: &NodeSet, from: usize, to: usize, changes: &mut Vec<InputChange>) {
        let nodes = self.rules.nodes();
        for node in set.iter() {
            changes.push(InputChange::off((from * nodes + node) as u32));
            changes.push(InputChange::on((to * nodes + node) as u32));
        }
    }
}

/// The inputs of each variable: in a layer before the last closed one, in that one, in the open one.
const EARLIER: usize = 0;
const CLOSED: usize = 1;
const OPEN: usize = 2;

impl State for LayersState {
    fn allowed(&self, actions: &mut Vec<Action>) {
        actions.clear();
        let nodes = self.rules.nodes();
        let can_complete = |action: &Action| self.rules.can_complete(&self.place.after(*action));
        let joining = self.place.unplaced().filter(|&node| self.may_join(node));
        actions.extend(joining.map(|node| node as Action).filter(can_complete));
        if !self.place.open.is_empty() {
            let placed = self.place.placed();
            let fitting =
                self.place.unplaced().filter(|&node| self.rules.fits(node, &placed, &self.place.open));
            actions.extend(fitting.map(|node| (nodes + node) as Action).filter(can_complete));
        }
    }

    fn apply(&mut self, action: Action) {
        let place = self.place.after(action);
        if action as usize >= self.rules.nodes() {
            self.layers.push(std::mem::replace(&mut self.place.open, place.open.clone()));
        }
        self.place = place;
    }

    fn is_terminal(&self) -> bool {
        self.place.within.len() + self.place.open.len() == self.rules.nodes()
    }

    /// The state is a sequence, so its last variable alone can be taken back.
    fn parents(&self, actions: &mut Vec<Action>) {
        actions.clear();
        let opens = self.place.open.len() == 1 && !self.place.within.is_empty();
        let first = if opens { self.rules.nodes() } else { 0 };
        actions.extend(self.place.open.iter().last().map(|node| (first + node) as Action));
    }

    fn terminal(&self) -> Option<Terminal> {
        self.is_terminal().then(|| {
            let layers = self.layers.iter().chain([&self.place.open]).map(NodeSet::iter);
            let layering = Layering::new(self.rules.nodes(), layers);
            Terminal::Layering(layering.expect("each variable is placed once"))
        })
    }

    fn input_changes(&self, action: Action, changes: &mut Vec<InputChange>) {
        changes.clear();
        let nodes = self.rules.nodes();
        if action as usize >= nodes {
            self.push_moved(&self.place.closed, CLOSED, EARLIER, changes);
            self.push_moved(&self.place.open, OPEN, CLOSED, changes);
        }
        changes.push(InputChange::on((OPEN * nodes + action as usize % nodes) as u32));
    }

    fn parent_input_changes(&self, action: Action, changes: &mut Vec<InputChange>) {
        changes.clear();
        let nodes = self.rules.nodes();
        changes.push(InputChange::off((OPEN * nodes + action as usize % nodes) as u32));
        if action as usize >= nodes {
            self.push_moved(&self.place.closed, CLOSED, OPEN, changes);
            if let [.., earlier, _] = &self.layers[..] {
                self.push_moved(earlier, EARLIER, CLOSED, changes);
            }
        }
    }

    /// The three sets.
    fn input_key(&self) -> Option<Vec<u64>> {
        let Place { within, closed, open, .. } = &self.place;
        Some([within, closed, open].into_iter().flat_map(NodeSet::words).copied().collect())
    }

    fn reward_inputs(&self, reward: &dyn LogReward, actions: &[Action]) -> Vec<f32> {
        reward.layers().map_or_else(Vec::new, |reward| self.log_shares(reward, actions))
    }

    /// The log-sum over the parent sets of the variable that agree with its layer, less that over all its parent sets.
    ///
    /// With it a flow that depends on the three sets alone is enough for DB, SubTB and FM: the flow of a sequence is the
    /// flow of its sets times the partial reward. What a variable has in common in all layers is taken out: it is
    /// hundreds of nats.
    fn delta_log_reward(&self, action: Action, reward: &dyn LogReward) -> Option<f64> {
        let reward = reward.layers()?;
        let nodes = self.rules.nodes();
        let node = action as usize % nodes;
        Some(self.log_term(action, reward) - reward.log_total(node, nodes))
    }
}
