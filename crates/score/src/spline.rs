//! `spline`: a sum of smooth functions of one parent each, the fast non-linear score.

use std::sync::OnceLock;

use faer::{Mat, Scale};
use gflowcausal_data::Table;
use gflowcausal_graph::NodeSet;

use crate::regress::{AdditiveFit, AdditiveProblem, Cholesky, SplineBasis, consecutive, dot};
use crate::standard_columns::StandardColumns;
use crate::{LocalScore, Penalty, ScoreError};

/// How many knots a spline has when there are rows enough: the custom of additive models.
pub(crate) const KNOTS: usize = 10;

/// How many rows additive models use: more are thinned to this many, evenly spaced.
pub(crate) const MAX_ROWS: usize = 10_000;

/// The marginal likelihood of an additive spline model, less `(k/2)·penalty` for `k` parents.
///
/// Each parent has a line and, beside it, natural cubic splines with up to 10 knots at its quantiles. Lines are fitted
/// and cost the penalty, as in [`Bic`](crate::Bic); bends are integrated out under the prior of smoothing splines, as
/// smooth as restricted likelihood (REML) makes them: `−(n/2) ln D − ½ ln |G + W|/(|G_L||W|)`, with `D` the mean squared
/// residual and penalty, `G` the gram matrix of all functions, `G_L` that of the lines, `W` the penalty of the bends. A
/// parent that acts along a line keeps no bends, so on linear data this comes close to `Bic`. With no more rows than
/// lines, the fit counts for nothing. More than ten thousand rows are thinned to ten thousand.
///
/// A penalty for each effective coefficient instead of the integral misses edges: on additive Gaussian-process data with
/// 10 variables and 40 edges the best graph then has 3 wrong edges, and 0 or 1 with the integral.
///
/// Splines are made once for each variable and their products once for each pair, so that a term costs `O(k³)` a
/// step of smoothing for `k` coefficients, whatever the number of rows.
#[derive(Debug)]
pub struct Spline {
    data: StandardColumns,
    bases: Vec<SplineBasis>,
    penalty_per_parent: f64,
    /// For each pair of variables, made when first needed: mean products of the functions of the two, row by row.
    grams: Vec<OnceLock<Vec<f64>>>,
    /// For each variable, made when first needed: mean products of its functions with every response.
    crosses: Vec<OnceLock<Mat<f64>>>,
}

impl Spline {
    /// The most rows that are used unless something else is asked for: more are thinned to this many, evenly spaced.
    pub const MAX_ROWS: usize = MAX_ROWS;

    /// The score of a table of complete real columns.
    ///
    /// # Errors
    /// No rows, a column that is not real or misses a cell, or a penalty below zero.
    pub fn new(table: &Table, penalty: Penalty) -> Result<Self, ScoreError> {
        Self::of_rows(table, penalty, MAX_ROWS)
    }

