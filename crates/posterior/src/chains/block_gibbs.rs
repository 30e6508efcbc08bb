//! Gibbs steps on DAGs: the parent sets of several variables are drawn together, given all others (Goudie & Mukherjee 2016).

use gflowcausal_determinism::{StreamRng, categorical, rand::RngExt};
use gflowcausal_graph::NodeSet;

use super::Target;
use super::structure::Structure;

/// Terms further below the largest than this, as logarithms, are lost in rounding.
const NEGLIGIBLE: f64 = -40.0;

/// Room for the sums of a step, kept from one to the next.
///
/// With the parents of all variables of the block B taken away, let `D(y)` be `y` and its descendants. Parents of `x` in
/// `D(y)` make `y` an ancestor of `x`, and the whole graph has no cycle if and only if this relation on B has none. So
/// the sum over all choices of parents is one over the DAGs on B, with the local sums `F_x(Y)` over the parent sets of `x`
/// that avoid `D(z)` for every `z` in B outside `Y`: `|B|·2^(|B|−1)` look-ups, and `3^|B|` steps to add up and to draw from.
#[derive(Debug, Clone, Default)]
pub(super) struct BlockGibbs {
    block: Vec<usize>,
    /// The variables that are no descendants of those of the block outside each set Y.
    within: Vec<NodeSet>,
    /// The variables that are descendants of some member of each set Y.
    below: Vec<NodeSet>,
    /// `ln F_x(Y)`, at `Y·|B| + x`.
    log_sums: Vec<f64>,
    /// The logarithm of the weight of the best order of what follows each ancestral set.
    best: Vec<f64>,
    /// The weight of all that can follow each ancestral set, divided by that of the best order.
    completions: Vec<f64>,
    /// `Σ ln F_x(A)` over each set of variables, for one A.
    products: Vec<f64>,
    layers: Vec<(usize, f64)>,
}

impl BlockGibbs {
    /// Draws the parents of `size` variables anew from their joint distribution, given those of all others.
    ///
    /// The block does not depend on the graph, so the step leaves the target as it is; nothing is rejected.
    pub(super) fn step(
        &mut self,
        target: &Target<'_>,
        graph: &mut Structure,
        size: usize,
        rng: &mut StreamRng,
    ) {
        target.blocks.draw(size, &mut self.block, rng);
        if self.block.len() < 2 {
            return;
        }
        let nodes = target.nodes();
        let old: Vec<NodeSet> =
            self.block.iter().map(|&node| graph.set_parents(node, NodeSet::empty(nodes))).collect();
        self.add_up(target, graph);
        if self.draw(target, graph, rng).is_none() {
            // Rounding left no layer to draw.
            for (&node, parents) in self.block.iter().zip(old) {
                graph.set_parents(node, parents);
            }
        }
    }

    /// The sums over what can follow each ancestral set of the block.
    fn add_up(&mut self, target: &Target<'_>, graph: &mut Structure) {
        self.look_up(target, graph);
        let full = self.within.len() - 1;
        self.best.clear();
        self.best.resize(full + 1, 0.0);
        self.completions.clear();
        self.completions.resize(full + 1, 1.0);
        for before in (0..full).rev() {
            let rest = full & !before;
            self.best[before] = bits(rest)
                .map(|x| self.log_sum(x, before) + self.best[before | 1 << x])
                .fold(f64::NEG_INFINITY, f64::max);
            self.completions[before] = if self.best[before] == f64::NEG_INFINITY {
                0.0
            } else {
                self.fill_products(before, rest);
                -self.alternating_sum(before, rest, self.best[before], false)
            };
        }
    }

    fn look_up(&mut self, target: &Target<'_>, graph: &mut Structure) {
        let (size, nodes) = (self.block.len(), target.nodes());
        let full = (1_usize << size) - 1;
        self.below.resize(full + 1, NodeSet::empty(nodes));
        self.within.resize(full + 1, NodeSet::empty(nodes));
        for set in 1..=full {
            let (lowest, others) = (set.trailing_zeros() as usize, set & (set - 1));
            let (earlier, later) = self.below.split_at_mut(set);
            if others == 0 {
                graph.write_descendants(self.block[lowest], &mut later[0]);
            } else {
                later[0].clone_from(&earlier[others]);
                later[0].union_with(&earlier[1 << lowest]);
            }
        }
        self.log_sums.clear();
        self.log_sums.resize(size << size, f64::NEG_INFINITY);
        let all = NodeSet::full(nodes);
        for set in 0..=full {
            self.within[set].clone_from(&all);
            self.within[set].subtract(&self.below[full & !set]);
            for x in bits(full & !set) {
                self.log_sums[set * size + x] = target.tables.log_sum(self.block[x], &self.within[set]);
            }
        }
    }

