//! Tables against the enumeration of all parent sets.

use gflowcausal_determinism::{Stream, log_sum_exp, rand::RngExt, stream, with_threads};
use gflowcausal_graph::{Edge, Knowledge};

use super::*;

const NODES: usize = 7;

/// Any number for any node and parents.
struct Arbitrary {
    /// How far the terms spread.
    spread: f64,
}

impl LocalScore for Arbitrary {
    fn name(&self) -> &'static str {
        "arbitrary"
    }

    fn nodes(&self) -> usize {
        NODES
    }

    fn local(&self, node: usize, parents: &NodeSet) -> f64 {
        let bits = parents.words()[0];
        stream(node as u64, Stream::Test { k: bits }).random_range(-self.spread..self.spread)
    }
}

fn set(members: impl IntoIterator<Item = usize>) -> NodeSet {
    NodeSet::of(NODES, members)
}

fn subset(bits: usize) -> NodeSet {
    set((0..NODES).filter(|node| bits >> node & 1 == 1))
}

fn knowledge() -> Constraints {
    let mut knowledge = Knowledge::default();
    knowledge.require("a->b").forbid("c->d").max_parents(4);
    knowledge.compile(&["a", "b", "c", "d", "e", "f", "g"]).expect("no conflict")
}

fn chain_and_star() -> Vec<Dag> {
    let chain = (1..NODES).map(|to| Edge { from: to - 1, to });
    let star = [2, 4, 5, 6].map(|from| Edge { from, to: 3 }).into_iter().chain([Edge { from: 0, to: 1 }]);
    let mut chain = Dag::from_edges(NODES, chain).expect("acyclic");
    chain.remove(Edge { from: 2, to: 3 });
    let mut star = Dag::from_edges(NODES, star).expect("acyclic");
    star.remove(Edge { from: 2, to: 3 });
    vec![chain, star]
}

struct Case {
    score: Arbitrary,
    constraints: Constraints,
    candidates: Vec<NodeSet>,
    graphs: Vec<Dag>,
    settings: TableSettings,
}

impl Case {
    /// With `size` of the others as candidates.
    fn new(spread: f64, size: usize, constraints: Constraints) -> Self {
        let (score, graphs) = (Arbitrary { spread }, chain_and_star());
        let candidates = (0..NODES)
            .map(|node| {
                set((0..NODES)
                    .map(|step| (3 * node + 2 * step) % NODES)
                    .filter(|&other| other != node)
                    .take(size))
            })
            .collect();
        let settings = TableSettings { temperature: 2.0, edge_log_odds: -0.3, max_candidates: size };
        Self { score, constraints, candidates, graphs, settings }
    }

    fn tables(&self) -> ParentSetTables {
        let stop = AtomicBool::new(false);
        ParentSetTables::new(
            &self.score,
            &self.constraints,
            &self.candidates,
            &self.graphs,
            &self.settings,
            &stop,
        )
        .expect("valid")
    }

    /// The allowed sets of `node` by their definition.
    fn allowed(&self, node: usize) -> Vec<(NodeSet, f64)> {
        let required = self.constraints.required(node);
        let mut inside = self.candidates[node].clone();
        inside.union_with(required);
        let in_graph = |parents: &NodeSet| self.graphs.iter().any(|graph| graph.parents(node) == parents);
        (0..1 << NODES)
            .map(subset)
            .filter(|parents| !parents.contains(node) && self.constraints.permits_parents(node, parents))
            .filter(|parents| {
                parents.is_subset(&inside) || parents.len() == required.len() + 1 || in_graph(parents)
            })
            .map(|parents| {
                let term = self.score.local(node, &parents) / 2.0 - 0.3 * parents.len() as f64;
                (parents, term)
            })
            .collect()
    }
}

fn cases() -> Vec<Case> {
    let none = || Constraints::none(NODES);
    vec![
        Case::new(3.0, 6, none()),
        Case::new(3.0, 3, none()),
        Case::new(3.0, 4, knowledge()),
        Case::new(2000.0, 3, knowledge()),
        Case::new(60.0, 5, none()),
    ]
}

fn assert_close(a: f64, b: f64, tolerance: f64) {
    assert!(a == b || (a - b).abs() < tolerance, "{a} {b}");
}

