//! Markov equivalence: same skeleton, same v-structures; and the DAGs that a partly directed graph stands for.

use std::collections::BTreeSet;
use std::fmt;

use crate::{Cpdag, Dag, Edge, NodeSet, Pdag};

/// Two causes that are not joined, with a common effect: `left → collider ← right`, `left < right`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VStructure {
    /// The common effect.
    pub collider: usize,
    /// The cause with the smaller index.
    pub left: usize,
    /// The cause with the larger index.
    pub right: usize,
}

impl fmt::Display for VStructure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} → {} ← {}", self.left, self.collider, self.right)
    }
}

/// Whether two DAGs state the same conditional independences (Verma and Pearl 1990).
///
/// Compares the two classes: `O(d²/64)` word operations.
///
/// ```
/// use gflowcausal_graph::{Dag, Edge, markov_equivalent};
/// let chain = Dag::from_edges(3, [Edge::new(0, 1), Edge::new(1, 2)])?;
/// let fork = Dag::from_edges(3, [Edge::new(1, 0), Edge::new(1, 2)])?;
/// let collider = Dag::from_edges(3, [Edge::new(0, 1), Edge::new(2, 1)])?;
/// assert!(markov_equivalent(&chain, &fork));
/// assert!(!markov_equivalent(&chain, &collider));
/// # Ok::<(), gflowcausal_graph::EdgeError>(())
/// ```
#[must_use]
pub fn markov_equivalent(a: &Dag, b: &Dag) -> bool {
    Cpdag::of(a) == Cpdag::of(b)
}

impl Dag {
    /// The v-structures, sorted by their common effect.
    #[must_use]
    pub fn v_structures(&self) -> Vec<VStructure> {
        Pdag::from(self).v_structures()
    }
}

impl Pdag {
    /// The pairs of arrows that meet at a node from two that are not joined, sorted by that node.
    #[must_use]
    pub fn v_structures(&self) -> Vec<VStructure> {
        let skeleton = self.skeleton();
        (0..self.nodes())
            .flat_map(|collider| meeting_at(collider, self.parents(collider), &skeleton))
            .collect()
    }

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

fn meeting_at<'a>(
    collider: usize,
    parents: &'a NodeSet,
    skeleton: &'a [NodeSet],
) -> impl Iterator<Item = VStructure> + 'a {
    parents.iter().flat_map(move |left| {
        let apart = move |&right: &usize| left < right && !skeleton[left].contains(right);
        parents.iter().filter(apart).map(move |right| VStructure { collider, left, right })
    })
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
