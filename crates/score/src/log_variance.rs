//! How the variance of noise follows the parents: the logarithm is a sum of smooth functions, as smooth as the data ask.

use std::f64::consts::PI;
use std::ops::Range;

use gflowcausal_determinism::cancellation_point;

use crate::regress::{AdditiveProblem, Cholesky, dot};
use crate::spline::Spline;

/// The logarithm of the variance stays within so much of its typical value, so that no single row can be fitted with a
/// variance near zero.
const BOUND: f64 = 4.0;

/// A squared residual counts as at least this share of the mean one where its logarithm is taken.
const SMALLEST: f64 = 1e-4;

/// The variance is taken for constant if the logarithms of squared residuals gain less than this share of what its lines
/// cost: they hold two fifths of what the residuals say of their variances.
const SCREEN: f64 = 0.25;

/// The logarithm of a smoothing weight moves by at most this in a step, and stays within [`LOG_WEIGHTS`].
const LONGEST: f64 = 4.0;

/// See [`LONGEST`]; at the upper end a function is a straight line.
const LOG_WEIGHTS: [f64; 2] = [-18.0, 18.0];

/// The fit stops when a step gains less than this in log-likelihood.
const ENOUGH: f64 = 1e-3;

/// It also stops after so many steps.
const MOST_STEPS: usize = 50;

/// The regression of the log-variance of residuals on the splines of some parents.
pub(crate) struct LogVarianceProblem<'a> {
    functions: Vec<&'a [f64]>,
    /// Gram matrix, blocks and roughness of the functions; the response is the logarithm of squared residuals.
    logarithms: AdditiveProblem,
    /// The variance of these logarithms.
    spread: f64,
    /// The logarithm of the determinant of the lines' gram matrix.
    lines_log_det: f64,
}

/// How the logarithm of the variance depends on parents, up to a constant.
#[derive(Clone)]
pub(crate) struct LogVariance {
    coefficients: Vec<f64>,
    /// The smoothing weight of each block of functions.
    weights: Vec<f64>,
    /// Row by row.
    pub(crate) logs: Vec<f64>,
}

impl<'a> LogVarianceProblem<'a> {
    /// The functions of the mean, for squared `residuals`.
    pub(crate) fn new(spline: &'a Spline, parents: &[usize], residuals: &[f64]) -> Self {
        let (response, spread) = standardized_logarithms(residuals);
        let logarithms = spline.problem_of(&response, parents);
        let functions = parents.iter().flat_map(|&parent| {
            let basis = &spline.bases()[parent];
            (0..basis.len()).map(|j| basis.functions.col_as_slice(j))
        });
        let lines_log_det = logarithms.lines_log_det();
        Self { functions: functions.collect(), lines_log_det, logarithms, spread }
    }

    fn rows(&self) -> f64 {
        self.logarithms.rows as f64
    }

    /// What lines cost: `½ ln n` each.
    pub(crate) fn penalty(&self) -> f64 {
        0.5 * self.logarithms.lines().count() as f64 * self.rows().ln()
    }

    /// The least-squares fit of the logarithms of squared residuals; none if the variance of the residuals looks constant.
    pub(crate) fn start(&self) -> Option<LogVariance> {
        let fit = self.logarithms.fit()?;
        if fit.log_evidence < SCREEN * self.penalty() {
            return None;
        }
        // The same prior of the bends, beside the information of the residuals instead of that of their logarithms.
        let unit = 2.0 / (fit.residual * self.spread).max(0.1 * PI * PI);
        let weight = |block: &Range<usize>| {
            let bent = block.clone().find(|&a| self.logarithms.roughness[a] > 0.0);
            bent.map_or(1.0, |a| unit * fit.penalty[a] / self.logarithms.roughness[a])
        };
        let weights = self.logarithms.blocks.iter().map(weight).collect();
        let scale = self.spread.sqrt();
        Some(self.at(fit.coefficients.iter().map(|a| scale * a).collect(), weights))
    }

    fn at(&self, coefficients: Vec<f64>, weights: Vec<f64>) -> LogVariance {
        let mut logs = vec![0.0; self.logarithms.rows];
        for (coefficient, function) in coefficients.iter().zip(&self.functions) {
            logs.iter_mut().zip(*function).for_each(|(log, value)| *log += coefficient * value);
        }
        logs.iter_mut().for_each(|log| *log = BOUND * (*log / BOUND).tanh());
        LogVariance { coefficients, weights, logs }
    }

    /// Coefficients that maximise the likelihood of `residuals` times the prior of the bends (Fisher scoring, each step
    /// halved until it helps), and weights that maximise its integral by Laplace's method (Fellner and Schall), in turn.
    ///
    /// Costs `O(nk + k³)` a step for `k` coefficients: the information of a log-variance is the gram matrix of its
    /// functions, whatever the coefficients.
    pub(crate) fn fit(&self, residuals: &[f64], start: LogVariance) -> LogVariance {
        let mut now = start;
        let mut evidence = f64::NEG_INFINITY;
        for _ in 0..MOST_STEPS {
            cancellation_point();
            let Some(next) = self.step(residuals, &now) else { break };
            let reached = next.gain(residuals) - self.cost(&next);
            now = self.reweighted(next);
            if (reached - evidence).abs() < ENOUGH {
                break;
            }
            evidence = reached;
        }
        now
    }

