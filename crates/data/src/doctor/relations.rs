//! What can be seen between columns: copies, linear relations, units that differ.

use std::collections::BTreeMap;

use super::{Finding, Severity, about};
use crate::{Column, Moments, Table, Values};

/// Relations are judged on this many rows at most.
const ROWS: usize = 20_000;

/// The share of a column's variance that may be left after the others explain it, for a linear relation.
const LEFT: f64 = 1e-10;

/// Standardised slopes below this are rounding.
const SLOPE: f64 = 1e-6;

/// Standard deviations that differ by this factor are worth a word.
const SCALES: f64 = 1e6;

pub(super) fn findings(table: &Table) -> Vec<Finding> {
    let mut findings: Vec<Finding> = copies(table);
    let copied: Vec<String> = findings.iter().flat_map(|finding| finding.columns[1..].to_vec()).collect();
    let numbers: Vec<(&str, Vec<f64>)> = table
        .columns()
        .iter()
        .filter(|column| !copied.contains(&column.name))
        .filter_map(|column| Some((column.name.as_str(), column.as_continuous()?)))
        .map(|(name, values)| (name, values.to_vec()))
        .collect();
    let (names, moments) = varying(&numbers);
    findings.extend(linear_relations(&names, &moments));
    findings.extend(scales(&names, &moments));
    findings
}

/// Columns that hold the same values.
fn copies(table: &Table) -> Vec<Finding> {
    let mut groups: BTreeMap<Vec<u64>, Vec<String>> = BTreeMap::new();
    for column in table.columns() {
        if !is_constant(column) {
            groups.entry(bits(column)).or_default().push(column.name.clone());
        }
    }
    let finding = |columns: Vec<String>| {
        about(
            columns,
            "duplicate-columns",
            Severity::Error,
            |who| format!("the same values in {who}"),
            "keep one of them",
        )
    };
    groups.into_values().filter(|columns| columns.len() > 1).filter_map(finding).collect()
}

fn is_constant(column: &Column) -> bool {
    let values = bits(column);
    values.windows(2).all(|pair| pair[0] == pair[1])
}

fn bits(column: &Column) -> Vec<u64> {
    match &column.values {
        Values::Continuous(values) => values.iter().map(|value| value.to_bits()).collect(),
        Values::Categorical { codes, .. } => codes.iter().map(|&code| u64::from(code)).collect(),
    }
}

/// Moments over rows without a gap of the columns that vary there.
fn varying<'a>(numbers: &[(&'a str, Vec<f64>)]) -> (Vec<&'a str>, Moments) {
    let rows = numbers.first().map_or(0, |(_, values)| values.len());
    let whole: Vec<usize> =
        (0..rows).filter(|&row| numbers.iter().all(|(_, values)| values[row].is_finite())).collect();
    let kept: Vec<usize> = whole.iter().copied().step_by(whole.len().div_ceil(ROWS).max(1)).collect();
    let columns: Vec<(&str, Vec<f64>)> = numbers
        .iter()
        .map(|(name, values)| (*name, kept.iter().map(|&row| values[row]).collect::<Vec<f64>>()))
        .filter(|(_, values)| values.windows(2).any(|pair| pair[0] != pair[1]))
        .collect();
    let slices: Vec<&[f64]> = columns.iter().map(|(_, values)| values.as_slice()).collect();
    (columns.iter().map(|(name, _)| *name).collect(), Moments::of_columns(&slices))
}

/// Columns that others determine linearly, found by Cholesky with pivoting on the correlation. `O(d³)`.
///
/// With fewer rows than columns everything is determined; that is another finding.
fn linear_relations(names: &[&str], moments: &Moments) -> Vec<Finding> {
    let nodes = names.len();
    if moments.rows() <= nodes as u64 {
        return Vec::new();
    }
    let correlation = moments.standardized().covariance();
    let factor = PivotedCholesky::new(nodes, &correlation);
    let relation = |&dependent: &usize| {
        let slopes = factor.slopes(dependent);
        let causes = factor.pivots.iter().zip(&slopes).filter(|(_, slope)| slope.abs() > SLOPE);
        let others = causes.map(|(&pivot, _)| names[pivot].to_owned());
        let columns: Vec<String> = std::iter::once(names[dependent].to_owned()).chain(others).collect();
        about(
            columns,
            "collinear-columns",
            Severity::Error,
            |who| format!("an exact linear relation ties {who}"),
            "leave one of them out",
        )
    };
    factor.dependent.iter().filter_map(relation).collect()
}

struct PivotedCholesky {
    nodes: usize,
    /// The independent columns, in the order they were chosen.
    pivots: Vec<usize>,
    /// The columns that those determine.
    dependent: Vec<usize>,
    /// `rows[k][j]`: entry of column `j` in the k-th row of the factor.
    rows: Vec<Vec<f64>>,
}

impl PivotedCholesky {
    fn new(nodes: usize, matrix: &[f64]) -> Self {
        let mut left: Vec<f64> = (0..nodes).map(|node| matrix[node * nodes + node]).collect();
        let mut factor = Self { nodes, pivots: Vec::new(), dependent: Vec::new(), rows: Vec::new() };
        let mut waiting: Vec<usize> = (0..nodes).collect();
        while let Some(at) = (0..waiting.len()).max_by(|&a, &b| left[waiting[a]].total_cmp(&left[waiting[b]]))
        {
            let pivot = waiting[at];
            if left[pivot] <= LEFT {
                factor.dependent = waiting;
                break;
            }
            waiting.remove(at);
            factor.add(pivot, matrix, &mut left);
        }
        factor
    }

    fn add(&mut self, pivot: usize, matrix: &[f64], left: &mut [f64]) {
        let scale = left[pivot].sqrt();
        let mut row = matrix[pivot * self.nodes..][..self.nodes].to_vec();
        for earlier in &self.rows {
            let weight = earlier[pivot];
            row.iter_mut().zip(earlier).for_each(|(value, entry)| *value -= weight * entry);
        }
        for (value, left) in row.iter_mut().zip(left.iter_mut()) {
            *value /= scale;
            *left -= *value * *value;
        }
        self.pivots.push(pivot);
        self.rows.push(row);
    }

    /// Standardised slopes of `dependent` on the pivots, by back substitution.
    fn slopes(&self, dependent: usize) -> Vec<f64> {
        let count = self.pivots.len();
        let mut slopes = vec![0.0; count];
        for k in (0..count).rev() {
            let known: f64 = (k + 1..count).map(|j| self.rows[k][self.pivots[j]] * slopes[j]).sum();
            slopes[k] = (self.rows[k][dependent] - known) / self.rows[k][self.pivots[k]];
        }
        slopes
    }
}

/// Units that differ by many orders of magnitude.
fn scales(names: &[&str], moments: &Moments) -> Option<Finding> {
    let deviations = moments.deviations();
    let by = |a: &usize, b: &usize| deviations[*a].total_cmp(&deviations[*b]);
    let (least, most) = ((0..names.len()).min_by(by)?, (0..names.len()).max_by(by)?);
    let ratio = deviations[most] / deviations[least];
    let columns = if ratio > SCALES { vec![names[least].into(), names[most].into()] } else { vec![] };
    about(
        columns,
        "huge-scale",
        Severity::Note,
        |who| format!("the standard deviations of {who} differ by a factor of {ratio:.0e}"),
        "nothing for the default score; standardise for scores that depend on units",
    )
}
