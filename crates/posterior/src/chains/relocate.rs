//! The workhorse move: one variable is taken out and put back, its place drawn from all of them by its probability.

use gflowcausal_determinism::{StreamRng, categorical, log_add, rand::RngExt};
use gflowcausal_graph::NodeSet;

use super::{Target, state::State};

/// Where a variable may go among the layers of the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Into an existing layer.
    Into(usize),
    /// As a layer of its own before the existing layer of this number.
    Alone(usize),
}

impl Place {
    fn layer(self) -> usize {
        match self {
            Self::Into(layer) | Self::Alone(layer) => layer,
        }
    }

    /// Where a variable in this place is, seen from `layer` of the others.
    fn relation(self, layer: usize) -> Relation {
        match self {
            Self::Into(at) if layer == at + 1 => Relation::Beside,
            Self::Alone(at) if layer == at => Relation::Alone,
            _ if layer > self.layer() => Relation::Before,
            _ => Relation::After,
        }
    }
}

/// Where the relocated variable is, seen from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Relation {
    /// In the same layer or after it.
    After,
    /// At least two layers before it.
    Before,
    /// In the layer just before it, with others.
    Beside,
    /// Alone in the layer just before it.
    Alone,
}

/// The terms of one other variable for each [`Relation`].
#[derive(Debug, Clone, Copy, Default)]
struct Terms {
    after: f64,
    before: f64,
    beside: f64,
    alone: f64,
}

/// Room for the sums of a move, kept from one to the next.
#[derive(Debug, Clone)]
pub(super) struct Relocation {
    terms: Vec<Terms>,
    affected: Vec<usize>,
    /// The sums over the affected variables of each layer of the others.
    layers: Vec<Terms>,
    own: Vec<f64>,
    log_weights: Vec<f64>,
    within: NodeSet,
    last: NodeSet,
    single: NodeSet,
}

impl Relocation {
    pub(super) fn new(nodes: usize) -> Self {
        let none = NodeSet::empty(nodes);
        Self {
            terms: vec![Terms::default(); nodes],
            affected: Vec::new(),
            layers: Vec::new(),
            own: Vec::new(),
            log_weights: Vec::new(),
            within: none.clone(),
            last: none.clone(),
            single: none,
        }
    }

    /// Draws a new place for `node` from its conditional distribution at inverse temperature `beta`, given the layering
    /// of all other variables.
    ///
    /// A Gibbs step, so nothing is rejected. Only variables that may have `node` as a parent are looked up, each for the
    /// four cases of where `node` is: before, just before (alone or not), or not before.
    pub(super) fn step(
        &mut self,
        target: &Target<'_>,
        state: &mut State,
        node: usize,
        beta: f64,
        rng: &mut StreamRng,
    ) {
        let home = take_out(state, node);
        self.evaluate(target, state, node, home);
        self.weigh(beta);
        let place = place(draw(&mut self.log_weights, rng));
        self.put_back(state, node, place);
    }

    fn evaluate(&mut self, target: &Target<'_>, state: &State, node: usize, home: Place) {
        self.affected.clear();
        self.layers.clear();
        self.own.clear();
        self.single.clear();
        self.single.insert(node);
        for layer in 0..state.layers.len() {
            let own = if layer == home.layer() { state.terms[node] } else { state.term(target, node, layer) };
            self.own.push(own);
            let sums = self.layer_terms(target, state, node, layer, home.relation(layer));
            self.layers.push(sums);
        }
        let (mut all, last) = (NodeSet::full(target.nodes()), state.layers.last());
        all.remove(node);
        self.own.push(target.term(node, &all, last));
    }

    /// The terms of the variables in `layer` that may have `node` as a parent, and their sums. Those that were current,
    /// given by the relation, are known.
    fn layer_terms(
        &mut self,
        target: &Target<'_>,
        state: &State,
        node: usize,
        layer: usize,
        relation: Relation,
    ) -> Terms {
        let members = &state.layers[layer];
        let children = target.possible_children(node);
        let mut sums = Terms::default();
        if !members.is_subset(children) {
            sums.alone = f64::NEG_INFINITY;
        }
        self.within.clone_from(&state.before[layer]);
        self.within.insert(node);
        if let Some(last) = state.last_before(layer) {
            self.last.clone_from(last);
            self.last.insert(node);
        }
        for child in members.iter().filter(|&child| children.contains(child)) {
            let current = (relation, state.terms[child]);
            let terms = match target.only_term(child, node) {
                Some(term) => self.rare_child(target, state, child, current, term),
                None => self.child(target, state, child, current),
            };
            sums.after += terms.after;
            sums.before += terms.before;
            sums.beside += terms.beside;
            sums.alone += terms.alone;
            self.terms[child] = terms;
            self.affected.push(child);
        }
        sums
    }

    /// The terms of a variable with many parent sets that have the relocated one.
    fn child(&self, target: &Target<'_>, state: &State, child: usize, current: (Relation, f64)) -> Terms {
        let layer = state.layer_of[child];
        let last = state.last_before(layer);
        let look_up = |relation: Relation| match (relation, last) {
            _ if relation == current.0 => current.1,
            (Relation::After, _) => target.term(child, &state.before[layer], last),
            (Relation::Alone, _) => target.term(child, &self.within, Some(&self.single)),
            (_, None) => f64::NEG_INFINITY,
            (Relation::Before, _) => target.term(child, &self.within, last),
            (Relation::Beside, _) => target.term(child, &self.within, Some(&self.last)),
        };
        Terms {
            after: look_up(Relation::After),
            before: look_up(Relation::Before),
            beside: look_up(Relation::Beside),
            alone: look_up(Relation::Alone),
        }
    }

