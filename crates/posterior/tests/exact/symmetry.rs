//! Markov-equivalent graphs are equally likely under a score that does not tell them apart.

use gflowcausal_data::Moments;
use gflowcausal_determinism::{Stream, rand::RngExt, stream};
use gflowcausal_graph::{Constraints, Dag, Edge, NodeSet};
use gflowcausal_posterior::Exact;
use gflowcausal_score::{Bic, LocalScore, Penalty};

use crate::{assert_close, exact, tables, tables_at};

/// The posterior of data that leave only the equivalence class of a graph: strong edges, many rows, dear parents.
fn class_of(edges: &[(usize, usize)], nodes: usize) -> Exact {
    let score = Bic::new(&moments_of(edges, nodes, 20_000), Penalty::Factor(4.0)).expect("usable data");
    exact(&tables(&score, &Constraints::none(nodes)))
}

/// The moments of a table drawn from linear equations over a graph.
pub(crate) fn moments_of(edges: &[(usize, usize)], nodes: usize, count: usize) -> Moments {
    let dag = Dag::from_edges(nodes, edges.iter().map(|&(from, to)| Edge { from, to })).expect("acyclic");
    Moments::of_rows(&rows(&dag, count), nodes)
}

/// A table drawn from linear equations over the graph, each coefficient 0.9.
fn rows(dag: &Dag, count: usize) -> Vec<f64> {
    let mut rng = stream(1, Stream::Test { k: 0 });
    let mut rows = Vec::new();
    for _ in 0..count {
        let mut row = vec![0.0; dag.nodes()];
        for node in dag.topological_order().iter() {
            let noise = (0..12).map(|_| rng.random::<f64>() - 0.5).sum::<f64>();
            row[node] = noise + dag.parents(node).iter().map(|parent| 0.9 * row[parent]).sum::<f64>();
        }
        rows.extend(row);
    }
    rows
}

fn edge(posterior: &Exact, from: usize, to: usize) -> f64 {
    posterior.edges()[from * posterior.nodes() + to]
}

#[test]
fn a_fork_has_three_equally_likely_graphs() {
    let fork = class_of(&[(0, 1), (0, 2)], 3);
    for leaf in [1, 2] {
        assert!((edge(&fork, 0, leaf) - 2.0 / 3.0).abs() < 1e-6, "{}", edge(&fork, 0, leaf));
        assert!((edge(&fork, leaf, 0) - 1.0 / 3.0).abs() < 1e-6);
    }
}

#[test]
fn a_chain_of_k_has_k_equally_likely_graphs() {
    for k in 2..=7 {
        let chain = class_of(&(1..k).map(|to| (to - 1, to)).collect::<Vec<_>>(), k);
        for to in 1..k {
            let expected = to as f64 / k as f64;
            assert!(
                (edge(&chain, to - 1, to) - expected).abs() < 1e-6,
                "{k} {to}: {}",
                edge(&chain, to - 1, to)
            );
        }
    }
}

#[test]
fn a_star_of_k_leaves_points_outwards_in_all_but_one_graph() {
    for k in 2..=6 {
        let star = class_of(&(1..=k).map(|leaf| (0, leaf)).collect::<Vec<_>>(), k + 1);
        for leaf in 1..=k {
            assert!((edge(&star, leaf, 0) - 1.0 / (k as f64 + 1.0)).abs() < 1e-6, "{k} {leaf}");
        }
    }
}

/// With odds of e¹⁰⁰ for every edge only the complete graphs count, one for each order.
#[test]
fn a_complete_graph_has_no_directions() {
    for nodes in 2..=8 {
        let flat = crate::Arbitrary { nodes, seed: 0, spread: 0.0 };
        let complete = exact(&tables_at(&flat, &Constraints::none(nodes), 1.0, 100.0));
        for (at, probability) in complete.edges().iter().enumerate().filter(|(at, _)| at % (nodes + 1) != 0) {
            assert!((probability - 0.5).abs() < 1e-9, "{nodes} {at}: {probability}");
        }
    }
}

#[test]
fn disconnected_pairs_are_open_each_by_itself() {
    let pairs = class_of(&[(0, 1), (2, 3), (5, 4)], 6);
    for (one, other) in [(0, 1), (2, 3), (4, 5)] {
        assert!((edge(&pairs, one, other) - 0.5).abs() < 1e-6);
        assert!((edge(&pairs, other, one) - 0.5).abs() < 1e-6);
    }
}

#[test]
fn a_collider_is_compelled() {
    let collider = class_of(&[(0, 2), (1, 2)], 3);
    assert!(edge(&collider, 0, 2) > 1.0 - 1e-6 && edge(&collider, 1, 2) > 1.0 - 1e-6);
}

/// A score with its variables renamed.
struct Renamed<'a> {
    score: &'a dyn LocalScore,
    name: Vec<usize>,
}

impl LocalScore for Renamed<'_> {
    fn name(&self) -> &'static str {
        "renamed"
    }

    fn nodes(&self) -> usize {
        self.score.nodes()
    }

    fn local(&self, node: usize, parents: &NodeSet) -> f64 {
        let parents = NodeSet::of(self.nodes(), parents.iter().map(|parent| self.name[parent]));
        self.score.local(self.name[node], &parents)
    }
}

#[test]
fn renaming_variables_permutes_the_answer() {
    let nodes = 7;
    let score = crate::Arbitrary { nodes, seed: 3, spread: 6.0 };
    let name = vec![3, 0, 6, 2, 5, 1, 4];
    let renamed = exact(&tables(&Renamed { score: &score, name: name.clone() }, &Constraints::none(nodes)));
    let plain = exact(&tables(&score, &Constraints::none(nodes)));
    let permuted = |of: &[f64]| -> Vec<f64> {
        (0..nodes * nodes).map(|at| of[name[at / nodes] * nodes + name[at % nodes]]).collect()
    };
    assert!((renamed.log_z() - plain.log_z()).abs() < 1e-9);
    assert_close(renamed.edges(), &permuted(plain.edges()), 1e-9);
    assert_close(renamed.ancestors(), &permuted(plain.ancestors()), 1e-9);
}
