//! `quadratic`: least squares on the parents, their squares and their products.

use std::ops::Range;

use faer::Mat;
use gflowcausal_data::Table;
use gflowcausal_determinism::cancellation_point;
use gflowcausal_graph::NodeSet;

use crate::shared_terms::SharedTerms;
use crate::standard_columns::StandardColumns;
use crate::{LocalScore, Penalty, ScoreError};

/// A term with less than this share of its length left beside the others is a linear function of them.
const DEPENDENT: f64 = 1e-10;

/// No fit is credited with leaving less than this share of a variable's variance: rounding reaches a little below.
const RESOLUTION: f64 = 1e-28;

/// How many terms are remembered.
const ROOM: usize = 1 << 22;

/// The logarithm of the largest variance, in units of the noise, that is distinguished from larger ones: sums stay finite.
const LARGEST: f64 = 200.0;

/// By how much the largest value of a variable may exceed its small ones (the 5 % quantile of sizes): beyond, rounding the
/// largest hides the noise of all.
const WIDEST: f64 = 1e12;

/// `−(n/2) ln(RSS/n) − (k/2)·penalty` with the `k = p + p(p+1)/2` linear, square and product terms of `p` parents.
///
/// The fit has an intercept and is made on standardised columns by an orthogonal factorisation with pivoting; the
/// residual is on the data's own scale, as in [`Bic`](crate::Bic). A term that depends linearly on the others explains
/// nothing and still costs its penalty. When `k + 1 ≥ n` the fit counts for nothing. One factorisation serves every
/// variable outside the parent set.
///
/// Squares of squares of squares reach 10⁴⁰, and one such row rounds away what the others tell. A variable that spans
/// more than twelve orders of magnitude is scored by its smaller rows alone, the same ones whatever its parents.
#[derive(Debug)]
pub struct Quadratic {
    data: StandardColumns,
    wide: Vec<Wide>,
    penalty_per_parent: f64,
    noise: Noise,
    shared: SharedTerms,
}

/// A variable that spans too many orders of magnitude, and the columns in the rows that score it.
#[derive(Debug)]
struct Wide {
    node: usize,
    data: StandardColumns,
}

impl Wide {
    /// The rows in which a variable is at most [`WIDEST`] times its small values; none if these are all.
    fn rows(values: &[f64]) -> Option<Vec<usize>> {
        let mut by_size: Vec<usize> = (0..values.len()).collect();
        by_size.sort_by(|&a, &b| values[a].abs().total_cmp(&values[b].abs()));
        let limit = WIDEST * values[by_size[values.len() / 20]].abs();
        let within = by_size.iter().take_while(|&&row| values[row].abs() <= limit).count();
        let few = within < values.len() / 4 || within == values.len();
        (!few).then(|| {
            by_size.truncate(within);
            by_size.sort_unstable();
            by_size
        })
    }

    fn all(table: &Table) -> Result<Vec<Self>, ScoreError> {
        let rows = table.columns().iter().map(|column| column.as_continuous().and_then(Self::rows));
        let wide = rows.enumerate().filter_map(|(node, rows)| Some((node, rows?)));
        wide.map(|(node, rows)| Ok(Self { node, data: StandardColumns::new(&table.select_rows(&rows))? }))
            .collect()
    }
}

/// What is assumed about the noise of different variables.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Noise {
    /// Nothing: each has its own variance.
    Own,
    /// All have the variance with this logarithm.
    Equal { log_variance: f64 },
}

impl Quadratic {
    /// The score of a table of complete real columns, with a noise variance for each variable.
    ///
    /// # Errors
    /// No rows, a column that is not real or misses a cell, or a penalty below zero.
    pub fn new(table: &Table, penalty: Penalty) -> Result<Self, ScoreError> {
        let data = StandardColumns::new(table)?;
        let penalty_per_parent = penalty.per_parent(data.rows as u64, data.nodes())?;
        let shared = SharedTerms::with_room_for(ROOM, data.nodes());
        let wide = Wide::all(table)?;
        Ok(Self { data, wide, penalty_per_parent, noise: Noise::Own, shared })
    }

