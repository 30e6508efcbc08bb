//! GES: planted classes, knowledge, threads, scores that it refuses.

use std::sync::atomic::{AtomicUsize, Ordering};

use gflowcausal_determinism::{StopFlag, with_threads};
use gflowcausal_graph::{Cpdag, Edge, NodeSet};
use gflowcausal_score::{Bdeu, Bge, BgePrior, Bic, GraphScore, LocalScore, Penalty};
use gflowcausal_search::{Ges, NotScoreEquivalent};
use proptest::prelude::*;

use super::*;

fn bic(rows: usize, nodes: usize, seed: u64) -> (Simulated, Bic) {
    let data = simulated(nodes, 1, rows, seed);
    let score = Bic::new(&moments(&data), Penalty::Factor(2.0)).unwrap();
    (data, score)
}

#[test]
fn with_many_rows_the_class_of_the_true_graph_is_found() {
    for seed in 0..8 {
        let (data, score) = bic(20_000, 8, seed);
        let free = Constraints::none(8);
        let found = Ges::new(&score, &free, false).unwrap().search(&StopFlag::new());
        assert_eq!(&found.class, Cpdag::of(&data.dag).as_pdag(), "seed {seed}");
        assert!(Cpdag::of(&data.dag).contains(&found.member));
    }
}

#[test]
fn turning_is_never_worse() {
    let mut improved = 0;
    for seed in 0..6 {
        let data = simulated(10, 3, 300, seed);
        let score = Bic::new(&moments(&data), Penalty::Factor(1.0)).unwrap();
        let free = Constraints::none(10);
        let value =
            |turning| score.graph(&Ges::new(&score, &free, turning).unwrap().search(&StopFlag::new()).member);
        let (plain, turned) = (value(false), value(true));
        assert!(turned >= plain - 1e-6, "seed {seed}: {turned} {plain}");
        improved += usize::from(turned > plain + 1e-6);
    }
    assert!(improved > 0, "turns were found on no data set");
}

#[test]
fn any_score_that_equivalent_graphs_share_will_do() {
    let data = simulated(6, 1, 500, 2);
    let free = Constraints::none(6);
    let bge = Bge::new(&moments(&data), BgePrior::default()).unwrap();
    assert!(Ges::new(&bge, &free, false).unwrap().search(&StopFlag::new()).member.edge_count() > 0);
    let config = Simulation {
        nodes: 6,
        degree: Some(1),
        rows: 5000,
        model: gflowcausal_data::Model::Discrete,
        seed: 1,
        ..Simulation::default()
    };
    let data = simulate(&config).unwrap();
    let bdeu = Bdeu::new(&data.table, 10.0).unwrap();
    let found = Ges::new(&bdeu, &free, false).unwrap().search(&StopFlag::new());
    assert_eq!(&found.class, Cpdag::of(&data.dag).as_pdag());
}

/// A score that favours small indices.
struct Lopsided;

impl LocalScore for Lopsided {
    fn name(&self) -> &'static str {
        "lopsided"
    }

    fn nodes(&self) -> usize {
        3
    }

    fn local(&self, node: usize, parents: &NodeSet) -> f64 {
        (node * parents.len()) as f64
    }
}

#[test]
fn a_score_that_tells_equivalent_graphs_apart_is_refused() {
    let refused = Ges::new(&Lopsided, &Constraints::none(3), false).err();
    assert_eq!(refused, Some(NotScoreEquivalent("lopsided")));
}

#[test]
fn neither_threads_nor_a_second_run_change_the_class() {
    let data = simulated(20, 2, 300, 3);
    let score = Bic::new(&moments(&data), Penalty::Factor(1.0)).unwrap();
    let free = Constraints::none(20);
    let run =
        |threads| with_threads(threads, || Ges::new(&score, &free, true).unwrap().search(&StopFlag::new()));
    assert_eq!(run(1), run(3));
    assert_eq!(run(2), run(2));
}

#[test]
fn a_stop_ends_the_search_with_what_was_found() {
    let (_, score) = bic(500, 8, 1);
    let free = Constraints::none(8);
    let edges = |left: usize| {
        let score = Stopping { score: &score, left: AtomicUsize::new(left), stop: StopFlag::new() };
        Ges::new(&score, &free, true).unwrap().search(&score.stop).member.edge_count()
    };
    let whole = edges(usize::MAX);
    assert_eq!(edges(1), 0);
    assert!((1..20).map(|k| edges(40 * k)).any(|part| part > 0 && part < whole), "{whole}");
}

/// A score that sets a flag after so many terms.
struct Stopping<'a> {
    score: &'a dyn LocalScore,
    left: AtomicUsize,
    stop: StopFlag,
}

impl LocalScore for Stopping<'_> {
    fn name(&self) -> &'static str {
        self.score.name()
    }

    fn nodes(&self) -> usize {
        self.score.nodes()
    }

    fn local(&self, node: usize, parents: &NodeSet) -> f64 {
        if self.left.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.stop.set();
        }
        self.score.local(node, parents)
    }

    fn is_score_equivalent(&self) -> bool {
        true
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn any_knowledge_is_satisfied(
        seed in 0..100_u64,
        require in proptest::collection::vec((0..6_usize, 1..6_usize), 0..3),
        forbid in proptest::collection::vec((0..6_usize, 1..6_usize), 0..12),
        most in 1..5_usize,
        turning: bool,
    ) {
        let mut knowledge = Knowledge::default();
        require.iter().for_each(|&(from, step)| _ = knowledge.require(Edge::new(from, (from + step) % 6)));
        forbid.iter().for_each(|&(from, step)| _ = knowledge.forbid(Edge::new(from, (from + step) % 6)));
        knowledge.max_parents(most);
        let Ok(constraints) = knowledge.compile(&["0", "1", "2", "3", "4", "5"]) else { return Ok(()) };
        let data = simulated(6, 2, 200, seed);
        let score = Bic::new(&moments(&data), Penalty::Factor(1.0)).unwrap();
        let found = Ges::new(&score, &constraints, turning).unwrap().search(&StopFlag::new());
        prop_assert!(constraints.permits(&found.member), "{:?}", found.member);
        for edge in found.class.directed() {
            prop_assert!(constraints.allows(edge) && found.member.contains(edge), "{edge}");
        }
    }
}

#[test]
fn true_knowledge_seldom_hinders() {
    let mut right = 0;
    for seed in 0..8 {
        let (data, score) = bic(20_000, 8, seed);
        let mut knowledge = Knowledge::default();
        for edge in data.dag.edges() {
            knowledge.forbid(edge.reversed());
        }
        let constraints = constraints(8, &knowledge);
        let found = Ges::new(&score, &constraints, true).unwrap().search(&StopFlag::new());
        right += usize::from(found.member == data.dag);
    }
    // A class between two steps may have no member that satisfies the constraints: no greedy search is safe from that.
    assert!(right >= 6, "{right}");
}
