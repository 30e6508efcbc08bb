//! Adam: each parameter steps by its mean gradient over the root of its mean squared gradient.

use gflowcausal_determinism::map_slices;

use crate::network::vectorised;

/// How many parameters one task works on.
const SLICE: usize = 1 << 14;

/// How slowly the mean of gradients forgets (Kingma & Ba's β₁).
const BETA_1: f64 = 0.9;

/// How slowly the mean of squared gradients forgets (β₂).
const BETA_2: f64 = 0.999;

/// What keeps the division finite (ε).
const EPSILON: f64 = 1e-8;

/// The moments of a parameter list.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Adam {
    pub(crate) steps: u64,
    pub(crate) means: Vec<f32>,
    pub(crate) squares: Vec<f32>,
}

/// One slice of everything that a step touches.
struct Slice<'a> {
    parameters: &'a mut [f32],
    means: &'a mut [f32],
    squares: &'a mut [f32],
    gradient: &'a [f32],
}

/// The factors of one step.
struct Rates {
    step: f32,
    root_scale: f32,
}

impl Adam {
    pub(crate) fn new(parameters: usize) -> Self {
        Self { steps: 0, means: vec![0.0; parameters], squares: vec![0.0; parameters] }
    }

    /// Moves `parameters` against `gradient`.
    ///
    /// `p ← p − η · m̂ / (√v̂ + ε)` with the moments `m`, `v` corrected for their start at zero.
    pub(crate) fn step(&mut self, learning_rate: f64, gradient: &[f32], parameters: &mut [f32]) {
        self.steps += 1;
        let rates = self.rates(learning_rate);
        let mut slices: Vec<Slice<'_>> = parameters
            .chunks_mut(SLICE)
            .zip(self.means.chunks_mut(SLICE))
            .zip(self.squares.chunks_mut(SLICE))
            .zip(gradient.chunks(SLICE))
            .map(|(((parameters, means), squares), gradient)| Slice { parameters, means, squares, gradient })
            .collect();
        map_slices(&mut slices, 1, |_, slice| {
            vectorised(
                #[inline(always)]
                || slice.iter_mut().for_each(|slice| slice.step(&rates)),
            );
        });
    }

    fn rates(&self, learning_rate: f64) -> Rates {
        let corrected = |beta: f64| 1.0 - beta.powf(self.steps as f64);
        Rates {
            step: (learning_rate / corrected(BETA_1)) as f32,
            root_scale: corrected(BETA_2).sqrt().recip() as f32,
        }
    }
}

impl Slice<'_> {
    #[inline(always)]
    fn step(&mut self, rates: &Rates) {
        let (beta1, beta2) = (BETA_1 as f32, BETA_2 as f32);
        let numbers = self.parameters.iter_mut().zip(&mut *self.means).zip(&mut *self.squares);
        for (((parameter, mean), square), gradient) in numbers.zip(self.gradient) {
            *mean = beta1 * *mean + (1.0 - beta1) * gradient;
            *square = beta2 * *square + (1.0 - beta2) * gradient * gradient;
            let root = square.sqrt() * rates.root_scale + EPSILON as f32;
            *parameter -= rates.step * *mean / root;
        }
    }
}

/// Adam for one number, in double precision.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct ScalarAdam {
    pub(crate) steps: f64,
    pub(crate) mean: f64,
    pub(crate) square: f64,
}

impl ScalarAdam {
    /// By how much to move the number, given its gradient.
    pub(crate) fn step(&mut self, learning_rate: f64, gradient: f64) -> f64 {
        self.steps += 1.0;
        self.mean = BETA_1 * self.mean + (1.0 - BETA_1) * gradient;
        self.square = BETA_2 * self.square + (1.0 - BETA_2) * gradient * gradient;
        let mean = self.mean / (1.0 - BETA_1.powf(self.steps));
        let square = self.square / (1.0 - BETA_2.powf(self.steps));
        -learning_rate * mean / (square.sqrt() + EPSILON)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ```python
    /// p = [1.0, -2.0]; m = [0, 0]; v = [0, 0]; lr = .1; eps = 1e-8
    /// b1, b2 = (.9, .999)  # for the one number; for parameters: map(float, np.float32([.9, .999]))
    /// for t, g in enumerate([[0.5, -1.0], [0.25, 2.0], [-3.0, 0.0]], 1):
    ///     for i in range(2):
    ///         m[i] = b1 * m[i] + (1 - b1) * g[i]; v[i] = b2 * v[i] + (1 - b2) * g[i]**2
    ///         p[i] -= lr * (m[i] / (1 - .9**t)) / (math.sqrt(v[i] / (1 - .999**t)) + eps)
    /// ```
    ///
    /// `1 − β₂` is a thousandth: rounded to single precision, as parameters are moved by it, it is off by 1.3e-5.
    #[test]
    fn steps_are_those_of_a_plain_program() {
        let (mut parameters, mut adam) = ([1.0_f32, -2.0], Adam::new(2));
        let (mut number, mut scalar) = (1.0, ScalarAdam::default());
        for gradient in [[0.5, -1.0], [0.25, 2.0], [-3.0, 0.0]] {
            adam.step(0.1, &gradient, &mut parameters);
            number += scalar.step(0.1, f64::from(gradient[0]));
        }
        assert!((number - 0.856_395_837_386_988).abs() < 1e-12, "{number}");
        let expected = [0.856_394_881_339_307, -1.964_910_028_140_685];
        for (value, expected) in parameters.iter().zip(expected) {
            assert!((f64::from(*value) - expected).abs() < 1e-6, "{value} {expected}");
        }
    }
}
