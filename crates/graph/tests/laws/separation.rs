//! d-separation against the definition: every path, node by node.

use gflowcausal_graph::{Dag, Edge, NodeSet, all_dags};
use proptest::prelude::*;

use crate::graphs::{dag, pairs};

/// Every path without repetition from `path`'s last node to `to`, joined either way.
pub(crate) fn paths(dag: &Dag, path: &mut Vec<usize>, to: usize, found: &mut Vec<Vec<usize>>) {
    let here = path[path.len() - 1];
    if here == to {
        found.push(path.clone());
        return;
    }
    for next in 0..dag.nodes() {
        if dag.is_adjacent(Edge::new(here, next)) && !path.contains(&next) {
            path.push(next);
            paths(dag, path, to, found);
            path.pop();
        }
    }
}

/// Pearl's definition: a path is open when each of its colliders is given or has a given descendant, and none of its
/// other inner nodes is given.
pub(crate) fn is_open(dag: &Dag, path: &[usize], given: &NodeSet) -> bool {
    path.windows(3).all(|triple| {
        let collides =
            dag.contains(Edge::new(triple[0], triple[1])) && dag.contains(Edge::new(triple[2], triple[1]));
        if collides { !dag.descendants(triple[1]).is_disjoint(given) } else { !given.contains(triple[1]) }
    })
}

fn separated_by_definition(dag: &Dag, given: &NodeSet, a: usize, b: usize) -> bool {
    let mut found = Vec::new();
    paths(dag, &mut vec![a], b, &mut found);
    !found.iter().any(|path| is_open(dag, path, given))
}

fn assert_agrees_everywhere(dag: &Dag) {
    let nodes = dag.nodes();
    for pair in pairs(nodes) {
        let others = (0..nodes).filter(|&node| node != pair.from && node != pair.to);
        for subset in 0..1_usize << nodes {
            let given = NodeSet::of(nodes, others.clone().filter(|node| subset >> node & 1 == 1));
            let (a, b) = (NodeSet::of(nodes, [pair.from]), NodeSet::of(nodes, [pair.to]));
            let expected = separated_by_definition(dag, &given, pair.from, pair.to);
            assert_eq!(dag.d_separates(&given, &a, &b), expected, "{dag:?}: {pair} given {given:?}");
            assert_eq!(dag.d_separates(&given, &b, &a), expected, "{dag:?}: {pair} given {given:?}");
        }
    }
}

#[test]
fn four_variables_in_every_dag() {
    all_dags(4).for_each(|dag| assert_agrees_everywhere(&dag));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn larger_dags(dag in dag(5..=7)) {
        assert_agrees_everywhere(&dag);
    }

    #[test]
    fn sets_are_separated_when_all_their_pairs_are(dag in dag(1..=8), bits in any::<[u8; 3]>()) {
        let nodes = dag.nodes();
        let [a, b, given] = bits.map(|bits| NodeSet::of(nodes, (0..nodes).filter(|node| bits >> node & 1 == 1)));
        let single = |node| NodeSet::of(nodes, [node]);
        let each_pair = a.iter().all(|x| b.iter().all(|y| dag.d_separates(&given, &single(x), &single(y))));
        prop_assert_eq!(dag.d_separates(&given, &a, &b), each_pair);
    }

    #[test]
    fn a_variable_is_separated_from_the_rest_by_its_markov_blanket(dag in dag(1..=30)) {
        for node in 0..dag.nodes() {
            let mut blanket = dag.parents(node).clone();
            for child in dag.children(node).iter() {
                blanket.union_with(&dag.parents(child).with(child));
            }
            blanket.remove(node);
            let here = NodeSet::of(dag.nodes(), [node]);
            prop_assert_eq!(dag.d_connected(&here, &blanket), here);
        }
    }
}

#[test]
fn a_given_variable_is_separated_from_itself_and_another_is_not() {
    let dag = Dag::empty(2);
    let (none, first) = (NodeSet::empty(2), NodeSet::of(2, [0]));
    assert!(!dag.d_separates(&none, &first, &first));
    assert!(dag.d_separates(&first, &first, &first));
}
