//! Consistent extensions: the DAGs that a partly directed graph stands for (Dor and Tarsi 1992).

use std::collections::BTreeSet;

use crate::{Dag, Edge, NodeSet, Pdag};

impl Pdag {
    /// A DAG with the same skeleton, the same v-structures and all the arrows of this graph, if there is one.
    ///
    /// Dor and Tarsi (1992): take away a node that can be last, pointing its undirected edges at it, until none is
    /// left. Costs `O(d/64)` words for every edge around every node that is tried; a node is tried again only when
    /// a node beside it went.
    #[must_use]
    pub fn consistent_extension(&self) -> Option<Dag> {
        let mut rest = self.clone();
        let mut parents: Vec<NodeSet> = (0..self.nodes()).map(|node| self.parents(node).clone()).collect();
        let mut candidates: BTreeSet<usize> = (0..self.nodes()).collect();
        let mut left = self.nodes();
        while let Some(node) = candidates.pop_last() {
            if rest.can_be_last(node) {
                parents[node].union_with(rest.neighbours(node));
                candidates.extend(rest.detach(node).iter());
                left -= 1;
            }
        }
        (left == 0).then(|| Dag::from_acyclic_parents(parents))
    }

    /// Whether `node` causes nothing and its undirected edges may all point at it without a new v-structure.
    fn can_be_last(&self, node: usize) -> bool {
        let around = self.adjacent(node);
        let tied_to_all = |other: usize| around.without(other).is_subset(&self.adjacent(other));
        self.children(node).is_empty() && self.neighbours(node).iter().all(tied_to_all)
    }

    /// Removes all edges of `node` and returns its former neighbours.
    fn detach(&mut self, node: usize) -> NodeSet {
        let around = self.adjacent(node);
        for other in around.iter() {
            self.remove(Edge::new(node, other));
        }
        around
    }

    /// Every DAG with the same skeleton, the same v-structures and all the arrows of this graph, each once.
    ///
    /// The next undirected edge is oriented in each direction and what follows by Meek's rules is filled in, so between two
    /// DAGs lies at most one step for each edge; but there may be as many as `d!`.
    pub fn extensions(&self) -> impl Iterator<Item = Dag> + use<> {
        let v_structures = self.v_structures();
        let mut open = vec![closed(self.clone())];
        std::iter::from_fn(move || {
            while let Some(graph) = open.pop() {
                if graph.v_structures() != v_structures {
                    continue;
                }
                match graph.undirected().next() {
                    Some(edge) => open.extend([edge.reversed(), edge].map(|edge| pointed(&graph, edge))),
                    None => {
                        if let Ok(dag) = graph.to_dag() {
                            return Some(dag);
                        }
                    }
                }
            }
            None
        })
    }
}

fn closed(mut graph: Pdag) -> Pdag {
    graph.close_under_meek();
    graph
}

fn pointed(graph: &Pdag, edge: Edge) -> Pdag {
    let mut graph = graph.clone();
    graph.orient(edge);
    closed(graph)
}
