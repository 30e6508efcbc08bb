//! Exact draws by layers: each layer holds the variables with all parents in earlier layers and one in the last.

use std::sync::{Arc, Mutex, PoisonError};

use gflowcausal_determinism::{Stream, StreamRng, categorical, rand::RngExt, stream};
use gflowcausal_graph::{Dag, NodeSet};
use gflowcausal_score::ParentSetTables;
use rustc_hash::FxHashMap;

use super::backward::{BackwardSums, sum};
use super::local_sums::LocalSums;
use super::scaled::{self, power_of_two};
use super::subsets::{SubsetProducts, members};

/// How many states are remembered with the weights of their actions.
const REMEMBERED: usize = 1 << 16;

/// A layering under construction, sets of variables as bits. Layers are filled in ascending order of the variables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct LayerState {
    /// The closed layers but for the last.
    pub before: u32,
    /// The last closed layer.
    pub closed: u32,
    /// The open layer.
    pub open: u32,
}

impl LayerState {
    /// Everything in closed layers.
    fn within(self) -> u32 {
        self.before | self.closed
    }

    /// Everything in layers.
    fn placed(self) -> u32 {
        self.within() | self.open
    }

    /// With `node`, which comes after the other members, in the open layer.
    #[must_use]
    pub fn extend(self, node: usize) -> Self {
        Self { open: self.open | 1 << node, ..self }
    }

    /// With the open layer closed and `node` in the next.
    #[must_use]
    pub fn next_layer(self, node: usize) -> Self {
        Self { before: self.within(), closed: self.open, open: 1 << node }
    }
}

/// The weights of the actions in a state: first of adding each variable, then of opening a layer with each.
type Actions = Arc<[f64]>;

/// What draws need: the sums over parent sets and the backward sums.
#[derive(Debug)]
pub(super) struct Layers {
    sums: LocalSums,
    backward: BackwardSums,
    known: Mutex<FxHashMap<LayerState, Actions>>,
}

impl Layers {
    pub(super) fn new(sums: LocalSums, backward: BackwardSums) -> Self {
        Self { sums, backward, known: Mutex::default() }
    }

    pub(super) fn nodes(&self) -> usize {
        self.sums.nodes
    }

    /// Draw number `k`.
    pub(super) fn sample(&self, tables: &ParentSetTables, seed: u64, k: u64) -> Dag {
        let nodes = self.nodes();
        let mut rng = stream(seed, Stream::Sample { k });
        let mut parents = vec![NodeSet::empty(nodes); nodes];
        let mut state = LayerState::default();
        while state.placed() != self.sums.all() {
            let action = draw(&self.actions(state), &mut rng);
            let node = action % nodes;
            state = if action < nodes { state.extend(node) } else { state.next_layer(node) };
            if state.within() != 0 {
                let [within, touching] =
                    [state.within(), state.closed].map(|set| NodeSet::of(nodes, members(set)));
                parents[node] = tables.sample_parents(node, &within, Some(&touching), &mut rng);
            }
        }
        Dag::from_parents(&parents).expect("parents lie in earlier layers")
    }

    fn actions(&self, state: LayerState) -> Actions {
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(actions) = known().get(&state) {
            return Arc::clone(actions);
        }
        let actions: Actions = self.weights(state).into();
        let mut known = known();
        if known.len() >= REMEMBERED {
            known.clear();
        }
        known.insert(state, Arc::clone(&actions));
        actions
    }

    /// The weight of each action, up to a common factor.
    fn weights(&self, state: LayerState) -> Vec<f64> {
        let nodes = self.nodes();
        let mut weights = vec![0.0; 2 * nodes];
        let next = self.next_in_layer(state.placed(), state.within(), state.before);
        for node in members(self.sums.all()).filter(|node| state.open >> node == 0) {
            weights[node] = next[node];
        }
        if state.open != 0 {
            let next = self.next_in_layer(state.placed(), state.placed(), state.within());
            weights[nodes..].copy_from_slice(&next);
        }
        weights
    }

