//! What a graph is worth that may hold cycles: its score less a penalty on them, and the order it comes nearest to.

use gflowcausal_flow::{LogReward, Terminal};
use gflowcausal_graph::{Constraints, NodeSet, Order, Pdag};
use gflowcausal_score::{PlacementScore, Varsort};
use gflowcausal_search::cycle_measure;

use super::Model;

/// How much more each nat of the measure of cycles costs, in shares of what any cycle costs.
const GRADE: f64 = 0.1;

/// A score that has a value for every set of arrows.
#[derive(Clone, Copy)]
enum Worth<'a> {
    Placements(&'a dyn PlacementScore),
    Varsort(&'a Varsort),
}

/// The log-reward of the walk `free`: the score of each variable given what points at it, less
/// `Λ (1 + 0.1 ln(1 + h))` with `h = tr e^A − d` if there is a cycle.
///
/// As in RL-BIC (Zhu et al. 2020) `Λ` is the range of the score, so that no graph with cycles is worth more than one without,
/// and `h` says how far there is to go. Its logarithm, because `h` grows with the exponential of the number of variables.
pub(crate) struct FreeReward<'a> {
    worth: Worth<'a>,
    range: f64,
}

impl<'a> FreeReward<'a> {
    /// The reward of `model`; none if its score has no value for graphs with cycles.
    pub(crate) fn new(model: &'a Model) -> Option<Self> {
        if let Some(varsort) = model.scores.varsort() {
            return Some(Self { worth: Worth::Varsort(varsort), range: varsort.range() });
        }
        let placements = model.scores.placements()?;
        let range = range(placements, &model.constraints);
        Some(Self { worth: Worth::Placements(placements), range })
    }

    /// `ln r` at temperature 1.
    pub(crate) fn worth(&self, graph: &Pdag) -> f64 {
        let score: f64 = match self.worth {
            Worth::Placements(score) => {
                (0..graph.nodes()).map(|node| score.placement(node, graph.parents(node))).sum()
            }
            Worth::Varsort(varsort) => varsort.digraph(graph),
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
        self.range * (1.0 + GRADE * cycle_measure(nodes, &adjacency).ln_1p())
    }
}

/// How much more all variables are worth with every cause they may have than with the required ones alone.
fn range(score: &dyn PlacementScore, constraints: &Constraints) -> f64 {
    let gain = |node: usize| {
        let all = NodeSet::full(constraints.nodes()).without(node);
        score.placement(node, &all) - score.placement(node, constraints.required(node))
    };
    (0..constraints.nodes()).map(|node| gain(node).abs()).sum::<f64>().max(1.0)
}

impl LogReward for FreeReward<'_> {
    fn log_reward(&self, terminal: &Terminal) -> f64 {
        match terminal {
            Terminal::Digraph(graph) => self.worth(graph),
            _ => f64::NAN,
        }
    }
}

/// An order that goes against few arrows of `graph` and obeys: what has the fewest causes left comes next.
///
/// Without cycles it goes against none.
pub(crate) fn order_near(graph: &Pdag, constraints: &Constraints) -> Order {
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
            assert_eq!(order_near(&graph, &Constraints::none(4)), order);
        }
    }

    #[test]
    fn a_cycle_is_cut_at_one_arrow() {
        let graph = digraph(4, &[(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)]);
        let order = order_near(&graph, &Constraints::none(4));
        let positions = order.positions();
        let against = graph.directed().filter(|edge| positions[edge.from] > positions[edge.to]).count();
        assert_eq!(against, 1);
    }
}
