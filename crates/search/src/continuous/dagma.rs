//! DAGMA: least squares with an L1 penalty and a log-determinant that is infinite at the edge of acyclic graphs.

use gflowcausal_determinism::{StopFlag, interruptible};
use gflowcausal_graph::Constraints;

use super::acyclicity::{invert_m_matrix, log_det_h, write_transposed_m_matrix};
use super::matrix_product::multiply;
use super::weights::{Weighted, free_weights};

/// `μ`, the weight of the score, in each stage.
const MU: [f64; 5] = [1.0, 0.1, 0.01, 0.001, 0.0001];

/// `s` in each stage: the spectral radius of `W∘W` stays below.
const S: [f64; 5] = [1.0, 0.9, 0.8, 0.7, 0.6];

/// The most steps of each stage.
const MAX_STEPS: [u32; 5] = [30_000, 30_000, 30_000, 30_000, 60_000];

/// How often convergence is checked.
const CHECKPOINT: u32 = 1000;

/// Stops when the objective changes by less than this share from one check to the next.
const LEAST_CHANGE: f64 = 1e-6;

/// Adam's step, and how slowly its two means forget.
const LEARNING_RATE: f64 = 3e-4;
const BETA1: f64 = 0.99;
const BETA2: f64 = 0.999;

/// No step is halved further.
const LEAST_RATE: f64 = 1e-16;

/// Linear DAGMA (Bello et al. 2022): `μ · (½ tr (I−W)ᵀ C (I−W) + l1 · |W|₁) − ln det(sI − W∘W) + d ln s`, brought to a
/// minimum for smaller and smaller `μ`, each time from the last.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dagma {
    /// The weight of the L1 penalty.
    pub l1: f64,
}

impl Default for Dagma {
    fn default() -> Self {
        Self { l1: 0.03 }
    }
}

impl Dagma {
    /// Weights for variables of the given `covariance` (row by row) that are zero wherever `constraints` allow no edge.
    ///
    /// Stages, steps and tolerances are the authors'. As in their program a variable may act on itself a little, which
    /// counts as a cycle. Once `stop` is set, the weights reached are returned.
    #[must_use]
    pub fn fit(&self, covariance: &[f64], constraints: &Constraints, stop: &StopFlag) -> Weighted {
        let nodes = constraints.nodes();
        let mut free = free_weights(constraints);
        free.iter_mut().step_by(nodes + 1).for_each(|diagonal| *diagonal = true);
        let problem = Problem { nodes, covariance, l1: self.l1, free };
        let mut weights = vec![0.0; nodes * nodes];
        for k in 0..MU.len() {
            let (mut s, mut rate) = (S[k], LEARNING_RATE);
            weights = loop {
                let stage = Stage { mu: MU[k], s, max_steps: MAX_STEPS[k] };
                match Descent::new(&problem, stage, weights.clone()).run(rate, stop) {
                    Some(found) => break found,
                    None => (s, rate) = (s + 0.1, rate * 0.5),
                }
            };
            if stop.is_set() {
                return Weighted::new(nodes, weights, f64::NAN, f64::INFINITY);
            }
        }
        let score = problem.score(&weights);
        let h = log_det_h(nodes, &weights, 1.0).unwrap_or(f64::INFINITY);
        Weighted::new(nodes, weights, score, h)
    }
}

struct Problem<'a> {
    nodes: usize,
    covariance: &'a [f64],
    l1: f64,
    free: Vec<bool>,
}

impl Problem<'_> {
    /// `½ tr (I−W)ᵀ C (I−W) + l1 · |W|₁`.
    fn score(&self, weights: &[f64]) -> f64 {
        let mut residual: Vec<f64> = weights.iter().map(|weight| -weight).collect();
        residual.iter_mut().step_by(self.nodes + 1).for_each(|diagonal| *diagonal += 1.0);
        let mut c_residual = vec![0.0; residual.len()];
        multiply(self.nodes, self.covariance, &residual, &mut c_residual);
        let squares: f64 = residual.iter().zip(&c_residual).map(|(residual, c)| residual * c).sum();
        0.5 * squares + self.l1 * weights.iter().map(|weight| weight.abs()).sum::<f64>()
    }
}

/// The weights of one stage, and its most steps.
#[derive(Clone, Copy)]
struct Stage {
    mu: f64,
    s: f64,
    max_steps: u32,
}

/// One stage: Adam from where the last one ended.
struct Descent<'a> {
    problem: &'a Problem<'a>,
    stage: Stage,
    weights: Vec<f64>,
    means: Vec<f64>,
    squares: Vec<f64>,
    /// What was subtracted last, before it was multiplied by the rate.
    step: Vec<f64>,
    /// `C W`.
    c_w: Vec<f64>,
    /// `((sI − W∘W)⁻¹)ᵀ`.
    inverse: Vec<f64>,
    scratch: Vec<f64>,
}

impl<'a> Descent<'a> {
    fn new(problem: &'a Problem<'a>, stage: Stage, weights: Vec<f64>) -> Self {
        let zeros = || vec![0.0; weights.len()];
        let (means, squares, step, c_w, inverse) = (zeros(), zeros(), zeros(), zeros(), zeros());
        Self { problem, stage, weights, means, squares, step, c_w, inverse, scratch: vec![] }
    }

