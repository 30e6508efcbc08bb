//! Known directions and Meek's rules against the members of the class that agree with them.

use gflowcausal_graph::{Cpdag, Dag, Edge, OrientationError, Pdag};
use proptest::prelude::*;

use crate::graphs::{agreement, dag, pdag_of_marks};

/// A class and directions for some of its joined pairs, which need not agree with one another.
fn class_and_directions() -> impl Strategy<Value = (Cpdag, Vec<Edge>)> {
    dag(2..=6).prop_flat_map(|dag| {
        let edges: Vec<Edge> = dag.edges().flat_map(|edge| [edge, edge.reversed()]).collect();
        let count = edges.len().min(4);
        (Just(Cpdag::of(&dag)), proptest::sample::subsequence(edges, 0..=count).prop_shuffle())
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]
    #[test]
    fn known_directions_leave_what_the_agreeing_members_share((class, known) in class_and_directions()) {
        let agreeing: Vec<Dag> =
            class.members().filter(|dag| known.iter().all(|&edge| dag.contains(edge))).collect();
        let mut graph = class.as_pdag().clone();
        match graph.orient_with(known.iter().copied()) {
            Ok(()) => prop_assert_eq!(graph, agreement(&agreeing)),
            Err(OrientationError::Opposed(edge)) => {
                prop_assert!(agreeing.is_empty() && known.contains(&edge));
                prop_assert_eq!(&graph, class.as_pdag(), "a refused direction changed the graph");
            }
            Err(other) => prop_assert!(false, "{}", other),
        }
    }

    #[test]
    fn a_closed_graph_is_closed(graph in (4_usize..8).prop_flat_map(mostly_undirected)) {
        let once = closed(graph);
        prop_assert_eq!(closed(once.clone()), once);
    }
}

/// A graph with an arrow for every few undirected edges, so that much is left to follow.
fn mostly_undirected(nodes: usize) -> impl Strategy<Value = Pdag> {
    let mark = prop_oneof![2 => Just(0_usize), 6 => Just(1), 1 => Just(2), 1 => Just(3)];
    proptest::collection::vec(mark, nodes * (nodes - 1) / 2)
        .prop_map(move |marks| pdag_of_marks(nodes, &marks))
}

fn graph(nodes: usize, arrows: &[(usize, usize)], undirected: &[(usize, usize)]) -> Pdag {
    let mut graph = Pdag::empty(nodes);
    for &edge in arrows {
        graph.insert_directed(edge.into()).unwrap();
    }
    for &edge in undirected {
        graph.insert_undirected(edge.into()).unwrap();
    }
    graph
}

fn closed(mut graph: Pdag) -> Pdag {
    graph.close_under_meek();
    graph
}

/// One graph for each rule, in which no other rule says anything: `0 — 1` becomes `0 → 1`.
#[test]
fn each_rule_orients_its_own_figure() {
    let figures = [
        ("R1", graph(3, &[(2, 0)], &[(0, 1)]), graph(3, &[(2, 0), (0, 1)], &[])),
        ("R2", graph(3, &[(0, 2), (2, 1)], &[(0, 1)]), graph(3, &[(0, 2), (2, 1), (0, 1)], &[])),
        (
            "R3",
            graph(4, &[(2, 1), (3, 1)], &[(0, 1), (0, 2), (0, 3)]),
            graph(4, &[(2, 1), (3, 1), (0, 1)], &[(0, 2), (0, 3)]),
        ),
        (
            "R4",
            graph(4, &[(3, 2), (2, 1)], &[(0, 1), (0, 2), (0, 3)]),
            graph(4, &[(3, 2), (2, 1), (0, 1)], &[(0, 2), (0, 3)]),
        ),
    ];
    for (rule, before, after) in figures {
        assert_eq!(closed(before), after, "{rule}");
    }
}

#[test]
fn directions_that_cannot_hold_are_refused_by_name() {
    let chain = graph(4, &[], &[(0, 1), (1, 2)]);
    let refused = |known: &[(usize, usize)]| chain.clone().orient_with(known.iter().map(|&edge| edge.into()));
    assert_eq!(refused(&[(0, 2)]), Err(OrientationError::Apart(Edge::new(0, 2))));
    assert_eq!(refused(&[(0, 9)]), Err(OrientationError::Apart(Edge::new(0, 9))));
    assert_eq!(refused(&[(0, 1), (2, 1)]), Err(OrientationError::Opposed(Edge::new(2, 1))));
    assert_eq!(refused(&[(0, 1), (1, 0)]), Err(OrientationError::Opposed(Edge::new(1, 0))));

    let mut circle = graph(3, &[(0, 1), (1, 2), (2, 0)], &[]);
    assert!(matches!(circle.orient_with([]), Err(OrientationError::Cycle(_))));

    // 0 → 1 — 2 ← 3: whichever way the middle edge points, there is a new v-structure.
    let mut stuck = graph(4, &[(0, 1), (3, 2)], &[(1, 2)]);
    let error = stuck.orient_with([]).unwrap_err();
    assert_eq!(error.to_string(), "the directions make 1 → 2 ← 3, which the graph does not have");
}

#[test]
fn a_refusal_names_the_edge_and_what_is_forced_instead() {
    let mut chain = graph(3, &[], &[(0, 1), (1, 2)]);
    let error = chain.orient_with([Edge::new(0, 1), Edge::new(2, 1)]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "2 → 1 is given a direction, but the graph and the other directions force 1 → 2"
    );
}
