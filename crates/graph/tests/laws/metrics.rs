//! Metrics against counting pair by pair, on empty graphs, and against another program.

use gflowcausal_graph::{
    Cpdag, Dag, Edge, Metrics, Pdag, auprc, auroc, cpdag_shd, evaluate, expected_shd, shd,
};
use proptest::prelude::*;

use crate::graphs::{dag, dag_of, pairs, pdag_and_dag, two_dags};

/// How a pair is joined: apart, along it, against it, or without direction.
fn mark(graph: &Pdag, pair: Edge) -> u8 {
    match (graph.has_directed(pair), graph.has_directed(pair.reversed()), graph.has_undirected(pair)) {
        (false, false, false) => 0,
        (true, false, false) => 1,
        (false, true, false) => 2,
        (false, false, true) => 3,
        impossible => panic!("{pair} is joined as {impossible:?}"),
    }
}

fn differences(a: &Pdag, b: &Pdag) -> usize {
    pairs(a.nodes()).filter(|&pair| mark(a, pair) != mark(b, pair)).count()
}

fn every_figure(metrics: &Metrics) -> [f64; 6] {
    let &Metrics { tpr, fdr, fpr, precision, recall, f1, .. } = metrics;
    [tpr, fdr, fpr, precision, recall, f1]
}

