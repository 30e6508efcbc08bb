//! Chains against enumeration of all DAGs, and what a run promises: the same bits with any threads and after any interruption.

use std::sync::atomic::AtomicBool;

use gflowcausal_determinism::with_threads;
use gflowcausal_graph::{Constraints, Dag, Edge, Knowledge, NodeSet, all_dags};
use gflowcausal_posterior::{Chains, ChainsConfig, ChainsEnd, ChainsError, ChainsState};
use gflowcausal_score::{LocalScore, ParentSetTables, TableSettings};

/// Some number for every variable and parent set, far from equal.
struct Made {
    nodes: usize,
    scale: f64,
}

impl LocalScore for Made {
    fn name(&self) -> &'static str {
        "made"
    }

    fn nodes(&self) -> usize {
        self.nodes
    }

    fn local(&self, node: usize, parents: &NodeSet) -> f64 {
        self.scale * ((node * 37) as f64 + parents.words()[0] as f64 * 11.3).sin()
            - 0.4 * parents.len() as f64
    }
}

/// Two groups of graphs that lie far apart: the first variable causes all others, or all others cause it.
struct TwoModes {
    nodes: usize,
    depth: f64,
}

impl LocalScore for TwoModes {
    fn name(&self) -> &'static str {
        "two modes"
    }

    fn nodes(&self) -> usize {
        self.nodes
    }

    fn local(&self, node: usize, parents: &NodeSet) -> f64 {
        let others = (self.nodes - 1) as f64;
        match node {
            0 if parents.len() == self.nodes - 1 => others * self.depth,
            0 => 0.0,
            _ if *parents == NodeSet::of(self.nodes, [0]) => self.depth,
            _ => -(parents.len() as f64),
        }
    }
}

fn tables(score: &dyn LocalScore, constraints: &Constraints, graphs: &[Dag]) -> ParentSetTables {
    let nodes = score.nodes();
    let settings = TableSettings { temperature: 1.0, edge_log_odds: 0.0, max_candidates: nodes };
    let candidates: Vec<NodeSet> = (0..nodes).map(|node| NodeSet::full(nodes).without(node)).collect();
    let stop = AtomicBool::new(false);
    ParentSetTables::new(score, constraints, &candidates, graphs, &settings, &stop).expect("small tables")
}

/// The probability of every edge, row causes column, by enumeration of all DAGs.
fn enumerated(tables: &ParentSetTables) -> Vec<f64> {
    let nodes = tables.nodes();
    let mut edges = vec![0.0; nodes * nodes];
    let mut total = 0.0;
    for dag in all_dags(nodes) {
        let weight = tables.log_dag(&dag).exp();
        total += weight;
        dag.edges().for_each(|edge| edges[edge.from * nodes + edge.to] += weight);
    }
    edges.iter().map(|sum| sum / total).collect()
}

fn knowledge(nodes: usize) -> Vec<Constraints> {
    let names = &["a", "b", "c", "d", "e"][..nodes];
    let rules: [fn(&mut Knowledge); 4] = [
        |_| {},
        |knowledge| _ = knowledge.require("b->a").require("a->c").forbid("c->d"),
        |knowledge| _ = knowledge.max_parents(1),
        |knowledge| _ = knowledge.tier(1, ["c", "d"]).tier(2, ["a", "b"]).require("d->a").max_parents(2),
    ];
    let compile = |rule: &fn(&mut Knowledge)| {
        let mut knowledge = Knowledge::default();
        rule(&mut knowledge);
        knowledge.compile(names).expect("no contradiction")
    };
    rules.iter().map(compile).collect()
}

/// Heated copies alone, as beyond 20 variables.
fn without_proposals() -> ChainsConfig {
    ChainsConfig { proposals: 0, ..ChainsConfig::default() }
}

fn never() -> AtomicBool {
    AtomicBool::new(false)
}

