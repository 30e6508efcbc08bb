//! A graph with the user's names, and what is known of each edge: what every file format reads and writes.

mod error;

use std::collections::{BTreeMap, BTreeSet};

use crate::names::Names;
use crate::{Dag, Edge, EdgeError, NodeSet, Pdag, path};

pub use error::GraphError;

/// A partly directed graph over named variables, with a weight and a probability for edges that have one.
///
/// ```
/// use gflowcausal_graph::{Edge, NamedGraph, Pdag};
/// let mut graph = Pdag::empty(2);
/// graph.insert_directed(Edge::new(0, 1)).unwrap();
/// let mut named = NamedGraph::new(vec!["rain".into(), "wet".into()], graph)?;
/// named.set_weight(Edge::new(0, 1), 0.4)?;
/// assert_eq!(named.weight(Edge::new(0, 1)), Some(0.4));
/// assert_eq!(named.align(&["wet", "rain"])?.weight(Edge::new(1, 0)), Some(0.4));
/// # Ok::<(), gflowcausal_graph::GraphError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct NamedGraph {
    names: Vec<String>,
    graph: Pdag,
    weights: BTreeMap<Edge, f64>,
    probabilities: BTreeMap<Edge, f64>,
}

impl NamedGraph {
    /// The graph with a name for each variable.
    ///
    /// # Errors
    /// When there are too few or too many names, or one is empty or there twice.
    pub fn new(names: Vec<String>, graph: Pdag) -> Result<Self, GraphError> {
        if names.len() != graph.nodes() {
            return Err(GraphError::NameCount { names: names.len(), nodes: graph.nodes() });
        }
        check_names(&names)?;
        Ok(Self { names, graph, weights: BTreeMap::new(), probabilities: BTreeMap::new() })
    }

    /// The user's names, by index.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The edges, by index.
    #[must_use]
    pub fn graph(&self) -> &Pdag {
        &self.graph
    }

    /// The weight of an edge, if it has one. An undirected edge may be named in either direction.
    #[must_use]
    pub fn weight(&self, edge: Edge) -> Option<f64> {
        self.weights.get(&self.key(edge)).copied()
    }

    /// The probability of an edge, if it has one. An undirected edge may be named in either direction.
    #[must_use]
    pub fn probability(&self, edge: Edge) -> Option<f64> {
        self.probabilities.get(&self.key(edge)).copied()
    }

    /// Gives an edge its weight.
    ///
    /// # Errors
    /// When the edge is not there or the weight is not finite.
    pub fn set_weight(&mut self, edge: Edge, weight: f64) -> Result<(), GraphError> {
        let key = self.checked_key(edge, weight)?;
        self.weights.insert(key, weight);
        Ok(())
    }

    /// Gives an edge its probability.
    ///
    /// # Errors
    /// When the edge is not there or the probability is not finite.
    pub fn set_probability(&mut self, edge: Edge, probability: f64) -> Result<(), GraphError> {
        let key = self.checked_key(edge, probability)?;
        self.probabilities.insert(key, probability);
        Ok(())
    }

    /// The graph as a [`Dag`].
    ///
    /// # Errors
    /// An edge without direction, or a cycle, by name.
    pub fn to_dag(&self) -> Result<Dag, GraphError> {
        self.graph.to_dag().map_err(|refused| match refused {
            EdgeError::Cycle(edge) => GraphError::Cycle(self.cycle_through(edge)),
            other => self.undirected(other.edge()),
        })
    }

    /// The same graph with its variables in the order of `names`.
    ///
    /// # Errors
    /// Which of `names` the graph does not have and which it has besides.
    pub fn align<S: AsRef<str>>(&self, names: &[S]) -> Result<Self, GraphError> {
        let wanted: BTreeSet<&str> = names.iter().map(AsRef::as_ref).collect();
        let mine: BTreeSet<&str> = self.names.iter().map(String::as_str).collect();
        let only = |here: Vec<&str>, there: &BTreeSet<&str>| -> Vec<String> {
            here.into_iter().filter(|name| !there.contains(name)).map(str::to_owned).collect()
        };
        let missing = only(names.iter().map(AsRef::as_ref).collect(), &mine);
        let unknown = only(self.names.iter().map(String::as_str).collect(), &wanted);
        if missing.is_empty() && unknown.is_empty() {
            self.extend_to(names)
        } else {
            Err(GraphError::Names { missing, unknown })
        }
    }

