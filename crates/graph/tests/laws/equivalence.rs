//! CPDAGs against the classes they stand for, over every DAG of up to five variables.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use gflowcausal_graph::{Cpdag, Dag, Edge, Pdag, all_dags};
use proptest::prelude::*;

use crate::graphs::{agreement, dag, pairs, pdag_of_marks, two_dags};

/// What Verma and Pearl's theorem compares, the obvious way: joined pairs, and triples `a → c ← b` with `a`, `b` apart.
type Signature = (BTreeSet<Edge>, BTreeSet<(usize, usize, usize)>);

fn signature(dag: &Dag) -> Signature {
    let skeleton = dag.edges().map(Edge::undirected).collect();
    let nodes = dag.nodes();
    let mut colliders = BTreeSet::new();
    for pair in pairs(nodes).filter(|&pair| !dag.is_adjacent(pair)) {
        for effect in (0..nodes).filter(|&c| c != pair.from && c != pair.to) {
            if dag.contains(Edge::new(pair.from, effect)) && dag.contains(Edge::new(pair.to, effect)) {
                colliders.insert((effect, pair.from, pair.to));
            }
        }
    }
    (skeleton, colliders)
}

fn classes(nodes: usize) -> BTreeMap<Signature, Vec<Dag>> {
    let mut classes: BTreeMap<Signature, Vec<Dag>> = BTreeMap::new();
    for dag in all_dags(nodes) {
        classes.entry(signature(&dag)).or_default().push(dag);
    }
    classes
}

#[test]
fn cpdags_are_equal_exactly_for_equivalent_dags_and_show_what_their_class_agrees_on() {
    // The numbers of classes are sequence A007984 of the On-Line Encyclopedia of Integer Sequences.
    for (nodes, count) in [(0, 1), (1, 1), (2, 2), (3, 11), (4, 185), (5, 8_782)] {
        let classes = classes(nodes);
        assert_eq!(classes.len(), count);
        let mut seen = HashSet::new();
        for members in classes.values() {
            let cpdag = Cpdag::of(&members[0]);
            assert!(members.iter().all(|dag| Cpdag::of(dag) == cpdag), "{members:?}");
            assert_eq!(*cpdag.as_pdag(), agreement(members));
            assert!(seen.insert(cpdag), "two classes share the CPDAG of {:?}", members[0]);
        }
    }
}

#[test]
fn a_class_lists_its_members_each_once() {
    for nodes in 0..=5 {
        for members in classes(nodes).values() {
            let cpdag = Cpdag::of(&members[0]);
            let listed: Vec<Dag> = cpdag.members().collect();
            assert_eq!(listed.len(), members.len(), "{members:?}");
            assert_eq!(listed.iter().collect::<HashSet<_>>(), members.iter().collect::<HashSet<_>>());
            assert!(listed.contains(&cpdag.representative()));
            assert_eq!(Cpdag::of_pdag(cpdag.as_pdag()), Some(cpdag));
        }
    }
}

#[test]
fn a_graph_is_extended_exactly_when_some_dag_fits_it() {
    let nodes = 4;
    let mut by_skeleton: HashMap<BTreeSet<Edge>, Vec<Dag>> = HashMap::new();
    for dag in all_dags(nodes) {
        by_skeleton.entry(signature(&dag).0).or_default().push(dag);
    }
    for code in 0..4_usize.pow(6) {
        let marks: Vec<usize> = (0..6).map(|pair| code >> (2 * pair) & 3).collect();
        let graph = pdag_of_marks(nodes, &marks);
        let skeleton: BTreeSet<Edge> =
            graph.directed().chain(graph.undirected()).map(Edge::undirected).collect();
        let fits = |dag: &&Dag| {
            graph.directed().all(|edge| dag.contains(edge)) && dag.v_structures() == graph.v_structures()
        };
        let fitting: HashSet<Dag> = by_skeleton[&skeleton].iter().filter(fits).cloned().collect();
        match graph.consistent_extension() {
            Some(dag) => assert!(fitting.contains(&dag), "{graph:?} became {dag:?}"),
            None => assert!(fitting.is_empty(), "{graph:?} has {fitting:?}"),
        }
        let listed: Vec<Dag> = graph.extensions().collect();
        assert_eq!(listed.len(), fitting.len());
        assert_eq!(listed.into_iter().collect::<HashSet<_>>(), fitting);
    }
}

proptest! {
    #[test]
    fn equivalence_is_skeleton_and_v_structures((a, b) in two_dags(0..=4)) {
        prop_assert_eq!(Cpdag::of(&a) == Cpdag::of(&b), signature(&a) == signature(&b));
    }

    #[test]
    fn an_equivalent_dag_is_found_in_the_class(dag in dag(0..=40)) {
        let cpdag = Cpdag::of(&dag);
        let other = cpdag.representative();
        prop_assert_eq!(signature(&other), signature(&dag));
        prop_assert!(cpdag.contains(&other));
        prop_assert_eq!(Cpdag::of(&other), cpdag);
    }

    #[test]
    fn the_class_is_what_meek_closes_from_the_v_structures(dag in dag(0..=30)) {
        let mut pattern = Pdag::empty(dag.nodes());
        for found in dag.v_structures() {
            for cause in [found.left, found.right] {
                // An arrow may be in several v-structures.
                let _ = pattern.insert_directed(Edge::new(cause, found.collider));
            }
        }
        for edge in dag.edges().filter(|&edge| !pattern.is_adjacent(edge)).collect::<Vec<_>>() {
            pattern.insert_undirected(edge).unwrap();
        }
        pattern.close_under_meek();
        prop_assert_eq!(pattern, Cpdag::of(&dag).into_pdag());
    }

    #[test]
    fn v_structures_are_the_obvious_ones(dag in dag(0..=9)) {
        let found: BTreeSet<_> = dag.v_structures().iter().map(|v| (v.collider, v.left, v.right)).collect();
        prop_assert_eq!(found, signature(&dag).1);
    }

    #[test]
    fn every_edge_is_either_compelled_or_reversible(dag in dag(2..=12)) {
        let cpdag = Cpdag::of(&dag);
        for edge in dag.edges() {
            prop_assert!(cpdag.is_compelled(edge) != cpdag.is_reversible(edge));
            prop_assert!(!cpdag.is_compelled(edge.reversed()));
        }
        prop_assert_eq!(cpdag.as_pdag().edge_count(), dag.edge_count());
    }
}
