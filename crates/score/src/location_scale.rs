//! `location-scale`: parents bend the mean of a variable, and they change the variance of its noise.

use faer::{Mat, Scale};
use gflowcausal_data::Table;
use gflowcausal_determinism::cancellation_point;
use gflowcausal_graph::NodeSet;

use crate::regress::{AdditiveProblem, Cholesky, consecutive, dot};
use crate::spline::Spline;
use crate::{LocalScore, Penalty, ScoreError};

/// How many functions of each parent the logarithm of the variance has: the line and two bends.
const FUNCTIONS: usize = 3;

/// The logarithm of the variance stays within so much of its typical value, so that no single row can be fitted with a
/// variance near zero.
const BOUND: f64 = 4.0;

/// How often mean and variance are fitted in turn.
const ROUNDS: usize = 3;

/// Fisher scoring stops when it gains less than this in log-likelihood.
const ENOUGH: f64 = 1e-6;

/// It also stops after so many steps.
const MOST_STEPS: usize = 50;

/// The variance is not weighted any further if the first fit gains less than this share of what its parameters cost.
const HOPELESS: f64 = 0.5;

/// The log-likelihood of `y = f(parents) + exp(½ g(parents))·noise`, `f` and `g` sums of smooth functions of one parent
/// each.
///
/// `f` is that of [`Spline`], its bends integrated out. `g` has a line and two bends of each parent, `B·tanh(·/B)` of
/// their sum with `B = 4`; they are fitted by maximum likelihood (Fisher scoring), in turn with `f`, and cost `½ ln n`
/// each. Where that does not pay, the term is the one of `Spline`: so constant variance costs nothing.
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
        let functions = self.scale_functions(varying);
        let penalty = 0.5 * functions.ncols() as f64 * (self.rows() as f64).ln();
        let mut scale = LogVariance::fit(&functions, even.0, vec![0.0; functions.ncols()]);
        if scale.gain(even.0) < HOPELESS * penalty {
            return None;
        }
        let mut best: Option<LocationScaleFit> = None;
        for _ in 0..ROUNDS {
            let (log_evidence, raw, residuals) = self.weighted_fit(node, varying, &scale.logs)?;
            if best.as_ref().is_none_or(|best| log_evidence - penalty > best.log_evidence) {
                best = Some(LocationScaleFit { log_evidence: log_evidence - penalty, residuals });
            }
            scale = LogVariance::fit(&functions, &raw, scale.coefficients);
        }
        best.filter(|best| best.log_evidence > even.1)
    }

    /// The smoothest functions of each parent, side by side.
    fn scale_functions(&self, varying: &[usize]) -> Mat<f64> {
        let columns: Vec<&[f64]> = varying
            .iter()
            .flat_map(|&parent| {
                let basis = &self.spline.bases()[parent];
                (0..basis.len().min(FUNCTIONS)).map(|j| basis.functions.col_as_slice(j))
            })
            .collect();
        Mat::from_fn(self.rows(), columns.len(), |row, k| columns[k][row])
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

/// How the logarithm of the variance depends on parents, up to a constant.
struct LogVariance {
    coefficients: Vec<f64>,
    /// Row by row.
    logs: Vec<f64>,
}

impl LogVariance {
    fn at(functions: &Mat<f64>, coefficients: Vec<f64>) -> Self {
        let mut logs = vec![0.0; functions.nrows()];
        for (k, coefficient) in coefficients.iter().enumerate() {
            let column = functions.col_as_slice(k);
            logs.iter_mut().zip(column).for_each(|(log, value)| *log += coefficient * value);
        }
        logs.iter_mut().for_each(|log| *log = BOUND * (*log / BOUND).tanh());
        Self { coefficients, logs }
    }

    /// Fisher scoring from `start` for residuals with mean zero, each step halved until it helps.
    fn fit(functions: &Mat<f64>, residuals: &[f64], start: Vec<f64>) -> Self {
        let mut now = Self::at(functions, start);
        let mut gain = now.gain(residuals);
        for _ in 0..MOST_STEPS {
            cancellation_point();
            let step = now.scoring_step(functions, residuals);
            let shorter = |halvings: i32| {
                let share = 0.5_f64.powi(halvings);
                Self::at(functions, now.coefficients.iter().zip(&step).map(|(a, s)| a + share * s).collect())
            };
            let Some((next, better)) = (0..10)
                .map(shorter)
                .map(|next| (next.gain(residuals), next))
                .find(|(value, _)| *value > gain)
                .map(|(value, next)| (next, value))
            else {
                break;
            };
            let is_done = better - gain < ENOUGH;
            (now, gain) = (next, better);
            if is_done {
                break;
            }
        }
        now
    }

    /// The log-likelihood of normal residuals with these variances less that with a constant one.
    fn gain(&self, residuals: &[f64]) -> f64 {
        let rows = residuals.len() as f64;
        let (mut even, mut weighted, mut logs) = (0.0, 0.0, 0.0);
        for (residual, log) in residuals.iter().zip(&self.logs) {
            let square = residual * residual;
            even += square;
            weighted += square * (-log).exp();
            logs += log;
        }
        0.5 * (rows * (even / weighted).ln() - logs)
    }

    /// The step of Fisher scoring, the constant profiled out: `(DᵀD)⁻¹Dᵀ(u − 1)` with `u` the squared residuals over
    /// their variances and `D` the centred slopes of the log-variance.
    fn scoring_step(&self, functions: &Mat<f64>, residuals: &[f64]) -> Vec<f64> {
        let (rows, count) = (residuals.len(), functions.ncols());
        let mut ratios: Vec<f64> = residuals
            .iter()
            .zip(&self.logs)
            .map(|(residual, log)| residual * residual * (-log).exp())
            .collect();
        let mean = ratios.iter().sum::<f64>() / rows as f64;
        ratios.iter_mut().for_each(|ratio| *ratio = *ratio / mean - 1.0);
        let slopes: Vec<f64> = self.logs.iter().map(|log| 1.0 - (log / BOUND).powi(2)).collect();
        let mut design = Mat::from_fn(rows, count, |row, k| slopes[row] * functions[(row, k)]);
        for k in 0..count {
            let column = design.col_as_slice_mut(k);
            let mean = column.iter().sum::<f64>() / rows as f64;
            column.iter_mut().for_each(|value| *value -= mean);
        }
        let information = design.transpose() * &design;
        let information: Vec<f64> =
            (0..count * count).map(|at| information[(at / count, at % count)]).collect();
        let gradient: Vec<f64> = (0..count).map(|k| dot(design.col_as_slice(k), &ratios)).collect();
        let inverse = Cholesky::new(&information, count).inverse();
        inverse.chunks(count.max(1)).map(|row| dot(row, &gradient)).collect()
    }
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
