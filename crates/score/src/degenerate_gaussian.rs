//! `dg`: categories as indicator columns beside the real ones, and the Gaussian BIC on whole blocks of columns.

use std::ops::Range;

use gflowcausal_data::{Column, Moments, Table, Values};
use gflowcausal_graph::NodeSet;

use crate::gaussian::conditional_log_det;
use crate::{Correlation, LocalScore, Penalty, ScoreError};

/// The degenerate Gaussian score of Andrews, Ramsey and Cooper (2019), for tables of real and categorical columns.
///
/// A categorical variable becomes one indicator column for each level that occurs but the last. With `Y` the columns
/// of the variable and `P` those of its parents, the term is `−(n/2) ln|Σ_{Y|P}| − (|Y||P|/2)·penalty`: on a table of
/// real columns it is [`Bic`](crate::Bic). A constant column has no columns here and takes part in nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct DegenerateGaussian {
    correlation: Correlation,
    /// Which columns of the embedding stand for each variable.
    blocks: Vec<Range<usize>>,
    rows: u64,
    penalty_per_parent: f64,
}

impl DegenerateGaussian {
    /// The score of a table of complete columns.
    ///
    /// # Errors
    /// No rows, a missing cell, a column without a finite variance, or a penalty below zero.
    pub fn new(table: &Table, penalty: Penalty) -> Result<Self, ScoreError> {
        let mut embedding: Vec<Vec<f64>> = Vec::new();
        let mut blocks = Vec::with_capacity(table.columns().len());
        for column in table.columns() {
            let start = embedding.len();
            embedding.extend(embedded(column)?);
            blocks.push(start..embedding.len());
        }
        let slices: Vec<&[f64]> = embedding.iter().map(Vec::as_slice).collect();
        let rows = table.rows() as u64;
        let correlation = correlation_of(&slices, rows, &blocks)?;
        Ok(Self { correlation, penalty_per_parent: penalty.per_parent(rows, blocks.len())?, blocks, rows })
    }

    fn columns_of(&self, nodes: &NodeSet) -> usize {
        nodes.iter().map(|node| self.blocks[node].len()).sum()
    }
}

/// Names the table's column, not the embedding's, when a variance is not finite.
fn correlation_of(columns: &[&[f64]], rows: u64, blocks: &[Range<usize>]) -> Result<Correlation, ScoreError> {
    if rows == 0 {
        return Err(ScoreError::NoRows);
    }
    if columns.is_empty() {
        return Correlation::of_matrix(0, &[]);
    }
    Correlation::of_moments(&Moments::of_columns(columns)).map_err(|error| match error {
        ScoreError::NotFinite { column } => {
            let owner = blocks.iter().position(|block| block.contains(&column));
            ScoreError::NotFinite { column: owner.unwrap_or(column) }
        }
        other => other,
    })
}

/// The columns that stand for one variable.
fn embedded(column: &Column) -> Result<Vec<Vec<f64>>, ScoreError> {
    if column.values.missing() > 0 {
        return Err(ScoreError::MissingCells { column: column.name.clone(), cells: column.values.missing() });
    }
    match &column.values {
        Values::Continuous(values) => {
            let constant = values.windows(2).all(|pair| pair[0] == pair[1]);
            Ok(if constant { Vec::new() } else { vec![values.clone()] })
        }
        Values::Categorical { codes, levels } => Ok(indicators(codes, levels.len())),
    }
}

/// One column for each level that occurs, but the last: it is one minus the others.
fn indicators(codes: &[u32], levels: usize) -> Vec<Vec<f64>> {
    let mut occurs = vec![false; levels];
    codes.iter().for_each(|&code| occurs[code as usize] = true);
    let present: Vec<usize> = (0..levels).filter(|&level| occurs[level]).collect();
    let (_, kept) = present.split_last().unwrap_or((&0, &[]));
    let column =
        |&level: &usize| codes.iter().map(|&code| f64::from(u8::from(code as usize == level))).collect();
    kept.iter().map(column).collect()
}

impl LocalScore for DegenerateGaussian {
    fn name(&self) -> &'static str {
        "dg"
    }

    fn nodes(&self) -> usize {
        self.blocks.len()
    }

    /// `O(k³/6)` for `k` embedded columns of the variable and its parents.
    fn local(&self, node: usize, parents: &NodeSet) -> f64 {
        let block = self.blocks[node].clone();
        let given = self.columns_of(parents);
        let penalty = (block.len() * given) as f64 * self.penalty_per_parent;
        // With as many columns as rows anything can be fitted, so the fit says nothing.
        let credible = (given + block.len()) as u64 <= self.rows.saturating_sub(1);
        let trusted = parents.iter().filter(|_| credible).flat_map(|parent| self.blocks[parent].clone());
        -0.5 * (self.rows as f64 * conditional_log_det(&self.correlation, trusted, block) + penalty)
    }

    fn is_score_equivalent(&self) -> bool {
        true
    }
}
