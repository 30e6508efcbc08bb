//! Runners-up and estimates of `Z` against the enumeration of all DAGs.

use gflowcausal_graph::{Constraints, Cpdag, Dag, all_dags};
use gflowcausal_posterior::{Ranking, log_z_by_recapture};
use gflowcausal_score::{Bic, Penalty};

use crate::symmetry::moments_of;
use crate::{Arbitrary, enumerated, exact, knowledge, tables};

/// Sums of the probabilities of all DAGs, class by class, likeliest first.
fn classes(graphs: &[(Dag, f64)]) -> Vec<(Cpdag, f64, usize)> {
    let mut classes: Vec<(Cpdag, f64, usize)> = Vec::new();
    for (dag, probability) in graphs {
        let class = Cpdag::of(dag);
        match classes.iter_mut().find(|(known, ..)| *known == class) {
            Some((_, total, members)) => {
                *total += probability;
                *members += 1;
            }
            None => classes.push((class, *probability, 1)),
        }
    }
    classes.sort_by(|a, b| (b.1 / b.2 as f64).total_cmp(&(a.1 / a.2 as f64)));
    classes
}

#[test]
fn runners_up_are_the_best_classes_of_all_with_their_sizes_and_shares() {
    let score =
        Bic::new(&moments_of(&[(0, 1), (1, 2), (3, 2)], 4, 60), Penalty::Factor(1.0)).expect("usable data");
    for constraints in [Constraints::none(4), knowledge(4)] {
        let tables = tables(&score, &constraints);
        let (graphs, log_z) = enumerated(&tables);
        let ranking = Ranking { tables: &tables, constraints: &constraints, is_score_equivalent: true };
        let draws = exact(&tables).sample(&tables, 1, 0..400);
        let found = ranking.best(&draws, 6);
        for (found, (class, share, size)) in found.iter().zip(classes(&graphs)) {
            assert_eq!(Cpdag::of(&found.graph), class);
            assert_eq!(found.class_size, Some(size as f64));
            let estimated = found.share(log_z).expect("a small class");
            assert!((estimated - share).abs() < 1e-9, "{estimated} {share}");
        }
        assert_eq!(found.len(), 6);
    }
}

#[test]
fn without_equivalence_every_graph_is_ranked_by_itself() {
    let constraints = Constraints::none(4);
    let tables = tables(&Arbitrary { nodes: 4, seed: 3, spread: 2.0 }, &constraints);
    let (mut graphs, log_z) = enumerated(&tables);
    graphs.sort_by(|a, b| b.1.total_cmp(&a.1));
    let ranking = Ranking { tables: &tables, constraints: &constraints, is_score_equivalent: false };
    let found = ranking.best(graphs.iter().map(|(dag, _)| dag), 5);
    for (found, (dag, probability)) in found.iter().zip(&graphs) {
        assert_eq!(found.graph, *dag);
        assert!((found.share(log_z).expect("one graph") - probability).abs() < 1e-12);
    }
}

#[test]
fn the_best_dag_is_the_heaviest_of_all() {
    for seed in 0..5 {
        for constraints in [Constraints::none(4), knowledge(4)] {
            let tables = tables(&Arbitrary { nodes: 4, seed, spread: 3.0 }, &constraints);
            let best = tables.best_dag().expect("some DAG is allowed");
            let heaviest = all_dags(4).map(|dag| tables.log_dag(&dag)).fold(f64::NEG_INFINITY, f64::max);
            assert!((tables.log_dag(&best) - heaviest).abs() < 1e-12);
        }
    }
}

#[test]
fn draws_that_come_again_tell_the_partition_sum() {
    let constraints = Constraints::none(5);
    let tables = tables(&Arbitrary { nodes: 5, seed: 9, spread: 1.5 }, &constraints);
    let exact = exact(&tables);
    let draws = exact.sample(&tables, 4, 0..40_000);
    let (marked, caught) = draws.split_at(2000);
    let estimate = log_z_by_recapture(&tables, marked, caught).expect("enough draws come again");
    assert!((estimate - exact.log_z()).abs() < 0.03, "{estimate} {}", exact.log_z());
    assert_eq!(log_z_by_recapture(&tables, &marked[..1], &caught[..50]), None);
}
