//! Noise of structural equations: six families, each with a scale of its own or a shared one.

use std::fmt;
use std::str::FromStr;

use gflowcausal_determinism::rand::{Rng, RngExt};
use gflowcausal_determinism::{Stream, stream};
use gflowcausal_graph::choices;
use rand_distr::{Distribution, Exp1, StandardNormal, StudentT};
use serde::{Deserialize, Serialize};

use super::SimulationError;

choices! {
    /// The distribution of the noise at scale 1. Only the first has mean zero and unit variance by nature.
    #[derive(Default)]
    #[non_exhaustive]
    pub enum NoiseFamily: "noise" {
        /// Normal: mean 0, variance 1.
        #[default]
        Gauss = "gauss",
        /// Exponential with rate 1: mean 1, variance 1.
        Exp = "exp",
        /// Gumbel(0, 1) of maxima: mean 0.5772 (Euler's γ), variance π²/6.
        Gumbel = "gumbel",
        /// Uniform on (−1, 1): mean 0, variance 1/3.
        Uniform = "uniform",
        /// Laplace(0, 1): mean 0, variance 2.
        Laplace = "laplace",
        /// Student's t with 5 degrees of freedom: mean 0, variance 5/3.
        T = "t",
    }
}

const T_DEGREES_OF_FREEDOM: f64 = 5.0;

impl NoiseFamily {
    /// Independent draws at scale 1.
    pub(super) fn sample(self, rows: usize, rng: &mut impl Rng) -> Vec<f64> {
        match self {
            Self::Gauss => StandardNormal.sample_iter(rng).take(rows).collect(),
            Self::Exp => Exp1.sample_iter(rng).take(rows).collect(),
            // Minus the logarithm of a standard exponential is a standard Gumbel.
            Self::Gumbel => Exp1.sample_iter(rng).take(rows).map(|e: f64| -e.ln()).collect(),
            Self::Uniform => (0..rows).map(|_| rng.random_range(-1.0..1.0)).collect(),
            Self::Laplace => (0..rows).map(|_| laplace(rng)).collect(),
            Self::T => {
                let t =
                    StudentT::new(T_DEGREES_OF_FREEDOM).expect("five degrees of freedom make a distribution");
                t.sample_iter(rng).take(rows).collect()
            }
        }
    }
}

fn laplace(rng: &mut impl Rng) -> f64 {
    let size: f64 = Exp1.sample(rng);
    if rng.random::<bool>() { size } else { -size }
}

/// What the noise is multiplied by: for `gauss` its standard deviation. In a file a number or `[low, high]`, on the
/// command line `1` or `0.5..2`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum NoiseScale {
    /// The same for every node.
    Equal(f64),
    /// Uniform between the two, drawn for each node.
    Between(f64, f64),
}

impl Default for NoiseScale {
    fn default() -> Self {
        Self::Equal(1.0)
    }
}

impl NoiseScale {
    pub(super) fn check(self) -> Result<(), SimulationError> {
        let (low, high) = match self {
            Self::Equal(scale) => (scale, scale),
            Self::Between(low, high) => (low, high),
        };
        if low > 0.0 && low <= high && high.is_finite() {
            Ok(())
        } else {
            Err(SimulationError::NoiseScale(self))
        }
    }

    fn draw(self, rng: &mut impl Rng) -> f64 {
        match self {
            Self::Equal(scale) => scale,
            Self::Between(low, high) => rng.random_range(low..=high),
        }
    }
}

impl fmt::Display for NoiseScale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Equal(scale) => write!(f, "{scale}"),
            Self::Between(low, high) => write!(f, "{low}..{high}"),
        }
    }
}

/// Text that is neither a number nor `low..high`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a noise scale: write a number such as 1, or a range such as 0.5..2")]
pub struct NoiseScaleSyntax(pub String);

impl FromStr for NoiseScale {
    type Err = NoiseScaleSyntax;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let number = |part: &str| part.trim().parse().map_err(|_| NoiseScaleSyntax(text.to_owned()));
        match text.split_once("..") {
            Some((low, high)) => Ok(Self::Between(number(low)?, number(high)?)),
            None => Ok(Self::Equal(number(text)?)),
        }
    }
}

/// The noise of every structural equation of a model.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct NoiseModel {
    /// Its distribution at scale 1.
    pub family: NoiseFamily,
    /// What it is multiplied by.
    pub scale: NoiseScale,
}

impl NoiseModel {
    /// The noise of `node`, from a stream that no other node shares.
    pub(super) fn column(&self, node: usize, rows: usize, seed: u64) -> Vec<f64> {
        let mut rng = stream(seed, Stream::Noise { node: node as u64 });
        let scale = self.scale.draw(&mut rng);
        let mut column = self.family.sample(rows, &mut rng);
        if scale != 1.0 {
            column.iter_mut().for_each(|value| *value *= scale);
        }
        column
    }
}
