//! NOTEARS: least squares with an L1 penalty, held to graphs without cycles by an augmented Lagrangian.

use std::sync::atomic::{AtomicBool, Ordering};

use gflowcausal_graph::Constraints;

use super::orthant::{Smooth, minimize};
use super::square::{Exponential, excess_trace, multiply};
use super::weights::{Weighted, free_weights};

/// The most steps of dual ascent.
const MOST_ROUNDS: usize = 100;

/// A graph counts as acyclic when the measure of cycles is no larger.
const ENOUGH: f64 = 1e-8;

/// The penalty on cycles is raised tenfold until they fall to this share.
const PROGRESS: f64 = 0.25;

/// No penalty on cycles is higher.
const MOST_PENALTY: f64 = 1e16;

/// Linear NOTEARS (Zheng et al. 2018): the minimum of `½ tr (I−W)ᵀ C (I−W) + l1 · |W|₁` subject to
/// `h(W) = tr e^{W∘W} − d = 0`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Notears {
    /// The weight of the L1 penalty.
    pub l1: f64,
}

impl Default for Notears {
    fn default() -> Self {
        Self { l1: 0.1 }
    }
}

impl Notears {
    /// Weights for variables of the given `covariance` (row by row) that are zero wherever `constraints` allow no edge.
    ///
    /// The schedule is the authors': the multiplier follows the penalty, which grows tenfold until a round brings
    /// cycles down to a quarter. Once `stop` is true, the last round's weights are returned.
    #[must_use]
    pub fn fit(&self, covariance: &[f64], constraints: &Constraints, stop: &AtomicBool) -> Weighted {
        let nodes = constraints.nodes();
        let free = free_weights(constraints);
        let mut lagrangian = Lagrangian::new(nodes, covariance);
        let mut weights = vec![0.0; nodes * nodes];
        let mut cycles = f64::INFINITY;
        for _ in 0..MOST_ROUNDS {
            while lagrangian.penalty < MOST_PENALTY && !stop.load(Ordering::Relaxed) {
                let solved = minimize(&mut lagrangian, self.l1, &free, &weights, stop).point;
                let left = lagrangian.cycles(&solved);
                if left <= PROGRESS * cycles {
                    (weights, cycles) = (solved, left);
                    break;
                }
                lagrangian.penalty *= 10.0;
                if lagrangian.penalty >= MOST_PENALTY {
                    (weights, cycles) = (solved, left);
                }
            }
            lagrangian.multiplier += lagrangian.penalty * cycles;
            let is_over = cycles <= ENOUGH || lagrangian.penalty >= MOST_PENALTY;
            if is_over || stop.load(Ordering::Relaxed) {
                break;
            }
        }
        let size = weights.iter().map(|weight| weight.abs()).sum::<f64>();
        let objective = lagrangian.loss(&weights) + self.l1 * size;
        Weighted::new(nodes, weights, objective, cycles)
    }
}

/// `½ tr (I−W)ᵀ C (I−W) + (ρ/2) h² + α h`.
struct Lagrangian<'a> {
    nodes: usize,
    covariance: &'a [f64],
    penalty: f64,
    multiplier: f64,
    exponential: Exponential,
    residual: Vec<f64>,
    pull: Vec<f64>,
    squares: Vec<f64>,
}

impl<'a> Lagrangian<'a> {
    fn new(nodes: usize, covariance: &'a [f64]) -> Self {
        let zeros = || vec![0.0; nodes * nodes];
        let exponential = Exponential::new(nodes);
        let (residual, pull, squares) = (zeros(), zeros(), zeros());
        Self { nodes, covariance, penalty: 1.0, multiplier: 0.0, exponential, residual, pull, squares }
    }

    /// Half the mean squared residual; leaves its gradient's negative in `pull`.
    fn loss(&mut self, weights: &[f64]) -> f64 {
        self.residual.iter_mut().zip(weights).for_each(|(residual, weight)| *residual = -weight);
        self.residual.iter_mut().step_by(self.nodes + 1).for_each(|diagonal| *diagonal += 1.0);
        multiply(self.nodes, self.covariance, &self.residual, &mut self.pull);
        0.5 * self.residual.iter().zip(&self.pull).map(|(residual, pull)| residual * pull).sum::<f64>()
    }

    /// `h(W) = tr e^{W∘W} − d`.
    fn cycles(&mut self, weights: &[f64]) -> f64 {
        self.squares.iter_mut().zip(weights).for_each(|(square, weight)| *square = weight * weight);
        excess_trace(self.nodes, self.exponential.of(&self.squares))
    }
}

impl Smooth for Lagrangian<'_> {
    /// `∇ = −C(I−W) + (ρ h + α) (e^{W∘W})ᵀ ∘ 2W`.
    fn evaluate(&mut self, weights: &[f64], gradient: &mut [f64]) -> f64 {
        let loss = self.loss(weights);
        let cycles = self.cycles(weights);
        let nodes = self.nodes;
        let factor = 2.0 * (self.penalty * cycles + self.multiplier);
        let exponential = self.exponential.last();
        for from in 0..nodes {
            for to in 0..nodes {
                let k = from * nodes + to;
                gradient[k] = factor * exponential[to * nodes + from] * weights[k] - self.pull[k];
            }
        }
        loss + 0.5 * self.penalty * cycles * cycles + self.multiplier * cycles
    }
}

#[cfg(test)]
mod tests {
    use gflowcausal_determinism::rand::RngExt;
    use gflowcausal_determinism::{Stream, stream};

    use super::*;

    #[test]
    fn the_gradient_is_that_of_central_differences() {
        let nodes = 5;
        let mut rng = stream(1, Stream::Test { k: 0 });
        let mut random = || -> Vec<f64> { (0..nodes * nodes).map(|_| rng.random::<f64>() - 0.5).collect() };
        let (root, mut weights) = (random(), random());
        let mut covariance = vec![0.0; nodes * nodes];
        for (k, entry) in covariance.iter_mut().enumerate() {
            *entry = (0..nodes).map(|l| root[k / nodes * nodes + l] * root[k % nodes * nodes + l]).sum();
        }
        let mut lagrangian = Lagrangian::new(nodes, &covariance);
        (lagrangian.penalty, lagrangian.multiplier) = (3.0, 0.7);
        let (mut gradient, mut unread) = (vec![0.0; nodes * nodes], vec![0.0; nodes * nodes]);
        lagrangian.evaluate(&weights, &mut gradient);
        for k in 0..nodes * nodes {
            let mut at = |shift: f64| {
                weights[k] += shift;
                let value = lagrangian.evaluate(&weights, &mut unread);
                weights[k] -= shift;
                value
            };
            let numeric = (at(1e-5) - at(-1e-5)) / 2e-5;
            assert!((gradient[k] - numeric).abs() < 1e-7, "{k}: {} against {numeric}", gradient[k]);
        }
    }

    /// One cycle of two edges with weights a, b: `h = 2 (cosh(ab) − 1)`.
    #[test]
    fn the_measure_of_one_cycle_is_known() {
        let covariance = [1.0, 0.0, 0.0, 1.0];
        let cycles = Lagrangian::new(2, &covariance).cycles(&[0.0, 0.5, 0.8, 0.0]);
        assert!((cycles - 2.0 * (0.4_f64.cosh() - 1.0)).abs() < 1e-14);
    }
}