    /// For each variable v outside `placed` the weight of everything that can follow if v is the next member of a
    /// layer whose variables have parents in `within` and not all of them in `before`, as multiples of `C(placed)`'s
    /// scale, over the weights of those placed.
    ///
    /// With `F_w = F_w(within)` and `r_w = F_w(before)/F_w`, that of v is
    /// `F_v (1 − r_v) Σ_Y (−1)^|Y| Π_{w∈Y} F_w · Π_{w∈Y, w>v} r_w · C(placed ∪ v ∪ Y)`: a later variable may join the
    /// layer, an earlier one may not, so that Y of those that would fit are taken away. All v together take `4·2^m`
    /// multiply-adds for `m` variables.
    fn next_in_layer(&self, placed: u32, within: u32, before: u32) -> Vec<f64> {
        let free: Vec<usize> = members(self.sums.all() & !placed).collect();
        let mut terms = self.terms(placed, within);
        let mut weights = vec![0.0; self.nodes()];
        for (at, &node) in free.iter().enumerate().rev() {
            let ratio = self.ratio(node, within, before);
            let (without, with) = terms[..2 << at].split_at_mut(1 << at);
            weights[node] = (-(1.0 - ratio) * sum(with)).max(0.0);
            without.iter_mut().zip(with).for_each(|(without, with)| *without += ratio * *with);
        }
        weights
    }

    /// `Π_{w∈T} (−F_w(within)) · C(placed ∪ T)` for every T outside `placed`, as multiples of the scale of `placed`.
    fn terms(&self, placed: u32, within: u32) -> Vec<f64> {
        let BackwardSums { values, scales } = &self.backward;
        let mut products = SubsetProducts::default();
        products.fill(self.sums.all() & !placed, self.sums.row(within));
        let reference = scales[placed as usize];
        let mut terms = Vec::with_capacity(1 << (self.sums.all() & !placed).count_ones());
        for row in &products.outer {
            let inner = products.values.iter().zip(&products.exponents).zip(&products.sets);
            terms.extend(inner.map(|((factor, shift), set)| {
                let target = (placed | row.set | set) as usize;
                let scale = power_of_two(row.exponent + shift + scales[target] - reference);
                row.value * factor * values[target] * scale
            }));
        }
        terms
    }

    /// `F_node(before) / F_node(within)`; zero in the first layer, before which nothing is.
    fn ratio(&self, node: usize, within: u32, before: u32) -> f64 {
        let all = self.sums.row(within)[node];
        if within == 0 || all == f64::NEG_INFINITY { 0.0 } else { (self.sums.row(before)[node] - all).exp() }
    }

    /// Of the open layer and everything after it.
    pub(super) fn log_flow(&self, state: LayerState) -> f64 {
        let placed = state.placed();
        let free: Vec<usize> = members(self.sums.all() & !placed).collect();
        let mut terms = self.terms(placed, state.within());
        for (at, &node) in free.iter().enumerate().rev() {
            let may_join = state.open >> node == 0;
            let ratio = if may_join { self.ratio(node, state.within(), state.before) } else { 1.0 };
            let (without, with) = terms[..2 << at].split_at_mut(1 << at);
            without.iter_mut().zip(with).for_each(|(without, with)| *without += ratio * *with);
        }
        let weight = |node: usize| {
            let ratio = self.ratio(node, state.within(), state.before);
            self.sums.row(state.within())[node] + (-ratio).ln_1p()
        };
        let open: f64 = members(state.open).map(weight).sum();
        let placed_offset = self.sums.offset(state.within());
        scaled::log(terms[0].max(0.0), self.backward.scales[placed as usize]) + open + placed_offset
    }
}

/// An index with probability ∝ its weight.
fn draw(weights: &[f64], rng: &mut StreamRng) -> usize {
    let target = rng.random::<f64>() * weights.iter().sum::<f64>();
    categorical(weights.iter().copied().enumerate(), target)
        .expect("a state that was reached can be completed")
}
