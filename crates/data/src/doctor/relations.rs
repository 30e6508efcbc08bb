//! Findings about several columns: copies, linear relations, different units.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hasher};

use gflowcausal_determinism::map;
use gflowcausal_graph::Advice;

use super::{Finding, about};
use crate::{Column, Moments, Table, Values};

/// Relations are evaluated on this many rows at most.
const ROWS: usize = 20_000;

/// The share of a column's variance that may be left after the others explain it, for a linear relation.
const LEFT: f64 = 1e-10;

/// Standardised slopes below this are rounding.
const SLOPE: f64 = 1e-6;

/// Standard deviations that differ by this factor are reported.
const SCALES: f64 = 1e6;

pub(super) fn findings(table: &Table) -> Vec<Finding> {
    let groups = copies(table.columns());
    let mut findings: Vec<Finding> = groups.iter().filter_map(|group| copied(table, group)).collect();
    let is_copy = |index: usize| groups.iter().any(|group| group[1..].contains(&index));
    let numbers: Vec<(&str, &[f64])> = (0..table.columns().len())
        .filter(|&index| !is_copy(index))
        .filter_map(|index| {
            Some((table.columns()[index].name.as_str(), table.columns()[index].as_continuous()?))
        })
        .collect();
    let (names, moments) = varying(&numbers);
    findings.extend(linear_relations(&names, &moments));
    findings.extend(scales(&names, &moments));
    findings
}

fn copied(table: &Table, group: &[usize]) -> Option<Finding> {
    about(
        group.iter().map(|&index| table.columns()[index].name.clone()).collect(),
        "duplicate-columns",
        |who| format!("the same values in {who}"),
        Advice::new("keep one of them, and leave out the others with ").option("exclude"),
    )
}

/// Groups of columns that hold the same values, by index. Costs `O(n d)`: columns are compared by their hash first.
fn copies(columns: &[Column]) -> Vec<Vec<usize>> {
    let hashes = map(columns.len(), |index| hash_of_varying(&columns[index].values));
    let mut by_hash: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    for (index, hash) in hashes.into_iter().enumerate() {
        if let Some(hash) = hash {
            by_hash.entry(hash).or_default().push(index);
        }
    }
    let same = |a: usize, b: usize| marks(&columns[a].values).eq(marks(&columns[b].values));
    let mut groups: Vec<Vec<usize>> = by_hash
        .into_values()
        .map(|group| group.iter().copied().filter(|&index| same(group[0], index)).collect::<Vec<_>>())
        .filter(|group| group.len() > 1)
        .collect();
    groups.sort();
    groups
}

/// A hash of the column, or nothing if it is constant.
fn hash_of_varying(values: &Values) -> Option<u64> {
    let mut hasher = DefaultHasher::new();
    marks(values).for_each(|mark| hasher.write_u64(mark));
    let mut marks = marks(values);
    let first = marks.next()?;
    marks.any(|mark| mark != first).then(|| hasher.finish())
}

/// Each value as a number of its own: the bits of numbers, categories in the order in which they turn up.
fn marks(values: &Values) -> Box<dyn Iterator<Item = u64> + '_> {
    match values {
        // Adding zero turns −0 into 0.
        Values::Continuous(values) => Box::new(values.iter().map(|value| (value + 0.0).to_bits())),
        Values::Categorical { codes, levels } => {
            let (mut seen, mut order) = (0, vec![None; levels.len()]);
            Box::new(codes.iter().map(move |&code| match order.get_mut(code as usize) {
                None => u64::MAX,
                Some(place) => *place.get_or_insert_with(|| {
                    seen += 1;
                    seen
                }),
            }))
        }
    }
}

/// Moments over rows without a gap of the columns that vary there.
fn varying<'a>(numbers: &[(&'a str, &[f64])]) -> (Vec<&'a str>, Moments) {
    let is_empty = |values: &[f64]| !values.iter().any(|value| value.is_finite());
    let numbers: Vec<(&str, &[f64])> =
        numbers.iter().copied().filter(|(_, values)| !is_empty(values)).collect();
    let rows = numbers.first().map_or(0, |(_, values)| values.len());
    let mut whole = vec![true; rows];
    for (_, values) in &numbers {
        whole.iter_mut().zip(*values).for_each(|(whole, value)| *whole &= value.is_finite());
    }
    let whole: Vec<usize> = (0..rows).filter(|&row| whole[row]).collect();
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
        // In the order of the table: which one is called dependent is a matter of rounding.
        let tied: BTreeSet<usize> = causes.map(|(&pivot, _)| pivot).chain([dependent]).collect();
        about(
            tied.into_iter().map(|index| names[index].to_owned()).collect(),
            "collinear-columns",
            |who| format!("an exact linear relation ties {who}"),
            Advice::new("leave one of them out with ").option("exclude"),
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
        |who| match ratio.is_finite() {
            true => format!("the standard deviations of {who} differ by a factor of {ratio:.0e}"),
            false => format!("the standard deviations of {who} differ by a factor of more than 1e308"),
        },
        "nothing for the default score; standardise for scores that depend on units",
    )
}
