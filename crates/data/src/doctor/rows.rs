//! Findings about rows: too few, repeated, or autocorrelated.

use gflowcausal_graph::{Advice, pluralize};

use super::{Finding, about};
use crate::{Column, Table};

/// The share of repeated rows that is reported.
const REPEATED: f64 = 0.05;

/// Correlation of a row with the next above which rows are not independent.
const SEQUENCE: f64 = 0.5;

pub(super) fn findings(table: &Table) -> Vec<Finding> {
    [too_few(table), mixed(table), repeated(table), sequence(table)].into_iter().flatten().collect()
}

fn all_names(table: &Table) -> Vec<String> {
    table.names().map(str::to_owned).collect()
}

fn too_few(table: &Table) -> Option<Finding> {
    let (rows, columns) = (table.rows(), table.columns().len());
    let concerned = if rows <= columns && columns > 1 { all_names(table) } else { vec![] };
    about(
        concerned,
        "too-few-rows",
        |_| {
            let are = if rows == 1 { "is" } else { "are" };
            format!("there {are} {} for {columns} columns", pluralize(rows, "row"))
        },
        "add rows, or choose fewer columns",
    )
}

fn mixed(table: &Table) -> Option<Finding> {
    let categorical: Vec<String> = table
        .columns()
        .iter()
        .filter(|column| column.as_continuous().is_none())
        .map(|column| column.name.clone())
        .collect();
    let concerned = if categorical.len() < table.columns().len() { categorical } else { vec![] };
    about(
        concerned,
        "mixed-columns",
        |who| format!("categories in {who}, real numbers in the others"),
        Advice::new("nothing: the default score takes both; ")
            .option("types")
            .then(" changes a column's type"),
    )
}

/// Repeated rows of real numbers: copies, or measurements with few digits.
fn repeated(table: &Table) -> Option<Finding> {
    let columns: Option<Vec<&[f64]>> = table.columns().iter().map(Column::as_continuous).collect();
    let columns = columns.filter(|columns| columns.len() > 1)?;
    let (rows, repeats) = (table.rows(), repeats(&columns));
    let concerned = if repeats as f64 > REPEATED * rows as f64 { all_names(table) } else { vec![] };
    about(
        concerned,
        "duplicate-rows",
        |_| format!("{repeats} of {rows} rows repeat an earlier one"),
        "check that rows were not copied: they count as independent",
    )
}

/// How many rows repeat an earlier one; rows are compared by their hash first. Costs `O(n d + n log n)`.
fn repeats(columns: &[&[f64]]) -> usize {
    let mut hashes = vec![0u64; columns[0].len()];
    for column in columns {
        for (hash, value) in hashes.iter_mut().zip(*column) {
            *hash = (*hash ^ value.to_bits()).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
        }
    }
    let mut order: Vec<usize> = (0..hashes.len()).collect();
    order.sort_by_key(|&row| hashes[row]);
    let same = |a: usize, b: usize| columns.iter().all(|column| column[a].to_bits() == column[b].to_bits());
    order.windows(2).filter(|pair| hashes[pair[0]] == hashes[pair[1]] && same(pair[0], pair[1])).count()
}

/// Columns in which a row resembles the next: time series, or sorted rows.
fn sequence(table: &Table) -> Option<Finding> {
    let resembles = |values: &[f64]| values.len() >= 30 && lag_correlation(values) > SEQUENCE;
    let concerned: Vec<String> = table
        .columns()
        .iter()
        .filter(|column| column.as_continuous().is_some_and(resembles))
        .map(|column| column.name.clone())
        .collect();
    about(
        concerned,
        "ordered-rows",
        |who| format!("each row resembles the one before in {who}"),
        "if rows are a time series, model lags or thin them out: scores take rows as independent",
    )
}

/// The correlation of neighbouring values; zero for a constant column or one with gaps only.
fn lag_correlation(values: &[f64]) -> f64 {
    let present: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
    let mean = present.iter().sum::<f64>() / present.len().max(1) as f64;
    let largest = present.iter().map(|value| (value - mean).abs()).fold(0.0, f64::max);
    if largest == 0.0 {
        return 0.0;
    }
    let z: Vec<f64> = present.iter().map(|value| (value - mean) / largest).collect();
    let total: f64 = z.iter().map(|value| value * value).sum();
    z.windows(2).map(|pair| pair[0] * pair[1]).sum::<f64>() / total
}
