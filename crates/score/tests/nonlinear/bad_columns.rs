//! Constant, repeated and collinear columns, scales of 1e±150, fewer rows than variables: values stay finite.

use gflowcausal_data::Table;
use gflowcausal_score::{
    Cam, DegenerateGaussian, GpMarginal, KernelRidge, LocalScore, Penalty, Quadratic, ScoreError, Spline,
};

use crate::{column_of, real_table, set, subsets, uniforms};

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
    scores.push(Box::new(KernelRidge::new(table, Penalty::Auto).expect("valid")));
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
fn a_perfect_fit_for_lack_of_rows_is_worth_nothing() {
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
