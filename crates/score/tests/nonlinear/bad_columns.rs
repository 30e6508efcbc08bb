//! Constant, repeated and collinear columns, scales of 1e±150, fewer rows than variables: values stay finite.

use std::any::type_name;

use gflowcausal_data::{Moments, Table};
use gflowcausal_graph::{Constraints, Order};
use gflowcausal_score::{
    Bdeu, Bge, BgePrior, Bic, BicEqual, ByScore, Cam, DegenerateGaussian, GpMarginal, GraphScore, Lasso,
    LinearModel, LocalScore, OrderScore, Penalty, Prune, Quadratic, ScoreError, Spline, TTest, Threshold,
    Varsort, prune_order,
};
use proptest::prelude::*;

use crate::{Complete, categories, column_of, real_table, set, subsets, uniforms};

/// A plain column, its copy, a sum, a constant, and two columns at the ends of the scale.
fn bad_table(rows: usize) -> Table {
    let u = uniforms(rows * 3, 2);
    let [a, b, c] = [0, 1, 2].map(|j| column_of(&u, 3, j));
    let sum = a.iter().zip(&b).map(|(a, b)| a + b).collect();
    let huge = b.iter().map(|b| b * 1e150).collect();
    let tiny = c.iter().map(|c| c * 1e-150).collect();
    real_table(vec![a.clone(), a, sum, vec![7.1; rows], huge, tiny])
}

fn least_squares(table: &Table) -> Vec<Box<dyn LocalScore>> {
    vec![
        Box::new(DegenerateGaussian::new(table, Penalty::Auto).expect("valid")),
        Box::new(Quadratic::new(table, Penalty::Auto).expect("valid")),
        Box::new(Spline::new(table, Penalty::Auto).expect("valid")),
    ]
}

fn scores(table: &Table) -> Vec<Box<dyn LocalScore>> {
    let mut scores = least_squares(table);
    scores.push(Box::new(GpMarginal::new(table).expect("valid")));
    scores
}

#[test]
fn every_term_is_finite() {
    for rows in [1, 2, 3, 5, 40] {
        for score in scores(&bad_table(rows)) {
            for node in 0..6 {
                for parents in subsets(6, &[node]) {
                    let term = score.local(node, &parents);
                    assert!(
                        term.is_finite(),
                        "{} of {node} given {parents:?}, {rows} rows: {term}",
                        score.name()
                    );
                }
            }
        }
    }
}

#[test]
fn nothing_is_gained_from_a_constant_or_for_one() {
    for score in scores(&bad_table(40)) {
        let (constant, alone) = (3, set(6, []));
        assert!(score.local(0, &set(6, [constant])) <= score.local(0, &alone), "{}", score.name());
        for parents in subsets(6, &[constant]) {
            assert!(score.local(constant, &parents) <= score.local(constant, &alone), "{}", score.name());
        }
    }
}

#[test]
fn a_perfect_fit_for_lack_of_rows_scores_nothing() {
    let u = uniforms(40, 8);
    let table = real_table((0..8).map(|j| column_of(&u, 8, j)).collect());
    for score in least_squares(&table) {
        let all = set(8, [1, 2, 3, 4, 5, 6, 7]);
        assert!(score.local(0, &all) < score.local(0, &set(8, [])), "{}", score.name());
    }
}

#[test]
fn infinite_and_missing_cells_are_named() {
    let table = real_table(vec![vec![1.0, 2.0], vec![1.0, f64::INFINITY]]);
    assert_eq!(Quadratic::new(&table, Penalty::Auto).err(), Some(ScoreError::NotFinite { column: 1 }));
    let table = real_table(vec![vec![1.0, f64::NAN]]);
    let missing = ScoreError::MissingCells { column: "x0".into(), cells: 1 };
    assert_eq!(Quadratic::new(&table, Penalty::Auto).err(), Some(missing.clone()));
    assert_eq!(DegenerateGaussian::new(&table, Penalty::Auto).err(), Some(missing));
}

#[test]
fn every_p_value_is_a_probability() {
    for rows in [1, 2, 3, 5, 40] {
        let cam = Cam::new(&bad_table(rows), Cam::ALPHA).expect("valid");
        for node in 0..6 {
            for candidates in subsets(6, &[node]) {
                let p_values = cam.p_values(node, &candidates);
                assert_eq!(p_values.len(), candidates.len());
                let probable = p_values.iter().all(|p| (0.0..=1.0).contains(p));
                assert!(probable, "{node} given {candidates:?}, {rows} rows: {p_values:?}");
            }
        }
    }
}

/// What can be odd about a column, given those before it.
#[derive(Debug, Clone, Copy)]
enum Odd {
    Plain,
    Constant,
    Copy,
    Turned,
    Sum,
    Huge,
    Tiny,
    Rounded,
    Outlier,
}

const NODES: usize = 5;

/// Columns of a random table, each odd in its own way.
fn odd_columns(rows: usize, seed: u64, kinds: &[Odd]) -> Vec<Vec<f64>> {
    let u = uniforms(rows * NODES, seed);
    let mut columns: Vec<Vec<f64>> = Vec::new();
    for (j, kind) in kinds.iter().enumerate() {
        let fresh = column_of(&u, NODES, j);
        let (last, first) = (columns.last().unwrap_or(&fresh), columns.first().unwrap_or(&fresh));
        let column = |f: &dyn Fn(usize) -> f64| (0..rows).map(f).collect();
        columns.push(match kind {
            Odd::Plain => column(&|i| fresh[i] + 0.5 * last[i]),
            Odd::Constant => vec![-7.3e9; rows],
            Odd::Copy => last.clone(),
            Odd::Turned => column(&|i| 2.0 - 3.0 * first[i]),
            Odd::Sum => column(&|i| first[i] + last[i]),
            Odd::Huge => column(&|i| 1e150 * (fresh[i] - 0.5)),
            Odd::Tiny => column(&|i| 1e-150 * fresh[i]),
            Odd::Rounded => column(&|i| (2.0 * fresh[i]).round()),
            Odd::Outlier => column(&|i| fresh[i] + if i == 0 { 1e8 } else { 0.0 }),
        });
    }
    columns
}

