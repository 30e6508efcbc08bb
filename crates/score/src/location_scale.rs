//! `location-scale`: parents bend the mean of a variable, and they change the variance of its noise.

use faer::{Mat, Scale};
use gflowcausal_data::Table;
use gflowcausal_determinism::cancellation_point;
use gflowcausal_graph::NodeSet;

use crate::log_variance::LogVarianceProblem;
use crate::regress::{AdditiveProblem, consecutive, dot};
use crate::spline::Spline;
use crate::{LocalScore, Penalty, ScoreError};

/// How often mean and variance are fitted in turn.
const ROUNDS: usize = 3;

/// Mean and variance are not fitted in turn if the first fit of the variance loses more than this share of what its lines
/// cost.
const HOPELESS: f64 = 0.5;

/// The log-likelihood of `y = f(parents) + exp(½ g(parents))·noise`, `f` and `g` sums of smooth functions of one parent
/// each.
///
/// `f` is that of [`Spline`], its bends integrated out. `g` has the same functions, and `B·tanh(·/B)` of their sum with
/// `B = 4`; lines cost `½ ln n` each, bends are integrated out by Laplace's method under the same prior, as smooth as the
/// integral asks. The two are fitted in turn. Where `g` does not pay, the term is the one of `Spline`: so constant variance
/// costs nothing.
///
/// With weights `w = exp(−g)` the term is `½ Σ ln w` and the marginal likelihood of the rows times `√w`.
#[derive(Debug)]
pub struct LocationScale {
    spline: Spline,
}

/// A fit of mean and variance.
pub(crate) struct LocationScaleFit {
    /// The log-likelihood less that of a normal variable without parents, all parameters but lines of the mean paid for.
    pub(crate) log_evidence: f64,
    /// Residuals over the standard deviation of their rows, up to a common scale.
    pub(crate) residuals: Vec<f64>,
}

impl LocationScale {
    /// The most rows that are used unless something else is asked for: more are thinned to this many, evenly spaced.
    pub const MAX_ROWS: usize = Spline::MAX_ROWS;

    /// The score of at most `max_rows` rows, evenly spaced, of a table of complete real columns.
    ///
    /// # Errors
    /// No rows, a column that is not real or misses a cell, or a penalty below zero.
    pub fn of_rows(table: &Table, penalty: Penalty, max_rows: usize) -> Result<Self, ScoreError> {
        Ok(Self { spline: Spline::of_rows(table, penalty, max_rows)? })
    }

    /// The same with constant variance.
    pub(crate) fn spline(&self) -> &Spline {
        &self.spline
    }

    fn rows(&self) -> usize {
        self.spline.data().rows
    }

    /// The fit of `node` on parents that vary, if it pays for the parameters of the variance; `even` is what a fit with
    /// constant variance leaves, and its evidence.
    pub(crate) fn fit(
        &self,
        node: usize,
        varying: &[usize],
        even: (&[f64], f64),
    ) -> Option<LocationScaleFit> {
        let problem = LogVarianceProblem::new(&self.spline, varying, even.0);
        let mut variance = problem.fit(even.0, problem.start()?);
        if variance.gain(even.0) - problem.cost(&variance) < -HOPELESS * problem.penalty() {
            return None;
        }
        let mut best: Option<LocationScaleFit> = None;
        for _ in 0..ROUNDS {
            let (log_evidence, raw, residuals) = self.weighted_fit(node, varying, &variance.logs)?;
            let log_evidence = log_evidence - problem.cost(&variance);
            if best.as_ref().is_none_or(|best| log_evidence > best.log_evidence) {
                best = Some(LocationScaleFit { log_evidence, residuals });
            }
            variance = problem.fit(&raw, variance);
        }
        best.filter(|best| best.log_evidence > even.1)
    }

    /// The evidence of the mean when row `i` has the log-variance `logs[i]`, what is left of the rows, and the same over
    /// their deviations.
    fn weighted_fit(
        &self,
        node: usize,
        varying: &[usize],
        logs: &[f64],
    ) -> Option<(f64, Vec<f64>, Vec<f64>)> {
        cancellation_point();
        let rows = self.rows();
        let roots: Vec<f64> = logs.iter().map(|log| (-0.5 * log).exp()).collect();
        let mut response = self.spline.data().columns[node].clone();
        weigh(&mut response, &roots);
        let square = dot(&response, &response) / rows as f64;
        let unit = square.sqrt().recip();
        response.iter_mut().for_each(|value| *value *= unit);
        let blocks = consecutive(varying.iter().map(|&parent| self.spline.bases()[parent].len()));
        let size = blocks.last().map_or(0, |block| block.end);
        let mut design = Mat::zeros(rows, size);
        for (block, &parent) in blocks.iter().zip(varying) {
            for (j, a) in block.clone().enumerate() {
                let column = design.col_as_slice_mut(a);
                column.copy_from_slice(self.spline.bases()[parent].functions.col_as_slice(j));
                weigh(column, &roots);
            }
        }
        let gram = design.transpose() * &design * Scale(1.0 / rows as f64);
        let problem = AdditiveProblem {
            rows,
            blocks,
            roughness: varying
                .iter()
                .flat_map(|&parent| self.spline.bases()[parent].roughness.iter().copied())
                .collect(),
            gram: (0..size * size).map(|entry| gram[(entry / size, entry % size)]).collect(),
            cross: (0..size).map(|a| dot(design.col_as_slice(a), &response) / rows as f64).collect(),
        };
        let fit = problem.fit()?;
        for (a, coefficient) in fit.coefficients.iter().enumerate() {
            let column = design.col_as_slice(a);
            response.iter_mut().zip(column).for_each(|(left, value)| *left -= coefficient * value);
        }
        let raw = response.iter().zip(&roots).map(|(left, root)| left / (root * unit)).collect();
        let log_evidence = fit.log_evidence - 0.5 * (logs.iter().sum::<f64>() + rows as f64 * square.ln());
        Some((log_evidence, raw, response))
    }
}

/// Takes the weighted mean out of `values` and multiplies each by the root of its weight.
fn weigh(values: &mut [f64], roots: &[f64]) {
    let (mut sum, mut total) = (0.0, 0.0);
    for (value, root) in values.iter().zip(roots) {
        sum += root * root * value;
        total += root * root;
    }
    let mean = sum / total;
    values.iter_mut().zip(roots).for_each(|(value, root)| *value = (*value - mean) * root);
}

impl LocalScore for LocationScale {
    fn name(&self) -> &'static str {
        "location-scale"
    }

    fn nodes(&self) -> usize {
        self.spline.nodes()
    }

    /// That of [`Spline`], and `O(n·k²)` a round for `k` coefficients where the variance is not constant.
    fn local(&self, node: usize, parents: &NodeSet) -> f64 {
        let varying = self.spline.varying(parents);
        let constants = self.spline.constants(node, parents);
        let Some(fit) = self.spline.fit(node, &varying) else { return constants };
        if varying.is_empty() || parents.len() > self.parent_limit() {
            return fit.log_evidence + constants;
        }
        let residuals = self.spline.residuals(node, &varying, &fit);
        let scaled = self.fit(node, &varying, (&residuals, fit.log_evidence));
        scaled.map_or(fit.log_evidence, |scaled| scaled.log_evidence) + constants
    }

    fn parent_limit(&self) -> usize {
        self.spline.parent_limit()
    }
}