    fn log_sum(&self, x: usize, within: usize) -> f64 {
        self.log_sums[within * self.block.len() + x]
    }

    /// `Σ ln F_x(before)` over every subset of `rest`.
    fn fill_products(&mut self, before: usize, rest: usize) {
        self.products.resize(self.within.len(), 0.0);
        self.products[0] = 0.0;
        for set in subsets(rest).filter(|&set| set != 0) {
            let (lowest, others) = (set.trailing_zeros() as usize, set & (set - 1));
            self.products[set] = self.products[others] + self.log_sum(lowest, before);
        }
    }

    /// `Σ_T (−1)^|T| Π_{x∈T} F_x · C(after ∪ T)` over the subsets T of `rest`, divided by `exp(log_reference)`; the empty one is
    /// one of them if `with_empty`.
    ///
    /// Every term is the weight of some of the DAGs that the sum without signs counts: what cancels is `2^|B|` times the
    /// rounding of a float at most.
    fn alternating_sum(&self, after: usize, rest: usize, log_reference: f64, with_empty: bool) -> f64 {
        let mut sum = if with_empty { self.completions[after] } else { 0.0 };
        for set in subsets(rest).filter(|&set| set != 0) {
            let log = self.products[set] + self.best[after | set] - log_reference;
            if log > NEGLIGIBLE {
                let term = log.exp() * self.completions[after | set];
                sum += if set.count_ones().is_multiple_of(2) { term } else { -term };
            }
        }
        sum
    }

    /// Draws layer after layer of the block, and the parents of each; none if rounding left nothing to draw.
    fn draw(&mut self, target: &Target<'_>, graph: &mut Structure, rng: &mut StreamRng) -> Option<()> {
        let full = self.within.len() - 1;
        let (mut before, mut last) = (0, 0);
        while before != full {
            let layer = self.draw_layer(target, before, last, rng)?;
            for x in bits(layer) {
                let touching = (last != 0).then(|| &self.below[last]);
                let parents =
                    target.tables.sample_parents(self.block[x], &self.within[before], touching, rng);
                graph.set_parents(self.block[x], parents);
            }
            (before, last) = (before | layer, layer);
        }
        Some(())
    }

    /// The next layer: variables with a parent in the `last` one, all others having one that comes later.
    fn draw_layer(
        &mut self,
        target: &Target<'_>,
        before: usize,
        last: usize,
        rng: &mut StreamRng,
    ) -> Option<usize> {
        let rest = (self.within.len() - 1) & !before;
        self.fill_products(before, rest);
        let mut own = [0.0_f64; usize::BITS as usize];
        for x in bits(rest) {
            own[x] = match last {
                0 => self.log_sum(x, before),
                _ => {
                    let (within, touching) = (&self.within[before], &self.below[last]);
                    target.tables.log_sum_touching(self.block[x], within, touching)
                }
            };
        }
        let mut layers = std::mem::take(&mut self.layers);
        layers.clear();
        let mut largest = f64::NEG_INFINITY;
        for layer in subsets(rest).filter(|&layer| layer != 0) {
            let after = before | layer;
            let log = bits(layer).map(|x| own[x]).sum::<f64>() + self.best[after];
            if log + self.completions[after].ln() <= largest + NEGLIGIBLE {
                continue;
            }
            let sum = self.alternating_sum(after, rest & !layer, self.best[after], true);
            if sum > 0.0 {
                let log = log + sum.ln();
                largest = largest.max(log);
                layers.push((layer, log));
            }
        }
        let weighted = || layers.iter().map(|&(layer, log)| (layer, (log - largest).exp()));
        let total: f64 = weighted().map(|(_, weight)| weight).sum();
        let drawn = (total > 0.0).then(|| categorical(weighted(), rng.random::<f64>() * total)).flatten();
        self.layers = layers;
        drawn
    }
}

/// The positions of the bits of a set, from the lowest.
fn bits(set: usize) -> impl Iterator<Item = usize> {
    let mut left = set;
    std::iter::from_fn(move || {
        let lowest = (left != 0).then(|| left.trailing_zeros() as usize)?;
        left &= left - 1;
        Some(lowest)
    })
}

/// The subsets of a set, ascending from the empty one.
fn subsets(set: usize) -> impl Iterator<Item = usize> {
    let mut next = Some(0_usize);
    std::iter::from_fn(move || {
        let subset = next?;
        next = (subset != set).then(|| subset.wrapping_sub(set) & set);
        Some(subset)
    })
}
