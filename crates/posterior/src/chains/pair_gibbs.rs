//! Gibbs steps on DAGs: the parent sets of two variables are drawn together, given all others (Goudie & Mukherjee 2016).

use gflowcausal_determinism::{StreamRng, categorical, rand::RngExt};
use gflowcausal_graph::{Dag, Layering, NodeSet};
use gflowcausal_score::ParentSetTables;

use super::{Target, state::State};

/// How often a pair is chosen that is hardly ever adjacent, next to one that surely is.
const RARE_PAIR: f64 = 0.02;

/// Pairs of variables one of which may cause the other, with cumulative probabilities.
#[derive(Debug)]
pub(super) struct Pairs {
    cumulative: Vec<f64>,
    pairs: Vec<(usize, usize)>,
}

impl Pairs {
    /// All pairs with a possible edge, each chosen the more often the likelier the edge is where nothing else is known.
    ///
    /// The choice does not depend on the state, so every step leaves the target as it is.
    pub(super) fn new(tables: &ParentSetTables) -> Self {
        let nodes = tables.nodes();
        let (mut cumulative, mut pairs, mut total) = (Vec::new(), Vec::new(), 0.0);
        for effect in 0..nodes {
            let others = NodeSet::full(nodes).without(effect);
            let all = tables.log_sum(effect, &others);
            for cause in tables.possible_parents(effect).iter() {
                let with = tables.log_sum_touching(effect, &others, &NodeSet::of(nodes, [cause]));
                total += (with - all).exp() + RARE_PAIR;
                cumulative.push(total);
                pairs.push((cause, effect));
            }
        }
        Self { cumulative, pairs }
    }

    fn draw(&self, rng: &mut StreamRng) -> Option<(usize, usize)> {
        let total = self.cumulative.last()?;
        let at = rng.random::<f64>() * total;
        let index = self.cumulative.partition_point(|&sum| sum <= at);
        self.pairs.get(index).copied()
    }
}

/// A DAG whose parent sets can be exchanged.
#[derive(Debug, Clone)]
pub(super) struct Structure {
    parents: Vec<NodeSet>,
    children: Vec<NodeSet>,
    stack: Vec<usize>,
}

impl Structure {
    /// A DAG drawn given the layering.
    pub(super) fn draw(target: &Target<'_>, state: &State, rng: &mut StreamRng) -> Self {
        let nodes = target.nodes();
        let draw = |node: usize| {
            let layer = state.layer_of[node];
            match state.last_before(layer) {
                Some(last) => target.tables.sample_parents(node, &state.before[layer], Some(last), rng),
                None => NodeSet::empty(nodes),
            }
        };
        let parents: Vec<NodeSet> = (0..nodes).map(draw).collect();
        let mut children = vec![NodeSet::empty(nodes); nodes];
        for (node, set) in parents.iter().enumerate() {
            set.iter().for_each(|parent| _ = children[parent].insert(node));
        }
        Self { parents, children, stack: Vec::new() }
    }

    pub(super) fn parents(&self) -> &[NodeSet] {
        &self.parents
    }

    pub(super) fn layering(&self) -> Layering {
        Layering::of(&Dag::from_parents(&self.parents).expect("steps close no cycle"))
    }

    fn set_parents(&mut self, node: usize, parents: NodeSet) {
        self.parents[node].iter().for_each(|parent| _ = self.children[parent].remove(node));
        parents.iter().for_each(|parent| _ = self.children[parent].insert(node));
        self.parents[node] = parents;
    }

    /// `node` and all its descendants.
    pub(super) fn descendants(&mut self, node: usize) -> NodeSet {
        let mut found = NodeSet::of(self.parents.len(), [node]);
        self.stack.clear();
        self.stack.push(node);
        while let Some(next) = self.stack.pop() {
            for child in self.children[next].iter() {
                if found.insert(child) {
                    self.stack.push(child);
                }
            }
        }
        found
    }

    /// Draws the parents of two variables anew from their joint distribution, given the parents of all others.
    ///
    /// With both sets empty, let `D(v)` be `v` and its descendants. A cycle closes if a parent of `x` is in `D(x)`, one of `y`
    /// in `D(y)`, or one of `x` in `D(y)` and one of `y` in `D(x)`. So there are three cases, each a product of two sums:
    /// neither has such a parent, only `x` has, only `y` has. Nothing is rejected.
    pub(super) fn step(&mut self, target: &Target<'_>, rng: &mut StreamRng) {
        let Some((x, y)) = target.pairs.draw(rng) else { return };
        let nodes = target.nodes();
        let tables = target.tables;
        self.set_parents(x, NodeSet::empty(nodes));
        self.set_parents(y, NodeSet::empty(nodes));
        let (below_x, below_y) = (self.descendants(x), self.descendants(y));
        let (above_x, above_y) = (complement(nodes, &below_x), complement(nodes, &below_y));
        let mut above_both = above_x.clone();
        above_both.intersect_with(&above_y);

        let (apart_x, apart_y) = (tables.log_sum(x, &above_both), tables.log_sum(y, &above_both));
        let joined_x = tables.log_sum_touching(x, &above_x, &below_y);
        let joined_y = tables.log_sum_touching(y, &above_y, &below_x);
        let cases = [apart_x + apart_y, joined_x + apart_y, apart_x + joined_y];
        let largest = cases.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weights = cases.map(|case| (case - largest).exp());
        let at = rng.random::<f64>() * weights.iter().sum::<f64>();
        let case =
            categorical(weights.into_iter().enumerate(), at).expect("the present parents have a weight");

        let mut draw = |node, above, joined: Option<&NodeSet>| match joined {
            Some(below) => tables.sample_parents(node, above, Some(below), rng),
            None => tables.sample_parents(node, &above_both, None, rng),
        };
        let parents_x = draw(x, &above_x, (case == 1).then_some(&below_y));
        let parents_y = draw(y, &above_y, (case == 2).then_some(&below_x));
        self.set_parents(x, parents_x);
        self.set_parents(y, parents_y);
    }
}

/// All of `nodes` variables that are not in `set`.
pub(super) fn complement(nodes: usize, set: &NodeSet) -> NodeSet {
    let mut others = NodeSet::full(nodes);
    others.subtract(set);
    others
}
