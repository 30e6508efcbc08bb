//! Theorems 1 and 2: the transitive closure of a growing DAG, updated edge by edge.

use crate::node_set::{ones, words_for};
use crate::{Dag, Edge, EdgeError, NodeSet, Order};

/// The transitive closure of a growing edge set (the paper's `H`), each variable its own ancestor and descendant.
///
/// Rows of bits: `d/64` words each, `d²/4` bytes in all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Closure {
    nodes: usize,
    width: usize,
    ancestors: Vec<u64>,
    descendants: Vec<u64>,
    comparable_pairs: usize,
}

impl Closure {
    /// The closure of no edges.
    #[must_use]
    pub fn empty(nodes: usize) -> Self {
        let width = words_for(nodes);
        let mut identity = vec![0; nodes * width];
        for node in 0..nodes {
            identity[node * width + node / 64] |= 1 << (node % 64);
        }
        Self { nodes, width, descendants: identity.clone(), ancestors: identity, comparable_pairs: 0 }
    }

    /// The closure of the edges of `dag`.
    ///
    /// Effects enter in causal order, so that none has descendants yet: `O(d/64)` word operations for every edge and
    /// every comparable pair.
    #[must_use]
    pub fn of(dag: &Dag) -> Self {
        let mut closure = Self::empty(dag.nodes());
        for to in dag.topological_order().iter() {
            for from in dag.parents(to).iter() {
                closure.insert(Edge { from, to });
            }
        }
        closure
    }

    /// How many variables there are.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// Whether a directed path leads from `from` to `to` (a node reaches itself).
    #[must_use]
    #[inline]
    pub fn reaches(&self, from: usize, to: usize) -> bool {
        self.descendants[from * self.width + to / 64] >> (to % 64) & 1 == 1
    }

    /// Adds `edge`: every descendant of `edge.to` gains every ancestor of `edge.from`, and the mirror.
    ///
    /// Theorem 1, `H ← H ∨ h_j · h⁼_i`. Costs `O(d²/64)` word operations, nothing if `edge` joins a pair that is
    /// connected already. The edge must not close a cycle: [`GrowingDag`] checks that.
    pub fn insert(&mut self, edge: Edge) {
        debug_assert!(!self.reaches(edge.to, edge.from), "edge {edge} closes a cycle");
        if self.reaches(edge.from, edge.to) {
            return;
        }
        let above = self.ancestors(edge.from);
        let below = self.descendants(edge.to);
        // What `from` reaches already has all of its ancestors, and what reaches `to` all of its descendants.
        let mut gaining_ancestors = below.clone();
        gaining_ancestors.subtract(&self.descendants(edge.from));
        let mut gaining_descendants = above.clone();
        gaining_descendants.subtract(&self.ancestors(edge.to));
        for node in gaining_ancestors.iter() {
            self.comparable_pairs += merge(row_mut(&mut self.ancestors, self.width, node), above.words());
        }
        for node in gaining_descendants.iter() {
            merge(row_mut(&mut self.descendants, self.width, node), below.words());
        }
    }

    /// `node` and all that lead to it (the paper's 𝒱♯).
    #[must_use]
    pub fn ancestors(&self, node: usize) -> NodeSet {
        NodeSet::from_words(&self.ancestors[node * self.width..][..self.width])
    }

    /// `node` and all that it leads to (the paper's 𝒱♭).
    #[must_use]
    pub fn descendants(&self, node: usize) -> NodeSet {
        NodeSet::from_words(&self.descendants[node * self.width..][..self.width])
    }

    /// How many ordered pairs of different variables are joined by a directed path.
    #[must_use]
    pub fn comparable_pairs(&self) -> usize {
        self.comparable_pairs
    }

    /// Theorem 2, identification: every pair is comparable, so the closure is a total order.
    #[must_use]
    pub fn is_total_order(&self) -> bool {
        self.comparable_pairs == self.nodes * self.nodes.saturating_sub(1) / 2
    }

