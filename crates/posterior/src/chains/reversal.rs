//! An edge of a drawn DAG is reversed, with new parents for both of its ends (Grzegorczyk & Husmeier 2008).

use gflowcausal_determinism::{StreamRng, rand::RngExt};
use gflowcausal_graph::{Dag, Layering, NodeSet};

use super::{Target, state::State};

/// A DAG whose parent sets can be exchanged.
#[derive(Debug, Clone)]
pub(super) struct Structure {
    parents: Vec<NodeSet>,
    children: Vec<NodeSet>,
    stack: Vec<usize>,
}

/// The parents of every variable, drawn given the layering.
pub(super) fn draw_parents(target: &Target<'_>, state: &State, rng: &mut StreamRng) -> Vec<NodeSet> {
    let draw = |node: usize| {
        let layer = state.layer_of[node];
        match state.last_before(layer) {
            Some(last) => target.tables.sample_parents(node, &state.before[layer], Some(last), rng),
            None => NodeSet::empty(target.nodes()),
        }
    };
    (0..target.nodes()).map(draw).collect()
}

/// Draws a DAG given the layering, tries to reverse `tries` of its edges, and takes the layering of what results.
///
/// At inverse temperature `beta` the layerings have weight `w^β`; so the pair of layering and DAG has `w^(β−1)·exp(score)`,
/// and a reversal is accepted by its own ratio for `exp(score)` times that of `w^(β−1)`.
pub(super) fn step(target: &Target<'_>, state: &mut State, beta: f64, tries: usize, rng: &mut StreamRng) {
    let mut graph = Structure::new(draw_parents(target, state, rng));
    let mut log_weight = state.log_weight();
    let mut moved = false;
    for _ in 0..tries {
        let Some((log_ratio, undo)) = graph.reverse(target, rng) else { continue };
        let reweighted = beta != 1.0;
        let next = reweighted.then(|| State::new(target, &graph.layering()));
        let next_weight = next.as_ref().map_or(0.0, State::log_weight);
        let heat = if reweighted { (beta - 1.0) * (next_weight - log_weight) } else { 0.0 };
        if super::accepts(log_ratio + heat, rng) {
            log_weight = next_weight;
            moved = true;
        } else {
            undo.into_iter().for_each(|(node, parents)| graph.set_parents(node, parents));
        }
    }
    if moved {
        *state = State::new(target, &graph.layering());
    }
}

impl Structure {
    pub(super) fn new(parents: Vec<NodeSet>) -> Self {
        let mut children = vec![NodeSet::empty(parents.len()); parents.len()];
        for (node, set) in parents.iter().enumerate() {
            set.iter().for_each(|parent| _ = children[parent].insert(node));
        }
        Self { parents, children, stack: Vec::new() }
    }

    fn layering(&self) -> Layering {
        Layering::of(&Dag::from_parents(&self.parents).expect("moves close no cycle"))
    }

    fn set_parents(&mut self, node: usize, parents: NodeSet) {
        self.parents[node].iter().for_each(|parent| _ = self.children[parent].remove(node));
        parents.iter().for_each(|parent| _ = self.children[parent].insert(node));
        self.parents[node] = parents;
    }

    fn edge_count(&self) -> usize {
        self.parents.iter().map(NodeSet::len).sum()
    }

    /// All variables but `node` and its descendants.
    fn non_descendants(&mut self, node: usize) -> NodeSet {
        let mut others = NodeSet::full(self.parents.len());
        others.remove(node);
        self.stack.clear();
        self.stack.push(node);
        while let Some(next) = self.stack.pop() {
            for child in self.children[next].iter() {
                if others.remove(child) {
                    self.stack.push(child);
                }
            }
        }
        others
    }

    fn random_edge(&self, rng: &mut StreamRng) -> Option<(usize, usize)> {
        let count = self.edge_count();
        let mut index = (count > 0).then(|| rng.random_range(0..count))?;
        for (to, set) in self.parents.iter().enumerate() {
            match set.iter().nth(index) {
                Some(from) => return Some((from, to)),
                None => index -= set.len(),
            }
        }
        None
    }

    /// Reverses a random edge `x → y`: both ends lose their parents, `x` gets new ones with `y` among them, then `y`.
    ///
    /// Returns the logarithm of the ratio by which the step is accepted,
    /// `N(G)/N(G′) · Z(x | y ∈ Pa)/Z(y | x ∈ Pa) · Z(y)/Z(x)`, and the old parents. None: no edge, or no such parents.
    fn reverse(&mut self, target: &Target<'_>, rng: &mut StreamRng) -> Option<(f64, [(usize, NodeSet); 2])> {
        let nodes = target.nodes();
        let (x, y) = self.random_edge(rng)?;
        let edges = self.edge_count() as f64;
        let old = [(x, self.parents[x].clone()), (y, self.parents[y].clone())];
        let tables = target.tables;
        let (only_x, only_y) = (NodeSet::of(nodes, [x]), NodeSet::of(nodes, [y]));

        self.set_parents(x, NodeSet::empty(nodes));
        let before_x = self.non_descendants(x);
        self.set_parents(y, NodeSet::empty(nodes));
        let free_x = self.non_descendants(x);
        let free_y = self.non_descendants(y);
        let log_x = tables.log_sum_touching(x, &free_x, &only_y);
        if log_x == f64::NEG_INFINITY {
            old.into_iter().for_each(|(node, parents)| self.set_parents(node, parents));
            return None;
        }
        let log_y = tables.log_sum_touching(y, &free_y, &only_x);
        self.set_parents(x, tables.sample_parents(x, &free_x, Some(&only_y), rng));
        let after_y = self.non_descendants(y);
        let log_after = tables.log_sum(y, &after_y);
        if log_after == f64::NEG_INFINITY {
            old.into_iter().for_each(|(node, parents)| self.set_parents(node, parents));
            return None;
        }
        self.set_parents(y, tables.sample_parents(y, &after_y, None, rng));
        let log_ratio = (edges / self.edge_count() as f64).ln() + log_x - log_y + log_after
            - tables.log_sum(x, &before_x);
        Some((log_ratio, old))
    }
}
