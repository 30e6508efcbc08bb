//! Theorems 1 and 2 and Lemma 1 against Warshall's algorithm.

use gflowcausal_determinism::rand::RngExt;
use gflowcausal_determinism::{Stream, stream};
use gflowcausal_graph::{Closure, Dag, Edge, EdgeError, GrowingDag};
use proptest::prelude::*;

use crate::graphs::{cells, dag, order};

/// Who reaches whom, by Warshall's algorithm; a node reaches itself.
fn warshall(nodes: usize, edges: impl Iterator<Item = Edge>) -> Vec<Vec<bool>> {
    let mut reach: Vec<Vec<bool>> = (0..nodes).map(|i| (0..nodes).map(|j| i == j).collect()).collect();
    for edge in edges {
        reach[edge.from][edge.to] = true;
    }
    for via in 0..nodes {
        for from in 0..nodes {
            for to in 0..nodes {
                reach[from][to] |= reach[from][via] && reach[via][to];
            }
        }
    }
    reach
}

fn reach_of(closure: &Closure) -> Vec<Vec<bool>> {
    let nodes = closure.nodes();
    (0..nodes).map(|from| (0..nodes).map(|to| closure.reaches(from, to)).collect()).collect()
}

/// Edges to try one after the other, legal or not.
fn attempts() -> impl Strategy<Value = (usize, Vec<Edge>)> {
    (1_usize..9).prop_flat_map(|nodes| {
        let edge = (0..nodes, 0..nodes).prop_map(Edge::from);
        (Just(nodes), proptest::collection::vec(edge, 0..40))
    })
}

proptest! {
    #[test]
    fn the_closure_is_warshalls_after_every_insertion((nodes, edges) in attempts()) {
        let mut state = GrowingDag::empty(nodes);
        for edge in edges {
            let before = state.clone();
            if state.apply(edge).is_err() {
                prop_assert_eq!(&state, &before, "a refused edge changed the state");
            }
            let reach = warshall(nodes, state.dag().edges());
            prop_assert_eq!(reach_of(state.closure()), reach.clone());
            let above = |node: usize| (0..nodes).filter(|&other| reach[other][node]).collect::<Vec<_>>();
            let below = |node: usize| (0..nodes).filter(|&other| reach[node][other]).collect::<Vec<_>>();
            for node in 0..nodes {
                prop_assert_eq!(state.closure().ancestors(node).iter().collect::<Vec<_>>(), above(node));
                prop_assert_eq!(state.closure().descendants(node).iter().collect::<Vec<_>>(), below(node));
            }
            let comparable = cells(nodes).filter(|pair| reach[pair.from][pair.to]).count();
            prop_assert_eq!(state.closure().comparable_pairs(), comparable);
        }
    }

    #[test]
    fn theorem_1_the_mask_allows_exactly_the_new_edges_that_close_no_cycle((nodes, edges) in attempts()) {
        let mut state = GrowingDag::empty(nodes);
        for edge in edges {
            for next in (0..nodes).flat_map(|from| (0..nodes).map(move |to| Edge::new(from, to))) {
                let grown = warshall(nodes, state.dag().edges().chain([next]));
                let acyclic = next.from != next.to && cells(nodes).all(|p| !(grown[p.from][p.to] && grown[p.to][p.from]));
                prop_assert_eq!(state.allows(next), acyclic && !state.dag().contains(next), "{} in {:?}", next, state);
                prop_assert_eq!(state.allowed_effects(next.from).contains(next.to), state.allows(next));
                prop_assert_eq!(state.allowed_causes(next.to).contains(next.from), state.allows(next));
            }
            let allowed = state.allows(edge);
            prop_assert_eq!(state.apply(edge).is_ok(), allowed);
        }
    }

    #[test]
    fn theorem_2_an_identified_state_has_one_order_and_keeps_it(order in (1_usize..9).prop_flat_map(order), dice in any::<u64>()) {
        let nodes = order.nodes();
        let complete = order.complete_dag();
        let mut edges: Vec<Edge> = complete.edges().collect();
        let mut rng = stream(dice, Stream::Test { k: 0 });
        let mut state = GrowingDag::empty(nodes);
        let mut steps_to_identify = (nodes == 1).then_some(0);
        while !edges.is_empty() {
            state.apply(edges.swap_remove(rng.random_range(0..edges.len()))).unwrap();
            let reach = warshall(nodes, state.dag().edges());
            let identified = cells(nodes).all(|p| reach[p.from][p.to] || reach[p.to][p.from]);
            prop_assert_eq!(state.closure().is_total_order(), identified);
            prop_assert_eq!(state.closure().order(), identified.then(|| order.clone()));
            if identified {
                let closed = cells(nodes).filter(|p| state.closure().reaches(p.from, p.to));
                prop_assert_eq!(&Dag::from_edges(nodes, closed).unwrap(), &complete);
                steps_to_identify.get_or_insert(state.edge_count());
            }
        }
        let steps = steps_to_identify.expect("the complete graph is identified");
        prop_assert!(nodes - 1 <= steps && steps <= nodes * (nodes - 1) / 2, "Lemma 1: {} steps", steps);
    }

    #[test]
    fn the_closure_of_a_dag_is_that_of_its_edges(dag in dag(0..=9)) {
        let closure = Closure::of(&dag);
        prop_assert_eq!(reach_of(&closure), warshall(dag.nodes(), dag.edges()));
        for node in 0..dag.nodes() {
            prop_assert_eq!(closure.ancestors(node), dag.ancestors(node));
            prop_assert_eq!(closure.descendants(node), dag.descendants(node));
        }
    }

    #[test]
    fn a_topological_order_fits_its_graph(dag in dag(0..=12)) {
        let order = dag.topological_order();
        prop_assert!(order.is_compatible_with(&dag));
        prop_assert!(dag.edges().all(|edge| order.complete_dag().contains(edge)));
    }

    #[test]
    fn edges_make_a_dag_unless_one_closes_a_cycle((nodes, edges) in attempts()) {
        let mut grown = Dag::empty(nodes);
        let mut kept = Vec::new();
        for &edge in &edges {
            match grown.insert(edge) {
                Ok(()) => {
                    kept.push(edge);
                    prop_assert_eq!(&Dag::from_edges(nodes, kept.iter().copied()).unwrap(), &grown);
                }
                Err(error) => {
                    let with = kept.iter().copied().chain([edge]);
                    prop_assert_eq!(Dag::from_edges(nodes, with), Err(error));
                }
            }
        }
    }
}

