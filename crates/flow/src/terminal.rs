//! What a terminal state stands for: an order, a layering, a DAG, or a graph that may hold cycles.

use gflowcausal_graph::{Dag, Edge, Layering, NodeSet, Order, Pdag};

use crate::environment::{action_edge, edge_action};

/// The object that has a reward.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Terminal {
    /// A causal order.
    Order(Order),
    /// A layering: it stands for all DAGs that have it.
    Layering(Layering),
    /// A DAG.
    Dag(Dag),
    /// A graph of arrows, cycles possible.
    Digraph(Pdag),
}

/// The kind of a [`Terminal`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TerminalKind {
    /// [`Terminal::Order`].
    Order,
    /// [`Terminal::Layering`].
    Layering,
    /// [`Terminal::Dag`].
    Dag,
    /// [`Terminal::Digraph`].
    Digraph,
}

impl Terminal {
    /// The order, if it is one.
    #[must_use]
    pub fn as_order(&self) -> Option<&Order> {
        match self {
            Self::Order(order) => Some(order),
            _ => None,
        }
    }

    /// The layering, if it is one.
    #[must_use]
    pub fn as_layering(&self) -> Option<&Layering> {
        match self {
            Self::Layering(layering) => Some(layering),
            _ => None,
        }
    }

    /// The DAG, if it is one.
    #[must_use]
    pub fn as_dag(&self) -> Option<&Dag> {
        match self {
            Self::Dag(dag) => Some(dag),
            _ => None,
        }
    }

    /// An order as its sequence, a layering as the layer of each variable, a graph as the bits of its adjacency matrix: for the same kind and the same number
    /// of variables always as many words.
    pub(crate) fn encode(&self) -> Vec<u32> {
        match self {
            Self::Order(order) => order.iter().map(|node| node as u32).collect(),
            Self::Layering(layering) => layer_numbers(layering),
            Self::Dag(dag) => bits(dag.nodes(), dag.edges()),
            Self::Digraph(graph) => bits(graph.nodes(), graph.directed()),
        }
    }
}

impl TerminalKind {
    /// Undoes [`Terminal::encode`]; none if the words encode nothing of this kind.
    pub(crate) fn decode(self, nodes: usize, words: &[u32]) -> Option<Terminal> {
        match self {
            Self::Order => {
                let sequence = words.iter().map(|&node| node as usize).collect();
                Some(Terminal::Order(Order::new(sequence).ok()?))
            }
            Self::Layering => layering(nodes, words).map(Terminal::Layering),
            Self::Dag => Some(Terminal::Dag(Dag::from_edges(nodes, edges(nodes, words)?).ok()?)),
            Self::Digraph => {
                let mut graph = Pdag::empty(nodes);
                edges(nodes, words)?.into_iter().try_for_each(|edge| graph.insert_directed(edge)).ok()?;
                Some(Terminal::Digraph(graph))
            }
        }
    }
}

fn layer_numbers(layering: &Layering) -> Vec<u32> {
    let mut numbers = vec![0; layering.nodes()];
    for (number, layer) in (0..).zip(layering.layers()) {
        layer.iter().for_each(|node| numbers[node] = number);
    }
    numbers
}

fn layering(nodes: usize, numbers: &[u32]) -> Option<Layering> {
    let count = numbers.iter().max().map_or(0, |&last| last as usize + 1);
    if numbers.len() != nodes || count > nodes {
        return None;
    }
    let mut layers = vec![NodeSet::empty(nodes); count];
    numbers.iter().enumerate().for_each(|(node, &number)| _ = layers[number as usize].insert(node));
    Layering::new(nodes, layers.iter().map(NodeSet::iter)).ok()
}

fn bits(nodes: usize, edges: impl Iterator<Item = Edge>) -> Vec<u32> {
    let mut words = vec![0; (nodes * nodes).div_ceil(32)];
    for edge in edges {
        let bit = edge_action(nodes, edge) as usize;
        words[bit / 32] |= 1 << (bit % 32);
    }
    words
}

fn edges(nodes: usize, words: &[u32]) -> Option<Vec<Edge>> {
    let is_set = |&bit: &usize| words[bit / 32] >> (bit % 32) & 1 == 1;
    (words.len() == (nodes * nodes).div_ceil(32))
        .then(|| (0..nodes * nodes).filter(is_set).map(|bit| action_edge(nodes, bit as u32)).collect())
}