    /// The order, once it is total: variables by their number of ancestors.
    #[must_use]
    pub fn order(&self) -> Option<Order> {
        self.is_total_order().then(|| {
            let mut sequence = vec![0; self.nodes];
            for (node, row) in self.ancestors.chunks_exact(self.width.max(1)).enumerate() {
                sequence[ones(row).count() - 1] = node;
            }
            Order::from_permutation(sequence)
        })
    }
}

fn row_mut(rows: &mut [u64], width: usize, node: usize) -> &mut [u64] {
    &mut rows[node * width..][..width]
}

/// Ors `from` into `into`; returns how many bits are new.
fn merge(into: &mut [u64], from: &[u64]) -> usize {
    let mut new = 0;
    for (mine, &theirs) in into.iter_mut().zip(from) {
        new += (theirs & !*mine).count_ones() as usize;
        *mine |= theirs;
    }
    new
}

/// A DAG that only grows, with its closure beside it, so that each action's legality is one bit test.
///
/// ```
/// use gflowcausal_graph::{Edge, EdgeError, GrowingDag};
/// let mut state = GrowingDag::empty(3);
/// state.apply(Edge::new(0, 1))?;
/// state.apply(Edge::new(1, 2))?;
/// assert!(!state.allows(Edge::new(2, 0)));
/// assert_eq!(state.closure().order().unwrap().as_slice(), [0, 1, 2]);
/// # Ok::<(), EdgeError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrowingDag {
    dag: Dag,
    closure: Closure,
    edge_count: usize,
}

impl GrowingDag {
    /// No edges over `nodes` variables: the initial state.
    #[must_use]
    pub fn empty(nodes: usize) -> Self {
        Self { dag: Dag::empty(nodes), closure: Closure::empty(nodes), edge_count: 0 }
    }

    /// The graph so far.
    #[must_use]
    pub fn dag(&self) -> &Dag {
        &self.dag
    }

    /// The closure of the edges so far.
    #[must_use]
    pub fn closure(&self) -> &Closure {
        &self.closure
    }

    /// How many edges are in.
    #[must_use]
    pub fn edge_count(&self) -> usize {
        self.edge_count
    }

    /// Theorem 1, mask: `edge` is allowed if it is new, no self-loop, and its effect does not lead to its cause.
    #[must_use]
    #[inline]
    pub fn allows(&self, edge: Edge) -> bool {
        !self.closure.reaches(edge.to, edge.from) && !self.dag.contains(edge)
    }

    /// Theorem 1, mask, row by row: every `to` for which `from → to` is allowed. `O(d/64)`.
    #[must_use]
    pub fn allowed_effects(&self, from: usize) -> NodeSet {
        let mut open = NodeSet::full(self.closure.nodes);
        open.subtract(&self.closure.ancestors(from));
        open.subtract(self.dag.children(from));
        open
    }

    /// Theorem 1, mask, column by column: every `from` for which `from → to` is allowed. `O(d/64)`.
    #[must_use]
    pub fn allowed_causes(&self, to: usize) -> NodeSet {
        let mut open = NodeSet::full(self.closure.nodes);
        open.subtract(&self.closure.descendants(to));
        open.subtract(self.dag.parents(to));
        open
    }

    /// Adds `edge`; on error nothing changed.
    ///
    /// # Errors
    /// When the edge leaves the graph, is a self-loop, is there already or closes a cycle.
    pub fn apply(&mut self, edge: Edge) -> Result<(), EdgeError> {
        EdgeError::check_ends(edge, self.closure.nodes)?;
        if self.dag.contains(edge) {
            return Err(EdgeError::Repeated(edge));
        }
        if self.closure.reaches(edge.to, edge.from) {
            return Err(EdgeError::Cycle(edge));
        }
        self.dag.link(edge);
        self.closure.insert(edge);
        self.edge_count += 1;
        Ok(())
    }
}