proptest! {
    #[test]
    fn the_counts_are_those_of_the_pairs((estimate, truth) in pdag_and_dag(0..=9)) {
        let metrics = evaluate(&estimate, &truth);
        let true_marks = Pdag::from(&truth);
        let [mut correct, mut reversed, mut missing, mut extra] = [0; 4];
        for pair in pairs(truth.nodes()) {
            match (mark(&estimate, pair), mark(&true_marks, pair)) {
                (0, 0) => {}
                (0, _) => missing += 1,
                (_, 0) => extra += 1,
                (3, _) => correct += 1,
                (a, b) if a == b => correct += 1,
                _ => reversed += 1,
            }
        }
        prop_assert_eq!(
            (metrics.correct, metrics.reversed, metrics.missing, metrics.extra),
            (correct, reversed, missing, extra)
        );
        prop_assert_eq!(metrics.shd, missing + extra + reversed);
        prop_assert_eq!(metrics.shd2, missing + extra + 2 * reversed);
        prop_assert_eq!(metrics.shd, shd(&estimate, &truth));
        let truth_count = correct + reversed + missing;
        let predicted = correct + reversed + extra;
        prop_assert_eq!((metrics.true_edges, metrics.predicted_edges), (truth_count, predicted));
        if truth_count > 0 && predicted > 0 {
            prop_assert_eq!(metrics.tpr, correct as f64 / truth_count as f64);
            prop_assert_eq!(metrics.precision, correct as f64 / predicted as f64);
            prop_assert_eq!(metrics.fdr, (reversed + extra) as f64 / predicted as f64);
            prop_assert!((metrics.fdr + metrics.precision - 1.0).abs() < 1e-12);
        }
        let sum = metrics.precision + metrics.recall;
        if sum > 0.0 {
            prop_assert!((metrics.f1 - 2.0 * metrics.precision * metrics.recall / sum).abs() < 1e-12);
        }
    }

    #[test]
    fn what_is_not_found_counts_into_the_distance((estimate, truth) in pdag_and_dag(0..=12)) {
        let metrics = evaluate(&estimate, &truth);
        prop_assert!((1.0 - metrics.tpr) * truth.edge_count() as f64 <= metrics.shd as f64 + 1e-9);
    }

    #[test]
    fn no_figure_is_ever_undefined((estimate, truth) in pdag_and_dag(0..=6)) {
        let metrics = evaluate(&estimate, &truth);
        prop_assert!(every_figure(&metrics).into_iter().all(|figure| figure.is_finite() && figure >= 0.0));
        prop_assert!(metrics.sid <= truth.nodes() * truth.nodes().saturating_sub(1));
    }

    #[test]
    fn the_distance_of_dags_is_that_of_their_pairs((a, b) in two_dags(0..=9)) {
        prop_assert_eq!(shd(&Pdag::from(&a), &b), differences(&Pdag::from(&a), &Pdag::from(&b)));
        prop_assert_eq!(shd(&Pdag::from(&a), &b), shd(&Pdag::from(&b), &a));
    }

    #[test]
    fn the_class_distance_compares_the_classes((a, b) in two_dags(0..=9)) {
        let expected = differences(Cpdag::of(&a).as_pdag(), Cpdag::of(&b).as_pdag());
        prop_assert_eq!(cpdag_shd(&Pdag::from(&a), &b), expected);
        prop_assert_eq!(cpdag_shd(Cpdag::of(&a).as_pdag(), &b), expected);
    }

    #[test]
    fn the_class_of_the_truth_is_a_perfect_estimate_of_the_class(truth in dag(0..=15)) {
        let metrics = evaluate(Cpdag::of(&truth).as_pdag(), &truth);
        prop_assert_eq!((metrics.tpr, metrics.fdr, metrics.shd, metrics.cpdag_shd), (1.0, 0.0, 0, 0));
    }

    #[test]
    fn the_expected_distance_is_the_weighted_mean(
        (truth, samples) in (1_usize..7).prop_flat_map(|nodes| {
            (dag_of(nodes), proptest::collection::vec((dag_of(nodes), 0.0..3.0_f64), 1..6))
        }),
    ) {
        let total: f64 = samples.iter().map(|(_, weight)| weight).sum();
        prop_assume!(total > 0.0);
        let mean: f64 =
            samples.iter().map(|(dag, weight)| weight / total * shd(&Pdag::from(dag), &truth) as f64).sum();
        let expected = expected_shd(samples.iter().map(|(dag, weight)| (dag, *weight)), &truth).unwrap();
        prop_assert!((expected - mean).abs() < 1e-9);
    }

    #[test]
    fn auroc_is_the_share_of_pairs_in_the_right_order((truth, levels) in ranked_dag()) {
        let nodes = truth.nodes();
        let probabilities: Vec<f64> = levels.iter().map(|&level| f64::from(level) / 4.0).collect();
        let cell = |edge: Edge| probabilities[edge.from * nodes + edge.to];
        let (edges, others): (Vec<Edge>, Vec<Edge>) =
            crate::graphs::cells(nodes).partition(|&edge| truth.contains(edge));
        let won: f64 = edges
            .iter()
            .flat_map(|&edge| others.iter().map(move |&other| (edge, other)))
            .map(|(edge, other)| match cell(edge).total_cmp(&cell(other)) {
                std::cmp::Ordering::Greater => 1.0,
                std::cmp::Ordering::Equal => 0.5,
                std::cmp::Ordering::Less => 0.0,
            })
            .sum();
        let contests = (edges.len() * others.len()) as f64;
        let expected = if contests > 0.0 { won / contests } else { 0.5 };
        prop_assert!((auroc(&probabilities, &truth) - expected).abs() < 1e-12);
    }

    #[test]
    fn the_truth_ranks_perfectly(truth in dag(2..=8)) {
        prop_assume!(truth.edge_count() > 0);
        let nodes = truth.nodes();
        let certain: Vec<f64> = (0..nodes * nodes)
            .map(|cell| f64::from(u8::from(truth.contains(Edge::new(cell / nodes, cell % nodes)))))
            .collect();
        prop_assert_eq!((auroc(&certain, &truth), auprc(&certain, &truth)), (1.0, 1.0));
    }
}

fn ranked_dag() -> impl Strategy<Value = (Dag, Vec<u8>)> {
    (0_usize..7).prop_flat_map(|nodes| (dag_of(nodes), proptest::collection::vec(0_u8..5, nodes * nodes)))
}