fn largest_difference(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

#[test]
fn edge_probabilities_are_those_of_all_dags_each_counted_once() {
    for nodes in [4, 5] {
        for constraints in knowledge(nodes) {
            let tables = tables(&Made { nodes, scale: 1.5 }, &constraints, &[]);
            for config in [ChainsConfig::default(), without_proposals()] {
                let mut chains = Chains::new(&tables, &constraints, &[], config).expect("a start");
                chains.advance(200, &never());
                let summary = chains.summary().expect("some rounds");
                let difference = largest_difference(&summary.edge_probabilities, &enumerated(&tables));
                assert!(difference < 0.01, "{nodes} variables, {constraints:?}: {difference}");
                assert!(summary.largest_r_hat < 1.01, "{summary:?}");
                for draw in chains.draws().iter().flatten() {
                    assert!(constraints.permits(&draw.dag));
                    assert!((draw.log_score - tables.log_dag(&draw.dag)).abs() < 1e-9);
                }
            }
        }
    }
}

#[test]
fn drawn_dags_have_the_frequencies_of_the_target() {
    let constraints = Constraints::none(3);
    let tables = tables(&Made { nodes: 3, scale: 1.5 }, &constraints, &[]);
    for config in [ChainsConfig::default(), without_proposals()] {
        let config = ChainsConfig { sweeps: 2, max_draws: 4096, ..config };
        let mut chains = Chains::new(&tables, &constraints, &[], config).expect("a start");
        chains.advance(4096, &never());
        let draws: Vec<Dag> = chains.draws().into_iter().flatten().map(|draw| draw.dag).collect();
        let dags: Vec<Dag> = all_dags(3).collect();
        let total: f64 = dags.iter().map(|dag| tables.log_dag(dag).exp()).sum();
        let variation = |dag: &Dag| {
            let seen = draws.iter().filter(|drawn| *drawn == dag).count() as f64 / draws.len() as f64;
            (seen - tables.log_dag(dag).exp() / total).abs() / 2.0
        };
        let variation: f64 = dags.iter().map(variation).sum();
        assert!(variation < 0.02, "total variation {variation} over {} draws", draws.len());
    }
}

/// A fork: of its class of three, two graphs have each edge.
#[test]
fn equivalent_dags_are_equally_likely() {
    struct Fork;
    impl LocalScore for Fork {
        fn name(&self) -> &'static str {
            "fork"
        }

        fn nodes(&self) -> usize {
            3
        }

        fn local(&self, node: usize, parents: &NodeSet) -> f64 {
            let joined = |other: usize| parents.contains(other) && (node == 0 || other == 0);
            let good = parents.len() == 1 && parents.iter().all(joined);
            if good { 30.0 } else { -60.0 * parents.len() as f64 }
        }
    }
    let constraints = Constraints::none(3);
    let tables = tables(&Fork, &constraints, &[]);
    let mut chains = Chains::new(&tables, &constraints, &[], ChainsConfig::default()).expect("a start");
    chains.advance(200, &never());
    let edges = chains.summary().expect("some rounds").edge_probabilities;
    assert!((edges[1] - 2.0 / 3.0).abs() < 0.01, "{edges:?}");
}

#[test]
fn threads_and_interruptions_do_not_change_a_bit() {
    for config in [ChainsConfig::default(), without_proposals()] {
        assert_reproducible(&config);
    }
}

fn assert_reproducible(config: &ChainsConfig) {
    let constraints = Constraints::none(5);
    let tables = tables(&Made { nodes: 5, scale: 2.0 }, &constraints, &[]);
    let new = || Chains::new(&tables, &constraints, &[], config.clone()).expect("a start");
    let run = |threads: usize| {
        with_threads(threads, || {
            let mut chains = new();
            chains.advance(80, &never());
            chains.state()
        })
    };
    let whole = run(1);
    assert_eq!(whole, run(3));

    let mut chains = new();
    for rounds in [3, 40, 37] {
        let stored = serde_json::to_string(&chains.state()).expect("numbers and lists");
        let state: ChainsState = serde_json::from_str(&stored).expect("as it was written");
        chains = Chains::resume(&tables, &state, config.clone()).expect("its own state");
        assert_eq!(chains.advance(10, &AtomicBool::new(true)), 0, "stopped at once, and nothing changed");
        assert_eq!(chains.advance(rounds, &never()), rounds);
    }
    assert_eq!(whole, chains.state());
}

