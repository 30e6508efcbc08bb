//! How time and memory grow with the size of the data: exponents fitted to a suite's rows.

use std::collections::BTreeSet;

use super::study::line_through;
use super::suite::{Source, Suite};
use super::table::Row;

/// From so many sizes on an exponent is fitted.
const LEAST_SIZES: usize = 3;

/// One row of the table: the size of its data, and what it took.
struct Point {
    variables: usize,
    rows: usize,
    seconds: Option<f64>,
    megabytes: Option<f64>,
}

/// For each method of `suite` that was tried on enough sizes, how it grows.
pub(super) fn growth(suite: &Suite, table: &[Row]) -> Vec<String> {
    let sentence = |name: &String| {
        let points = points(suite, table, name);
        let parts: Vec<String> = [("CPU time", seconds as Quantity), ("peak memory", megabytes as Quantity)]
            .into_iter()
            .filter_map(|(what, quantity)| Some(format!("{what} as {}", exponents(&points, quantity)?)))
            .collect();
        (!parts.is_empty()).then(|| format!("growth of {name}: {}", parts.join("; ")))
    };
    suite.method.iter().filter_map(|method| sentence(&method.name)).collect()
}

type Quantity = fn(&Point) -> Option<f64>;

fn seconds(point: &Point) -> Option<f64> {
    point.seconds
}

fn megabytes(point: &Point) -> Option<f64> {
    point.megabytes
}

fn points(suite: &Suite, table: &[Row], method: &str) -> Vec<Point> {
    let point = |row: &Row| {
        let data = suite.data.iter().find(|data| data.name == row.data)?;
        let Source::Simulate(simulation) = &data.source else { return None };
        Some(Point {
            variables: simulation.nodes,
            rows: simulation.rows,
            seconds: row.cpu_seconds.map(|spread| spread.mean),
            megabytes: row.peak_megabytes.map(|spread| spread.mean),
        })
    };
    table.iter().filter(|row| row.method == method).filter_map(point).collect()
}

/// The exponents by variables and by rows, each along the other's most tried value.
fn exponents(points: &[Point], quantity: Quantity) -> Option<String> {
    let by_variables = exponent(points, quantity, |point| point.variables, |point| point.rows);
    let by_rows = exponent(points, quantity, |point| point.rows, |point| point.variables);
    let named = [("variables", by_variables), ("rows", by_rows)];
    let parts: Vec<String> = named
        .into_iter()
        .filter_map(|(name, fit)| {
            let (slope, from, to) = fit?;
            Some(format!("{name}^{slope:.2} ({from} to {to})"))
        })
        .collect();
    (!parts.is_empty()).then(|| parts.join(" and "))
}

/// The slope of the logarithm of `quantity` on that of `size`, and the sizes that it was fitted between.
fn exponent(
    points: &[Point],
    quantity: Quantity,
    size: fn(&Point) -> usize,
    other: fn(&Point) -> usize,
) -> Option<(f64, usize, usize)> {
    let known: Vec<(usize, usize, f64)> = points
        .iter()
        .filter_map(|point| Some((size(point), other(point), quantity(point)?)))
        .filter(|(_, _, value)| *value > 0.0)
        .collect();
    let others: BTreeSet<usize> = known.iter().map(|point| point.1).collect();
    let sizes = |fixed: usize| -> BTreeSet<usize> {
        known.iter().filter(|point| point.1 == fixed).map(|point| point.0).collect()
    };
    let fixed = others.into_iter().max_by_key(|&fixed| sizes(fixed).len())?;
    let sizes = sizes(fixed);
    let ends = (sizes.len() >= LEAST_SIZES).then(|| Some((*sizes.first()?, *sizes.last()?)))??;
    let line: Vec<(f64, f64)> = known
        .iter()
        .filter(|point| point.1 == fixed)
        .map(|&(size, _, value)| ((size as f64).ln(), value.ln()))
        .collect();
    Some((line_through(&line).0, ends.0, ends.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(variables: usize, rows: usize, seconds: f64) -> Point {
        Point { variables, rows, seconds: Some(seconds), megabytes: None }
    }

    #[test]
    fn a_power_is_found_along_the_line_of_most_sizes() {
        let mut points: Vec<Point> =
            [10, 30, 100].map(|d| point(d, 1000, 2.0 * (d as f64).powi(2))).into_iter().collect();
        points.push(point(30, 10_000, 1e9));
        let text = exponents(&points, seconds).expect("three sizes are enough");
        assert_eq!(text, "variables^2.00 (10 to 100)");
        assert_eq!(exponents(&points, megabytes), None);
        assert_eq!(exponents(&points[..2], seconds), None);
    }
}
