//! PC: what it must find when tests never err, p-values, knowledge, threads.

use gflowcausal_data::{Column, GraphSize, RandomGraph, Table};
use gflowcausal_determinism::{StopFlag, with_threads};
use gflowcausal_graph::{Cpdag, Dag, Edge, NodeSet};
use gflowcausal_search::{CategoryTest, FisherZ, IndependenceTest, Pc};
use proptest::prelude::*;

use super::*;

/// Tests that know the graph.
struct Oracle(Dag);

impl IndependenceTest for Oracle {
    fn nodes(&self) -> usize {
        self.0.nodes()
    }

    fn p_value(&self, [a, b]: [usize; 2], given: &[usize]) -> f64 {
        let set = |members: &[usize]| NodeSet::of(self.0.nodes(), members.iter().copied());
        f64::from(u8::from(self.0.d_separates(&set(given), &set(&[a]), &set(&[b]))))
    }
}

fn random_dag(nodes: usize, edges: usize, seed: u64) -> Dag {
    RandomGraph::new(GraphFamily::default(), nodes, GraphSize::Edges(edges)).unwrap().draw(seed)
}

proptest! {
    #[test]
    fn tests_that_never_err_give_the_class_of_the_graph(seed in 0..10_000_u64, edges in 4..16_usize) {
        let dag = random_dag(8, edges, seed);
        let free = Constraints::none(8);
        let found = Pc::new(&Oracle(dag.clone()), 0.5, &free).search(&StopFlag::new());
        prop_assert_eq!(found.class, Cpdag::of(&dag).into_pdag());
        prop_assert!(Cpdag::of(&dag).contains(&found.member));
    }

    #[test]
    fn true_knowledge_orients_what_follows_from_it(seed in 0..10_000_u64, edges in 4..14_usize) {
        let dag = random_dag(7, edges, seed);
        let mut knowledge = Knowledge::default();
        for edge in dag.edges().step_by(2) {
            knowledge.require(edge);
        }
        let constraints = constraints(7, &knowledge);
        let found = Pc::new(&Oracle(dag.clone()), 0.5, &constraints).search(&StopFlag::new());
        let mut expected = Cpdag::of(&dag).into_pdag();
        expected.orient_with(dag.edges().step_by(2)).unwrap();
        for edge in expected.directed() {
            prop_assert!(found.class.has_directed(edge), "{edge} of {dag:?}");
        }
        prop_assert_eq!(found.class.edge_count(), dag.edge_count());
        prop_assert!(constraints.permits(&found.member));
    }

    #[test]
    fn any_knowledge_is_satisfied(
        seed in 0..100_u64,
        require in proptest::collection::vec((0..6_usize, 1..6_usize), 0..3),
        forbid in proptest::collection::vec((0..6_usize, 1..6_usize), 0..12),
    ) {
        let mut knowledge = Knowledge::default();
        require.iter().for_each(|&(from, step)| _ = knowledge.require(Edge::new(from, (from + step) % 6)));
        forbid.iter().for_each(|&(from, step)| _ = knowledge.forbid(Edge::new(from, (from + step) % 6)));
        let Ok(constraints) = knowledge.compile(&["0", "1", "2", "3", "4", "5"]) else { return Ok(()) };
        let test = FisherZ::new(&moments(&simulated(6, 2, 200, seed))).unwrap();
        let found = Pc::new(&test, 0.05, &constraints).search(&StopFlag::new());
        prop_assert!(constraints.permits(&found.member));
        for edge in found.class.directed() {
            prop_assert!(constraints.allows(edge), "{edge}");
        }
        for edge in constraints.required_edges() {
            prop_assert!(found.class.has_directed(edge));
        }
    }
}

#[test]
fn p_values_of_partial_correlations_are_those_of_causal_learn() {
    // x = np.arange(12.); X = np.column_stack([np.sin(x), np.cos(2*x) + np.sin(x), np.sin(x*x), np.cos(x*x) - np.sin(x)])
    // t = CIT(X, "fisherz"); [t(0, 1), t(0, 1, [2]), t(0, 3, [1, 2]), t(2, 3, [0])]
    let columns: [fn(f64) -> f64; 4] =
        [f64::sin, |x| (2.0 * x).cos() + x.sin(), |x| (x * x).sin(), |x| (x * x).cos() - x.sin()];
    let column = |(k, f): (usize, &fn(f64) -> f64)| {
        Column::continuous(k.to_string(), (0..12).map(|x| f(f64::from(x))).collect())
    };
    let table = Table::new(columns.iter().enumerate().map(column).collect()).unwrap();
    let test = FisherZ::new(&Moments::of_table(&table).unwrap()).unwrap();
    let found = [
        test.p_value([0, 1], &[]),
        test.p_value([0, 1], &[2]),
        test.p_value([0, 3], &[1, 2]),
        test.p_value([2, 3], &[0]),
    ];
    let expected = [0.009882154018863387, 0.007617285002863516, 0.07503090223167708, 0.9448062029805564];
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-9, "{found} {expected}");
    }
}

