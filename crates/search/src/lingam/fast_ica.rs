//! FastICA: directions in which data are least Gaussian, all at once.

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, Par, Side};
use gflowcausal_determinism::{StopFlag, Stream, stream};
use rand_distr::{Distribution, StandardNormal};

use super::ica_lingam::LingamError;
use super::vector::tanh_in_place;

/// The most rounds.
const MOST_ROUNDS: usize = 1000;

/// Stops when no direction turns further (the tolerance of scikit-learn's `FastICA`).
const LEAST_TURN: f64 = 1e-4;

/// A covariance whose smallest eigenvalue is below this share of its largest has no usable inverse.
const RESOLUTION: f64 = 1e-13;

/// The matrix that takes `columns` to independent components of unit variance.
///
/// Hyvärinen's fixed point (1999) for `ln cosh`, all directions at once, from a start that `seed` decides. As in every
/// implementation the last directions are returned when rounds run out: Gaussian columns have none that are better.
pub(super) fn fast_ica(columns: &[&[f64]], seed: u64, stop: &StopFlag) -> Result<Mat<f64>, LingamError> {
    let (white, whitening) = whitened(columns)?;
    let rows = white.ncols() as f64;
    let mut directions = orthogonal(&start(columns.len(), seed));
    let mut sources = Mat::zeros(white.nrows(), white.ncols());
    for _ in 0..MOST_ROUNDS {
        matmul(&mut sources, Accum::Replace, &directions, &white, 1.0, Par::Seq);
        let mut next = Mat::zeros(directions.nrows(), directions.ncols());
        let flatness = tanh_and_mean_derivative(&mut sources);
        matmul(&mut next, Accum::Replace, &sources, white.transpose(), 1.0 / rows, Par::Seq);
        for (i, flatness) in flatness.iter().enumerate() {
            (0..next.ncols()).for_each(|j| next[(i, j)] -= flatness * directions[(i, j)]);
        }
        let next = orthogonal(&next);
        let turn = largest_turn(&next, &directions);
        directions = next;
        if turn < LEAST_TURN || stop.is_set() {
            break;
        }
    }
    Ok(directions * whitening)
}

/// Replaces sources by their hyperbolic tangents; returns the mean slope of each, `1 − mean tanh²`.
fn tanh_and_mean_derivative(sources: &mut Mat<f64>) -> Vec<f64> {
    let rows = sources.ncols() as f64;
    let mut squares = vec![0.0; sources.nrows()];
    for j in 0..sources.ncols() {
        let column = sources.col_as_slice_mut(j);
        tanh_in_place(column);
        squares.iter_mut().zip(column).for_each(|(sum, value)| *sum += *value * *value);
    }
    squares.into_iter().map(|sum| 1.0 - sum / rows).collect()
}

/// One row for each variable: uncorrelated, centred, of unit variance; and the matrix that makes them.
fn whitened(columns: &[&[f64]]) -> Result<(Mat<f64>, Mat<f64>), LingamError> {
    let rows = columns.first().map_or(0, |column| column.len());
    let means: Vec<f64> = columns.iter().map(|column| column.iter().sum::<f64>() / rows as f64).collect();
    let centred = Mat::from_fn(columns.len(), rows, |i, row| columns[i][row] - means[i]);
    let covariance = &centred * centred.transpose() * faer::Scale(1.0 / rows as f64);
    let eigen = covariance.self_adjoint_eigen(Side::Lower).map_err(|_| LingamError::Dependent)?;
    let values: Vec<f64> = eigen.S().column_vector().iter().copied().collect();
    let largest = values.iter().copied().fold(0.0, f64::max);
    if !values.iter().all(|&value| value > RESOLUTION * largest) {
        return Err(LingamError::Dependent);
    }
    let vectors = eigen.U();
    let whitening = Mat::from_fn(values.len(), values.len(), |i, j| vectors[(j, i)] / values[i].sqrt());
    Ok((&whitening * &centred, whitening))
}

fn start(nodes: usize, seed: u64) -> Mat<f64> {
    let mut numbers = StandardNormal.sample_iter(stream(seed, Stream::Unmixing));
    Mat::from_fn(nodes, nodes, |_, _| numbers.next().expect("random numbers do not end"))
}

/// The orthogonal matrix nearest to `directions`: `(W Wᵀ)^{−½} W`, which is `U Vᵀ` of its singular values.
fn orthogonal(directions: &Mat<f64>) -> Mat<f64> {
    let gram = directions * directions.transpose();
    let Ok(eigen) = gram.self_adjoint_eigen(Side::Lower) else { return directions.clone() };
    let (values, vectors) = (eigen.S().column_vector(), eigen.U());
    let scaled = Mat::from_fn(vectors.nrows(), vectors.ncols(), |i, j| {
        vectors[(i, j)] / values[j].max(f64::MIN_POSITIVE).sqrt()
    });
    scaled * vectors.transpose() * directions
}

/// How far the direction that turned most is from where it was, as one minus a cosine.
fn largest_turn(next: &Mat<f64>, last: &Mat<f64>) -> f64 {
    let cosine = |i: usize| (0..next.ncols()).map(|j| next[(i, j)] * last[(i, j)]).sum::<f64>().abs();
    (0..next.nrows()).map(|i| (cosine(i) - 1.0).abs()).fold(0.0, f64::max)
}
