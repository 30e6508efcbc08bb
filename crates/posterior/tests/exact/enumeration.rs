//! Sums, edges, paths and pairs of edges against all DAGs one by one.

use std::sync::atomic::AtomicBool;

use gflowcausal_determinism::with_threads;
use gflowcausal_graph::{Constraints, Dag, Edge};
use gflowcausal_posterior::{Exact, ExactError};
use gflowcausal_score::ParentSetTables;

use crate::{Arbitrary, assert_close, enumerated, exact, knowledge, tables, tables_at};

/// The probability that `holds` for each pair of variables.
fn marginals(dags: &[(Dag, f64)], nodes: usize, holds: impl Fn(&Dag, Edge) -> bool) -> Vec<f64> {
    let mut probabilities = vec![0.0; nodes * nodes];
    for (dag, probability) in dags {
        for from in 0..nodes {
            for to in (0..nodes).filter(|&to| to != from) {
                if holds(dag, Edge { from, to }) {
                    probabilities[from * nodes + to] += probability;
                }
            }
        }
    }
    probabilities
}

fn check(tables: &ParentSetTables) {
    let (nodes, posterior) = (tables.nodes(), exact(tables));
    let (dags, log_z) = enumerated(tables);
    assert!((posterior.log_z() - log_z).abs() < 1e-9, "{} {log_z}", posterior.log_z());
    assert_close(posterior.edges(), &marginals(&dags, nodes, Dag::contains), 1e-9);
    let paths = marginals(&dags, nodes, |dag, edge| dag.reaches(edge.from, edge.to));
    assert_close(posterior.ancestors(), &paths, 1e-9);
    for edge in [Edge { from: 0, to: nodes - 1 }, Edge { from: 1, to: 0 }, Edge { from: 2, to: 1 }] {
        let joint = posterior.joint_edges(tables, edge, &AtomicBool::new(false)).expect("not stopped");
        let expected = marginals(&dags, nodes, |dag, other| dag.contains(edge) && dag.contains(other));
        assert_close(&joint, &expected, 1e-9);
    }
}

#[test]
fn everything_is_what_all_dags_give_for_any_local_scores() {
    for nodes in 3..=5 {
        for (seed, spread) in [(1, 0.5), (2, 5.0), (3, 80.0)] {
            check(&tables(&Arbitrary { nodes, seed, spread }, &Constraints::none(nodes)));
        }
    }
}

#[test]
fn everything_is_what_all_allowed_dags_give() {
    for nodes in 3..=5 {
        for (seed, spread) in [(4, 2.0), (5, 5000.0)] {
            check(&tables_at(&Arbitrary { nodes, seed, spread }, &knowledge(nodes), 2.5, -0.4));
        }
    }
}

#[test]
fn one_and_two_variables_are_no_special_case() {
    let one = exact(&tables(&Arbitrary { nodes: 1, seed: 1, spread: 1.0 }, &Constraints::none(1)));
    assert_eq!((one.edges(), one.ancestors()), (&[0.0][..], &[0.0][..]));
    let two = tables(&Arbitrary { nodes: 2, seed: 1, spread: 1.0 }, &Constraints::none(2));
    let (dags, log_z) = enumerated(&two);
    assert!((exact(&two).log_z() - log_z).abs() < 1e-12);
    assert_close(exact(&two).edges(), &marginals(&dags, 2, Dag::contains), 1e-12);
}

/// The weight of DAGs over 11 variables without data is their number, by Robinson's recurrence.
#[test]
fn scores_of_zero_count_dags() {
    let count = exact(&tables(&Arbitrary { nodes: 11, seed: 0, spread: 0.0 }, &Constraints::none(11)));
    assert!((count.log_z() - 31_603_459_396_418_917_607_425_f64.ln()).abs() < 1e-9, "{}", count.log_z());
}

#[test]
fn the_number_of_threads_does_not_change_a_bit() {
    let bits = |threads| {
        with_threads(threads, || {
            let tables = tables(&Arbitrary { nodes: 10, seed: 7, spread: 30.0 }, &Constraints::none(10));
            let posterior = exact(&tables);
            let numbers = [posterior.edges(), posterior.ancestors(), &[posterior.log_z()]].concat();
            let graphs = posterior.sample(&tables, 3, 0..50);
            (numbers.into_iter().map(f64::to_bits).collect::<Vec<_>>(), graphs)
        })
    };
    assert_eq!(bits(1), bits(2));
    assert_eq!(bits(1), bits(4));
}

#[test]
fn what_cannot_be_done_is_refused() {
    let tables = tables(&Arbitrary { nodes: 3, seed: 7, spread: 1.0 }, &Constraints::none(3));
    assert_eq!(Exact::new(&tables, &AtomicBool::new(true)).err(), Some(ExactError::Stopped));
}
