//! NOTEARS: least squares with an L1 penalty, held to graphs without cycles by an augmented Lagrangian.

use gflowcausal_determinism::{StopFlag, interruptible};
use gflowcausal_graph::Constraints;

use super::acyclicity::{Exponential, excess_trace};
use super::matrix_product::multiply;
use super::owl_qn::{Smooth, minimize};
use super::weights::{Weighted, free_weights};

/// The most steps of dual ascent.
const MAX_ROUNDS: usize = 100;

/// A graph counts as acyclic when `h` is no larger.
const H_TOLERANCE: f64 = 1e-8;

/// `ρ` is raised tenfold until `h` has decreased to this share.
const PROGRESS: f64 = 0.25;

/// The largest `ρ`.
const MAX_RHO: f64 = 1e16;

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
    /// The schedule is the authors': `α` follows `ρ`, which grows tenfold until a round brings `h` down
    /// to a quarter. Once `stop` is set, the weights reached are returned.
    #[must_use]
    pub fn fit(&self, covariance: &[f64], constraints: &Constraints, stop: &StopFlag) -> Weighted {
        let nodes = constraints.nodes();
        let free = free_weights(constraints);
        let mut lagrangian = Lagrangian::new(nodes, covariance);
        let mut weights = vec![0.0; nodes * nodes];
        let mut h = f64::INFINITY;
        for _ in 0..MAX_ROUNDS {
            while lagrangian.rho < MAX_RHO {
                let solved = minimize(&mut lagrangian, self.l1, &free, &weights, stop).point;
                let left = interruptible(stop, || lagrangian.h(&solved));
                let Some(left) = left.filter(|_| !stop.is_set()) else {
                    return Weighted::new(nodes, solved, f64::NAN, f64::INFINITY);
                };
                if left <= PROGRESS * h {
                    (weights, h) = (solved, left);
                    break;
                }
                lagrangian.rho *= 10.0;
                if lagrangian.rho >= MAX_RHO {
                    (weights, h) = (solved, left);
                }
            }
            lagrangian.alpha += lagrangian.rho * h;
            if h <= H_TOLERANCE || lagrangian.rho >= MAX_RHO {
                break;
            }
        }
        let size = weights.iter().map(|weight| weight.abs()).sum::<f64>();
        let objective = lagrangian.loss(&weights) + self.l1 * size;
        Weighted::new(nodes, weights, objective, h)
    }
}

/// `½ tr (I−W)ᵀ C (I−W) + (ρ/2) h² + α h`.
struct Lagrangian<'a> {
    nodes: usize,
    covariance: &'a [f64],
    rho: f64,
    alpha: f64,
    exponential: Exponential,
    residual: Vec<f64>,
    residual_gradient: Vec<f64>,
    squares: Vec<f64>,
}

impl<'a> Lagrangian<'a> {
    fn new(nodes: usize, covariance: &'a [f64]) -> Self {
        let zeros = || vec![0.0; nodes * nodes];
        let exponential = Exponential::new(nodes);
        let (residual, residual_gradient, squares) = (zeros(), zeros(), zeros());
        Self { nodes, covariance, rho: 1.0, alpha: 0.0, exponential, residual, residual_gradient, squares }
    }

    /// Half the mean squared residual; leaves `C(I−W)` in `residual_gradient`.
    fn loss(&mut self, weights: &[f64]) -> f64 {
        self.residual.iter_mut().zip(weights).for_each(|(residual, weight)| *residual = -weight);
        self.residual.iter_mut().step_by(self.nodes + 1).for_each(|diagonal| *diagonal += 1.0);
        multiply(self.nodes, self.covariance, &self.residual, &mut self.residual_gradient);
        0.5 * self
            .residual
            .iter()
            .zip(&self.residual_gradient)
            .map(|(residual, residual_gradient)| residual * residual_gradient)
            .sum::<f64>()
    }

    /// `h(W) = tr e^{W∘W} − d`.
    fn h(&mut self, weights: &[f64]) -> f64 {
        self.squares.iter_mut().zip(weights).for_each(|(square, weight)| *square = weight * weight);
        excess_trace(self.nodes, self.exponential.of(&self.squares))
    }
}

impl Smooth for Lagrangian<'_> {
    /// `∇ = −C(I−W) + (ρ h + α) (e^{W∘W})ᵀ ∘ 2W`.
    fn evaluate(&mut self, weights: &[f64], gradient: &mut [f64]) -> f64 {
        let loss = self.loss(weights);
        let h = self.h(weights);
        let nodes = self.nodes;
        let factor = 2.0 * (self.rho * h + self.alpha);
        let exponential = self.exponential.last();
        for from in 0..nodes {
            for to in 0..nodes {
                let k = from * nodes + to;
                gradient[k] =
                    factor * exponential[to * nodes + from] * weights[k] - self.residual_gradient[k];
            }
        }
        loss + 0.5 * self.rho * h * h + self.alpha * h
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
        (lagrangian.rho, lagrangian.alpha) = (3.0, 0.7);
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
    fn h_of_one_cycle_is_known() {
        let covariance = [1.0, 0.0, 0.0, 1.0];
        let h = Lagrangian::new(2, &covariance).h(&[0.0, 0.5, 0.8, 0.0]);
        assert!((h - 2.0 * (0.4_f64.cosh() - 1.0)).abs() < 1e-14);
    }
}
