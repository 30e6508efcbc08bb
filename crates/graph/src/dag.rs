//! A directed acyclic graph: an edge set that can never hold a cycle.

use crate::{Edge, EdgeError, NodeSet, Order};

/// A directed acyclic graph over variables `0..nodes`.
///
/// ```
/// use gflowcausal_graph::{Dag, Edge, EdgeError};
/// let mut dag = Dag::empty(3);
/// dag.insert(Edge::new(0, 1))?;
/// dag.insert(Edge::new(1, 2))?;
/// assert_eq!(dag.insert(Edge::new(2, 0)), Err(EdgeError::Cycle(Edge::new(2, 0))));
/// assert_eq!(dag.edge_count(), 2);
/// # Ok::<(), EdgeError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Dag {
    parents: Vec<NodeSet>,
    children: Vec<NodeSet>,
}

impl Dag {
    /// The graph without edges over `nodes` variables.
    #[must_use]
    pub fn empty(nodes: usize) -> Self {
        Self { parents: vec![NodeSet::empty(nodes); nodes], children: vec![NodeSet::empty(nodes); nodes] }
    }

    /// The graph with the given `edges`.
    ///
    /// # Errors
    /// The first edge that leaves the graph, is a self-loop or repeats another; without one, the first that closes
    /// a cycle.
    pub fn from_edges(nodes: usize, edges: impl IntoIterator<Item = Edge>) -> Result<Self, EdgeError> {
        let mut dag = Self::empty(nodes);
        let mut given = Vec::new();
        for edge in edges {
            EdgeError::check_ends(edge, nodes)?;
            if dag.contains(edge) {
                return Err(EdgeError::Repeated(edge));
            }
            dag.link(edge);
            given.push(edge);
        }
        // One pass finds whether there is a cycle at all; only then is the edge that closed it searched for.
        if dag.causes_first().len() == nodes {
            Ok(dag)
        } else {
            Err(EdgeError::Cycle(closing_edge(nodes, &given)))
        }
    }

    /// The graph in which node `v` has the parents `parents[v]`.
    ///
    /// # Errors
    /// The first edge that leaves the graph or closes a cycle.
    pub fn from_parents(parents: &[NodeSet]) -> Result<Self, EdgeError> {
        let edges =
            parents.iter().enumerate().flat_map(|(to, set)| set.iter().map(move |from| Edge { from, to }));
        Self::from_edges(parents.len(), edges)
    }

    /// The graph of `parents`, which the caller knows to be acyclic.
    pub(crate) fn from_acyclic_parents(parents: Vec<NodeSet>) -> Self {
        let mut children = vec![NodeSet::empty(parents.len()); parents.len()];
        for (to, set) in parents.iter().enumerate() {
            for from in set.iter() {
                children[from].insert(to);
            }
        }
        Self { parents, children }
    }

    /// How many variables the graph has.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.parents.len()
    }

    /// How many edges the graph has.
    #[must_use]
    pub fn edge_count(&self) -> usize {
        self.parents.iter().map(NodeSet::len).sum()
    }

    /// The edges, sorted by cause, then effect.
    pub fn edges(&self) -> impl Iterator<Item = Edge> + '_ {
        self.children.iter().enumerate().flat_map(|(from, set)| set.iter().map(move |to| Edge { from, to }))
    }

    /// Whether `edge` is in the graph.
    #[must_use]
    pub fn contains(&self, edge: Edge) -> bool {
        self.children[edge.from].contains(edge.to)
    }

    /// Whether the two ends of `edge` are adjacent, in either direction.
    #[must_use]
    pub fn is_adjacent(&self, edge: Edge) -> bool {
        self.contains(edge) || self.contains(edge.reversed())
    }

    /// The direct causes of `node`.
    #[must_use]
    pub fn parents(&self, node: usize) -> &NodeSet {
        &self.parents[node]
    }

    /// The direct effects of `node`.
    #[must_use]
    pub fn children(&self, node: usize) -> &NodeSet {
        &self.children[node]
    }

    /// Adds `edge`; on error nothing changed. Costs `O(d²/64)` in the worst case.
    ///
    /// # Errors
    /// When the edge leaves the graph, is there already or closes a cycle.
    pub fn insert(&mut self, edge: Edge) -> Result<(), EdgeError> {
        EdgeError::check_ends(edge, self.nodes())?;
        if self.contains(edge) {
            return Err(EdgeError::Repeated(edge));
        }
        if self.reaches(edge.to, edge.from) {
            return Err(EdgeError::Cycle(edge));
        }
        self.link(edge);
        Ok(())
    }

    /// Adds `edge`, which the caller knows to be new and to close no cycle.
    pub(crate) fn link(&mut self, edge: Edge) {
        self.children[edge.from].insert(edge.to);
        self.parents[edge.to].insert(edge.from);
    }

    /// Takes `edge` out; says whether it was in.
    pub fn remove(&mut self, edge: Edge) -> bool {
        self.parents[edge.to].remove(edge.from);
        self.children[edge.from].remove(edge.to)
    }

    /// Whether a directed path leads from `from` to `to` (a node reaches itself).
    #[must_use]
    pub fn reaches(&self, from: usize, to: usize) -> bool {
        from == to || self.closure_of(from, &self.children, Some(to)).contains(to)
    }

    /// `node` and everything it has an effect on.
    #[must_use]
    pub fn descendants(&self, node: usize) -> NodeSet {
        self.closure_of(node, &self.children, None)
    }

    /// `node` and everything that has an effect on it.
    #[must_use]
    pub fn ancestors(&self, node: usize) -> NodeSet {
        self.closure_of(node, &self.parents, None)
    }

    fn closure_of(&self, start: usize, next: &[NodeSet], target: Option<usize>) -> NodeSet {
        let mut seen = NodeSet::of(self.nodes(), [start]);
        let mut stack = vec![start];
        while let Some(node) = stack.pop() {
            let mut fresh = next[node].clone();
            fresh.subtract(&seen);
            seen.union_with(&fresh);
            if target.is_some_and(|target| seen.contains(target)) {
                break;
            }
            stack.extend(fresh.iter());
        }
        seen
    }

    /// The order in which causes come first and, among the nodes free to come next, the smallest index.
    #[must_use]
    pub fn topological_order(&self) -> Order {
        Order::from_permutation(self.causes_first())
    }

    /// The nodes, causes first; those on a cycle or below one are missing.
    fn causes_first(&self) -> Vec<usize> {
        let mut waiting: Vec<usize> = self.parents.iter().map(NodeSet::len).collect();
        let mut ready = NodeSet::of(self.nodes(), (0..self.nodes()).filter(|&node| waiting[node] == 0));
        let mut order = Vec::with_capacity(self.nodes());
        while let Some(node) = ready.first() {
            ready.remove(node);
            order.push(node);
            for child in self.children[node].iter() {
                waiting[child] -= 1;
                if waiting[child] == 0 {
                    ready.insert(child);
                }
            }
        }
        order
    }
}

/// The first of `edges`, known to hold a cycle, that closes one.
fn closing_edge(nodes: usize, edges: &[Edge]) -> Edge {
    let mut dag = Dag::empty(nodes);
    let closing = edges.iter().find(|&&edge| dag.insert(edge).is_err());
    *closing.expect("edges that cannot be sorted hold a cycle")
}
