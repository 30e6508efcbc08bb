//! Columns that break regressions: constant, duplicated, collinear, of extreme scale, more columns than rows.

use gflowcausal_data::Moments;
use gflowcausal_graph::{Constraints, NodeSet, Order};
use gflowcausal_score::{
    BestParents, Bge, BgePrior, Bic, BicEqual, GraphScore, GrowShrinkTrees, Lasso, LinearModel, LocalScore,
    NoPruning, OrderScore, Penalty, Prune, ScoreError, Selected, Sortability, TTest, Threshold, Varsort,
    prune_order,
};

use crate::{Complete, close, moments_of, noise, set};

/// Six columns: independent, a child of it, and four made from them.
fn columns(make: impl Fn(&[f64]) -> [f64; 4]) -> Vec<Vec<f64>> {
    let rows = noise(90, 6, 3);
    let row = |noise: &Vec<f64>| {
        let (a, b) = (noise[0], 0.7 * noise[0] + noise[1]);
        let [c, d, e, f] = make(&[a, b, noise[2], noise[3], noise[4], noise[5]]);
        [a, b, c, d, e, f]
    };
    let made: Vec<[f64; 6]> = rows.iter().map(row).collect();
    (0..6).map(|j| made.iter().map(|row| row[j]).collect()).collect()
}

/// Every score of every parent set, order and pruning is a number.
fn all_finite(moments: &Moments) {
    let nodes = moments.columns();
    let free = || Constraints::none(nodes);
    let bic = Bic::new(moments, Penalty::Auto).expect("usable data");
    let bge = Bge::new(moments, BgePrior::default()).expect("usable data");
    for node in 0..nodes {
        for bits in 0..1_usize << nodes.min(8) {
            let parents = NodeSet::of(nodes, (0..nodes.min(8)).filter(|&p| p != node && bits >> p & 1 == 1));
            assert!(bic.local(node, &parents).is_finite(), "bic {node} {parents:?}");
            assert!(bge.local(node, &parents).is_finite(), "bge {node} {parents:?}");
        }
    }
    let order = Order::identity(nodes);
    let equal = BicEqual::new(moments, Penalty::Auto).expect("usable data");
    let trees = (GrowShrinkTrees::new(bic.clone(), free()), GrowShrinkTrees::new(bge.clone(), free()));
    let scores: [&dyn OrderScore; 6] = [
        &trees.0,
        &trees.1,
        &equal,
        &Complete(bic),
        &Complete(bge),
        &Varsort::new(moments).expect("usable data"),
    ];
    for (k, score) in scores.into_iter().enumerate() {
        assert!(score.score(&order).is_finite(), "order score {k}");
        assert!(score.insertion_deltas(&order, 2).iter().all(|delta| delta.is_finite()), "order score {k}");
    }
    let model = LinearModel::new(moments).expect("usable data");
    let rules: [&dyn Prune; 4] = [
        &TTest { model: &model, alpha: 0.001 },
        &Threshold { model: &model, threshold: 0.3 },
        &Lasso { model: &model },
        &NoPruning,
    ];
    for rule in rules {
        let dag = prune_order(rule, &order, &free());
        assert!(equal.graph(&dag).is_finite());
        let sortability = Sortability::new(&dag, moments).expect("usable data");
        assert!((0.0..=1.0).contains(&sortability.variance) && (0.0..=1.0).contains(&sortability.r2));
    }
}

#[test]
fn a_constant_column_joins_nothing() {
    for constant in [0.0, 0.1, -7.3e9] {
        let moments = moments_of(&columns(|x| [constant, x[0] + x[3], x[4], x[5]]));
        all_finite(&moments);
        let bic = Bic::new(&moments, Penalty::Factor(1.0)).expect("usable data");
        assert_eq!(bic.local(2, &set(6, [])), 0.0);
        assert_eq!(bic.local(2, &set(6, [0])), -0.5 * 90_f64.ln());
        let trees = GrowShrinkTrees::new(bic, Constraints::none(6));
        let dag = prune_order(&Selected(&trees), &Order::identity(6), &Constraints::none(6));
        assert!(dag.parents(2).is_empty() && dag.children(2).is_empty());
    }
}

