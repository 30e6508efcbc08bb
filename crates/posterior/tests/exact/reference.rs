//! Edges of simulated tables against an independent program (see `tests/data/README.md`).

use gflowcausal_data::Moments;
use gflowcausal_graph::Constraints;
use gflowcausal_score::{Bge, BgePrior, Bic, LocalScore, Penalty};

use crate::{assert_close, exact, tables};

/// The numbers of a file with a header, row by row, and how many columns it has.
fn numbers(name: &str) -> (Vec<f64>, usize) {
    let path = format!("{}/tests/data/{name}.csv", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("a file of the project");
    let columns = text.lines().next().expect("a header").split(',').count();
    let cells = text.lines().skip(1).flat_map(|line| line.split(','));
    (cells.map(|cell| cell.parse().expect("a number")).collect(), columns)
}

fn check(name: &str, score: impl FnOnce(&Moments) -> Box<dyn LocalScore>) {
    let (data, columns) = numbers(&format!("{name}_data"));
    let score = score(&Moments::of_rows(&data, columns));
    let posterior = exact(&tables(&*score, &Constraints::none(columns)));
    assert_close(posterior.edges(), &numbers(&format!("{name}_edges")).0, 1e-8);
}

fn bic(moments: &Moments) -> Box<dyn LocalScore> {
    Box::new(Bic::new(moments, Penalty::Factor(1.0)).expect("usable data"))
}

fn bge(moments: &Moments) -> Box<dyn LocalScore> {
    Box::new(Bge::new(moments, BgePrior::default()).expect("usable data"))
}

#[test]
fn bic_8() {
    check("bic_8", bic);
}

#[test]
fn bge_10() {
    check("bge_10", bge);
}

#[test]
fn bic_12() {
    check("bic_12", bic);
}

#[test]
fn bic_14() {
    check("bic_14", bic);
}

#[test]
fn bge_16() {
    check("bge_16", bge);
}