/// The same columns as categories: above the first row or not. Only levels that occur are named.
fn odd_categories(columns: &[Vec<f64>]) -> Table {
    let named = |(j, column): (usize, &Vec<f64>)| {
        let codes: Vec<u32> = column.iter().map(|&value| u32::from(value > column[0])).collect();
        let levels = 1 + codes.iter().copied().max().unwrap_or(0) as usize;
        categories(&format!("k{j}"), codes, levels)
    };
    Table::new(columns.iter().enumerate().map(named).collect()).expect("equal lengths")
}

/// Every local score there is.
fn every_score(columns: &[Vec<f64>]) -> Vec<Box<dyn LocalScore>> {
    let (table, moments) = (real_table(columns.to_vec()), moments_of(columns));
    let mut every = scores(&table);
    every.push(Box::new(Bic::new(&moments, Penalty::Auto).expect("valid")));
    every.push(Box::new(Bge::new(&moments, BgePrior::default()).expect("valid")));
    every.push(Box::new(Bdeu::new(&odd_categories(columns), Bdeu::SAMPLE_SIZE).expect("valid")));
    every.push(Box::new(Quadratic::with_equal_noise(&table, Penalty::Auto).expect("valid")));
    every
}

fn moments_of(columns: &[Vec<f64>]) -> Moments {
    Moments::of_columns(&columns.iter().map(Vec::as_slice).collect::<Vec<_>>())
}

fn is_constant(column: &[f64]) -> bool {
    column.iter().all(|value| *value == column[0])
}

/// The prior of `bge` has more degrees of freedom for a variable with more parents, whatever they are: a constant may pay.
fn scores_constants(score: &dyn LocalScore) -> bool {
    score.name() != "bge"
}

/// Finite everywhere; a constant parent never pays, and nothing pays for a constant.
fn check_terms(score: &dyn LocalScore, columns: &[Vec<f64>]) -> Result<(), TestCaseError> {
    for node in 0..NODES {
        let alone = score.local(node, &set(NODES, []));
        for parents in subsets(NODES, &[node]) {
            let term = score.local(node, &parents);
            prop_assert!(term.is_finite(), "{} of {node} given {parents:?}: {term}", score.name());
            if !scores_constants(score) {
                continue;
            }
            let slack = 1e-6 * term.abs().max(1.0);
            for parent in parents.iter().filter(|&parent| is_constant(&columns[parent])) {
                let without = score.local(node, &parents.without(parent));
                prop_assert!(term <= without + slack, "{}: {parent} -> {node}", score.name());
            }
            if is_constant(&columns[node]) {
                prop_assert!(term <= alone + slack, "{}: {parents:?} -> {node}", score.name());
            }
        }
    }
    Ok(())
}

/// What stays was there before, and no constant stays.
fn check_pruning<P: Prune>(rule: &P, columns: &[Vec<f64>]) -> Result<(), TestCaseError> {
    let order = Order::identity(NODES);
    let dag = prune_order(rule, &order, &Constraints::none(NODES));
    for edge in dag.edges() {
        prop_assert!(edge.from < edge.to, "{} keeps {edge:?}", type_name::<P>());
        prop_assert!(!is_constant(&columns[edge.from]), "{} keeps a constant: {edge:?}", type_name::<P>());
    }
    Ok(())
}

fn check_order<S: OrderScore>(score: &S) -> Result<(), TestCaseError> {
    let order = Order::identity(NODES);
    prop_assert!(score.score(&order).is_finite(), "{}", type_name::<S>());
    prop_assert!(
        score.insertion_deltas(&order, 1).iter().all(|delta| delta.is_finite()),
        "{}",
        type_name::<S>()
    );
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Every score and every pruning on every mixture of odd columns, from one row up.
    #[test]
    fn every_score_and_every_pruning_stays_sensible(
        seed in 0u64..1000,
        rows in prop::sample::select(vec![1usize, 2, 3, 5, 6, 12, 40]),
        kinds in prop::collection::vec(prop::sample::select(vec![
            Odd::Plain, Odd::Constant, Odd::Copy, Odd::Turned, Odd::Sum, Odd::Huge, Odd::Tiny, Odd::Rounded, Odd::Outlier,
        ]), NODES),
    ) {
        let columns = odd_columns(rows, seed, &kinds);
        for score in every_score(&columns) {
            check_terms(&*score, &columns)?;
            if scores_constants(&*score) {
                check_pruning(&ByScore(&*score), &columns)?;
            }
            check_order(&Complete(&*score))?;
        }
        let (table, moments) = (real_table(columns.clone()), moments_of(&columns));
        let equal = BicEqual::new(&moments, Penalty::Auto).expect("valid");
        check_order(&equal)?;
        check_order(&Varsort::new(&moments).expect("valid"))?;
        prop_assert!(GraphScore::graph(&equal, &Order::identity(NODES).complete_dag()).is_finite());
        let model = LinearModel::new(&moments).expect("valid");
        check_pruning(&TTest { model: &model, alpha: 0.001 }, &columns)?;
        check_pruning(&Threshold { model: &model, threshold: 0.3 }, &columns)?;
        check_pruning(&Lasso { model: &model }, &columns)?;
        check_pruning(&Cam::new(&table, Cam::ALPHA).expect("valid"), &columns)?;
    }
}