    /// The weights at the end; none when they left the domain at once, or in one too small to go back in.
    fn run(mut self, mut rate: f64, stop: &StopFlag) -> Option<Vec<f64>> {
        let mut last = 1e16_f64;
        for iteration in 1..=self.stage.max_steps {
            while !match interruptible(stop, || self.invert()) {
                Some(is_inside) => is_inside,
                None => return Some(self.weights),
            } {
                if iteration == 1 || self.stage.s <= 0.9 {
                    return None;
                }
                self.move_along_step(rate);
                rate *= 0.5;
                if rate <= LEAST_RATE {
                    return Some(self.weights);
                }
                self.move_along_step(-rate);
            }
            if interruptible(stop, || self.descend(iteration, rate)).is_none() || stop.is_set() {
                break;
            }
            if iteration % CHECKPOINT == 0 {
                let value = self.objective();
                if ((last - value) / last).abs() <= LEAST_CHANGE {
                    break;
                }
                last = value;
            }
        }
        Some(self.weights)
    }

    /// Readies the inverse; false outside the domain.
    fn invert(&mut self) -> bool {
        let nodes = self.problem.nodes;
        write_transposed_m_matrix(nodes, &self.weights, self.stage.s, &mut self.inverse);
        invert_m_matrix(nodes, &mut self.inverse, &mut self.scratch).is_some()
    }

    /// Adds `rate` times the last step again.
    fn move_along_step(&mut self, rate: f64) {
        self.weights.iter_mut().zip(&self.step).for_each(|(weight, step)| *weight += rate * step);
    }

    /// One step of Adam along `μ (C W − C + l1 · sign W) + 2 W ∘ ((sI − W∘W)⁻¹)ᵀ`.
    fn descend(&mut self, iteration: u32, rate: f64) {
        multiply(self.problem.nodes, self.problem.covariance, &self.weights, &mut self.c_w);
        let root = (1.0 - BETA2.powi(iteration as i32)).sqrt();
        let factor = root / (1.0 - BETA1.powi(iteration as i32));
        let small = 1e-8 * root;
        pulp::Arch::new().dispatch(
            #[inline(always)]
            || self.adam(rate, factor, small),
        );
    }

    #[inline(always)]
    fn adam(&mut self, rate: f64, factor: f64, small: f64) {
        let Problem { covariance, l1, ref free, .. } = *self.problem;
        let mu = self.stage.mu;
        let size = self.weights.len();
        let (weights, means, squares) =
            (&mut self.weights[..size], &mut self.means[..size], &mut self.squares[..size]);
        let (step, c_w, inverse) = (&mut self.step[..size], &self.c_w[..size], &self.inverse[..size]);
        let (covariance, free) = (&covariance[..size], &free[..size]);
        for k in 0..size {
            let weight = weights[k];
            let sign = f64::from(u8::from(weight > 0.0)) - f64::from(u8::from(weight < 0.0));
            let grad = mu * (c_w[k] - covariance[k] + l1 * sign) + 2.0 * weight * inverse[k];
            means[k] = BETA1 * means[k] + (1.0 - BETA1) * grad;
            squares[k] = BETA2 * squares[k] + (1.0 - BETA2) * grad * grad;
            let full = factor * means[k] / (squares[k].sqrt() + small);
            step[k] = if free[k] { full } else { 0.0 };
            weights[k] = weight - rate * step[k];
        }
    }

    fn objective(&self) -> f64 {
        let h = log_det_h(self.problem.nodes, &self.weights, self.stage.s).unwrap_or(f64::INFINITY);
        self.stage.mu * self.problem.score(&self.weights) + h
    }
}

#[cfg(test)]
mod tests {
    use gflowcausal_determinism::rand::RngExt;
    use gflowcausal_determinism::{Stream, stream};

    use super::*;

    /// The first step of Adam keeps the gradient: its mean is `(1 − β₁)` of it.
    #[test]
    fn the_gradient_is_that_of_central_differences() {
        let nodes = 5;
        let mut rng = stream(2, Stream::Test { k: 0 });
        let mut random = || -> Vec<f64> { (0..nodes * nodes).map(|_| rng.random::<f64>() - 0.5).collect() };
        let (root, weights) = (random(), random());
        let entry =
            |k: usize| (0..nodes).map(|l| root[k / nodes * nodes + l] * root[k % nodes * nodes + l]).sum();
        let covariance: Vec<f64> = (0..nodes * nodes).map(entry).collect();
        let problem = Problem { nodes, covariance: &covariance, l1: 0.03, free: vec![true; nodes * nodes] };
        let stage = Stage { mu: 0.7, s: 1.2, max_steps: 1 };
        let mut descent = Descent::new(&problem, stage, weights.clone());
        assert!(descent.invert(), "the weights are within the domain");
        descent.descend(1, 0.0);
        for k in 0..nodes * nodes {
            let at = |shift: f64| {
                let mut shifted = weights.clone();
                shifted[k] += shift;
                Descent::new(&problem, stage, shifted).objective()
            };
            let (grad, numeric) = (descent.means[k] / (1.0 - BETA1), (at(1e-6) - at(-1e-6)) / 2e-6);
            assert!((grad - numeric).abs() < 1e-7, "{k}: {grad} against {numeric}");
        }
    }
}