    /// The weight of each coefficient's square in the prior.
    fn prior(&self, weights: &[f64]) -> Vec<f64> {
        let mut prior = vec![0.0; self.functions.len()];
        for (block, weight) in self.logarithms.blocks.iter().zip(weights) {
            block.clone().for_each(|a| prior[a] = weight * self.logarithms.roughness[a]);
        }
        prior
    }

    /// `G + W`: half of this times the rows is the information of data and prior.
    fn information(&self, prior: &[f64]) -> Cholesky {
        let size = prior.len();
        let mut matrix = self.logarithms.gram.clone();
        (0..size).for_each(|a| matrix[a * size + a] += prior[a]);
        Cholesky::new(&matrix, size)
    }

    fn penalized(&self, residuals: &[f64], at: &LogVariance, prior: &[f64]) -> f64 {
        let energy: f64 = at.coefficients.iter().zip(prior).map(|(a, w)| w * a * a).sum();
        at.gain(residuals) - 0.25 * self.rows() * energy
    }

    /// A likelier point with the same weights; none if there is none.
    fn step(&self, residuals: &[f64], now: &LogVariance) -> Option<LogVariance> {
        let prior = self.prior(&now.weights);
        let slopes = now.slopes(residuals);
        let gradient: Vec<f64> = (self.functions.iter().zip(&now.coefficients).zip(&prior))
            .map(|((function, a), w)| dot(function, &slopes) / self.rows() - w * a)
            .collect();
        let inverse = self.information(&prior).inverse();
        let step: Vec<f64> = inverse.chunks(prior.len().max(1)).map(|row| dot(row, &gradient)).collect();
        let before = self.penalized(residuals, now, &prior);
        let shorter = |halvings: i32| {
            let share = 0.5_f64.powi(halvings);
            let moved = now.coefficients.iter().zip(&step).map(|(a, s)| a + share * s);
            self.at(moved.collect(), now.weights.clone())
        };
        (0..10).map(shorter).find(|next| self.penalized(residuals, next, &prior) > before)
    }

    /// The weights for which the integral has slope zero, the coefficients given: `w ← w (k − tr) / (½n aᵀWa)`.
    fn reweighted(&self, mut now: LogVariance) -> LogVariance {
        let prior = self.prior(&now.weights);
        let (inverse, size) = (self.information(&prior).inverse(), prior.len());
        for (weight, block) in now.weights.iter_mut().zip(&self.logarithms.blocks) {
            let bent = || block.clone().filter(|&a| self.logarithms.roughness[a] > 0.0);
            let free: f64 = bent().map(|a| 1.0 - inverse[a * size + a] * prior[a]).sum();
            let energy: f64 = bent().map(|a| prior[a] * now.coefficients[a].powi(2)).sum();
            let ratio = free.max(1e-300) / (0.5 * self.rows() * energy).max(1e-300);
            let log = weight.ln() + ratio.ln().clamp(-LONGEST, LONGEST);
            *weight = log.clamp(LOG_WEIGHTS[0], LOG_WEIGHTS[1]).exp();
        }
        now
    }

    /// What the coefficients cost: `½ ln n` for each line, and `¼n aᵀWa + ½ ln |G + W|/(|G_L||W|)` for the bends, as in
    /// [`Spline`].
    pub(crate) fn cost(&self, at: &LogVariance) -> f64 {
        let prior = self.prior(&at.weights);
        let energy: f64 = at.coefficients.iter().zip(&prior).map(|(a, w)| w * a * a).sum();
        let bends: f64 = prior.iter().filter(|&&w| w > 0.0).map(|w| w.ln()).sum();
        let log_det = self.information(&prior).log_det() - self.lines_log_det - bends;
        0.25 * self.rows() * energy + 0.5 * log_det + self.penalty()
    }
}

/// The logarithms of squared residuals with mean 0 and variance 1, and their variance before.
fn standardized_logarithms(residuals: &[f64]) -> (Vec<f64>, f64) {
    let rows = residuals.len() as f64;
    let least = SMALLEST * dot(residuals, residuals) / rows;
    let mut logs: Vec<f64> = residuals.iter().map(|left| (left * left).max(least).max(1e-300).ln()).collect();
    let mean = logs.iter().sum::<f64>() / rows;
    logs.iter_mut().for_each(|log| *log -= mean);
    let variance = (dot(&logs, &logs) / rows).max(1e-300);
    logs.iter_mut().for_each(|log| *log /= variance.sqrt());
    (logs, variance)
}

impl LogVariance {
    /// The log-likelihood of normal residuals with these variances less that with a constant one.
    pub(crate) fn gain(&self, residuals: &[f64]) -> f64 {
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

    /// Twice the slope of the gain by the sum of functions in each row: squared residuals over their variances, less 1.
    fn slopes(&self, residuals: &[f64]) -> Vec<f64> {
        let ratio = |(residual, log): (&f64, &f64)| residual * residual * (-log).exp();
        let mut slopes: Vec<f64> = residuals.iter().zip(&self.logs).map(ratio).collect();
        let mean = slopes.iter().sum::<f64>() / slopes.len() as f64;
        for (slope, log) in slopes.iter_mut().zip(&self.logs) {
            *slope = (*slope / mean - 1.0) * (1.0 - (log / BOUND).powi(2));
        }
        slopes
    }
}
