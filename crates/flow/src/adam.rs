//! Adam: each parameter steps by its mean gradient over the root of its mean squared gradient.

use gflowcausal_determinism::map_slices;

use crate::OptimizerConfig;
use crate::network::vectorised;

/// How many parameters one task works on.
const SLICE: usize = 1 << 14;

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
    beta1: f32,
    beta2: f32,
    step: f32,
    root_scale: f32,
    epsilon: f32,
    shrink: f32,
    gradient_scale: f32,
}

impl Adam {
    pub(crate) fn new(parameters: usize) -> Self {
        Self { steps: 0, means: vec![0.0; parameters], squares: vec![0.0; parameters] }
    }

    /// Moves `parameters` against `gradient`, which is shortened to `config.clip` if it is longer.
    ///
    /// `p ← (1 − η·decay)·p − η · m̂ / (√v̂ + ε)` with the moments `m`, `v` corrected for their start at zero.
    pub(crate) fn step(
        &mut self,
        config: &OptimizerConfig,
        learning_rate: f64,
        gradient: &mut [f32],
        parameters: &mut [f32],
    ) {
        self.steps += 1;
        let rates = self.rates(config, learning_rate, norm(gradient));
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

    fn rates(&self, config: &OptimizerConfig, learning_rate: f64, norm: f64) -> Rates {
        let corrected = |beta: f64| 1.0 - beta.powf(self.steps as f64);
        let clip = config.clip.unwrap_or(f64::INFINITY);
        Rates {
            beta1: config.beta1 as f32,
            beta2: config.beta2 as f32,
            step: (learning_rate / corrected(config.beta1)) as f32,
            root_scale: corrected(config.beta2).sqrt().recip() as f32,
            epsilon: config.epsilon as f32,
            shrink: (1.0 - learning_rate * config.weight_decay) as f32,
            gradient_scale: if norm > clip { (clip / norm) as f32 } else { 1.0 },
        }
    }
}

impl Slice<'_> {
    #[inline(always)]
    fn step(&mut self, rates: &Rates) {
        let numbers = self.parameters.iter_mut().zip(&mut *self.means).zip(&mut *self.squares);
        for (((parameter, mean), square), gradient) in numbers.zip(self.gradient) {
            let gradient = gradient * rates.gradient_scale;
            *mean = rates.beta1 * *mean + (1.0 - rates.beta1) * gradient;
            *square = rates.beta2 * *square + (1.0 - rates.beta2) * gradient * gradient;
            let root = square.sqrt() * rates.root_scale + rates.epsilon;
            *parameter = *parameter * rates.shrink - rates.step * *mean / root;
        }
    }
}

/// The length of `gradient`, summed in slices so that threads do not change it.
fn norm(gradient: &mut [f32]) -> f64 {
    let squares =
        map_slices(gradient, SLICE, |_, slice| slice.iter().map(|&x| f64::from(x * x)).sum::<f64>());
    squares.iter().sum::<f64>().sqrt()
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
    pub(crate) fn step(&mut self, config: &OptimizerConfig, learning_rate: f64, gradient: f64) -> f64 {
        self.steps += 1.0;
        self.mean = config.beta1 * self.mean + (1.0 - config.beta1) * gradient;
        self.square = config.beta2 * self.square + (1.0 - config.beta2) * gradient * gradient;
        let mean = self.mean / (1.0 - config.beta1.powf(self.steps));
        let square = self.square / (1.0 - config.beta2.powf(self.steps));
        -learning_rate * mean / (square.sqrt() + config.epsilon)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ```python
    /// p = [1.0, -2.0]; m = [0, 0]; v = [0, 0]; lr = .1; b1 = .9; b2 = .99; eps = 1e-8; wd = .5
    /// for t, g in enumerate([[0.5, -1.0], [0.25, 2.0], [-3.0, 0.0]], 1):
    ///     for i in range(2):
    ///         p[i] *= 1 - lr * wd
    ///         m[i] = b1 * m[i] + (1 - b1) * g[i]; v[i] = b2 * v[i] + (1 - b2) * g[i]**2
    ///         p[i] -= lr * (m[i] / (1 - b1**t)) / (math.sqrt(v[i] / (1 - b2**t)) + eps)
    /// ```
    #[test]
    fn steps_are_those_of_a_plain_program() {
        let config = OptimizerConfig { beta2: 0.99, weight_decay: 0.5, ..OptimizerConfig::default() };
        let (mut parameters, mut adam) = ([1.0_f32, -2.0], Adam::new(2));
        let (mut number, mut scalar) = (1.0, ScalarAdam::default());
        for gradient in [[0.5, -1.0], [0.25, 2.0], [-3.0, 0.0]] {
            adam.step(&config, 0.1, &mut gradient.clone(), &mut parameters);
            number = number * (1.0 - 0.1 * 0.5) + scalar.step(&config, 0.1, f64::from(gradient[0]));
        }
        let expected = [0.727_851_438_393_944, -1.687_558_623_570_311];
        assert!((number - expected[0]).abs() < 1e-12, "{number}");
        for (value, expected) in parameters.iter().zip(expected) {
            assert!((f64::from(*value) - expected).abs() < 1e-6, "{value} {expected}");
        }
    }

    #[test]
    fn long_gradients_are_shortened() {
        let clipped = OptimizerConfig { clip: Some(1.0), ..OptimizerConfig::default() };
        let moved = |config: &OptimizerConfig, gradient: [f32; 2]| {
            let (mut adam, mut parameters) = (Adam::new(2), [0.0; 2]);
            adam.step(config, 0.1, &mut gradient.clone(), &mut parameters);
            adam.means
        };
        let (shortened, short) =
            (moved(&clipped, [30.0, 40.0]), moved(&OptimizerConfig::default(), [0.6, 0.8]));
        assert!(shortened.iter().zip(short).all(|(a, b)| (a - b).abs() < 1e-6));
    }
}
