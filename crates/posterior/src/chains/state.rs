//! The state of one chain: a layering with the log-weight of each variable.

use gflowcausal_graph::{Layering, NodeSet};

use super::Target;

/// A layering and, for each variable, the log-sum of its parent sets that agree with it.
///
/// A term is found anew whenever the sets behind it change, so that rounding does not accumulate.
#[derive(Debug, Clone)]
pub(super) struct State {
    pub(super) layers: Vec<NodeSet>,
    /// `before[i]` is the union of the layers before layer `i`.
    pub(super) before: Vec<NodeSet>,
    pub(super) layer_of: Vec<usize>,
    pub(super) terms: Vec<f64>,
}

impl State {
    pub(super) fn new(target: &Target<'_>, layering: &Layering) -> Self {
        let nodes = target.nodes();
        let mut state = Self {
            layers: layering.layers().to_vec(),
            before: vec![NodeSet::empty(nodes); layering.layers().len()],
            layer_of: vec![0; nodes],
            terms: vec![0.0; nodes],
        };
        state.number_from(0);
        (0..state.layers.len()).for_each(|layer| state.fill_terms(target, layer));
        state
    }

    /// The variables of each layer.
    pub(super) fn members(&self) -> Vec<Vec<usize>> {
        self.layers.iter().map(|layer| layer.iter().collect()).collect()
    }

    /// The log-weight of the layering: `Σ_v` of the terms, in the order of the variables.
    pub(super) fn log_weight(&self) -> f64 {
        self.terms.iter().sum()
    }

    /// The layer before `layer`; none before the first.
    pub(super) fn last_before(&self, layer: usize) -> Option<&NodeSet> {
        layer.checked_sub(1).map(|last| &self.layers[last])
    }

    /// The term of `node`, were it in `layer`.
    pub(super) fn term(&self, target: &Target<'_>, node: usize, layer: usize) -> f64 {
        target.term(node, &self.before[layer], self.last_before(layer))
    }

    /// Numbers the layers from `first` on and sets what comes before each.
    pub(super) fn number_from(&mut self, first: usize) {
        for layer in first..self.layers.len() {
            let (done, open) = self.before.split_at_mut(layer);
            match done.last() {
                Some(before) => {
                    open[0].clone_from(before);
                    open[0].union_with(&self.layers[layer - 1]);
                }
                None => open[0].clear(),
            }
            for node in self.layers[layer].iter() {
                self.layer_of[node] = layer;
            }
        }
    }

    /// Looks up the terms of a layer's variables.
    pub(super) fn fill_terms(&mut self, target: &Target<'_>, layer: usize) {
        for index in 0..self.layers[layer].words().len() {
            let mut word = self.layers[layer].words()[index];
            while word != 0 {
                let node = index * 64 + word.trailing_zeros() as usize;
                word &= word - 1;
                self.terms[node] = self.term(target, node, layer);
            }
        }
    }

    /// Replaces `count` layers from `first` on by others with the same variables; says by how much the log-weight changes
    /// or that it becomes zero.
    pub(super) fn splice(&mut self, target: &Target<'_>, first: usize, count: usize, new: &[NodeSet]) -> f64 {
        let old_end = (first + count + 1).min(self.layers.len());
        let old = self.partial_weight(first, old_end);
        self.layers.splice(first..first + count, new.iter().cloned());
        self.before.resize(self.layers.len(), NodeSet::empty(self.terms.len()));
        self.number_from(first);
        let new_end = (first + new.len() + 1).min(self.layers.len());
        (first..new_end).for_each(|layer| self.fill_terms(target, layer));
        self.partial_weight(first, new_end) - old
    }

    /// `Σ` of the terms of the variables in the layers `first..end`.
    fn partial_weight(&self, first: usize, end: usize) -> f64 {
        self.layers[first..end].iter().flat_map(NodeSet::iter).map(|node| self.terms[node]).sum()
    }
}
