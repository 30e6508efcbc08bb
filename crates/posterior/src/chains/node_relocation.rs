//! The workhorse move: one variable is taken out and put back, its place drawn from all of them by its probability.

use gflowcausal_determinism::{StreamRng, categorical, exp_or_zero, log_add, rand::RngExt};
use gflowcausal_graph::NodeSet;
use gflowcausal_score::SumsAround;

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

/// A difference of two sums is trusted down to this share of the larger; else it is looked up without a difference.
const TRUSTED_SHARE: f64 = 1e-6;

/// A factor beyond these is turned into a logarithm, so that the product of two neither underflows nor overflows.
const SAFE: std::ops::RangeInclusive<f64> = 1e-150..=1e150;

/// `exp(log)·factor`: products of many terms with few logarithms.
#[derive(Debug, Clone, Copy)]
struct Weight {
    log: f64,
    factor: f64,
}

impl Weight {
    const ONE: Self = Self { log: 0.0, factor: 1.0 };

    const ZERO: Self = Self::of_log(f64::NEG_INFINITY);

    const fn of_log(log: f64) -> Self {
        Self { log, factor: 1.0 }
    }

    /// With a factor that is safe to multiply by another.
    fn new(log: f64, factor: f64) -> Self {
        let weight = Self { log, factor };
        if SAFE.contains(&factor) { weight } else { Self::of_log(weight.log()) }
    }

    fn multiply(&mut self, other: Self) {
        *self = Self::new(self.log + other.log, self.factor * other.factor);
    }

    fn log(self) -> f64 {
        self.log + self.factor.ln()
    }
}

/// The weights of one other variable, or their products over a layer, for each [`Relation`].
#[derive(Debug, Clone, Copy)]
struct Terms {
    after: Weight,
    before: Weight,
    beside: Weight,
    alone: Weight,
}

impl Terms {
    const ONE: Self =
        Self { after: Weight::ONE, before: Weight::ONE, beside: Weight::ONE, alone: Weight::ONE };

    fn multiply(&mut self, other: &Self) {
        self.after.multiply(other.after);
        self.before.multiply(other.before);
        self.beside.multiply(other.beside);
        self.alone.multiply(other.alone);
    }

    fn get(&self, relation: Relation) -> Weight {
        match relation {
            Relation::After => self.after,
            Relation::Before => self.before,
            Relation::Beside => self.beside,
            Relation::Alone => self.alone,
        }
    }
}

/// Room for the sums of a move, kept from one to the next.
#[derive(Debug, Clone)]
pub(super) struct Relocation {
    terms: Vec<Terms>,
    affected: Vec<usize>,
    /// The logarithms of the products over the affected variables of each layer of the others, as in [`Terms`].
    layers: Vec<[f64; 4]>,
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
            terms: vec![Terms::ONE; nodes],
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
    /// A Gibbs step, so nothing is rejected. Only variables that may have `node` as a parent are looked up, once for all four
    /// cases of where `node` is: before, just before (alone or not), or not before.
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
        self.put_back(state, node, home, place);
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

    /// The weights of the variables in `layer` that may have `node` as a parent, and the logarithms of their products.
    /// The relation says for which of them the term is current.
    fn layer_terms(
        &mut self,
        target: &Target<'_>,
        state: &State,
        node: usize,
        layer: usize,
        relation: Relation,
    ) -> [f64; 4] {
        let members = &state.layers[layer];
        let children = target.possible_children(node);
        let mut product = Terms::ONE;
        if !members.is_subset(children) {
            product.alone = Weight::ZERO;
        }
        self.within.clone_from(&state.before[layer]);
        self.within.insert(node);
        match state.last_before(layer) {
            Some(last) => self.last.clone_from(last),
            None => self.last.clear(),
        }
        for child in members.iter().filter(|&child| children.contains(child)) {
            let terms = match target.only_term(child, node) {
                Some(term) => self.rare_child(target, state, child, (relation, state.terms[child]), term),
                None => self.child(target, state, node, child),
            };
            product.multiply(&terms);
            self.terms[child] = terms;
            self.affected.push(child);
        }
        [product.after, product.before, product.beside, product.alone].map(Weight::log)
    }

