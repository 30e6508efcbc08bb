//! Structural equations made of sigmoids (`mlp`) or of `tanh`, `cos` and `sin` (`mim`).

use gflowcausal_determinism::rand::Rng;
use gflowcausal_determinism::{Stream, map_slices, stream};
use gflowcausal_graph::Dag;

use super::linear::signed_weight;
use super::{NoiseModel, along_graph};

/// Hidden units of an `mlp` equation.
const HIDDEN: usize = 100;

/// How many rows a thread takes at a time.
const CHUNK: usize = 256;

/// `x_j = σ(x_pa·W₁)·W₂ + noise`, 100 hidden units, no bias, all weights `±U[0.5, 2]`; a root is noise alone.
pub(super) fn mlp(dag: &Dag, noise: &NoiseModel, rows: usize, seed: u64) -> Vec<Vec<f64>> {
    along_graph(dag, |node, parents| {
        let mut rng = stream(seed, Stream::Coefficients { node: node as u64 });
        let hidden: Vec<Vec<f64>> = (0..HIDDEN).map(|_| projection(parents.len(), &mut rng)).collect();
        let output = projection(HIDDEN, &mut rng);
        let sigmoid_sum = |point: &[f64]| {
            hidden.iter().zip(&output).map(|(unit, weight)| weight * sigmoid(dot(unit, point))).sum()
        };
        add_function(noise.column(node, rows, seed), parents, sigmoid_sum)
    })
}

/// `x_j = tanh(x_pa·w₁) + cos(x_pa·w₂) + sin(x_pa·w₃) + noise`, weights `±U[0.5, 2]`; a root is noise alone.
pub(super) fn mim(dag: &Dag, noise: &NoiseModel, rows: usize, seed: u64) -> Vec<Vec<f64>> {
    along_graph(dag, |node, parents| {
        let mut rng = stream(seed, Stream::Coefficients { node: node as u64 });
        let [first, second, third] = std::array::from_fn(|_| projection(parents.len(), &mut rng));
        add_function(noise.column(node, rows, seed), parents, |point| {
            dot(&first, point).tanh() + dot(&second, point).cos() + dot(&third, point).sin()
        })
    })
}

fn projection(length: usize, rng: &mut impl Rng) -> Vec<f64> {
    (0..length).map(|_| signed_weight(rng)).collect()
}

fn dot(weights: &[f64], point: &[f64]) -> f64 {
    weights.iter().zip(point).map(|(weight, x)| weight * x).sum()
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// Adds `function` of the parents' values, row by row; nothing for a root.
fn add_function(
    mut column: Vec<f64>,
    parents: &[&[f64]],
    function: impl Fn(&[f64]) -> f64 + Sync + Send,
) -> Vec<f64> {
    if parents.is_empty() {
        return column;
    }
    map_slices(&mut column, CHUNK, |index, slice| {
        let mut point = vec![0.0; parents.len()];
        for (offset, value) in slice.iter_mut().enumerate() {
            for (x, parent) in point.iter_mut().zip(parents) {
                *x = parent[index * CHUNK + offset];
            }
            *value += function(&point);
        }
    });
    column
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NoiseFamily, NoiseScale};
    use gflowcausal_graph::Edge;

    type Equation = fn(&Dag, &NoiseModel, usize, u64) -> Vec<Vec<f64>>;

    /// Inputs and function values of the equation of `X1 → X2`, the noise taken off again.
    fn function(equation: Equation, scale: f64, seed: u64) -> Vec<(f64, f64)> {
        let dag = Dag::from_edges(2, [Edge::new(0, 1)]).unwrap();
        let noise = NoiseModel { family: NoiseFamily::Gauss, scale: NoiseScale::Equal(scale) };
        let columns = equation(&dag, &noise, 40, seed);
        let values = columns[1].iter().zip(noise.column(1, 40, seed)).map(|(value, noise)| value - noise);
        columns[0].iter().copied().zip(values).collect()
    }

    fn variance(values: &[f64]) -> f64 {
        values.iter().map(|value| value * value).sum::<f64>() / values.len() as f64
    }

    #[test]
    fn a_sum_of_sigmoids_is_symmetric_about_its_value_at_zero() {
        let at_zero: Vec<f64> = (0..400)
            .map(|seed| {
                let middle = function(mlp, 1e-9, seed)[0].1;
                // Far out every sigmoid is 0 or 1: one value on each side, and they sum to twice the middle.
                let far = function(mlp, 1e6, seed);
                let side =
                    |sign: f64| far.iter().filter(move |point| point.0 * sign > 100.0).map(|point| point.1);
                let (left, right) = (side(-1.0).next().unwrap(), side(1.0).next().unwrap());
                assert!(side(1.0).all(|value| (value - right).abs() < 1e-6));
                assert!((left + right - 2.0 * middle).abs() < 1e-6);
                middle
            })
            .collect();
        // Half the sum of 100 weights ±U[0.5, 2]: variance 100·1.75/4, known to √(2/400).
        assert!((variance(&at_zero) / 43.75 - 1.0).abs() < 4.0 * (2.0_f64 / 400.0).sqrt());
    }

    #[test]
    fn a_mixture_of_waves_starts_at_one_with_the_slope_of_two_weights() {
        let slopes: Vec<f64> = (0..400)
            .map(|seed| {
                assert!(function(mim, 1.0, seed).iter().all(|(_, value)| value.abs() <= 3.0));
                let (x, value) = function(mim, 1e-5, seed)[0];
                (value - 1.0) / x
            })
            .collect();
        // tanh + cos + sin = 1 + (w₁ + w₃)·x + O(x²); the two weights have variance 1.75 each and are bounded.
        assert!(
            (variance(&slopes) / 3.5 - 1.0).abs() < 4.0 * (2.0_f64 / 400.0).sqrt(),
            "{}",
            variance(&slopes)
        );
    }
}
