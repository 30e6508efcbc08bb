//! How many DAGs a Markov equivalence class holds.

use std::collections::BTreeMap;

use crate::{Cpdag, NodeSet};

/// How many sub-problems a count may take before it is given up.
const MOST_STEPS: usize = 100_000;

impl Cpdag {
    /// The number of DAGs in the class; none where counting would take too long.
    ///
    /// The product over the chain components (undirected, connected, chordal). A component has one root in each of its
    /// orientations, so its size is the sum over roots of the sizes of what is left undirected once edges point away
    /// from the root (He, Jia and Yu 2015).
    #[must_use]
    pub fn size(&self) -> Option<f64> {
        let graph = self.as_pdag();
        let neighbours: Vec<NodeSet> = (0..self.nodes()).map(|node| graph.neighbours(node).clone()).collect();
        let mut counter = Counter { neighbours, known: BTreeMap::new(), steps: 0 };
        counter.product(&NodeSet::full(self.nodes()))
    }
}

/// Counts orientations of induced subgraphs of one undirected chordal graph.
struct Counter {
    neighbours: Vec<NodeSet>,
    known: BTreeMap<NodeSet, f64>,
    steps: usize,
}

impl Counter {
    /// The product of the sizes of the connected components of the subgraph on `within`.
    fn product(&mut self, within: &NodeSet) -> Option<f64> {
        let mut left = within.clone();
        let mut product = 1.0;
        loop {
            let Some(start) = left.iter().next() else { return Some(product) };
            let component = self.component(start, &left);
            left.subtract(&component);
            product *= self.size(&component)?;
        }
    }

    fn component(&self, start: usize, within: &NodeSet) -> NodeSet {
        let mut component = NodeSet::empty(self.neighbours.len());
        let mut open = vec![start];
        while let Some(node) = open.pop() {
            if component.insert(node) {
                open.extend(self.neighbours[node].iter().filter(|&next| within.contains(next)));
            }
        }
        component
    }

    /// The number of orientations of a connected `component` without cycles or v-structures.
    fn size(&mut self, component: &NodeSet) -> Option<f64> {
        let nodes = component.len();
        let edges =
            component.iter().map(|node| self.neighbours[node].intersection_len(component)).sum::<usize>() / 2;
        if edges + 1 == nodes {
            return Some(nodes as f64);
        }
        if edges == nodes * (nodes - 1) / 2 {
            return Some((1..=nodes).map(|k| k as f64).product());
        }
        if let Some(&size) = self.known.get(component) {
            return Some(size);
        }
        self.steps += nodes;
        if self.steps > MOST_STEPS {
            return None;
        }
        let mut size = 0.0;
        for root in component.iter() {
            size += self.rooted(root, component)?;
        }
        self.known.insert(component.clone(), size);
        Some(size)
    }

    /// The orientations in which `root` has no parent: edges point away from it, layer by layer, and within a layer
    /// stay undirected unless a parent outside the neighbour's reach compels them.
    fn rooted(&mut self, root: usize, component: &NodeSet) -> Option<f64> {
        let mut product = 1.0;
        let mut left = component.without(root);
        let mut layer = NodeSet::of(self.neighbours.len(), [root]);
        while !left.is_empty() {
            let mut next = NodeSet::empty(self.neighbours.len());
            layer.iter().for_each(|node| next.union_with(&self.neighbours[node]));
            next.intersect_with(&left);
            left.subtract(&next);
            product *= self.layer(&layer, &next)?;
            layer = next;
        }
        Some(product)
    }

    /// The orientations within `layer` when each of its variables has its neighbours in `above` as parents.
    ///
    /// Meek's first rule compels `a → b` when some parent of `a` is no neighbour of `b`; applied until nothing changes.
    fn layer(&mut self, above: &NodeSet, layer: &NodeSet) -> Option<f64> {
        let mut parents: BTreeMap<usize, NodeSet> = BTreeMap::new();
        for node in layer.iter() {
            let mut set = self.neighbours[node].clone();
            set.intersect_with(above);
            parents.insert(node, set);
        }
        let mut undirected: Vec<(usize, usize)> = layer
            .iter()
            .flat_map(|a| self.neighbours[a].iter().filter(move |&b| a < b).map(move |b| (a, b)))
            .filter(|&(_, b)| layer.contains(b))
            .collect();
        loop {
            let compelled = undirected
                .iter()
                .position(|&(a, b)| self.compels(&parents[&a], b) || self.compels(&parents[&b], a));
            let Some(at) = compelled else { break };
            let (a, b) = undirected.swap_remove(at);
            let (from, to) = if self.compels(&parents[&a], b) { (a, b) } else { (b, a) };
            parents.get_mut(&to).expect("every variable of the layer has parents").insert(from);
        }
        self.product_of_edges(&undirected)
    }

    fn compels(&self, parents: &NodeSet, other: usize) -> bool {
        parents.iter().any(|parent| !self.neighbours[other].contains(parent))
    }

    /// The product over the components that `edges` connect.
    fn product_of_edges(&mut self, edges: &[(usize, usize)]) -> Option<f64> {
        let nodes = self.neighbours.len();
        let mut own = vec![NodeSet::empty(nodes); nodes];
        for &(a, b) in edges {
            own[a].insert(b);
            own[b].insert(a);
        }
        let mut inner = Self { neighbours: own, known: BTreeMap::new(), steps: self.steps };
        let ends = NodeSet::of(nodes, edges.iter().flat_map(|&(a, b)| [a, b]));
        let product = inner.product(&ends);
        self.steps = inner.steps;
        product
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Dag, Edge, all_dags};

    #[test]
    fn sizes_are_the_numbers_of_members() {
        for dag in all_dags(5).step_by(7) {
            let class = Cpdag::of(&dag);
            assert_eq!(class.size(), Some(class.members().count() as f64), "{dag:?}");
        }
    }

    #[test]
    fn sizes_of_chordal_classes_are_those_of_enumeration() {
        // A band graph: each variable joined to the two before it, directed along the numbers, has no v-structure.
        for nodes in 3..9 {
            let pairs = (0..nodes)
                .flat_map(|to| (0..to).filter(move |from| to - from <= 2).map(move |from| (from, to)));
            let dag = Dag::from_edges(nodes, pairs.map(Edge::from)).expect("a band");
            let class = Cpdag::of(&dag);
            assert_eq!(class.size(), Some(class.members().count() as f64), "{nodes}");
        }
    }

    #[test]
    fn long_chains_and_large_cliques_are_counted_at_once() {
        let chain = Dag::from_edges(100, (1..100).map(|to| Edge::new(to - 1, to))).expect("a chain");
        assert_eq!(Cpdag::of(&chain).size(), Some(100.0));
        let clique = crate::Order::identity(12).complete_dag();
        assert_eq!(Cpdag::of(&clique).size(), Some(479_001_600.0));
    }
}
