//! Findings about pairs of numbers: strong bends and variances that are not constant.

use std::collections::BTreeSet;

use gflowcausal_determinism::map;
use gflowcausal_graph::Advice;

use super::{Finding, about};
use crate::{Column, Table, Values};

/// Pairs are compared on this many rows at most, and with this many columns of numbers.
const ROWS: usize = 2000;
const COLUMNS: usize = 60;

/// Fewer rows say little of shapes.
const LEAST_ROWS: usize = 100;

/// A share of variance that a bend explains, or of the log-squared residuals, above which it is reported.
const STRONG: f64 = 0.05;

/// The least of the same share times the rows: twice a likelihood ratio of two parameters, far beyond chance for all pairs.
const BEYOND_CHANCE: f64 = 40.0;

/// Residuals nearer to zero than this share of the standard deviation count as that.
const NEAR_ZERO: f64 = 0.05;

pub(super) fn findings(table: &Table) -> Vec<Finding> {
    let columns = columns(table);
    if columns.is_empty() {
        return Vec::new();
    }
    let pairs = map(columns.len(), |effect| shapes(&columns, effect));
    let such = |test: fn(&Shape) -> bool| -> Vec<String> {
        let concerned: BTreeSet<usize> = pairs
            .iter()
            .enumerate()
            .flat_map(|(effect, shapes)| {
                shapes
                    .iter()
                    .enumerate()
                    .filter(|(_, shape)| test(shape))
                    .flat_map(move |(cause, _)| [cause, effect])
            })
            .collect();
        concerned.into_iter().map(|index| columns[index].name.to_owned()).collect()
    };
    let found = [
        about(
            such(|shape| shape.is_bent),
            "non-linear",
            |who| format!("strongly bent relations among {who}"),
            Advice::new("nothing with ").set("score", "auto").then(", which weighs smooth functions"),
        ),
        about(
            such(|shape| shape.is_uneven),
            "changing-variance",
            |who| format!("the scatter of one depends on the value of another among {who}"),
            Advice::new("nothing with ")
                .set("score", "auto")
                .then(", or make it even with ")
                .set("transform", "NAME=log"),
        ),
    ];
    found.into_iter().flatten().collect()
}

/// A column of numbers as Hermite polynomials of its normal scores, which are uncorrelated with one another.
struct Polynomials<'a> {
    name: &'a str,
    degrees: [Vec<f64>; 3],
}

/// What is notable about a pair.
#[derive(Default)]
struct Shape {
    is_bent: bool,
    is_uneven: bool,
}

/// The columns that are complete and have enough different values to have a shape; none where there are too many.
fn columns(table: &Table) -> Vec<Polynomials<'_>> {
    let is_smooth = |column: &&Column| column.as_continuous().is_some_and(is_smooth);
    let smooth: Vec<&Column> = table.columns().iter().filter(is_smooth).collect();
    if table.rows() < LEAST_ROWS || !(2..=COLUMNS).contains(&smooth.len()) {
        return Vec::new();
    }
    map(smooth.len(), |index| polynomials(smooth[index]))
}

fn is_smooth(values: &[f64]) -> bool {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.dedup();
    sorted.iter().all(|value| value.is_finite()) && 2 * sorted.len() > values.len()
}

fn polynomials(column: &Column) -> Polynomials<'_> {
    let values = column.as_continuous().unwrap_or_default();
    let thin: Vec<f64> = values.iter().copied().step_by(values.len().div_ceil(ROWS)).collect();
    let scores = match Values::Continuous(thin).normal_scores() {
        Values::Continuous(scores) => standardized(scores),
        Values::Categorical { .. } => Vec::new(),
    };
    let square = standardized(scores.iter().map(|z| z * z).collect());
    let cube = standardized(scores.iter().map(|z| z * (z * z - 3.0)).collect());
    Polynomials { name: &column.name, degrees: [scores, square, cube] }
}

fn standardized(mut values: Vec<f64>) -> Vec<f64> {
    let rows = values.len() as f64;
    let mean = values.iter().sum::<f64>() / rows;
    let deviation = (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / rows).sqrt();
    values
        .iter_mut()
        .for_each(|value| *value = if deviation > 0.0 { (*value - mean) / deviation } else { 0.0 });
    values
}

fn shapes(columns: &[Polynomials<'_>], effect: usize) -> Vec<Shape> {
    let response = &columns[effect].degrees[0];
    let of_cause = |(cause, column): (usize, &Polynomials<'_>)| {
        if cause == effect { Shape::default() } else { shape(&column.degrees, response) }
    };
    columns.iter().enumerate().map(of_cause).collect()
}

/// A cubic of the cause, and whether its residuals scatter evenly. Costs `O(n)`.
fn shape(degrees: &[Vec<f64>; 3], response: &[f64]) -> Shape {
    let rows = response.len() as f64;
    let slopes = degrees.each_ref().map(|degree| mean_product(degree, response));
    let is_strong = |share: f64| share > STRONG && share * rows > BEYOND_CHANCE;
    let logs = response.iter().enumerate().map(|(row, value)| {
        let fitted: f64 = degrees.iter().zip(slopes).map(|(degree, slope)| slope * degree[row]).sum();
        (value - fitted).abs().max(NEAR_ZERO).ln()
    });
    let logs = standardized(logs.collect());
    let uneven: f64 = degrees[..2].iter().map(|degree| mean_product(degree, &logs).powi(2)).sum();
    Shape { is_bent: is_strong(slopes[1].powi(2) + slopes[2].powi(2)), is_uneven: is_strong(uneven) }
}

fn mean_product(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>() / a.len() as f64
}