    /// The score under the assumption that the noise of all variables has one variance `σ²`, as in RL-BIC2:
    /// `−(n/2)(ln σ² + RSS/(nσ²)) − (k/2)·penalty`. It depends on the columns' scales.
    ///
    /// A variable's variance given all others is at most `σ²` and reaches it where nothing is caused: `σ²` is the
    /// largest such residual variance. With fewer than twice as many rows as terms it is the smallest variance of a
    /// column instead, which is that of a variable without causes.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_equal_noise(table: &Table, penalty: Penalty) -> Result<Self, ScoreError> {
        let mut score = Self::new(table, penalty)?;
        score.noise = Noise::Equal { log_variance: score.shared_log_variance() };
        Ok(score)
    }

    fn shared_log_variance(&self) -> f64 {
        let nodes = self.nodes();
        let varies = |&node: &usize| self.data.columns[node].iter().any(|&value| value != 0.0);
        let marginal = |node: usize| 2.0 * self.data.log_scale[node];
        if self.parent_limit() + 1 < nodes {
            return (0..nodes).filter(varies).map(marginal).reduce(f64::min).unwrap_or(0.0);
        }
        let given_others = |node: usize| {
            let design = design(&self.data, &NodeSet::full(nodes).without(node));
            let basis = orthonormal(&design, self.data.rows);
            let left = (self.data.rows - 1 - design.len()) as f64 / self.data.rows as f64;
            let share = residual_shares(&basis, &self.data.columns[node..=node])[0];
            // What rounding leaves of a variable says nothing about its noise.
            (share > RESOLUTION).then(|| marginal(node) + (share / left).ln())
        };
        (0..nodes).filter(varies).filter_map(given_others).reduce(f64::max).unwrap_or(0.0)
    }

    /// The log-likelihood of a variable of which this share of the variance is left, but for constants.
    fn log_likelihood(&self, data: &StandardColumns, node: usize, share: f64) -> f64 {
        let log_variance = 2.0 * data.log_scale[node] + share.max(RESOLUTION).ln();
        let deviance = match self.noise {
            Noise::Own => log_variance,
            Noise::Equal { log_variance: noise } => noise + (log_variance - noise).min(LARGEST).exp(),
        };
        -0.5 * data.rows as f64 * deviance
    }

    /// The terms of all variables given `parents`: `O(n k²)` for each factorisation, `O(n k)` a variable.
    fn terms(&self, parents: &NodeSet) -> Vec<f64> {
        let mut terms = self.terms_on(&self.data, 0..self.nodes(), parents);
        for Wide { node, data } in &self.wide {
            terms[*node] = self.terms_on(data, *node..node + 1, parents)[0];
        }
        terms
    }

    /// The terms of `nodes` given `parents`, on the rows of `data`.
    fn terms_on(&self, data: &StandardColumns, nodes: Range<usize>, parents: &NodeSet) -> Vec<f64> {
        cancellation_point();
        let design = design(data, parents);
        let credible = design.len() + 1 < data.rows;
        let basis = if credible { orthonormal(&design, data.rows) } else { Mat::zeros(data.rows, 0) };
        let left = residual_shares(&basis, &data.columns[nodes.clone()]);
        let penalty = 0.5 * design.len() as f64 * self.penalty_per_parent;
        nodes.zip(left).map(|(node, share)| self.log_likelihood(data, node, share) - penalty).collect()
    }
}

/// Each parent, then each product of two, a parent with itself included; centred and of length 1 or 0.
fn design(data: &StandardColumns, parents: &NodeSet) -> Vec<Vec<f64>> {
    let linear: Vec<&Vec<f64>> = parents.iter().map(|parent| &data.columns[parent]).collect();
    let products = linear.iter().enumerate().flat_map(|(i, first)| {
        linear[..=i].iter().map(|second| first.iter().zip(*second).map(|(a, b)| a * b).collect())
    });
    let mut design: Vec<Vec<f64>> = linear.iter().map(|&column| column.clone()).chain(products).collect();
    design.iter_mut().for_each(|column| normalize(column));
    design
}

/// Centres a column and gives it length 1; a constant one becomes zero.
fn normalize(column: &mut [f64]) {
    let mean = column.iter().sum::<f64>() / column.len() as f64;
    let before = column.iter().map(|value| value * value).sum::<f64>().sqrt();
    column.iter_mut().for_each(|value| *value -= mean);
    let length = column.iter().map(|value| value * value).sum::<f64>().sqrt();
    let scale = if length > DEPENDENT * before { length.recip() } else { 0.0 };
    column.iter_mut().for_each(|value| *value *= scale);
}

/// An orthonormal basis of what the columns span, by QR with pivoting: `O(n k²)`.
fn orthonormal(columns: &[Vec<f64>], rows: usize) -> Mat<f64> {
    let matrix = Mat::from_fn(rows, columns.len(), |row, column| columns[column][row]);
    let factors = matrix.col_piv_qr();
    let pivots = factors.thin_R();
    let rank = (0..columns.len()).take_while(|&i| pivots[(i, i)].abs() > DEPENDENT).count();
    factors.compute_thin_Q().subcols(0, rank).to_owned()
}

/// What share of each column's variance lies outside the basis. Projected twice, so nothing is lost to rounding.
fn residual_shares(basis: &Mat<f64>, columns: &[Vec<f64>]) -> Vec<f64> {
    let rows = basis.nrows();
    let mut left = Mat::from_fn(rows, columns.len(), |row, column| columns[column][row]);
    for _ in 0..2 {
        let inside = basis.transpose() * &left;
        left -= basis * inside;
    }
    let constant = |column: &[f64]| column.iter().all(|&value| value == 0.0);
    let share = |(j, column): (usize, &Vec<f64>)| {
        if constant(column) { 1.0 } else { left.col(j).squared_norm_l2() / rows as f64 }
    };
    columns.iter().enumerate().map(share).collect()
}

impl LocalScore for Quadratic {
    fn name(&self) -> &'static str {
        match self.noise {
            Noise::Own => "quadratic",
            Noise::Equal { .. } => "quadratic-equal",
        }
    }

    fn nodes(&self) -> usize {
        self.data.nodes()
    }

    fn local(&self, node: usize, parents: &NodeSet) -> f64 {
        self.shared.term(node, parents, || self.terms(parents))
    }

    /// A regression can be distinguished from its rivals only while it has fewer than half as many terms as there are rows.
    fn parent_limit(&self) -> usize {
        (1..self.nodes()).take_while(|p| p * (p + 3) < self.data.rows).last().unwrap_or(0)
    }
}