    /// The same of at most `max_rows` rows, evenly spaced.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn of_rows(table: &Table, penalty: Penalty, max_rows: usize) -> Result<Self, ScoreError> {
        Self::of_columns(StandardColumns::thinned(table, max_rows)?, penalty)
    }

    /// The score of standardised columns.
    ///
    /// # Errors
    /// A penalty below zero.
    pub(crate) fn of_columns(data: StandardColumns, penalty: Penalty) -> Result<Self, ScoreError> {
        let nodes = data.nodes();
        let size = (data.rows / 10).clamp(3, KNOTS);
        Ok(Self {
            bases: data.columns.iter().map(|column| SplineBasis::new(column, size)).collect(),
            penalty_per_parent: penalty.per_parent(data.rows as u64, nodes)?,
            grams: (0..nodes * nodes).map(|_| OnceLock::new()).collect(),
            crosses: (0..nodes).map(|_| OnceLock::new()).collect(),
            data,
        })
    }

    /// The columns it is computed from.
    pub(crate) fn data(&self) -> &StandardColumns {
        &self.data
    }

    /// The values of the functions of `node` in `row`.
    pub(crate) fn functions(&self, node: usize, row: usize) -> impl Iterator<Item = f64> + '_ {
        let functions = &self.bases[node].functions;
        (0..self.bases[node].len()).map(move |j| functions[(row, j)])
    }

    /// The values of the functions of `node` at `value`, between two rows by interpolation and beyond the last that of the last.
    pub(crate) fn functions_at(&self, node: usize, value: f64) -> Vec<f64> {
        let column = &self.data.columns[node];
        let by_value = |a: &usize, b: &usize| column[*a].total_cmp(&column[*b]);
        let below = (0..column.len()).filter(|&row| column[row] <= value).max_by(by_value);
        let above = (0..column.len()).filter(|&row| column[row] >= value).min_by(by_value);
        let (Some(first), Some(last)) = (below.or(above), above.or(below)) else { return Vec::new() };
        let distance = column[last] - column[first];
        let share = if distance > 0.0 { (value - column[first]) / distance } else { 0.0 };
        let between = |(low, high): (f64, f64)| low + share * (high - low);
        self.functions(node, first).zip(self.functions(node, last)).map(between).collect()
    }

    /// The coefficients of the functions of `parent` in the regression of `node` on it and `given`, everything at unit variance, and a
    /// factor `F` of what is not known of them: their covariance is `F Fᵀ`. None where the parent is constant or rows are too few.
    pub(crate) fn fit_block(
        &self,
        node: usize,
        parent: usize,
        given: &NodeSet,
    ) -> Option<(Vec<f64>, Vec<f64>)> {
        let others = given.iter().filter(|&other| other != parent && self.bases[other].len() > 0);
        let parents: Vec<usize> = [parent].into_iter().chain(others).collect();
        let (size, rows) = (self.bases[parent].len(), self.data.rows as f64);
        if size == 0 {
            return None;
        }
        let problem = self.problem(node, &parents);
        let total = problem.roughness.len();
        let fit = problem.fit()?;
        let variance = fit.residual / (rows - 1.0 - fit.edf).max(1.0);
        let covariance: Vec<f64> =
            (0..size * size).map(|cell| variance * fit.inverse[cell / size * total + cell % size]).collect();
        Some((fit.coefficients[..size].to_vec(), Cholesky::new(&covariance, size).into_lower()))
    }

    /// The splines of each variable.
    pub(crate) fn bases(&self) -> &[SplineBasis] {
        &self.bases
    }

    /// Those of `parents` that are not constant.
    pub(crate) fn varying(&self, parents: &NodeSet) -> Vec<usize> {
        parents.iter().filter(|&parent| self.bases[parent].len() > 0).collect()
    }

    /// The fit of `node` on parents that vary; none with no more rows than lines.
    pub(crate) fn fit(&self, node: usize, varying: &[usize]) -> Option<AdditiveFit> {
        self.problem(node, varying).fit()
    }

    /// What `fit` leaves of the standardised `node`, row by row.
    pub(crate) fn residuals(&self, node: usize, varying: &[usize], fit: &AdditiveFit) -> Vec<f64> {
        let mut left = self.data.columns[node].clone();
        let functions = varying.iter().flat_map(|&parent| {
            let basis = &self.bases[parent];
            (0..basis.len()).map(|j| basis.functions.col_as_slice(j))
        });
        for (function, coefficient) in functions.zip(&fit.coefficients) {
            left.iter_mut().zip(function).for_each(|(left, value)| *left -= coefficient * value);
        }
        left
    }

    /// What a term of `node` has whatever the fit: the penalty of the parents, even if one is constant or the fit was
    /// refused, and the scale of the column.
    pub(crate) fn constants(&self, node: usize, parents: &NodeSet) -> f64 {
        let penalty = 0.5 * parents.len() as f64 * self.penalty_per_parent;
        -penalty - self.data.rows as f64 * self.data.log_scale[node]
    }

    fn mean(&self) -> Scale<f64> {
        Scale(1.0 / self.data.rows as f64)
    }

    /// Mean products of the functions of `a` with those of `b`: `O(81 n)` the first time.
    fn gram(&self, a: usize, b: usize) -> &[f64] {
        self.grams[a * self.bases.len() + b].get_or_init(|| {
            let products = self.bases[a].functions.transpose() * &self.bases[b].functions * self.mean();
            (0..products.nrows())
                .flat_map(|i| (0..products.ncols()).map(move |j| (i, j)))
                .map(|at| products[at])
                .collect()
        })
    }

    /// Mean products of the functions of `parent` with every variable: `O(9 n d)` the first time.
    fn crosses(&self, parent: usize) -> &Mat<f64> {
        self.crosses[parent].get_or_init(|| {
            let columns = &self.data.columns;
            let responses = Mat::from_fn(self.data.rows, columns.len(), |row, node| columns[node][row]);
            self.bases[parent].functions.transpose() * responses * self.mean()
        })
    }

    /// The regression of `response`, of mean 0 and mean square 1, on parents that vary.
    pub(crate) fn problem_of(&self, response: &[f64], parents: &[usize]) -> AdditiveProblem {
        let functions = parents.iter().flat_map(|&parent| {
            let basis = &self.bases[parent];
            (0..basis.len()).map(|j| basis.functions.col_as_slice(j))
        });
        let cross = functions.map(|function| dot(function, response) / self.data.rows as f64).collect();
        self.problem_with(parents, cross)
    }

    fn problem(&self, node: usize, parents: &[usize]) -> AdditiveProblem {
        let cross =
            parents.iter().flat_map(|&parent| self.crosses(parent).col_as_slice(node).iter().copied());
        self.problem_with(parents, cross.collect())
    }

    fn problem_with(&self, parents: &[usize], cross: Vec<f64>) -> AdditiveProblem {
        let blocks = consecutive(parents.iter().map(|&parent| self.bases[parent].len()));
        let size = blocks.last().map_or(0, |block| block.end);
        let mut gram = vec![0.0; size * size];
        for (rows, &a) in blocks.iter().zip(parents) {
            for (columns, &b) in blocks.iter().zip(parents) {
                for (row, source) in rows.clone().zip(self.gram(a, b).chunks(columns.len().max(1))) {
                    gram[row * size..][columns.clone()].copy_from_slice(source);
                }
            }
        }
        let roughness =
            parents.iter().flat_map(|&parent| self.bases[parent].roughness.iter().copied()).collect();
        AdditiveProblem { rows: self.data.rows, blocks, roughness, gram, cross }
    }
}

impl LocalScore for Spline {
    fn name(&self) -> &'static str {
        "spline"
    }

    fn nodes(&self) -> usize {
        self.bases.len()
    }

    fn local(&self, node: usize, parents: &NodeSet) -> f64 {
        let fit = self.fit(node, &self.varying(parents));
        fit.map_or(0.0, |fit| fit.log_evidence) + self.constants(node, parents)
    }

    /// A regression can be distinguished from its rivals only while it has fewer than half as many terms as there are rows.
    fn parent_limit(&self) -> usize {
        (self.data.rows - 1) / 2
    }
}
