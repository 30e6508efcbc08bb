//! Structural equations drawn from a Gaussian process: joint, additive, with loud or quiet noise.

use faer::{Mat, Side};
use gflowcausal_determinism::rand::{Rng, RngExt};
use gflowcausal_determinism::{Stream, map_slices, stream};
use gflowcausal_graph::Dag;

use super::{NoiseFamily, NoiseModel, along_graph};

/// The kernel of so many rows takes 0.8 GB, and its factor as much again.
pub(super) const MOST_ROWS: usize = 10_000;

/// Added to the kernel's diagonal so that its factor exists in floating point: noise of standard deviation 1e-4.
const JITTER: f64 = 1e-8;

/// The standard deviation of the logarithm of the noise's own, with [`location_scale`].
const LOUD: f64 = 1.0;

/// GraN-DAG's noise of a variable with causes, against that of a root.
const QUIET: f64 = 0.2;

/// Each node a draw of one process over all its parents, plus noise.
pub(super) fn joint(dag: &Dag, noise: &NoiseModel, rows: usize, seed: u64) -> Vec<Vec<f64>> {
    along_graph(dag, |node, parents| plus(noise.column(node, rows, seed), &joint_draw(node, parents, seed)))
}

/// The same, noise `N(0, U[1,2])` at roots and `0.2·N(0, U[1,2])` elsewhere.
pub(super) fn quiet(dag: &Dag, rows: usize, seed: u64) -> Vec<Vec<f64>> {
    along_graph(dag, |node, parents| {
        plus(quiet_noise(node, parents.is_empty(), rows, seed), &joint_draw(node, parents, seed))
    })
}

/// Each node a sum of draws of one process for each parent, plus noise.
pub(super) fn additive(dag: &Dag, noise: &NoiseModel, rows: usize, seed: u64) -> Vec<Vec<f64>> {
    along_graph(dag, |node, parents| {
        let mut rng = stream(seed, Stream::Coefficients { node: node as u64 });
        let draws = parents.iter().map(|&parent| function_values(&[parent], &mut rng));
        draws.fold(noise.column(node, rows, seed), |column, draw| plus(column, &draw))
    })
}

/// The same, the noise multiplied by `exp(g)`, `g` another such sum over the root of its length, so of variance 1.
pub(super) fn location_scale(dag: &Dag, noise: &NoiseModel, rows: usize, seed: u64) -> Vec<Vec<f64>> {
    along_graph(dag, |node, parents| {
        let mut rng = stream(seed, Stream::Coefficients { node: node as u64 });
        let (mut mean, mut log_variance) = (vec![0.0; rows], vec![0.0; rows]);
        for &parent in parents {
            mean = plus(mean, &function_values(&[parent], &mut rng));
            log_variance = plus(log_variance, &function_values(&[parent], &mut rng));
        }
        let share = (parents.len().max(1) as f64).sqrt().recip();
        let mut column = noise.column(node, rows, seed);
        column.iter_mut().zip(log_variance).for_each(|(value, log)| *value *= (LOUD * share * log).exp());
        plus(column, &mean)
    })
}

fn plus(mut column: Vec<f64>, other: &[f64]) -> Vec<f64> {
    column.iter_mut().zip(other).for_each(|(value, x)| *value += x);
    column
}

fn quiet_noise(node: usize, is_root: bool, rows: usize, seed: u64) -> Vec<f64> {
    let mut rng = stream(seed, Stream::Noise { node: node as u64 });
    let variance: f64 = rng.random_range(1.0..=2.0);
    let deviation = variance.sqrt() * if is_root { 1.0 } else { QUIET };
    let mut column = NoiseFamily::Gauss.sample(rows, &mut rng);
    column.iter_mut().for_each(|value| *value *= deviation);
    column
}

fn joint_draw(node: usize, parents: &[&[f64]], seed: u64) -> Vec<f64> {
    if parents.is_empty() {
        return Vec::new();
    }
    function_values(parents, &mut stream(seed, Stream::Coefficients { node: node as u64 }))
}

/// A draw of the zero-mean process with kernel `exp(−‖x−y‖²/2)` at the given points: `L·z` with `LLᵀ = K + jitter`.
///
/// Costs `O(rows³/3)` and `2·rows²` numbers of memory.
fn function_values(inputs: &[&[f64]], rng: &mut impl Rng) -> Vec<f64> {
    let rows = inputs[0].len();
    let normals = NoiseFamily::Gauss.sample(rows, rng);
    let kernel = kernel_lower(inputs);
    let factor = faer::MatRef::from_column_major_slice(&kernel, rows, rows)
        .llt(Side::Lower)
        .expect("the jitter is far above the rounding of a kernel of at most MOST_ROWS rows");
    let normals = Mat::from_fn(rows, 1, |row, _| normals[row]);
    let values = factor.L() * normals;
    values.col_as_slice(0).to_vec()
}

/// The kernel of all pairs of rows, column by column; above the diagonal it stays zero.
fn kernel_lower(inputs: &[&[f64]]) -> Vec<f64> {
    let rows = inputs[0].len();
    let mut kernel = vec![0.0; rows * rows];
    map_slices(&mut kernel, rows, |j, column| {
        for input in inputs {
            for (cell, x) in column[j..].iter_mut().zip(&input[j..]) {
                *cell += (x - input[j]).powi(2);
            }
        }
        column[j..].iter_mut().for_each(|cell| *cell = (-0.5 * *cell).exp());
        column[j] += JITTER;
    });
    kernel
}