#[test]
fn p_values_of_contingency_tables_are_those_of_causal_learn() {
    // r = np.arange(60); X = np.column_stack([r % 3, (r * r + r // 7) % 4, (r // 5) % 2, (r * r * r) % 5])
    // g = CIT(X, "gsq"); c = CIT(X, "chisq"); [t(0, 1), t(0, 1, [2]), t(1, 3, [0, 2])] for t in (g, c)
    let columns: [fn(u32) -> u32; 4] =
        [|r| r % 3, |r| (r * r + r / 7) % 4, |r| (r / 5) % 2, |r| (r * r * r) % 5];
    let column = |(k, f): (usize, &fn(u32) -> u32)| {
        let codes: Vec<u32> = (0..60).map(f).collect();
        let levels = (0..=codes.iter().copied().max().unwrap()).map(|level| level.to_string()).collect();
        Column::categorical(k.to_string(), codes, levels)
    };
    let table = Table::new(columns.iter().enumerate().map(column).collect()).unwrap();
    let cases: [([usize; 2], &[usize]); 3] = [([0, 1], &[]), ([0, 1], &[2]), ([1, 3], &[0, 2])];
    let tests = [CategoryTest::g_square(&table).unwrap(), CategoryTest::chi_square(&table).unwrap()];
    let expected = [
        [0.9963305556175347, 0.012209842132526398, 6.291263614668837e-05],
        [0.9963806299941753, 0.04024810447928774, 0.00019512802123237245],
    ];
    for (test, expected) in tests.iter().zip(expected) {
        for ((pair, given), expected) in cases.iter().zip(expected) {
            let found = test.p_value(*pair, given);
            assert!((found - expected).abs() < 1e-9, "{pair:?} {given:?}: {found} {expected}");
        }
    }
}

#[test]
fn neither_threads_nor_a_second_run_change_the_class() {
    let test = FisherZ::new(&moments(&simulated(20, 2, 300, 5))).unwrap();
    let free = Constraints::none(20);
    let run = |threads| with_threads(threads, || Pc::new(&test, 0.05, &free).search(&StopFlag::new()));
    assert_eq!(run(1), run(3));
    assert_eq!(run(2), run(2));
}

#[test]
fn the_skeleton_does_not_depend_on_the_order_of_the_columns() {
    let data = simulated(12, 2, 200, 9);
    let mut turned = data.table.columns().to_vec();
    turned.reverse();
    let skeleton = |table: &Table, place: fn(usize) -> usize| {
        let test = FisherZ::new(&Moments::of_table(table).unwrap()).unwrap();
        let found = Pc::new(&test, 0.05, &Constraints::none(12)).search(&StopFlag::new()).class;
        let joined = |&(a, b): &(usize, usize)| found.is_adjacent(Edge::new(place(a), place(b)));
        (0..12).flat_map(|a| (a + 1..12).map(move |b| (a, b))).filter(joined).collect::<Vec<_>>()
    };
    let forward = skeleton(&data.table, |node| node);
    assert_eq!(forward, skeleton(&Table::new(turned).unwrap(), |node| 11 - node));
    assert!(!forward.is_empty());
}

#[test]
fn contradictory_samples_still_give_a_graph() {
    // Few rows and a loose level: v-structures that no DAG can have all at once.
    for seed in 0..30 {
        let test = FisherZ::new(&moments(&simulated(10, 3, 40, seed))).unwrap();
        let found = Pc::new(&test, 0.2, &Constraints::none(10)).search(&StopFlag::new());
        assert_eq!(found.member.edge_count(), found.class.edge_count(), "seed {seed}");
        assert!(found.class.directed().all(|arrow| found.member.contains(arrow)), "seed {seed}");
    }
}

#[test]
fn counts_exactly_as_expected_are_independent() {
    let levels = || vec!["a".to_owned(), "b".to_owned()];
    let table = Table::new(vec![
        Column::categorical("x", vec![0, 0, 1, 1], levels()),
        Column::categorical("y", vec![0, 1, 0, 1], levels()),
    ])
    .unwrap();
    for test in [CategoryTest::g_square(&table).unwrap(), CategoryTest::chi_square(&table).unwrap()] {
        assert_eq!(test.p_value([0, 1], &[]), 1.0);
    }
}