    /// The same edges over the variables `names`, which may be more than the graph has.
    ///
    /// # Errors
    /// The first variable of the graph that is not among `names`.
    pub fn extend_to<S: AsRef<str>>(&self, names: &[S]) -> Result<Self, GraphError> {
        let index = Names::new(names);
        let places = self.names.iter().map(|name| index.get(name)).collect::<Result<Vec<_>, _>>()?;
        let moved = |edge: Edge| Edge::new(places[edge.from], places[edge.to]);
        let mut graph = Pdag::empty(names.len());
        for edge in self.graph.directed() {
            graph.insert_directed(moved(edge)).expect("different names have different places");
        }
        for edge in self.graph.undirected() {
            graph.insert_undirected(moved(edge)).expect("different names have different places");
        }
        let mut aligned = Self::new(names.iter().map(|name| name.as_ref().to_owned()).collect(), graph)?;
        aligned.weights =
            self.weights.iter().map(|(&edge, &value)| (aligned.key(moved(edge)), value)).collect();
        aligned.probabilities =
            self.probabilities.iter().map(|(&edge, &value)| (aligned.key(moved(edge)), value)).collect();
        Ok(aligned)
    }

    /// The user's name of a variable.
    #[must_use]
    pub fn name(&self, node: usize) -> &str {
        &self.names[node]
    }

    /// Whether any edge has a weight.
    #[must_use]
    pub fn has_weights(&self) -> bool {
        !self.weights.is_empty()
    }

    /// Whether any edge has a probability.
    #[must_use]
    pub fn has_probabilities(&self) -> bool {
        !self.probabilities.is_empty()
    }

    /// All edges, and whether they are arrows: arrows first, each kind by index.
    pub fn edges(&self) -> impl Iterator<Item = (Edge, bool)> + '_ {
        let arrows = self.graph.directed().map(|edge| (edge, true));
        arrows.chain(self.graph.undirected().map(|edge| (edge, false)))
    }

    /// Under which edge a pair's numbers are kept: an undirected one by its smaller index first.
    fn key(&self, edge: Edge) -> Edge {
        if self.graph.has_undirected(edge) { edge.undirected() } else { edge }
    }

    fn checked_key(&self, edge: Edge, value: f64) -> Result<Edge, GraphError> {
        let inside = edge.from < self.names.len() && edge.to < self.names.len();
        if !inside || !(self.graph.has_directed(edge) || self.graph.has_undirected(edge)) {
            let name = |node: usize| self.names.get(node).cloned().unwrap_or_else(|| node.to_string());
            return Err(GraphError::NoEdge { from: name(edge.from), to: name(edge.to) });
        }
        if !value.is_finite() {
            let (from, to) = self.ends(edge);
            return Err(GraphError::NotFinite { from, to, value });
        }
        Ok(self.key(edge))
    }

    /// The names of an edge's two ends.
    #[must_use]
    pub fn ends(&self, edge: Edge) -> (String, String) {
        (self.names[edge.from].clone(), self.names[edge.to].clone())
    }

    fn undirected(&self, edge: Edge) -> GraphError {
        let (from, to) = self.ends(edge);
        GraphError::Undirected { from, to }
    }

    fn cycle_through(&self, edge: Edge) -> Vec<String> {
        let children: Vec<NodeSet> =
            (0..self.names.len()).map(|node| self.graph.children(node).clone()).collect();
        let way_back = path::shortest(&children, edge.to, edge.from).expect("the edge closes a cycle");
        [edge.from].into_iter().chain(way_back).map(|node| self.names[node].clone()).collect()
    }
}

fn check_names(names: &[String]) -> Result<(), GraphError> {
    let mut seen = BTreeSet::new();
    for (index, name) in names.iter().enumerate() {
        if name.is_empty() {
            return Err(GraphError::EmptyName { position: index + 1 });
        }
        if !seen.insert(name.as_str()) {
            return Err(GraphError::DuplicateName(name.clone()));
        }
    }
    Ok(())
}
