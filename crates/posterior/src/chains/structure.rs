//! A DAG whose parent sets are exchanged, with the sets of descendants that decide which are possible.

use gflowcausal_determinism::StreamRng;
use gflowcausal_graph::{Dag, Layering, NodeSet};

use super::{Target, state::State};

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
        Self::of_parents((0..nodes).map(draw).collect())
    }

    /// The DAG with these parents, which close no cycle.
    pub(super) fn of_parents(parents: Vec<NodeSet>) -> Self {
        let mut children = vec![NodeSet::empty(parents.len()); parents.len()];
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

    /// Gives `node` other parents, and the old ones back.
    pub(super) fn set_parents(&mut self, node: usize, parents: NodeSet) -> NodeSet {
        self.parents[node].iter().for_each(|parent| _ = self.children[parent].remove(node));
        parents.iter().for_each(|parent| _ = self.children[parent].insert(node));
        std::mem::replace(&mut self.parents[node], parents)
    }

    /// `node` and all its descendants.
    pub(super) fn descendants(&mut self, node: usize) -> NodeSet {
        let mut found = NodeSet::empty(self.parents.len());
        self.write_descendants(node, &mut found);
        found
    }

    /// The same in the place of what `found` held.
    pub(super) fn write_descendants(&mut self, node: usize, found: &mut NodeSet) {
        found.clear();
        found.insert(node);
        self.stack.clear();
        self.stack.push(node);
        while let Some(next) = self.stack.pop() {
            for child in self.children[next].iter() {
                if found.insert(child) {
                    self.stack.push(child);
                }
            }
        }
    }
}

/// All of `nodes` variables that are not in `set`.
pub(super) fn complement(nodes: usize, set: &NodeSet) -> NodeSet {
    let mut others = NodeSet::full(nodes);
    others.subtract(set);
    others
}
