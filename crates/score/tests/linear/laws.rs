//! Laws that hold whatever the data are.

use std::any::type_name;

use std::sync::atomic::AtomicBool;

use gflowcausal_data::{GraphFamily, Moments, Simulation, simulate};
use gflowcausal_determinism::{map, with_threads};
use gflowcausal_graph::{Constraints, Dag, NodeSet, Order};
use gflowcausal_score::{
    Bge, BgePrior, Bic, BicEqual, Cached, GraphScore, GrowShrink, GrowShrinkTrees, Lasso, LinearModel,
    LocalScore, OrderScore, Penalty, Prune, TTest, Varsort, best_insertion, moved, prune_order,
};
use proptest::prelude::*;

use crate::{Complete, close, random_order, simulated};

/// Reverses a covered edge, if there is one: the result is Markov equivalent (Chickering 1995).
fn covered_reversal(dag: &Dag, skip: usize) -> Option<Dag> {
    let covered =
        |edge: &gflowcausal_graph::Edge| dag.parents(edge.from).with(edge.from) == *dag.parents(edge.to);
    let edge = dag.edges().filter(covered).nth(skip)?;
    let mut other = dag.clone();
    other.remove(edge);
    other.insert(edge.reversed()).expect("a covered edge can be reversed");
    Some(other)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn equivalent_graphs_score_the_same(seed in 0u64..1000, skip in 0usize..3) {
        let (moments, dag) = simulated(GraphFamily::ErdosRenyi, 8, 2, 100, seed);
        let mut other = dag.clone();
        for step in 0..4 {
            other = covered_reversal(&other, (skip + step) % 3).unwrap_or(other);
        }
        let bic = Bic::new(&moments, Penalty::Factor(1.0)).unwrap();
        close(bic.graph(&dag), bic.graph(&other), 1e-9);
        let bge = Bge::new(&moments, BgePrior::default()).unwrap();
        close(bge.graph(&dag), bge.graph(&other), 1e-9);
        prop_assert!(bic.is_score_equivalent() && bge.is_score_equivalent());
    }

    /// With a copy of a column among the candidates, and one among the parents.
    #[test]
    fn one_more_parent_adds_the_same_in_one_sweep(seed in 0u64..1000, words in any::<[u64; 2]>()) {
        let simulation = Simulation { nodes: 9, degree: Some(2), rows: 60, seed, ..Simulation::default() };
        let table = simulate(&simulation).unwrap().table;
        let columns: Vec<&[f64]> = table.columns().iter().map(|column| column.as_continuous().unwrap()).collect();
        let copied: Vec<&[f64]> = columns.iter().chain(&columns[..2]).copied().collect();
        let moments = Moments::of_columns(&copied);
        let [parents, more] = words.map(|bits| NodeSet::of(11, (1..11).filter(|node| bits >> node & 1 == 1)));
        let mut more = more;
        more.subtract(&parents);
        let (bic, bge) = (Bic::new(&moments, Penalty::Auto).unwrap(), Bge::new(&moments, BgePrior::default()).unwrap());
        for score in [&bic as &dyn LocalScore, &bge] {
            let one_by_one = more.iter().map(|parent| score.local(0, &parents.with(parent)));
            for (quick, plain) in score.with_each(0, &parents, &more).into_iter().zip(one_by_one) {
                close(quick, plain, 1e-6);
            }
        }
    }

    /// With a copy of a column among the candidates, and one among the parents.
    #[test]
    fn every_subset_scores_the_same_in_one_branching_elimination(seed in 0u64..1000, bits: u64, limit in 3usize..9) {
        let simulation = Simulation { nodes: 7, degree: Some(2), rows: 60, seed, ..Simulation::default() };
        let table = simulate(&simulation).unwrap().table;
        let columns: Vec<&[f64]> = table.columns().iter().map(|column| column.as_continuous().unwrap()).collect();
        let copied: Vec<&[f64]> = columns.iter().chain(&columns[..2]).copied().collect();
        let moments = Moments::of_columns(&copied);
        let (base, optional): (Vec<usize>, Vec<usize>) = (1..9).partition(|node| bits >> node & bits >> 32 & 1 == 1);
        let base = NodeSet::of(9, base.into_iter().take(3));
        let (bic, bge) = (Bic::new(&moments, Penalty::Auto).unwrap(), Bge::new(&moments, BgePrior::default()).unwrap());
        for score in [&bic as &dyn LocalScore, &bge] {
            let mut terms = vec![f64::NAN; 1 << optional.len()];
            score.fill_subsets(0, &base, &optional, limit, &mut terms, &AtomicBool::new(false));
            for (set, &term) in terms.iter().enumerate() {
                let mut parents = base.clone();
                (0..optional.len()).filter(|bit| set >> bit & 1 == 1).for_each(|bit| _ = parents.insert(optional[bit]));
                if parents.len() <= limit {
                    close(term, score.local(0, &parents), 1e-6);
                } else {
                    prop_assert!(term.is_nan(), "beyond the limit nothing is written");
                }
            }
        }
    }

    #[test]
    fn complete_graphs_of_all_orders_have_one_bic(seed in 0u64..1000) {
        let (moments, _) = simulated(GraphFamily::ScaleFree, 12, 3, 200, seed);
        let bic = Bic::new(&moments, Penalty::Auto).unwrap();
        let complete = Complete(bic);
        let other = random_order(12, seed);
        prop_assert!((complete.score(&other) - complete.score(&Order::identity(12))).abs() < 1e-6);
        let bge = Complete(Bge::new(&moments, BgePrior::default()).expect("usable data"));
        prop_assert!((bge.score(&other) - bge.score(&Order::identity(12))).abs() < 1e-6);
    }

    #[test]
    fn insertion_deltas_are_differences_of_scores(seed in 0u64..1000, node in 0usize..10) {
        let (moments, _) = simulated(GraphFamily::ErdosRenyi, 10, 3, 150, seed);
        let order = random_order(10, seed);
        let free = || Constraints::none(10);
        let bic = || Bic::new(&moments, Penalty::Auto).unwrap();
        check_deltas(&GrowShrinkTrees::new(bic(), free()), &order, node)?;
        check_deltas(&GrowShrink::new(Cached::new(bic()), free()), &order, node)?;
        check_deltas(&Complete(Bge::new(&moments, BgePrior::default()).expect("usable data")), &order, node)?;
        check_deltas(&Complete(bic()), &order, node)?;
        check_deltas(&BicEqual::new(&moments, Penalty::Auto).unwrap(), &order, node)?;
        check_deltas(&Varsort::new(&moments).unwrap(), &order, node)?;
    }
}

