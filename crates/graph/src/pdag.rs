//! A partly directed graph: each pair of variables is not adjacent, or adjacent by an arrow or an undirected edge.

use crate::{Dag, Edge, EdgeError, NodeSet};

/// A graph of arrows and undirected edges, at most one between two variables. Cycles are possible.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Pdag {
    parents: Vec<NodeSet>,
    children: Vec<NodeSet>,
    neighbours: Vec<NodeSet>,
}

impl Pdag {
    /// The graph without edges over `nodes` variables.
    #[must_use]
    pub fn empty(nodes: usize) -> Self {
        let none = vec![NodeSet::empty(nodes); nodes];
        Self { parents: none.clone(), children: none.clone(), neighbours: none }
    }

    /// How many variables the graph has.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.parents.len()
    }

    /// How many edges, directed or not, the graph has.
    #[must_use]
    pub fn edge_count(&self) -> usize {
        let ends = |sets: &[NodeSet]| sets.iter().map(NodeSet::len).sum::<usize>();
        ends(&self.children) + ends(&self.neighbours) / 2
    }

    /// The arrows, sorted by cause, then effect.
    pub fn directed(&self) -> impl Iterator<Item = Edge> + '_ {
        self.children.iter().enumerate().flat_map(|(from, set)| set.iter().map(move |to| Edge { from, to }))
    }

    /// The undirected edges, each once, smaller index first.
    pub fn undirected(&self) -> impl Iterator<Item = Edge> + '_ {
        self.neighbours
            .iter()
            .enumerate()
            .flat_map(|(from, set)| set.iter().filter(move |&to| from < to).map(move |to| Edge { from, to }))
    }

    /// Whether the arrow `edge` is in the graph.
    #[must_use]
    pub fn has_directed(&self, edge: Edge) -> bool {
        self.children[edge.from].contains(edge.to)
    }

    /// Whether the pair has an undirected edge.
    #[must_use]
    pub fn has_undirected(&self, edge: Edge) -> bool {
        self.neighbours[edge.from].contains(edge.to)
    }

    /// Whether the pair is adjacent, by any edge.
    #[must_use]
    pub fn is_adjacent(&self, edge: Edge) -> bool {
        self.has_undirected(edge) || self.has_directed(edge) || self.has_directed(edge.reversed())
    }

    /// The variables with an arrow into `node`.
    #[must_use]
    pub fn parents(&self, node: usize) -> &NodeSet {
        &self.parents[node]
    }

    /// The variables with an arrow from `node`.
    #[must_use]
    pub fn children(&self, node: usize) -> &NodeSet {
        &self.children[node]
    }

    /// The variables with an undirected edge to `node`.
    #[must_use]
    pub fn neighbours(&self, node: usize) -> &NodeSet {
        &self.neighbours[node]
    }

    /// All variables adjacent to `node`.
    #[must_use]
    pub fn adjacent(&self, node: usize) -> NodeSet {
        let mut all = self.neighbours[node].clone();
        all.union_with(&self.parents[node]);
        all.union_with(&self.children[node]);
        all
    }

    /// Adds the arrow `edge`.
    ///
    /// # Errors
    /// When the edge leaves the graph, is a self-loop or its pair is adjacent already.
    pub fn insert_directed(&mut self, edge: Edge) -> Result<(), EdgeError> {
        self.check_free(edge)?;
        self.point(edge);
        Ok(())
    }

    /// Adds the undirected edge of the pair.
    ///
    /// # Errors
    /// When the edge leaves the graph, is a self-loop or its pair is adjacent already.
    pub fn insert_undirected(&mut self, edge: Edge) -> Result<(), EdgeError> {
        self.check_free(edge)?;
        self.tie(edge);
        Ok(())
    }

    /// Makes the undirected edge of the pair the arrow `edge`; says whether there was one.
    pub fn orient(&mut self, edge: Edge) -> bool {
        if !self.has_undirected(edge) {
            return false;
        }
        self.neighbours[edge.from].remove(edge.to);
        self.neighbours[edge.to].remove(edge.from);
        self.point(edge);
        true
    }

    /// Removes the edge of the pair, whatever its direction; says whether there was one.
    pub fn remove(&mut self, edge: Edge) -> bool {
        let was_adjacent = self.is_adjacent(edge);
        for Edge { from, to } in [edge, edge.reversed()] {
            self.neighbours[from].remove(to);
            self.children[from].remove(to);
            self.parents[from].remove(to);
        }
        was_adjacent
    }

    /// The same graph as a [`Dag`], if every edge is an arrow and there is no cycle.
    ///
    /// # Errors
    /// [`EdgeError::Joined`] for an undirected edge, [`EdgeError::Cycle`] for an arrow that closes a cycle.
    pub fn to_dag(&self) -> Result<Dag, EdgeError> {
        if let Some(edge) = self.undirected().next() {
            return Err(EdgeError::Joined(edge));
        }
        Dag::from_edges(self.nodes(), self.directed())
    }

    /// Adds an arrow between a pair that the caller knows not to be adjacent.
    pub(crate) fn point(&mut self, edge: Edge) {
        self.children[edge.from].insert(edge.to);
        self.parents[edge.to].insert(edge.from);
    }

    /// Adds an undirected edge between a pair that the caller knows not to be adjacent.
    pub(crate) fn tie(&mut self, edge: Edge) {
        self.neighbours[edge.from].insert(edge.to);
        self.neighbours[edge.to].insert(edge.from);
    }

    fn check_free(&self, edge: Edge) -> Result<(), EdgeError> {
        EdgeError::check_ends(edge, self.nodes())?;
        if self.is_adjacent(edge) { Err(EdgeError::Joined(edge)) } else { Ok(()) }
    }
}

impl From<&Dag> for Pdag {
    fn from(dag: &Dag) -> Self {
        let nodes = dag.nodes();
        Self {
            parents: (0..nodes).map(|node| dag.parents(node).clone()).collect(),
            children: (0..nodes).map(|node| dag.children(node).clone()).collect(),
            neighbours: vec![NodeSet::empty(nodes); nodes],
        }
    }
}
