//! OWL-QN: a smooth function and an L1 penalty brought to a minimum by L-BFGS, orthant by orthant.

use std::collections::VecDeque;

use gflowcausal_determinism::{StopFlag, interruptible};

/// How many steps the curvature is learned from.
const MEMORY: usize = 10;

/// A step must bring this share of what the slope promises.
const ARMIJO: f64 = 1e-4;

/// How often a step is halved.
const MOST_HALVINGS: usize = 30;

/// How many steps are taken at most.
const MOST_STEPS: usize = 15_000;

/// Stops when a step lowers the objective by less than this share (the `ftol` of SciPy's L-BFGS-B).
const LEAST_GAIN: f64 = 2.220_446_049_250_313e-9;

/// Stops when no slope is steeper (the `gtol` of SciPy's L-BFGS-B).
const LEAST_SLOPE: f64 = 1e-5;

/// A smooth function: writes the gradient at a point, returns the value.
pub(super) trait Smooth {
    fn evaluate(&mut self, point: &[f64], gradient: &mut [f64]) -> f64;
}

/// A point and the value of the penalised function there.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Minimum {
    pub(super) point: Vec<f64>,
    pub(super) value: f64,
}

/// A local minimum of `f(x) + penalty · |x|₁` near `start` over the variables that are `free`; the others stay zero.
///
/// OWL-QN (Andrew and Gao 2007): the same problem as splitting `x` into two halves with lower bounds of zero, at half the
/// variables. Each step keeps to the orthant that the slope points into, where the penalty is linear.
/// Once `stop` is set, the best point so far is returned.
pub(super) fn minimize(
    f: &mut impl Smooth,
    penalty: f64,
    free: &[bool],
    start: &[f64],
    stop: &StopFlag,
) -> Minimum {
    let Some(mut here) = interruptible(stop, || Iterate::at(f, penalty, free, start.to_vec())) else {
        return Minimum { point: start.to_vec(), value: f64::INFINITY };
    };
    let mut history = LbfgsHistory::default();
    for _ in 0..MOST_STEPS {
        let slope = here.pseudo_gradient(penalty, free);
        if stop.is_set() || slope.iter().all(|slope| slope.abs() <= LEAST_SLOPE) {
            break;
        }
        let newton = history.newton_direction(&slope);
        let direction = if penalty > 0.0 { aligned(newton, &slope) } else { newton };
        let length = if history.is_empty() { 1.0 / norm(&slope).max(1.0) } else { 1.0 };
        let step = || step(f, penalty, free, &here, &slope, &direction, length);
        let Some(next) = interruptible(stop, step) else { break };
        match next {
            Some(next) => {
                let gain = here.value - next.value;
                let scale = here.value.abs().max(next.value.abs()).max(1.0);
                history.learn(&here, &next);
                here = next;
                if gain <= LEAST_GAIN * scale {
                    break;
                }
            }
            // What was learned elsewhere may mislead here: once more along the slope itself.
            None if !history.is_empty() => history = LbfgsHistory::default(),
            None => break,
        }
    }
    Minimum { point: here.point, value: here.value }
}

/// A point, the smooth part's gradient and the penalised value.
struct Iterate {
    point: Vec<f64>,
    gradient: Vec<f64>,
    value: f64,
}

impl Iterate {
    fn at(f: &mut impl Smooth, penalty: f64, free: &[bool], mut point: Vec<f64>) -> Self {
        point.iter_mut().zip(free).filter(|(_, free)| !**free).for_each(|(x, _)| *x = 0.0);
        let mut gradient = vec![0.0; point.len()];
        let smooth = f.evaluate(&point, &mut gradient);
        let value = smooth + penalty * point.iter().map(|x| x.abs()).sum::<f64>();
        Self { point, gradient, value }
    }

    /// The steepest of the one-sided slopes; zero where both lead uphill.
    fn pseudo_gradient(&self, penalty: f64, free: &[bool]) -> Vec<f64> {
        let slope = |(&x, &g): (&f64, &f64)| match x {
            _ if x > 0.0 => g + penalty,
            _ if x < 0.0 => g - penalty,
            _ if g + penalty < 0.0 => g + penalty,
            _ if g - penalty > 0.0 => g - penalty,
            _ => 0.0,
        };
        let slopes = self.point.iter().zip(&self.gradient).map(slope);
        slopes.zip(free).map(|(slope, &free)| if free { slope } else { 0.0 }).collect()
    }
}

/// The direction without what leads uphill.
fn aligned(mut direction: Vec<f64>, slope: &[f64]) -> Vec<f64> {
    for (step, slope) in direction.iter_mut().zip(slope) {
        if *step * slope >= 0.0 {
            *step = 0.0;
        }
    }
    direction
}