#[test]
fn two_modes_are_weighed_or_reported() {
    let nodes = 8;
    let constraints = Constraints::none(nodes);
    let [out, into] = [
        Dag::from_edges(nodes, (1..nodes).map(|to| Edge { from: 0, to })),
        Dag::from_edges(nodes, (1..nodes).map(|from| Edge { from, to: 0 })),
    ]
    .map(|dag| dag.expect("a star"));
    for depth in [3.0, 40.0] {
        let tables = tables(&TwoModes { nodes, depth }, &constraints, &[]);
        for config in [ChainsConfig::default(), without_proposals()] {
            let has_proposals = config.proposals > 0;
            let config = ChainsConfig { starts: 2, ..config };
            let mut chains =
                Chains::new(&tables, &constraints, &[out.clone(), into.clone()], config).expect("two starts");
            chains.advance(100, &never());
            let summary = chains.summary().expect("some rounds");
            let [first, second] = [&summary.by_start[0], &summary.by_start[1]].map(|edges| edges[1]);
            let agree = (first - second).abs() < 0.1;
            assert!(agree || summary.largest_r_hat > 1.1, "depth {depth}: {first} {second}");
            assert!(agree || !has_proposals, "proposals come from both modes: {first} {second}");
        }
    }
}

/// Three variables whose best parents are no candidates, and outweigh all that are: products of their weights overflow.
#[test]
fn parent_sets_beside_the_candidates_may_outweigh_them() {
    struct Collider;
    impl LocalScore for Collider {
        fn name(&self) -> &'static str {
            "collider"
        }

        fn nodes(&self) -> usize {
            5
        }

        fn local(&self, node: usize, parents: &NodeSet) -> f64 {
            if node >= 2 && *parents == NodeSet::of(5, [0, 1]) { 290.0 } else { -(parents.len() as f64) }
        }
    }
    let constraints = Constraints::none(5);
    let edges = (2..5).flat_map(|to| [0, 1].map(|from| Edge { from, to }));
    let best = Dag::from_edges(5, edges).expect("all edges lead upwards");
    let settings = TableSettings { temperature: 1.0, edge_log_odds: 0.0, max_candidates: 0 };
    let none = vec![NodeSet::empty(5); 5];
    let tables = ParentSetTables::new(&Collider, &constraints, &none, &[best], &settings, &never());
    let tables = tables.expect("no candidates at all");
    let mut chains = Chains::new(&tables, &constraints, &[], without_proposals()).expect("a start");
    chains.advance(40, &never());
    let edges = chains.summary().expect("some rounds").edge_probabilities;
    assert!((2..5).all(|to| edges[to] > 0.999 && edges[5 + to] > 0.999), "{edges:?}");
}

#[test]
fn a_run_ends_when_the_starts_agree_or_the_rounds_are_used_up() {
    let constraints = Constraints::none(4);
    let tables = tables(&Made { nodes: 4, scale: 1.0 }, &constraints, &[]);
    let new = |config| Chains::new(&tables, &constraints, &[], config).expect("a start");
    let mut chains = new(ChainsConfig::default());
    assert_eq!(chains.run(5000, &never()), ChainsEnd::Converged);
    let summary = chains.summary().expect("some rounds");
    assert!(summary.largest_r_hat <= 1.1 && summary.smallest_ess >= 200.0, "{summary:?}");

    let mut chains = new(ChainsConfig { min_ess: f64::INFINITY, ..ChainsConfig::default() });
    assert_eq!(chains.run(20, &never()), ChainsEnd::Rounds);
    assert_eq!(chains.rounds(), 20);
    assert_eq!(chains.run(40, &AtomicBool::new(true)), ChainsEnd::Stopped);
    assert_eq!(chains.rounds(), 20);
}

#[test]
fn what_cannot_run_is_refused() {
    let mut knowledge = Knowledge::default();
    knowledge.forbid("a->b");
    let constraints = knowledge.compile(&["a", "b"]).expect("no contradiction");
    let tables = tables(&Made { nodes: 2, scale: 1.0 }, &constraints, &[]);
    let forbidden = Dag::from_edges(2, [Edge::new(0, 1)]).expect("a DAG");
    let new = |starts: &[Dag], config| Chains::new(&tables, &constraints, starts, config).map(|_| ());
    assert_eq!(new(&[forbidden], ChainsConfig::default()), Err(ChainsError::Start { start: 0 }));
    let config = ChainsConfig { hottest: 0.0, ..ChainsConfig::default() };
    let expected = ChainsError::Option { option: "hottest", value: 0.0, range: "above 0 and at most 1" };
    assert_eq!(new(&[], config), Err(expected));
}
