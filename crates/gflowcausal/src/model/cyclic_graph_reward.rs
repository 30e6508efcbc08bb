//! The log-reward of a graph that may have cycles, and the order nearest to it.

use gflowcausal_determinism::cancellation_point;
use gflowcausal_flow::{LogReward, Terminal};
use gflowcausal_graph::{Constraints, NodeSet, Order, Pdag};
use gflowcausal_score::{OrderModularScore, Varsort};
use gflowcausal_search::acyclicity_h;

use super::{ScoreKind, ScoringModel};

/// How much more each nat of `h` costs, in shares of what any cycle costs.
const GRADE: f64 = 0.1;

/// A score that has a value for every set of arrows.
#[derive(Clone, Copy)]
enum ArrowScore<'a> {
    Modular(&'a dyn OrderModularScore),
    Varsort(&'a Varsort),
}

/// The log-reward of the walk `free`: the score of each variable given what points at it, less
/// `Λ (1 + 0.1 ln(1 + h))` with `h = tr e^A − d` if there is a cycle.
///
/// As in RL-BIC (Zhu et al. 2020) `Λ` is the range of the score, so that no graph with cycles scores above one without,
/// and `h` says how far there is to go. Its logarithm, because `h` grows with the exponential of the number of variables.
pub(crate) struct CyclicGraphReward<'a> {
    score: ArrowScore<'a>,
    range: f64,
}

impl<'a> CyclicGraphReward<'a> {
    /// Whether the score of `model` has a value for graphs with cycles.
    pub(crate) fn exists(model: &ScoringModel) -> bool {
        !matches!(model.kind(), ScoreKind::GraphWide(_))
    }

    /// The reward of `model`; none if its score has no value for graphs with cycles. Can be cancelled.
    pub(crate) fn new(model: &'a ScoringModel) -> Option<Self> {
        match model.kind() {
            ScoreKind::Decomposable(score) => {
                let range = range(&**score, model.constraints());
                Some(Self { score: ArrowScore::Modular(&**score), range })
            }
            ScoreKind::OrderOnly(varsort) => {
                Some(Self { score: ArrowScore::Varsort(varsort), range: varsort.range() })
            }
            ScoreKind::GraphWide(_) => None,
        }
    }

    /// `ln r` at temperature 1.
    pub(crate) fn log_reward(&self, graph: &Pdag) -> f64 {
        let score: f64 = match self.score {
            ArrowScore::Modular(score) => {
                (0..graph.nodes()).map(|node| score.local(node, graph.parents(node))).sum()
            }
            ArrowScore::Varsort(varsort) => varsort.digraph(graph),
        };
        score - self.penalty(graph)
    }

    fn penalty(&self, graph: &Pdag) -> f64 {
        if graph.to_dag().is_ok() {
            return 0.0;
        }
        let nodes = graph.nodes();
        let mut adjacency = vec![0.0; nodes * nodes];
        graph.directed().for_each(|edge| adjacency[edge.from * nodes + edge.to] = 1.0);
        self.range * (1.0 + GRADE * acyclicity_h(nodes, &adjacency).ln_1p())
    }
}

/// The score with every parent that each variable may have, less that with the required ones alone.
fn range(score: &dyn OrderModularScore, constraints: &Constraints) -> f64 {
    let difference = |node: usize| {
        cancellation_point();
        let all = NodeSet::full(constraints.nodes()).without(node);
        score.local(node, &all) - score.local(node, constraints.required(node))
    };
    (0..constraints.nodes()).map(|node| difference(node).abs()).sum::<f64>().max(1.0)
}

impl LogReward for CyclicGraphReward<'_> {
    fn log_reward(&self, terminal: &Terminal) -> f64 {
        let Terminal::Digraph(graph) = terminal else {
            unreachable!("the environment of arrows ends in a graph of arrows")
        };
        self.log_reward(graph)
    }
}

/// An order that contradicts few arrows of `graph` and satisfies the constraints: each next variable is the one with the
/// fewest parents not yet placed.
///
/// It contradicts none if there are no cycles.
pub(crate) fn nearest_order(graph: &Pdag, constraints: &Constraints) -> Order {
    let nodes = graph.nodes();
    let mut placed = NodeSet::empty(nodes);
    let mut sequence = Vec::with_capacity(nodes);
    while sequence.len() < nodes {
        let waiting =
            |&node: &usize| graph.parents(node).len() - graph.parents(node).intersection_len(&placed);
        let next = constraints.placeable(&placed).iter().min_by_key(waiting).expect("something is placeable");
        placed.insert(next);
        sequence.push(next);
    }
    Order::new(sequence).expect("each variable was placed once")
}

#[cfg(test)]
mod tests {
    use gflowcausal_graph::{Edge, all_orders};

    use super::*;

    fn digraph(nodes: usize, edges: &[(usize, usize)]) -> Pdag {
        let mut graph = Pdag::empty(nodes);
        for &(from, to) in edges {
            graph.insert_directed(Edge::new(from, to)).unwrap();
        }
        graph
    }

    #[test]
    fn a_graph_without_cycles_is_near_its_own_order() {
        for order in all_orders(4) {
            let graph = Pdag::from(&order.complete_dag());
            assert_eq!(nearest_order(&graph, &Constraints::none(4)), order);
        }
    }

    #[test]
    fn a_cycle_is_cut_at_one_arrow() {
        let graph = digraph(4, &[(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)]);
        let order = nearest_order(&graph, &Constraints::none(4));
        let positions = order.positions();
        let against = graph.directed().filter(|edge| positions[edge.from] > positions[edge.to]).count();
        assert_eq!(against, 1);
    }
}
