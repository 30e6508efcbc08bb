//! The best classes of graphs against the slow way: all DAGs scored and sorted, and every change of one edge tried.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use gflowcausal_graph::{Constraints, Cpdag, Dag, Edge, Knowledge, NodeSet, all_dags};
use gflowcausal_posterior::Ranking;
use gflowcausal_score::{LocalScore, ParentSetTables, TableSettings};

/// Some number for every variable and parent set: equivalent graphs differ.
struct Made {
    nodes: usize,
}

impl LocalScore for Made {
    fn name(&self) -> &'static str {
        "made"
    }

    fn nodes(&self) -> usize {
        self.nodes
    }

    fn local(&self, node: usize, parents: &NodeSet) -> f64 {
        3.0 * ((node * 37) as f64 + parents.words()[0] as f64 * 11.3).sin() - 0.5 * parents.len() as f64
    }
}

fn tables(nodes: usize, constraints: &Constraints) -> ParentSetTables {
    let settings = TableSettings { temperature: 1.0, edge_log_odds: 0.0, max_candidates: nodes };
    let candidates: Vec<NodeSet> = (0..nodes).map(|node| NodeSet::full(nodes).without(node)).collect();
    let stop = AtomicBool::new(false);
    ParentSetTables::new(&Made { nodes }, constraints, &candidates, &[], &settings, &stop)
        .expect("small tables")
}

/// Every graph that one edge added, removed or reversed makes of `graph`.
fn neighbours(graph: &Dag) -> Vec<Dag> {
    let nodes = graph.nodes();
    let pairs =
        (0..nodes).flat_map(|from| (0..nodes).filter(move |&to| to != from).map(move |to| (from, to)));
    let mut all = Vec::new();
    for edge in pairs.map(|(from, to)| Edge { from, to }) {
        let mut changed = graph.clone();
        if graph.contains(edge) {
            changed.remove(edge);
            all.push(changed.clone());
            all.extend(changed.insert(edge.reversed()).is_ok().then_some(changed));
        } else if !graph.contains(edge.reversed()) {
            all.extend(changed.insert(edge).is_ok().then_some(changed));
        }
    }
    all
}

/// The best `count` graphs by the slow way: all neighbours of the best that were not yet expanded, until nothing changes.
fn slowly(tables: &ParentSetTables, start: &Dag, count: usize) -> Vec<(Dag, f64)> {
    let mut pool = vec![(start.clone(), tables.log_dag(start))];
    let mut expanded: Vec<Dag> = Vec::new();
    while let Some((next, _)) = pool.iter().take(count).find(|(graph, _)| !expanded.contains(graph)).cloned()
    {
        for graph in neighbours(&next) {
            let weight = tables.log_dag(&graph);
            if weight > f64::NEG_INFINITY && pool.iter().all(|(known, _)| *known != graph) {
                pool.push((graph, weight));
            }
        }
        pool.sort_by(|a, b| b.1.total_cmp(&a.1));
        expanded.push(next);
    }
    pool.truncate(count);
    pool
}

#[test]
fn neighbours_are_found_as_by_trying_every_change_of_one_edge() {
    let mut knowledge = Knowledge::default();
    knowledge.require("a->b").forbid("c->d").max_parents(2);
    let knowledge = knowledge.compile(&["a", "b", "c", "d", "e"]).expect("no contradiction");
    for constraints in [Constraints::none(5), knowledge] {
        let tables = tables(5, &constraints);
        let ranking = Ranking { tables: &tables, constraints: &constraints, is_score_equivalent: false };
        for start in all_dags(5).filter(|dag| constraints.permits(dag)).step_by(3001) {
            let found = ranking.best([&start], 8);
            let expected = slowly(&tables, &start, 8);
            assert_eq!(found.len(), expected.len());
            for (found, (graph, weight)) in found.iter().zip(&expected) {
                assert_eq!(found.graph, *graph, "from {start:?}");
                assert!((found.log_weight - weight).abs() < 1e-9, "{found:?}");
                assert!((tables.log_dag(&found.graph) - weight).abs() < 1e-9, "{found:?}");
            }
        }
    }
}

/// Equal for equivalent graphs: a number for every class, spread over its members' parent sets by inclusion and exclusion.
struct Equivalent;

impl LocalScore for Equivalent {
    fn name(&self) -> &'static str {
        "equivalent"
    }

    fn nodes(&self) -> usize {
        4
    }

    /// `h(family) − h(parents)` with any `h` of sets is score equivalent.
    fn local(&self, node: usize, parents: &NodeSet) -> f64 {
        let h = |set: &NodeSet| 2.0 * (set.words()[0] as f64 * 7.7).sin() - 0.3 * (set.len() as f64).powi(2);
        h(&parents.with(node)) - h(parents)
    }

    fn is_score_equivalent(&self) -> bool {
        true
    }
}

#[test]
fn classes_are_listed_once_with_their_sizes() {
    let constraints = Constraints::none(4);
    let settings = TableSettings { temperature: 1.0, edge_log_odds: 0.0, max_candidates: 4 };
    let candidates: Vec<NodeSet> = (0..4).map(|node| NodeSet::full(4).without(node)).collect();
    let stop = AtomicBool::new(false);
    let tables = ParentSetTables::new(&Equivalent, &constraints, &candidates, &[], &settings, &stop);
    let tables = tables.expect("small tables");
    let mut classes: BTreeMap<String, (f64, usize)> = BTreeMap::new();
    for dag in all_dags(4) {
        let key = format!("{:?}", Cpdag::of(&dag));
        classes.entry(key).or_insert((tables.log_dag(&dag), 0)).1 += 1;
    }
    let mut expected: Vec<(f64, usize)> = classes.into_values().collect();
    expected.sort_by(|a, b| b.0.total_cmp(&a.0));
    let ranking = Ranking { tables: &tables, constraints: &constraints, is_score_equivalent: true };
    // Every graph is given, so the list must be that of all 185 classes.
    let dags: Vec<Dag> = all_dags(4).collect();
    let found = ranking.best(&dags, 20);
    assert_eq!(found.len(), 20);
    for (found, (weight, size)) in found.iter().zip(&expected) {
        assert!((found.log_weight - weight).abs() < 1e-9, "{found:?} {weight}");
        assert_eq!(found.class_size, Some(*size as f64), "{found:?}");
    }
}
