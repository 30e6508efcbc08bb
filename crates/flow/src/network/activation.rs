//! The non-linearities of hidden layers.

use serde::{Deserialize, Serialize};

/// The slope of [`Activation::LeakyRelu`] at negative inputs.
const LEAK: f32 = 0.01;

/// What a hidden unit makes of its input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Activation {
    /// `max(x, 0)`.
    Relu,
    /// `x`, or a hundredth of it where it is negative.
    LeakyRelu,
    /// `tanh x`.
    Tanh,
}

impl Activation {
    /// Applies the function to each of `inputs`.
    #[inline(always)]
    pub(super) fn apply(self, inputs: &[f32], outputs: &mut [f32]) {
        let pairs = outputs.iter_mut().zip(inputs);
        match self {
            Self::Relu => pairs.for_each(|(y, &x)| *y = relu(x)),
            Self::LeakyRelu => pairs.for_each(|(y, &x)| *y = leaky_relu(x)),
            Self::Tanh => pairs.for_each(|(y, &x)| *y = x.tanh()),
        }
    }

    /// Adds `biases` to `values` and applies the function.
    #[inline(always)]
    pub(super) fn apply_biased(self, biases: &[f32], values: &mut [f32]) {
        let pairs = values.iter_mut().zip(biases);
        match self {
            Self::Relu => pairs.for_each(|(y, b)| *y = relu(*y + b)),
            Self::LeakyRelu => pairs.for_each(|(y, b)| *y = leaky_relu(*y + b)),
            Self::Tanh => pairs.for_each(|(y, b)| *y = (*y + b).tanh()),
        }
    }

    /// Multiplies `grads` by the derivative, given what the function returned.
    #[inline(always)]
    pub(super) fn pull_back(self, outputs: &[f32], grads: &mut [f32]) {
        let pairs = grads.iter_mut().zip(outputs);
        match self {
            Self::Relu => pairs.for_each(|(grad, &y)| *grad = keep_if(y > 0.0, *grad)),
            Self::LeakyRelu => pairs.for_each(|(grad, &y)| *grad *= if y > 0.0 { 1.0 } else { LEAK }),
            Self::Tanh => pairs.for_each(|(grad, &y)| *grad *= 1.0 - y * y),
        }
    }
}

#[inline(always)]
fn relu(x: f32) -> f32 {
    x.max(0.0)
}

/// `x` or zero, by its bits: a choice becomes a masked store, which some processors take long for.
#[inline(always)]
fn keep_if(is_kept: bool, x: f32) -> f32 {
    f32::from_bits(x.to_bits() & u32::from(is_kept).wrapping_neg())
}

#[inline(always)]
fn leaky_relu(x: f32) -> f32 {
    x.max(LEAK * x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_are_those_of_central_differences() {
        for activation in [Activation::Relu, Activation::LeakyRelu, Activation::Tanh] {
            for x in [-1.7_f32, -0.2, 0.3, 2.0] {
                let at = |x: f32| {
                    let (mut plain, mut biased) = ([0.0], [x - 0.5]);
                    activation.apply(&[x], &mut plain);
                    activation.apply_biased(&[0.5], &mut biased);
                    assert!((plain[0] - biased[0]).abs() < 1e-6);
                    plain[0]
                };
                let mut slope = [1.0];
                activation.pull_back(&[at(x)], &mut slope);
                let numeric = (at(x + 1e-2) - at(x - 1e-2)) / 2e-2;
                assert!((slope[0] - numeric).abs() < 1e-3, "{activation:?} at {x}: {} {numeric}", slope[0]);
            }
        }
    }
}
