//! Terminal states as numbers: an order as its sequence, a graph as the bits of its adjacency matrix.

use gflowcausal_graph::{Dag, Edge, Order, Pdag};

use crate::walk::{action_edge, edge_action};
use crate::{Terminal, Terrain, Walk};

/// Always the same number of words for the same walk and variables.
pub(super) fn encode(terminal: &Terminal) -> Vec<u32> {
    match terminal {
        Terminal::Order(order) => order.iter().map(|node| node as u32).collect(),
        Terminal::Dag(dag) => bits(dag.nodes(), dag.edges()),
        Terminal::Digraph(graph) => bits(graph.nodes(), graph.directed()),
    }
}

/// Undoes [`encode`]; none if the words are no terminal state of the walk.
pub(super) fn decode(terrain: &Terrain, words: &[u32]) -> Option<Terminal> {
    read(terrain, words).filter(|terminal| terrain.leads_to(terminal))
}

fn read(terrain: &Terrain, words: &[u32]) -> Option<Terminal> {
    let nodes = terrain.nodes();
    match terrain.walk() {
        Walk::Graph => {
            let dag = Dag::from_edges(nodes, edges(nodes, words)?).ok()?;
            Some(Terminal::Dag(dag))
        }
        Walk::Free => {
            let mut graph = Pdag::empty(nodes);
            edges(nodes, words)?.into_iter().try_for_each(|edge| graph.insert_directed(edge)).ok()?;
            Some(Terminal::Digraph(graph))
        }
        Walk::Complete | Walk::Edges | Walk::Chain | Walk::Order => {
            let order = Order::new(words.iter().map(|&node| node as usize).collect()).ok()?;
            Some(Terminal::Order(order))
        }
    }
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