    /// The terms of a variable with one parent set that has the relocated one: the required parents and that, of `term`.
    fn rare_child(
        &self,
        target: &Target<'_>,
        state: &State,
        child: usize,
        current: (Relation, f64),
        term: f64,
    ) -> Terms {
        let layer = state.layer_of[child];
        let last = state.last_before(layer);
        let touches = last.is_some_and(|last| !target.tables.required(child).is_disjoint(last));
        let after = match current.0 {
            Relation::After => current.1,
            Relation::Before if !touches => current.1,
            _ => target.term(child, &state.before[layer], last),
        };
        let beside = if last.is_some() { log_add(after, term) } else { f64::NEG_INFINITY };
        let before = match last {
            Some(_) if touches => beside,
            Some(_) => after,
            None => f64::NEG_INFINITY,
        };
        Terms { after, before, beside, alone: term }
    }

    /// The log-weight of every place, up to a constant, times `beta`: `Alone(0), Into(0), Alone(1), Into(1), …, Alone(m)`.
    fn weigh(&mut self, beta: f64) {
        let count = self.layers.len();
        self.log_weights.resize(2 * count + 1, 0.0);
        let mut later = 0.0;
        for layer in (0..=count).rev() {
            if let Some(sums) = self.layers.get(layer + 1) {
                // `later`: the variables at least two layers after layer `layer`.
                self.log_weights[2 * layer + 1] = sums.beside + later;
                later += sums.before;
            } else if layer < count {
                self.log_weights[2 * layer + 1] = 0.0;
            }
            self.log_weights[2 * layer] = later + self.layers.get(layer).map_or(0.0, |sums| sums.alone);
        }
        let mut earlier = 0.0;
        for layer in 0..=count {
            let own = self.own[layer];
            self.log_weights[2 * layer] = beta * (self.log_weights[2 * layer] + earlier + own);
            if let Some(sums) = self.layers.get(layer) {
                earlier += sums.after;
                self.log_weights[2 * layer + 1] = beta * (self.log_weights[2 * layer + 1] + earlier + own);
            }
        }
    }

    fn put_back(&self, state: &mut State, node: usize, place: Place) {
        for &child in &self.affected {
            let terms = self.terms[child];
            state.terms[child] = match place.relation(state.layer_of[child]) {
                Relation::After => terms.after,
                Relation::Before => terms.before,
                Relation::Beside => terms.beside,
                Relation::Alone => terms.alone,
            };
        }
        state.terms[node] = self.own[place.layer()];
        put_in(state, node, place);
    }
}

/// The place of a position in the list of log-weights.
fn place(index: usize) -> Place {
    if index.is_multiple_of(2) { Place::Alone(index / 2) } else { Place::Into(index / 2) }
}

/// Takes `node` out of the layers, and its layer if nothing else is in it; says where it was.
fn take_out(state: &mut State, node: usize) -> Place {
    let layer = state.layer_of[node];
    state.layers[layer].remove(node);
    for before in &mut state.before[layer + 1..] {
        before.remove(node);
    }
    if state.layers[layer].is_empty() {
        state.layers.remove(layer);
        state.before.remove(layer);
        renumber(state, layer);
        return Place::Alone(layer);
    }
    Place::Into(layer)
}

fn put_in(state: &mut State, node: usize, place: Place) {
    let layer = match place {
        Place::Into(layer) => layer,
        Place::Alone(layer) => {
            let nodes = state.terms.len();
            state.layers.insert(layer, NodeSet::empty(nodes));
            let mut before = NodeSet::empty(nodes);
            if let Some(last) = layer.checked_sub(1) {
                before.clone_from(&state.before[last]);
                before.union_with(&state.layers[last]);
            }
            state.before.insert(layer, before);
            renumber(state, layer + 1);
            layer
        }
    };
    state.layers[layer].insert(node);
    state.layer_of[node] = layer;
    for before in &mut state.before[layer + 1..] {
        before.insert(node);
    }
}

fn renumber(state: &mut State, first: usize) {
    for (layer, members) in state.layers.iter().enumerate().skip(first) {
        for node in members.iter() {
            state.layer_of[node] = layer;
        }
    }
}

/// An index with probability ∝ exp(log-weight); the weights are used up.
fn draw(log_weights: &mut [f64], rng: &mut StreamRng) -> usize {
    let largest = log_weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    log_weights.iter_mut().for_each(|weight| *weight = (*weight - largest).exp());
    let total: f64 = log_weights.iter().sum();
    let drawn = categorical(log_weights.iter().copied().enumerate(), rng.random::<f64>() * total);
    drawn.expect("the present place has a weight")
}

#[cfg(test)]
impl Relocation {
    /// Every place of `node` that is possible: the log-weight that a step gives it, and the state it leads to.
    pub(super) fn places(
        &mut self,
        target: &Target<'_>,
        state: &State,
        node: usize,
        beta: f64,
    ) -> Vec<(f64, State)> {
        let mut rest = state.clone();
        let home = take_out(&mut rest, node);
        self.evaluate(target, &rest, node, home);
        self.weigh(beta);
        let placed = |(index, &log_weight): (usize, &f64)| {
            let mut state = rest.clone();
            self.put_back(&mut state, node, place(index));
            (log_weight > f64::NEG_INFINITY).then_some((log_weight, state))
        };
        self.log_weights.iter().enumerate().filter_map(placed).collect()
    }
}
