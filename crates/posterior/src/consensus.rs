//! One graph that agrees with the edge probabilities, and what they are sure of, leave open or doubt.

use gflowcausal_graph::{Closure, Constraints, Dag, Edge, NodeSet};

/// From which probability on a statement counts as sure.
const SURE: f64 = 0.9;

/// Below which probability of being adjacent a pair is not listed.
const UNLIKELY: f64 = 0.1;

/// The consensus graph and three lists of pairs; an edge in a list points in its likelier direction.
#[derive(Debug, Clone, PartialEq)]
pub struct Consensus {
    /// For each pair the likeliest of `→`, `←` and no edge, made acyclic.
    pub graph: Dag,
    /// Edges whose direction has a probability of at least 0.9.
    pub sure: Vec<Edge>,
    /// Pairs that are adjacent with a probability of at least 0.9, while neither direction is sure.
    pub direction_open: Vec<Edge>,
    /// Pairs that are adjacent with a probability between 0.1 and 0.9.
    pub unsure: Vec<Edge>,
}

impl Consensus {
    /// Reads the consensus off `edges`, the probabilities of all ordered pairs, row causes column.
    ///
    /// The likeliest statements come first: an edge that would close a cycle, or give its effect too many parents, is
    /// reversed if that is likelier than no edge, and else left out.
    #[must_use]
    pub fn new(edges: &[f64], constraints: &Constraints) -> Self {
        let nodes = constraints.nodes();
        let mut pairs: Vec<Pair> = (0..nodes)
            .flat_map(|a| (a + 1..nodes).map(move |b| Pair::new(edges, nodes, a, b)))
            .filter(|pair| pair.adjacent() > 0.0)
            .collect();
        // Stable: pairs of equal probability stay in the order of their numbers.
        pairs.sort_by(|a, b| b.likelier.total_cmp(&a.likelier));
        let graph = graph(&pairs, constraints);
        pairs.sort_by(|a, b| b.adjacent().total_cmp(&a.adjacent()));
        let list = |keep: &dyn Fn(&Pair) -> bool| {
            pairs.iter().filter(|pair| keep(pair)).map(|pair| pair.edge).collect()
        };
        Self {
            graph,
            sure: list(&|pair| pair.likelier >= SURE),
            direction_open: list(&|pair| pair.adjacent() >= SURE && pair.likelier < SURE),
            unsure: list(&|pair| (UNLIKELY..SURE).contains(&pair.adjacent())),
        }
    }
}

/// Two variables: the likelier edge between them, its probability and that of the reversed one.
#[derive(Debug, Clone, Copy)]
struct Pair {
    edge: Edge,
    likelier: f64,
    reverse: f64,
}

impl Pair {
    fn new(edges: &[f64], nodes: usize, a: usize, b: usize) -> Self {
        let (forward, backward) = (edges[a * nodes + b], edges[b * nodes + a]);
        if forward >= backward {
            Self { edge: Edge::new(a, b), likelier: forward, reverse: backward }
        } else {
            Self { edge: Edge::new(b, a), likelier: backward, reverse: forward }
        }
    }

    fn adjacent(&self) -> f64 {
        (self.likelier + self.reverse).min(1.0)
    }

    fn absent(&self) -> f64 {
        1.0 - self.adjacent()
    }
}

/// Adds edges, likeliest first, where that closes no cycle and satisfies the constraints.
fn graph(pairs: &[Pair], constraints: &Constraints) -> Dag {
    let nodes = constraints.nodes();
    let mut closure = constraints.precedence().clone();
    let mut parents = vec![NodeSet::empty(nodes); nodes];
    let mut add = |edge: Edge, closure: &mut Closure| {
        let is_open = constraints.admits(edge, &parents[edge.to], closure);
        if is_open {
            parents[edge.to].insert(edge.from);
            closure.insert(edge);
        }
        is_open
    };
    for edge in constraints.required_edges() {
        add(edge, &mut closure);
    }
    for pair in pairs.iter().filter(|pair| pair.likelier > pair.absent()) {
        if !add(pair.edge, &mut closure) && pair.reverse > pair.absent() {
            add(pair.edge.reversed(), &mut closure);
        }
    }
    Dag::from_parents(&parents).expect("the closure admits no cycle")
}

#[cfg(test)]
mod tests {
    use gflowcausal_graph::Knowledge;

    use super::*;

    fn matrix(nodes: usize, entries: &[(usize, usize, f64)]) -> Vec<f64> {
        let mut edges = vec![0.0; nodes * nodes];
        entries.iter().for_each(|&(from, to, probability)| edges[from * nodes + to] = probability);
        edges
    }

    #[test]
    fn each_pair_takes_its_likeliest_statement() {
        let edges =
            matrix(4, &[(0, 1, 0.95), (1, 2, 0.5), (2, 1, 0.45), (2, 3, 0.3), (3, 2, 0.25), (0, 3, 0.05)]);
        let consensus = Consensus::new(&edges, &Constraints::none(4));
        assert_eq!(consensus.sure, [Edge::new(0, 1)]);
        assert_eq!(consensus.direction_open, [Edge::new(1, 2)]);
        assert_eq!(consensus.unsure, [Edge::new(2, 3)]);
        // 2 → 3 has 0.3 against 0.45 for no edge.
        assert_eq!(consensus.graph.edges().collect::<Vec<_>>(), [Edge::new(0, 1), Edge::new(1, 2)]);
    }

    #[test]
    fn the_weakest_edge_of_a_cycle_gives_way() {
        let edges = matrix(3, &[(0, 1, 0.9), (1, 2, 0.8), (2, 0, 0.6), (0, 2, 0.1)]);
        let consensus = Consensus::new(&edges, &Constraints::none(3));
        assert_eq!(consensus.graph.edges().collect::<Vec<_>>(), [Edge::new(0, 1), Edge::new(1, 2)]);
        let edges = matrix(3, &[(0, 1, 0.9), (1, 2, 0.8), (2, 0, 0.5), (0, 2, 0.4)]);
        let consensus = Consensus::new(&edges, &Constraints::none(3));
        assert!(consensus.graph.contains(Edge::new(0, 2)), "reversed: 0.4 against 0.1 for no edge");
    }

    #[test]
    fn constraints_are_satisfied() {
        let mut knowledge = Knowledge::default();
        knowledge.require("a->b").max_parents(1);
        let constraints = knowledge.compile(&["a", "b", "c"]).expect("consistent knowledge");
        let edges = matrix(3, &[(0, 1, 1.0), (2, 1, 0.7)]);
        let consensus = Consensus::new(&edges, &constraints);
        assert!(constraints.permits(&consensus.graph), "{:?}", consensus.graph);
    }
}