/// Goes along `direction`, not past zero in any coordinate that is penalised, and half as far until it pays.
fn step(
    f: &mut impl Smooth,
    penalty: f64,
    free: &[bool],
    here: &Iterate,
    slope: &[f64],
    direction: &[f64],
    mut length: f64,
) -> Option<Iterate> {
    for _ in 0..MOST_HALVINGS {
        let point: Vec<f64> = (0..direction.len())
            .map(|i| {
                let x = here.point[i];
                let moved = x + length * direction[i];
                let orthant = if x == 0.0 { -slope[i] } else { x };
                if penalty == 0.0 || moved * orthant > 0.0 { moved } else { 0.0 }
            })
            .collect();
        let promised: f64 = (0..point.len()).map(|i| slope[i] * (point[i] - here.point[i])).sum();
        let next = Iterate::at(f, penalty, free, point);
        if promised < 0.0 && next.value <= here.value + ARMIJO * promised {
            return Some(next);
        }
        length *= 0.5;
    }
    None
}

/// What the last steps say about the second derivative.
#[derive(Default)]
struct LbfgsHistory {
    /// Steps, changes of the gradient, and one over their inner product.
    pairs: VecDeque<(Vec<f64>, Vec<f64>, f64)>,
}

impl LbfgsHistory {
    fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Steps along which the function does not bend upwards teach nothing.
    fn learn(&mut self, from: &Iterate, to: &Iterate) {
        let step: Vec<f64> = to.point.iter().zip(&from.point).map(|(to, from)| to - from).collect();
        let change: Vec<f64> = to.gradient.iter().zip(&from.gradient).map(|(to, from)| to - from).collect();
        let bend = dot(&step, &change);
        if bend <= f64::EPSILON * dot(&change, &change) {
            return;
        }
        if self.pairs.len() == MEMORY {
            self.pairs.pop_front();
        }
        self.pairs.push_back((step, change, bend.recip()));
    }

    /// `−H⁻¹ slope` by the two loops of L-BFGS.
    fn newton_direction(&self, slope: &[f64]) -> Vec<f64> {
        let mut direction: Vec<f64> = slope.iter().map(|slope| -slope).collect();
        let mut shares = Vec::with_capacity(self.pairs.len());
        for (step, change, inverse) in self.pairs.iter().rev() {
            let share = inverse * dot(step, &direction);
            add_scaled(-share, change, &mut direction);
            shares.push(share);
        }
        if let Some((_, change, inverse)) = self.pairs.back() {
            let scale = 1.0 / (inverse * dot(change, change));
            direction.iter_mut().for_each(|value| *value *= scale);
        }
        for ((step, change, inverse), share) in self.pairs.iter().zip(shares.into_iter().rev()) {
            let back = inverse * dot(change, &direction);
            add_scaled(share - back, step, &mut direction);
        }
        direction
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

fn add_scaled(factor: f64, values: &[f64], sum: &mut [f64]) {
    sum.iter_mut().zip(values).for_each(|(sum, value)| *sum += factor * value);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `½ xᵀ A x − bᵀ x` with `A` tridiagonal.
    struct Quadratic {
        b: Vec<f64>,
    }

    impl Smooth for Quadratic {
        fn evaluate(&mut self, x: &[f64], gradient: &mut [f64]) -> f64 {
            let at = |i: usize| x.get(i).copied().unwrap_or(0.0);
            for (i, slope) in gradient.iter_mut().enumerate() {
                let left = if i > 0 { at(i - 1) } else { 0.0 };
                *slope = 2.5 * at(i) - left - at(i + 1);
            }
            let value = 0.5 * dot(x, gradient) - dot(&self.b, x);
            gradient.iter_mut().zip(&self.b).for_each(|(g, b)| *g -= b);
            value
        }
    }

    /// The famous valley.
    struct Rosenbrock;

    impl Smooth for Rosenbrock {
        fn evaluate(&mut self, x: &[f64], gradient: &mut [f64]) -> f64 {
            let (a, b) = (1.0 - x[0], x[1] - x[0] * x[0]);
            gradient[0] = -2.0 * a - 400.0 * x[0] * b;
            gradient[1] = 200.0 * b;
            a * a + 100.0 * b * b
        }
    }

    #[test]
    fn the_bottom_of_the_valley_is_found() {
        let minimum = minimize(&mut Rosenbrock, 0.0, &[true; 2], &[-1.2, 1.0], &StopFlag::new());
        assert!(minimum.value < 1e-7, "{minimum:?}");
    }

    /// At a minimum every coordinate's one-sided slopes lead uphill: the subgradient holds zero.
    #[test]
    fn the_penalised_minimum_has_zero_among_its_slopes() {
        let b: Vec<f64> = (0..20).map(|i| f64::from(i % 7) - 3.0).collect();
        let mut f = Quadratic { b };
        let mut free = vec![true; 20];
        free[4] = false;
        let penalty = 1.5;
        let minimum = minimize(&mut f, penalty, &free, &[0.0; 20], &StopFlag::new());
        let mut gradient = vec![0.0; 20];
        f.evaluate(&minimum.point, &mut gradient);
        assert_eq!(minimum.point[4], 0.0);
        assert!(minimum.point.iter().filter(|x| **x == 0.0).count() > 3);
        for i in (0..20).filter(|&i| i != 4) {
            let (x, g) = (minimum.point[i], gradient[i]);
            let off = if x == 0.0 { (g.abs() - penalty).max(0.0) } else { g + penalty * x.signum() };
            assert!(off.abs() < 1e-3, "{i}: {x} {g}");
        }
    }
}
