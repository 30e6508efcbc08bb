//! A perceptron from one number to one number with a hidden layer, the same for every cell of a table.

use rand_distr::{Distribution, StandardNormal, Uniform};

use gflowcausal_determinism::StreamRng;

/// How many cells are worked on side by side.
const LANES: usize = 16;

/// `f(x) = b₂ + Σ w₂ max(w₁ x + b₁, 0)`, by its parameters `w₁, b₁, w₂, b₂` one after the other.
#[derive(Debug, Clone, Copy)]
pub(super) struct ScalarMlp {
    pub(super) hidden: usize,
}

impl ScalarMlp {
    pub(super) fn parameter_count(self) -> usize {
        3 * self.hidden + 1
    }

    /// Glorot's normal weights; biases uniform within `1/√inputs`, or zero.
    pub(super) fn initial(self, rng: &mut StreamRng, has_biases: bool) -> Vec<f64> {
        let deviation = (2.0 / (1.0 + self.hidden as f64)).sqrt();
        let mut values = vec![0.0; self.parameter_count()];
        let (first, rest) = values.split_at_mut(self.hidden);
        let (first_biases, rest) = rest.split_at_mut(self.hidden);
        let (second, second_bias) = rest.split_at_mut(self.hidden);
        for weight in first.iter_mut().chain(second) {
            let normal: f64 = StandardNormal.sample(rng);
            *weight = deviation * normal;
        }
        if has_biases {
            for (biases, bound) in [(first_biases, 1.0), (second_bias, (self.hidden as f64).sqrt().recip())] {
                let uniform = Uniform::new_inclusive(-bound, bound).expect("finite bounds in order");
                biases.iter_mut().for_each(|bias| *bias = uniform.sample(rng));
            }
        }
        values
    }

    /// `outputs ← f(inputs)`.
    #[inline(always)]
    pub(super) fn forward(self, parameters: &[f64], inputs: &[f64], outputs: &mut [f64]) {
        for (inputs, outputs) in inputs.chunks(LANES).zip(outputs.chunks_mut(LANES)) {
            let (x, mut y) = (padded(inputs), [parameters[3 * self.hidden]; LANES]);
            for k in 0..self.hidden {
                let [w1, b1, w2] = self.unit(parameters, k);
                for lane in 0..LANES {
                    y[lane] += w2 * (w1 * x[lane] + b1).max(0.0);
                }
            }
            outputs.copy_from_slice(&y[..outputs.len()]);
        }
    }

    /// Adds to `gradient` what `slopes` of the outputs bring and replaces them by those of the inputs.
    #[inline(always)]
    pub(super) fn backward(
        self,
        parameters: &[f64],
        inputs: &[f64],
        slopes: &mut [f64],
        gradient: &mut [f64],
    ) {
        let mut sums = vec![[[0.0; LANES]; 3]; self.hidden];
        let mut last = [0.0; LANES];
        for (inputs, slopes) in inputs.chunks(LANES).zip(slopes.chunks_mut(LANES)) {
            // A lane beyond the end has slope zero and so adds nothing.
            let (x, slope) = (padded(inputs), padded(slopes));
            let mut below = [0.0; LANES];
            for (k, [sum1, sum2, sum3]) in sums.iter_mut().enumerate() {
                let [w1, b1, w2] = self.unit(parameters, k);
                for lane in 0..LANES {
                    let before = w1 * x[lane] + b1;
                    let through = if before > 0.0 { w2 * slope[lane] } else { 0.0 };
                    sum1[lane] += through * x[lane];
                    sum2[lane] += through;
                    sum3[lane] += slope[lane] * before.max(0.0);
                    below[lane] += through * w1;
                }
            }
            (0..LANES).for_each(|lane| last[lane] += slope[lane]);
            slopes.copy_from_slice(&below[..slopes.len()]);
        }
        for (k, parts) in sums.iter().enumerate() {
            for (part, sum) in parts.iter().enumerate() {
                gradient[part * self.hidden + k] += sum.iter().sum::<f64>();
            }
        }
        gradient[3 * self.hidden] += last.iter().sum::<f64>();
    }

    /// The weights and the bias of one hidden unit.
    #[inline(always)]
    fn unit(self, parameters: &[f64], k: usize) -> [f64; 3] {
        [parameters[k], parameters[self.hidden + k], parameters[2 * self.hidden + k]]
    }
}

#[inline(always)]
fn padded(values: &[f64]) -> [f64; LANES] {
    let mut lanes = [0.0; LANES];
    lanes[..values.len()].copy_from_slice(values);
    lanes
}
