//! Layers with parameters on a tape, and the first values of these.

use gflowcausal_determinism::StreamRng;
use rand_distr::{Distribution, Uniform};

use crate::real::Real;
use crate::tape::{Tape, Var};

/// `count` parameters uniform within `1/√inputs`.
pub fn uniform<R: Real>(count: usize, inputs: usize, rng: &mut StreamRng) -> Vec<R> {
    within(count, (inputs.max(1) as f64).sqrt().recip(), rng)
}

/// `count` parameters uniform within `√(6/inputs)`: rectified layers keep the size of what they are given (He et al. 2015).
fn rectifying<R: Real>(count: usize, inputs: usize, rng: &mut StreamRng) -> Vec<R> {
    within(count, (6.0 / inputs.max(1) as f64).sqrt(), rng)
}

fn within<R: Real>(count: usize, bound: f64, rng: &mut StreamRng) -> Vec<R> {
    let uniform = Uniform::new_inclusive(-bound, bound).expect("finite bounds in order");
    (0..count).map(|_| R::of(uniform.sample(rng))).collect()
}

/// A layer `x w + b`.
#[derive(Debug, Clone, Copy)]
pub struct Linear {
    w: Var,
    b: Var,
}

impl Linear {
    /// With weights and biases uniform within `1/√inputs`.
    pub fn new<R: Real>(tape: &mut Tape<R>, inputs: usize, outputs: usize, rng: &mut StreamRng) -> Self {
        let w = tape.parameter(outputs, uniform(inputs * outputs, inputs, rng));
        Self { w, b: tape.parameter(outputs, uniform(outputs, inputs, rng)) }
    }

    /// With weights uniform within `√(6/inputs)`, to be rectified, and biases of zero.
    pub fn rectifying<R: Real>(
        tape: &mut Tape<R>,
        inputs: usize,
        outputs: usize,
        rng: &mut StreamRng,
    ) -> Self {
        let w = tape.parameter(outputs, rectifying(inputs * outputs, inputs, rng));
        Self { w, b: tape.parameter(outputs, vec![R::ZERO; outputs]) }
    }

    /// The last layer of a policy: a tenth of the usual weights and biases of zero, so that the first policy is close to
    /// uniform.
    pub fn last<R: Real>(tape: &mut Tape<R>, inputs: usize, outputs: usize, rng: &mut StreamRng) -> Self {
        let bound = 0.1 * (6.0 / inputs.max(1) as f64).sqrt();
        let w = tape.parameter(outputs, within(inputs * outputs, bound, rng));
        Self { w, b: tape.parameter(outputs, vec![R::ZERO; outputs]) }
    }

    /// `x w + b`.
    pub fn forward<R: Real>(self, tape: &mut Tape<R>, x: Var) -> Var {
        tape.linear(x, self.w, Some(self.b))
    }

    /// `max(x w + b, 0)`.
    pub fn rectified<R: Real>(self, tape: &mut Tape<R>, x: Var) -> Var {
        tape.rectified(x, self.w, Some(self.b))
    }
}

/// A rectified convolution by kernels of 3 × 3, zeros beyond the border.
#[derive(Debug, Clone, Copy)]
pub struct Convolution {
    w: Var,
    b: Var,
}

impl Convolution {
    /// From `channels` to `outputs` channels.
    pub fn new<R: Real>(tape: &mut Tape<R>, channels: usize, outputs: usize, rng: &mut StreamRng) -> Self {
        let w = tape.parameter(outputs, rectifying(9 * channels * outputs, 9 * channels, rng));
        Self { w, b: tape.parameter(outputs, vec![R::ZERO; outputs]) }
    }

    /// Of square images of `side` pixels, one row of `x` for each pixel.
    pub fn rectified<R: Real>(self, tape: &mut Tape<R>, x: Var, side: usize) -> Var {
        tape.convolved(x, self.w, self.b, side)
    }
}

/// Over what a [`Norm`] has mean 0 and variance 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Normalisation {
    /// Every column, over the rows of the batch (Ioffe & Szegedy 2015): what comes out depends on the other rows.
    Batch,
    /// Every row (Ba et al. 2016): what comes out depends on the row alone.
    Layer,
}

/// Mean 0 and variance 1, then a gain and a shift for each column.
#[derive(Debug, Clone, Copy)]
pub struct Norm {
    over: Normalisation,
    gain: Var,
    shift: Var,
}

impl Norm {
    /// With a gain of one and a shift of zero.
    pub fn new<R: Real>(tape: &mut Tape<R>, over: Normalisation, width: usize) -> Self {
        let gain = tape.parameter(width, vec![R::ONE; width]);
        Self { over, gain, shift: tape.parameter(width, vec![R::ZERO; width]) }
    }

    /// `x` normalised.
    pub fn forward<R: Real>(self, tape: &mut Tape<R>, x: Var) -> Var {
        match self.over {
            Normalisation::Batch => tape.batch_norm(x, self.gain, self.shift),
            Normalisation::Layer => tape.layer_norm(x, self.gain, self.shift),
        }
    }
}
