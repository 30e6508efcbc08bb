//! The structural intervention distance against its definition and against another program.

use gflowcausal_graph::{Dag, Edge, NodeSet, Pdag, sid};
use proptest::prelude::*;

use crate::graphs::{cells, dag, two_dags};
use crate::separation::{is_open, paths};

/// Whether adjusting for `adjusted` gives the effect of `cause` on `effect`: the adjustment criterion, path by path.
fn adjusts(truth: &Dag, cause: usize, effect: usize, adjusted: &NodeSet) -> bool {
    let mut found = Vec::new();
    paths(truth, &mut vec![cause], effect, &mut found);
    found.iter().all(|path| {
        let causal = path.windows(2).all(|step| truth.contains(Edge::new(step[0], step[1])));
        if causal {
            path[1..].iter().all(|&node| truth.descendants(node).is_disjoint(adjusted))
        } else {
            !is_open(truth, path, adjusted)
        }
    })
}

/// Peters and Bühlmann's count for a DAG.
fn sid_by_definition(estimate: &Dag, truth: &Dag) -> usize {
    cells(truth.nodes())
        .filter(|&Edge { from: cause, to: effect }| {
            if estimate.contains(Edge::new(effect, cause)) {
                truth.reaches(cause, effect)
            } else {
                !adjusts(truth, cause, effect, estimate.parents(cause))
            }
        })
        .count()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn the_distance_of_dags_is_its_definition((estimate, truth) in two_dags(0..=6)) {
        prop_assert_eq!(sid(&Pdag::from(&estimate), &truth), sid_by_definition(&estimate, &truth));
    }

    #[test]
    fn a_graph_is_at_no_distance_from_itself_nor_from_one_with_more_edges(truth in dag(0..=12)) {
        prop_assert_eq!(sid(&Pdag::from(&truth), &truth), 0);
        let complete = truth.topological_order().complete_dag();
        prop_assert_eq!(sid(&Pdag::from(&complete), &truth), 0);
    }
}

/// The example of Peters and Bühlmann (2015): both estimates are one edge away, yet one is right about everything.
#[test]
fn the_example_of_the_distances_authors() {
    let truth: Vec<Edge> =
        [(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4)].into_iter().map(Edge::from).collect();
    let extra = truth.iter().copied().chain([Edge::new(2, 3)]);
    let turned = truth.iter().map(|&edge| if edge == Edge::new(0, 1) { edge.reversed() } else { edge });
    let distance = |estimate: Vec<Edge>| {
        let estimate = Dag::from_edges(5, estimate).unwrap();
        sid(&Pdag::from(&estimate), &Dag::from_edges(5, truth.iter().copied()).unwrap())
    };
    assert_eq!(distance(extra.collect()), 0);
    assert_eq!(distance(turned.collect()), 8);
}

fn read_graph(nodes: usize, listed: &str) -> Pdag {
    let mut graph = Pdag::empty(nodes);
    for edge in listed.split_whitespace() {
        let ends =
            |mark| edge.split_once(mark).map(|(a, b): (&str, &str)| (a.parse().unwrap(), b.parse().unwrap()));
        match (ends('>'), ends('-')) {
            (Some((from, to)), None) => graph.insert_directed(Edge::new(from, to)).unwrap(),
            (None, Some((a, b))) => graph.insert_undirected(Edge::new(a, b)).unwrap(),
            _ => panic!("not an edge: {edge}"),
        }
    }
    graph
}

/// `sid_reference.csv` was made by `sid_reference.py`; both stand beside this file.
#[test]
fn the_distances_of_dags_and_cpdags_are_gadjids() {
    let cases: Vec<Vec<&str>> =
        include_str!("sid_reference.csv").lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(cases.len(), 176);
    for case in cases {
        let nodes = case[0].parse().unwrap();
        let truth = read_graph(nodes, case[1]).to_dag().unwrap();
        let expected: usize = case[3].parse().unwrap();
        assert_eq!(sid(&read_graph(nodes, case[2]), &truth), expected, "{case:?}");
    }
}