#[test]
fn every_term_and_every_sum_is_that_of_the_allowed_sets() {
    for case in cases() {
        let tables = case.tables();
        for node in 0..NODES {
            let allowed = case.allowed(node);
            for within in (0..1 << NODES).map(subset).filter(|within| !within.contains(node)) {
                let listed = allowed.iter().find(|(parents, _)| *parents == within);
                assert_close(
                    tables.log_score(node, &within),
                    listed.map_or(f64::NEG_INFINITY, |&(_, t)| t),
                    1e-9,
                );
                let terms: Vec<f64> = allowed
                    .iter()
                    .filter(|(parents, _)| parents.is_subset(&within))
                    .map(|&(_, t)| t)
                    .collect();
                assert_close(tables.log_sum(node, &within), log_sum_exp(terms.iter().copied()), 1e-9);
            }
            let all = log_sum_exp(allowed.iter().map(|&(_, term)| term));
            assert_close(tables.log_total(node), all, 1e-9);
        }
    }
}

#[test]
fn sums_over_touching_sets_do_not_cancel() {
    for case in cases() {
        let mut tables = case.tables();
        for lazy in [true, false] {
            for node in 0..NODES {
                if !lazy {
                    tables.tables[node].forget_containing();
                }
                let allowed = case.allowed(node);
                for within in (0..1 << NODES).map(subset).filter(|within| !within.contains(node)) {
                    for touching in (1..1 << NODES).step_by(5).map(subset) {
                        let touches =
                            |parents: &NodeSet| parents.is_subset(&within) && !parents.is_disjoint(&touching);
                        let terms: Vec<f64> =
                            allowed.iter().filter(|(p, _)| touches(p)).map(|&(_, t)| t).collect();
                        assert_close(
                            tables.log_sum_touching(node, &within, &touching),
                            log_sum_exp(terms.iter().copied()),
                            1e-6,
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn drawn_parents_have_the_frequencies_of_their_terms() {
    let case = Case::new(3.0, 4, knowledge());
    let tables = case.tables();
    let within = set([0, 2, 4, 5, 6]);
    for (node, touching) in [(1, None), (1, Some(set([2, 5]))), (3, Some(set([4, 6]))), (1, Some(set([0])))] {
        let allowed: Vec<(NodeSet, f64)> = case
            .allowed(node)
            .into_iter()
            .filter(|(p, _)| p.is_subset(&within) && touching.as_ref().is_none_or(|t| !p.is_disjoint(t)))
            .collect();
        let total = log_sum_exp(allowed.iter().map(|&(_, t)| t));
        let draws = 20_000;
        let mut counts = vec![0; allowed.len()];
        for k in 0..draws {
            let mut rng = stream(9, Stream::Test { k });
            let (drawn, log_sum) = tables.sample_parents_of_sum(node, &within, touching.as_ref(), &mut rng);
            assert_close(log_sum, total, 1e-9);
            let at = allowed.iter().position(|(parents, _)| *parents == drawn).expect("an allowed set");
            counts[at] += 1;
        }
        for (count, (_, term)) in counts.iter().zip(&allowed) {
            let (seen, expected) = (f64::from(*count) / draws as f64, (term - total).exp());
            assert!((seen - expected).abs() < 0.015, "{seen} {expected}");
        }
    }
}

#[test]
fn no_given_graph_lies_outside() {
    for case in cases() {
        let tables = case.tables();
        for graph in &case.graphs {
            let expected: f64 = (0..NODES)
                .map(|node| {
                    case.score.local(node, graph.parents(node)) / 2.0 - 0.3 * graph.parents(node).len() as f64
                })
                .sum();
            assert_close(tables.log_dag(graph), expected, 1e-9);
        }
    }
}

#[test]
fn candidates_hold_the_neighbours_in_graphs_and_all_others_when_they_fit() {
    let (score, graphs) = (Arbitrary { spread: 3.0 }, chain_and_star());
    let all = candidate_parents(&score, &knowledge(), &graphs, NODES);
    for (node, candidates) in all.iter().enumerate() {
        assert_eq!(candidates, knowledge().allowed_parents(node));
    }
    let few = candidate_parents(&score, &knowledge(), &graphs, 3);
    assert!(few.iter().all(|candidates| candidates.len() == 3));
    assert_eq!(few[3], set([4, 5, 6]));
    assert!(few[1].contains(0) && few[5].contains(4) && few[4].contains(3));
}

#[test]
fn mistakes_are_refused() {
    let stop = AtomicBool::new(false);
    let fails = |case: &Case, stop: &AtomicBool| {
        ParentSetTables::new(
            &case.score,
            &case.constraints,
            &case.candidates,
            &case.graphs,
            &case.settings,
            stop,
        )
        .expect_err("refused")
    };
    let mut case = Case::new(1.0, 4, knowledge());
    case.settings.max_candidates = 2;
    assert!(matches!(fails(&case, &stop), ScoreError::TooManyParentSets { .. }));
    let mut case = Case::new(1.0, 4, knowledge());
    case.settings.temperature = 0.0;
    assert!(matches!(fails(&case, &stop), ScoreError::Target { .. }));
    let mut case = Case::new(1.0, 4, knowledge());
    case.graphs.push(Dag::empty(NODES));
    assert_eq!(fails(&case, &stop), ScoreError::ForbiddenGraph { node: 1 });
    let case = Case::new(1.0, 4, knowledge());
    assert_eq!(fails(&case, &AtomicBool::new(true)), ScoreError::Stopped);
}

#[test]
fn the_number_of_threads_does_not_change_a_bit() {
    let sums = |threads| {
        with_threads(threads, || {
            let tables = Case::new(3.0, 4, knowledge()).tables();
            (0..NODES)
                .map(|node| tables.log_sum(node, &NodeSet::full(NODES).without(node)).to_bits())
                .collect::<Vec<_>>()
        })
    };
    assert_eq!(sums(1), sums(2));
    assert_eq!(sums(1), sums(4));
}

/// Only `4` and `5` together make good parents of `6`.
struct Together;

impl LocalScore for Together {
    fn name(&self) -> &'static str {
        "together"
    }

    fn nodes(&self) -> usize {
        NODES
    }

    fn local(&self, node: usize, parents: &NodeSet) -> f64 {
        let bonus = if node == 6 && parents.contains(4) && parents.contains(5) { 5.0 } else { 0.0 };
        bonus - parents.len() as f64
    }
}

#[test]
fn parents_that_the_tables_leave_out_are_found_beside_drawn_sets() {
    let constraints = Constraints::none(NODES);
    let settings = TableSettings { temperature: 1.0, edge_log_odds: 0.0, max_candidates: 2 };
    let candidates: Vec<NodeSet> = (0..NODES).map(|node| set([usize::from(node == 0)])).collect();
    let stop = AtomicBool::new(false);
    let build = |graphs: &[Dag], candidates: &[NodeSet]| {
        ParentSetTables::new(&Together, &constraints, candidates, graphs, &settings, &stop).expect("valid")
    };
    let tables = build(&[], &candidates);
    let dag = |edges: &[(usize, usize)]| {
        Dag::from_edges(NODES, edges.iter().map(|&(from, to)| Edge { from, to })).expect("acyclic")
    };
    let found = |draws: &[Dag], least: f64| {
        let (score, constraints) = (&Together, &constraints);
        MissedParentSearch { tables: &tables, score, constraints, settings, draws }.graphs(least)
    };
    // One draw in four has the parent 4; with 5 beside it the weight is e⁴ times as large.
    let draws = [dag(&[]), dag(&[(4, 6)]), dag(&[]), dag(&[])];
    let graphs = found(&draws, 0.5);
    assert_eq!(graphs, [dag(&[(4, 6), (5, 6)])], "4 and 5 are both outside, in one set");
    assert!(found(&draws[..1], 0.5).is_empty(), "single parents are in the tables");
    assert!(found(&[dag(&[(4, 6), (6, 5)])], 0.5).is_empty(), "5 is an effect in every draw");

    let candidates = candidate_parents(&Together, &constraints, &graphs, 2);
    assert!(candidates[6].contains(4) && candidates[6].contains(5));
    let settled = build(&graphs, &candidates);
    assert!(settled.log_score(6, &set([4, 5])) > f64::NEG_INFINITY);
}