fn check_deltas<S: OrderScore>(score: &S, order: &Order, node: usize) -> Result<(), TestCaseError> {
    let now = score.score(order);
    let deltas = score.insertion_deltas(order, node);
    prop_assert_eq!(deltas.len(), order.nodes());
    for (position, delta) in deltas.iter().enumerate() {
        let slow = score.score(&moved(order, node, position)) - now;
        prop_assert!((delta - slow).abs() < 1e-6, "{} at {position}: {delta}, not {slow}", type_name::<S>());
    }
    let best = deltas.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let chosen = best_insertion(score, order, node);
    prop_assert_eq!(chosen.map_or(0.0, |insertion| insertion.gain), if best > 1e-6 { best } else { 0.0 });
    Ok(())
}

#[test]
fn a_move_that_changes_nothing_is_exactly_zero() {
    let (moments, dag) = simulated(GraphFamily::ErdosRenyi, 20, 1, 300, 3);
    let trees = GrowShrinkTrees::new(Bic::new(&moments, Penalty::Auto).unwrap(), Constraints::none(20));
    let deltas = trees.insertion_deltas(&dag.topological_order(), 0);
    assert!(deltas.iter().filter(|&&delta| delta == 0.0).count() > 1, "{deltas:?}");
}

#[test]
fn scores_and_prunings_do_not_depend_on_threads() {
    let (moments, _) = simulated(GraphFamily::ScaleFree, 25, 3, 400, 5);
    let run = |threads| {
        with_threads(threads, || {
            let trees =
                GrowShrinkTrees::new(Bic::new(&moments, Penalty::Auto).unwrap(), Constraints::none(25));
            let cached = Cached::with_capacity(Bic::new(&moments, Penalty::Auto).unwrap(), 500);
            let plain = GrowShrink::new(cached, Constraints::none(25));
            let scores = map(40, |k| {
                let order = random_order(25, k as u64);
                [OrderScore::score(&trees, &order).to_bits(), OrderScore::score(&plain, &order).to_bits()]
            });
            let model = LinearModel::new(&moments).unwrap();
            let rules: [&dyn Prune; 2] = [&TTest { model: &model, alpha: 0.001 }, &Lasso { model: &model }];
            let dags = rules.map(|rule| prune_order(rule, &random_order(25, 0), &Constraints::none(25)));
            (scores, dags)
        })
    };
    assert_eq!(run(1), run(2));
    assert_eq!(run(1), run(4));
}