#[test]
fn lemma_1_both_bounds_are_reached() {
    let mut chain = GrowingDag::empty(5);
    for node in 0..4 {
        assert!(!chain.closure().is_total_order());
        chain.apply(Edge::new(node, node + 1)).unwrap();
    }
    assert!(chain.closure().is_total_order());

    let mut late = GrowingDag::empty(5);
    let last = Edge::new(2, 3);
    let complete = Dag::from_edges(5, crate::graphs::pairs(5)).unwrap();
    for edge in complete.edges().filter(|&edge| edge != last) {
        late.apply(edge).unwrap();
    }
    assert!(!late.closure().is_total_order(), "the edge between two neighbours of the order is missing");
    late.apply(last).unwrap();
    assert!(late.closure().is_total_order());
    assert_eq!(late.edge_count(), 5 * 4 / 2);
}

/// The paper's example: `v2 → v3`, then `v3 → v4`, over four variables, gives `H[4][2] = 1`. Its `H` has effects in
/// rows and counts from one.
#[test]
fn the_papers_worked_example() {
    let mut state = GrowingDag::empty(4);
    state.apply(Edge::new(1, 2)).unwrap();
    let paper = |state: &GrowingDag| -> Vec<Vec<u8>> {
        let closure = state.closure();
        (0..4).map(|i| (0..4).map(|j| u8::from(closure.reaches(j, i))).collect()).collect()
    };
    assert_eq!(paper(&state), [[1, 0, 0, 0], [0, 1, 0, 0], [0, 1, 1, 0], [0, 0, 0, 1]]);
    state.apply(Edge::new(2, 3)).unwrap();
    assert_eq!(paper(&state), [[1, 0, 0, 0], [0, 1, 0, 0], [0, 1, 1, 0], [0, 1, 1, 1]]);
    assert_eq!(state.apply(Edge::new(3, 1)), Err(EdgeError::Cycle(Edge::new(3, 1))));
}

#[test]
fn the_closure_of_two_thousand_variables_is_that_of_a_search_from_each() {
    let nodes = 2_000;
    let mut rng = stream(1, Stream::Test { k: 1 });
    let mut state = GrowingDag::empty(nodes);
    while state.edge_count() < 3 * nodes {
        let edge = Edge::new(rng.random_range(0..nodes), rng.random_range(0..nodes));
        if state.allows(edge) {
            state.apply(edge).unwrap();
        }
    }
    let dag = state.dag();
    for node in 0..nodes {
        assert_eq!(state.closure().descendants(node), dag.descendants(node));
        assert_eq!(state.closure().ancestors(node), dag.ancestors(node));
    }
    assert_eq!(*state.closure(), Closure::of(dag));
}

#[test]
fn graphs_of_no_and_one_variable_are_identified() {
    for nodes in [0, 1] {
        let closure = Closure::empty(nodes);
        assert!(closure.is_total_order());
        assert_eq!(closure.order().unwrap().nodes(), nodes);
    }
}