#[test]
fn a_duplicate_is_as_good_as_the_original_and_adds_nothing_to_it() {
    let moments = moments_of(&columns(|x| [x[1], -3.0 * x[1] + 2.0, x[0] - 2.0 * x[1] + x[4], x[5]]));
    all_finite(&moments);
    let bic = Bic::new(&moments, Penalty::Factor(1.0)).expect("usable data");
    let one = bic.local(4, &set(6, [0, 1]));
    close(bic.local(4, &set(6, [0, 2])), one, 1e-9);
    close(bic.local(4, &set(6, [0, 1, 2])), one - 0.5 * 90_f64.ln(), 1e-9);
    close(bic.local(4, &set(6, [0, 1, 2, 3])), one - 90_f64.ln(), 1e-9);
    // An exact function of its parents is credited with leaving 1e−12 of its variance, no less.
    let credit = bic.local(2, &set(6, [1])) - bic.local(2, &set(6, []));
    close(credit, -45.0 * 1e-12_f64.ln() - 0.5 * 90_f64.ln(), 1e-9);
}

#[test]
fn a_sum_of_columns_has_rank_but_no_noise() {
    let moments = moments_of(&columns(|x| [x[0] + x[1], x[0] - x[1], x[2], x[0] + x[1] + x[2]]));
    all_finite(&moments);
    let trees = GrowShrinkTrees::new(Bic::new(&moments, Penalty::Auto).unwrap(), Constraints::none(6));
    assert_eq!(trees.best_parents(2, &set(6, [0, 1, 3, 4])).map(|parents| parents.len()), Some(2));
}

#[test]
fn extreme_scales_change_a_score_by_a_constant() {
    let make = |scale: [f64; 2]| {
        let mut columns = columns(|x| [x[0] + x[2], x[1] - x[3], x[4], x[2] + x[5]]);
        columns[2].iter_mut().for_each(|value| *value *= scale[0]);
        columns[3].iter_mut().for_each(|value| *value *= scale[1]);
        moments_of(&columns)
    };
    let (plain, extreme) = (make([1.0, 1.0]), make([1e150, 1e-150]));
    all_finite(&extreme);
    let [plain, extreme] = [plain, extreme].map(|moments| Bic::new(&moments, Penalty::Auto).unwrap());
    let shift = -90.0 * 1e150_f64.ln();
    close(extreme.local(2, &set(6, [0, 3])), plain.local(2, &set(6, [0, 3])) + shift, 1e-9);
    close(extreme.local(3, &set(6, [1, 2])), plain.local(3, &set(6, [1, 2])) - shift, 1e-9);
    close(extreme.local(5, &set(6, [2, 3])), plain.local(5, &set(6, [2, 3])), 1e-9);
}

#[test]
fn fewer_rows_than_columns_still_give_sparse_parents() {
    for rows in [1, 2, 5, 12] {
        let data = noise(rows, 20, 9);
        let columns: Vec<Vec<f64>> = (0..20).map(|j| data.iter().map(|row| row[j]).collect()).collect();
        let moments = moments_of(&columns);
        all_finite(&moments);
        let trees = GrowShrinkTrees::new(Bic::new(&moments, Penalty::Auto).unwrap(), Constraints::none(20));
        let dag = prune_order(&Selected(&trees), &Order::identity(20), &Constraints::none(20));
        assert!((0..20).all(|node| 2 * dag.parents(node).len() < rows), "too many parents for {rows} rows");
    }
}

#[test]
fn what_no_score_can_be_made_of_is_refused_by_name() {
    let penalty =
        |value| Bic::new(&moments_of(&columns(|x| [x[2], x[3], x[4], x[5]])), Penalty::Factor(value));
    assert_eq!(penalty(-1.0).unwrap_err(), ScoreError::Penalty(-1.0));
    assert!(matches!(penalty(f64::NAN).unwrap_err(), ScoreError::Penalty(_)));
    let infinite = moments_of(&columns(|x| [1e200 * x[2], x[3], x[4], x[5]]));
    assert_eq!(Bic::new(&infinite, Penalty::Auto).unwrap_err(), ScoreError::NotFinite { column: 2 });
    assert_eq!(Bge::new(&infinite, BgePrior::default()).unwrap_err(), ScoreError::NotFinite { column: 2 });
    assert_eq!(Varsort::new(&infinite).unwrap_err(), ScoreError::NotFinite { column: 2 });
    assert_eq!(Bic::new(&Moments::empty(3), Penalty::Auto).unwrap_err(), ScoreError::NoRows);
    assert_eq!(Bge::new(&Moments::empty(3), BgePrior::default()).unwrap_err(), ScoreError::NoRows);
    let prior = BgePrior { alpha_w: Some(5.0), ..BgePrior::default() };
    let refused = Bge::new(&moments_of(&columns(|x| [x[2], x[3], x[4], x[5]])), prior).unwrap_err();
    assert_eq!(refused.to_string(), "alpha_w of bge must be above 5; it cannot be 5");
}
