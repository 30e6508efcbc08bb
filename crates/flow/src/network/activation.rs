//! The non-linearities of hidden layers.

use serde::{Deserialize, Serialize};

/// How negative inputs shine through [`Activation::LeakyRelu`].
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
    /// Applies the function to each of `values`.
    pub(super) fn apply(self, values: &mut [f32]) {
        match self {
            Self::Relu => values.iter_mut().for_each(|x| *x = x.max(0.0)),
            Self::LeakyRelu => values.iter_mut().for_each(|x| *x = x.max(LEAK * *x)),
            Self::Tanh => values.iter_mut().for_each(|x| *x = x.tanh()),
        }
    }

    /// Multiplies `slopes` by the derivative, given what the function returned.
    pub(super) fn pull_back(self, outputs: &[f32], slopes: &mut [f32]) {
        let pairs = slopes.iter_mut().zip(outputs);
        match self {
            Self::Relu => pairs.for_each(|(slope, &y)| *slope = if y > 0.0 { *slope } else { 0.0 }),
            Self::LeakyRelu => pairs.for_each(|(slope, &y)| *slope *= if y > 0.0 { 1.0 } else { LEAK }),
            Self::Tanh => pairs.for_each(|(slope, &y)| *slope *= 1.0 - y * y),
        }
    }
}
