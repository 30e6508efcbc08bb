//! Random graphs for the property tests, and what a list of graphs agrees on.

use gflowcausal_graph::{Dag, Edge, Order, Pdag};
use proptest::collection::vec;
use proptest::prelude::*;

/// An order of `nodes` variables.
pub(crate) fn order(nodes: usize) -> impl Strategy<Value = Order> {
    Just((0..nodes).collect::<Vec<_>>()).prop_shuffle().prop_map(|sequence| Order::new(sequence).unwrap())
}

/// A DAG over a number of variables in `nodes`, of any density.
pub(crate) fn dag(nodes: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = Dag> {
    nodes.prop_flat_map(dag_of)
}

/// A DAG over `nodes` variables, of any density.
pub(crate) fn dag_of(nodes: usize) -> impl Strategy<Value = Dag> {
    (order(nodes), 0.0..1.0_f64, vec(0.0..1.0_f64, nodes * nodes)).prop_map(move |(order, density, dice)| {
        let complete = order.complete_dag();
        let kept = complete.edges().filter(|edge| dice[edge.from * nodes + edge.to] < density);
        Dag::from_edges(nodes, kept).unwrap()
    })
}

/// Two DAGs over the same variables.
pub(crate) fn two_dags(nodes: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = (Dag, Dag)> {
    nodes.prop_flat_map(|nodes| (dag_of(nodes), dag_of(nodes)))
}

/// A partly directed graph over `nodes` variables, with cycles perhaps.
pub(crate) fn pdag_of(nodes: usize) -> impl Strategy<Value = Pdag> {
    vec(0_usize..4, nodes * nodes.saturating_sub(1) / 2).prop_map(move |marks| pdag_of_marks(nodes, &marks))
}

/// A partly directed graph and a DAG over the same variables.
pub(crate) fn pdag_and_dag(nodes: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = (Pdag, Dag)> {
    nodes.prop_flat_map(|nodes| (pdag_of(nodes), dag_of(nodes)))
}

/// The graph whose pairs, in lexicographic order, are apart (0), joined (1), or joined by an arrow up (2) or down (3).
pub(crate) fn pdag_of_marks(nodes: usize, marks: &[usize]) -> Pdag {
    let mut graph = Pdag::empty(nodes);
    for (pair, mark) in pairs(nodes).zip(marks) {
        match mark {
            0 => {}
            1 => graph.insert_undirected(pair).unwrap(),
            2 => graph.insert_directed(pair).unwrap(),
            _ => graph.insert_directed(pair.reversed()).unwrap(),
        }
    }
    graph
}

/// All pairs, smaller index first.
pub(crate) fn pairs(nodes: usize) -> impl Iterator<Item = Edge> {
    (0..nodes).flat_map(move |from| (from + 1..nodes).map(move |to| Edge::new(from, to)))
}

/// All ordered pairs of different variables.
pub(crate) fn cells(nodes: usize) -> impl Iterator<Item = Edge> {
    pairs(nodes).flat_map(|pair| [pair, pair.reversed()])
}

/// The CPDAG by definition: an arrow where all `members` of a class agree, an undirected edge where they do not.
pub(crate) fn agreement(members: &[Dag]) -> Pdag {
    let mut graph = Pdag::empty(members[0].nodes());
    for edge in members[0].edges() {
        if members.iter().all(|dag| dag.contains(edge)) {
            graph.insert_directed(edge).unwrap();
        } else {
            graph.insert_undirected(edge).unwrap();
        }
    }
    graph
}