    /// The weights of a variable with many parent sets that have the relocated one.
    fn child(&self, target: &Target<'_>, state: &State, node: usize, child: usize) -> Terms {
        let layer = state.layer_of[child];
        let Some(sums) = target.tables.sums_around(child, &state.before[layer], &self.last, node) else {
            return self.child_one_by_one(target, state, child);
        };
        let SumsAround { log_reference: log, all, without_other, without_last, without_both } = sums;
        let weight = |relation: Relation, more: f64, less: f64| {
            if more - less > TRUSTED_SHARE * more {
                Weight::new(log, more - less)
            } else {
                Weight::of_log(self.look_up(target, state, child, relation))
            }
        };
        if layer == 0 {
            let after = Weight::of_log(self.look_up(target, state, child, Relation::After));
            let alone = weight(Relation::Alone, all, without_other);
            return Terms { after, before: Weight::ZERO, beside: Weight::ZERO, alone };
        }
        Terms {
            after: weight(Relation::After, without_other, without_both),
            before: weight(Relation::Before, all, without_last),
            beside: weight(Relation::Beside, all, without_both),
            alone: weight(Relation::Alone, all, without_other),
        }
    }

    fn child_one_by_one(&self, target: &Target<'_>, state: &State, child: usize) -> Terms {
        let weight = |relation| Weight::of_log(self.look_up(target, state, child, relation));
        Terms {
            after: weight(Relation::After),
            before: weight(Relation::Before),
            beside: weight(Relation::Beside),
            alone: weight(Relation::Alone),
        }
    }

    /// The term of `child` for one place of the relocated variable.
    fn look_up(&self, target: &Target<'_>, state: &State, child: usize, relation: Relation) -> f64 {
        let layer = state.layer_of[child];
        let last = state.last_before(layer);
        match (relation, last) {
            (Relation::After, _) => target.term(child, &state.before[layer], last),
            (Relation::Alone, _) => target.term(child, &self.within, Some(&self.single)),
            (_, None) => f64::NEG_INFINITY,
            (Relation::Before, _) => target.term(child, &self.within, last),
            (Relation::Beside, Some(last)) => {
                let mut last = last.clone();
                last.union_with(&self.single);
                target.term(child, &self.within, Some(&last))
            }
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
        let [after, before, beside, alone] = [after, before, beside, term].map(Weight::of_log);
        Terms { after, before, beside, alone }
    }

    /// The log-weight of every place, up to a constant, times `beta`: `Alone(0), Into(0), Alone(1), Into(1), …, Alone(m)`.
    fn weigh(&mut self, beta: f64) {
        let count = self.layers.len();
        self.log_weights.resize(2 * count + 1, 0.0);
        // All variables at least two layers after a place, then all before it.
        let mut later = 0.0;
        for layer in (0..=count).rev() {
            if let Some([_, before, beside, _]) = self.layers.get(layer + 1) {
                self.log_weights[2 * layer + 1] = beside + later;
                later += before;
            } else if layer < count {
                self.log_weights[2 * layer + 1] = 0.0;
            }
            self.log_weights[2 * layer] = later + self.layers.get(layer).map_or(0.0, |[.., alone]| *alone);
        }
        let mut earlier = 0.0;
        for layer in 0..=count {
            let own = self.own[layer];
            self.log_weights[2 * layer] = beta * (self.log_weights[2 * layer] + earlier + own);
            if let Some([after, ..]) = self.layers.get(layer) {
                earlier += after;
                self.log_weights[2 * layer + 1] = beta * (self.log_weights[2 * layer + 1] + earlier + own);
            }
        }
    }

    fn put_back(&self, state: &mut State, node: usize, home: Place, place: Place) {
        if place != home {
            for &child in &self.affected {
                let relation = place.relation(state.layer_of[child]);
                state.terms[child] = self.terms[child].get(relation).log();
            }
            state.terms[node] = self.own[place.layer()];
        }
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
    log_weights.iter_mut().for_each(|weight| *weight = exp_or_zero(*weight - largest));
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
            self.put_back(&mut state, node, home, place(index));
            (log_weight > f64::NEG_INFINITY).then_some((log_weight, state))
        };
        self.log_weights.iter().enumerate().filter_map(placed).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Weight;

    #[test]
    fn products_of_tiny_and_huge_weights_keep_their_logarithm() {
        let factors = [1e-140, 1e-300, 1e-10, 1e149, 1e300, 1e149];
        let mut product = Weight::ONE;
        factors.iter().for_each(|&factor| product.multiply(Weight::new(0.5, factor)));
        let expected: f64 = factors.iter().map(|factor: &f64| 0.5 + factor.ln()).sum();
        assert!((product.log() - expected).abs() < 1e-9, "{product:?}");
    }
}