#[test]
fn empty_graphs_have_figures() {
    let some = Dag::from_edges(3, [Edge::new(0, 1)]).unwrap();
    let none = Dag::empty(3);
    let of = |estimate: &Dag, truth: &Dag| every_figure(&evaluate(&Pdag::from(estimate), truth));
    //                                tpr  fdr  fpr  precision recall f1
    assert_eq!(of(&none, &none), [1.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
    assert_eq!(of(&none, &some), [0.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
    assert_eq!(of(&some, &none), [1.0, 1.0, 1.0 / 3.0, 0.0, 1.0, 0.0]);
    for nodes in [0, 1] {
        let nothing = Dag::empty(nodes);
        assert_eq!(of(&nothing, &nothing), [1.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
        let zeros = vec![0.0; nodes * nodes];
        assert_eq!((auroc(&zeros, &nothing), auprc(&zeros, &nothing)), (0.5, 0.0));
    }
    assert_eq!((auroc(&[0.5; 9], &none), auprc(&[0.5; 9], &none)), (0.5, 0.0));
    assert_eq!(expected_shd([], &none), None);
    assert_eq!(expected_shd([(&some, 0.0)], &none), None);
}

#[test]
fn a_complete_truth_leaves_no_pair_to_be_false_and_the_rate_is_still_a_number() {
    let truth = Dag::from_edges(2, [Edge::new(0, 1)]).unwrap();
    let turned = Dag::from_edges(2, [Edge::new(1, 0)]).unwrap();
    assert_eq!(evaluate(&Pdag::from(&turned), &truth).fpr, 1.0);
    assert_eq!(evaluate(&Pdag::from(&truth), &truth).fpr, 0.0);
}

#[test]
fn an_estimate_with_a_cycle_is_compared_as_it_stands() {
    let mut circle = Pdag::empty(3);
    for edge in [(0, 1), (1, 2), (2, 0)] {
        circle.insert_directed(edge.into()).unwrap();
    }
    let chain = Dag::from_edges(3, [Edge::new(0, 1), Edge::new(1, 2)]).unwrap();
    let metrics = evaluate(&circle, &chain);
    assert_eq!((metrics.shd, metrics.cpdag_shd), (1, 3));
}

/// ```python
/// import numpy as np                                                     # scikit-learn 1.9.1
/// from sklearn.metrics import roc_auc_score, average_precision_score
/// truth = np.array([[0,1,0,0,0],[0,0,1,1,0],[0,0,0,0,1],[0,0,0,0,0],[0,0,0,1,0]])
/// p = np.array([[9,.9,.1,.3,0],[.1,9,.7,.2,.3],[0,.3,9,.2,.3],[0,.8,.2,9,.5],[.1,0,.3,.5,9]])
/// off = ~np.eye(5, dtype=bool)
/// print(roc_auc_score(truth[off], p[off]), average_precision_score(truth[off], p[off]))
/// ```
#[test]
fn ranking_with_ties_is_scikit_learns() {
    let edges = [(0, 1), (1, 2), (1, 3), (2, 4), (4, 3)].map(Edge::from);
    let truth = Dag::from_edges(5, edges).unwrap();
    #[rustfmt::skip]
    let probabilities = [
        9.0, 0.9, 0.1, 0.3, 0.0,
        0.1, 9.0, 0.7, 0.2, 0.3,
        0.0, 0.3, 9.0, 0.2, 0.3,
        0.0, 0.8, 0.2, 9.0, 0.5,
        0.1, 0.0, 0.3, 0.5, 9.0,
    ];
    assert!((auroc(&probabilities, &truth) - 0.8200000000000001).abs() < 1e-12);
    assert!((auprc(&probabilities, &truth) - 0.6102564102564103).abs() < 1e-12);
}

#[test]
fn the_two_zeros_are_a_tie() {
    let truth = Dag::from_edges(2, [Edge::new(0, 1)]).unwrap();
    assert_eq!(auroc(&[0.0, -0.0, 0.0, 0.0], &truth), 0.5);
}

#[test]
fn the_names_in_json_are_those_of_the_interface() {
    let truth = Dag::from_edges(2, [Edge::new(0, 1)]).unwrap();
    let json = serde_json::to_value(evaluate(&Pdag::from(&truth), &truth)).unwrap();
    let names: Vec<&str> = json.as_object().unwrap().keys().map(String::as_str).collect();
    let expected = [
        "tpr",
        "fdr",
        "fpr",
        "shd",
        "shd_2",
        "cpdag_shd",
        "sid",
        "precision",
        "recall",
        "f1",
        "correct",
        "reversed",
        "missing",
        "extra",
        "true_edges",
        "predicted_edges",
    ];
    assert_eq!(names, expected);
}
