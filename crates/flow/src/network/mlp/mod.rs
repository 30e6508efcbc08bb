//! The multi-layer perceptron, written for rows that differ in few inputs and of which few outputs are requested.
//!
//! METHOD, "the cost of flow matching": a row's first layer is the first layer of the row it is based on plus or minus
//! one row of weights for each change; an output is one dot product; and the gradients of the first layer are summed
//! along the tree of rows before they reach the weights. The numbers are those of the plain network.

mod backward;
mod forward;

use std::ops::Range;

use gflowcausal_determinism::rand::RngExt;
use gflowcausal_determinism::{Stream, cancellation_point, stream};
use serde::{Deserialize, Serialize};

use super::packed::Packed;
use super::tape::PerRow;
use super::{Network, Tape, TensorShape};

/// How many rows are worked on at a time, so that they stay in the cache.
const BLOCK: usize = 256;

/// How many rows are worked on at a time if few outputs are requested of them: rows with the same request share its fetching.
const SPARSE_BLOCK: usize = 1024;

/// Rows of an [`Mlp`] of which less than this share of all outputs is requested get them one by one.
pub const DENSE_SHARE: f64 = 0.2;

/// The shape of a [`Mlp`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MlpConfig {
    /// How many hidden layers there are.
    pub layers: usize,
    /// How many units each has.
    pub width: usize,
}

impl Default for MlpConfig {
    fn default() -> Self {
        Self { layers: 2, width: 256 }
    }
}

impl MlpConfig {
    /// How many parameters a network of this shape has; none if no number can say.
    pub(crate) fn parameters(&self, inputs: usize, reward_inputs: usize, outputs: usize) -> Option<usize> {
        let Self { layers, width, .. } = *self;
        let layer = |inputs: usize, outputs: usize| inputs.checked_mul(outputs)?.checked_add(outputs);
        let hidden = layer(width, width)?.checked_mul(layers.checked_sub(1)?)?;
        let of_reward = reward_inputs.checked_mul(width)?;
        layer(inputs, width)?.checked_add(hidden)?.checked_add(layer(width, outputs)?)?.checked_add(of_reward)
    }
}

/// One dense layer's place in the parameters: weights, one row for each input, then biases.
#[derive(Debug, Clone)]
struct Layer {
    weights: Range<usize>,
    biases: Range<usize>,
}

/// A multi-layer perceptron over inputs that are on or off.
#[derive(Debug, Clone)]
pub struct Mlp {
    inputs: usize,
    reward_inputs: usize,
    outputs: usize,
    width: usize,
    /// Weights: one row for each input.
    first: Layer,
    /// Weights of the first layer for reward inputs, one row for each.
    reward_weights: Range<usize>,
    /// Weights from one hidden layer to the next.
    hidden: Vec<Layer>,
    /// Weights: one row for each *output*, so that one output is one dot product.
    last: Layer,
    parameters: Vec<f32>,
}

impl Mlp {
    /// A network from `inputs` inputs to `outputs` log-flows, its parameters drawn from `seed`.
    ///
    /// Uniform in `±√(6 / fan-in)` (He); the last layer a tenth of that, so that the first policy is close to
    /// uniform.
    ///
    /// # Panics
    /// If a dimension of the network is zero.
    #[must_use]
    pub fn new(inputs: usize, outputs: usize, config: &MlpConfig, seed: u64) -> Self {
        Self::with_reward_inputs(inputs, 0, outputs, config, seed)
    }

    /// The same with so many inputs more that are numbers: what the reward says of the next steps.
    ///
    /// # Panics
    /// If a dimension of the network is zero.
    #[must_use]
    pub fn with_reward_inputs(
        inputs: usize,
        reward_inputs: usize,
        outputs: usize,
        config: &MlpConfig,
        seed: u64,
    ) -> Self {
        let MlpConfig { layers, width } = *config;
        assert!(inputs * outputs * layers * width > 0, "every dimension of a network is positive");
        let mut end = 0;
        let mut place = |weights: usize, biases: usize| {
            let layer = Layer { weights: end..end + weights, biases: end + weights..end + weights + biases };
            end = layer.biases.end;
            layer
        };
        let first = place(inputs * width, width);
        let hidden = (1..layers).map(|_| place(width * width, width)).collect();
        let last = place(outputs * width, outputs);
        let reward_weights = place(reward_inputs * width, 0).weights;
        let parameters = vec![0.0; end];
        let mut mlp =
            Self { inputs, reward_inputs, outputs, width, first, reward_weights, hidden, last, parameters };
        mlp.initialise(seed);
        mlp
    }

    fn initialise(&mut self, seed: u64) {
        let hidden = self.hidden.iter().map(|layer| (layer.weights.clone(), self.width, 1.0));
        let first = (self.first.weights.clone(), self.inputs, 1.0);
        let last = (self.last.weights.clone(), self.width, 0.1);
        let of_reward = (self.reward_weights.clone(), self.reward_inputs.max(1), 1.0);
        let layers: Vec<_> = std::iter::once(first).chain(hidden).chain([last, of_reward]).collect();
        for (layer, (weights, fan_in, scale)) in layers.into_iter().enumerate() {
            let mut rng = stream(seed, Stream::Parameters { layer: layer as u64 });
            let bound = scale * (6.0 / fan_in as f32).sqrt();
            for weights in self.parameters[weights].chunks_mut(1 << 16) {
                cancellation_point();
                weights.iter_mut().for_each(|weight| *weight = rng.random_range(-bound..bound));
            }
        }
    }

    #[inline(always)]
    fn values(&self, range: &Range<usize>) -> &[f32] {
        &self.parameters[range.clone()]
    }

    #[inline(always)]
    fn first_weights(&self, input: u32) -> Range<usize> {
        nth(&self.first.weights, self.width, input as usize)
    }

    #[inline(always)]
    fn last_weights(&self, output: u32) -> Range<usize> {
        nth(&self.last.weights, self.width, output as usize)
    }

    /// The memory's parts: first-layer inputs, then each hidden layer's outputs, then first-layer gradients.
    fn prepare(&self, tape: &mut Tape, first: usize) {
        let parts = self.hidden.len() + 3;
        if tape.memory.len() != parts {
            tape.memory = vec![PerRow { width: self.width, values: vec![] }; parts];
            tape.scratch = vec![vec![]; 3];
            tape.packed = vec![Packed::default(); self.hidden.len() + 1];
        }
        if first == 0 {
            tape.packed.iter_mut().for_each(Packed::forget);
        }
        let rows = tape.len();
        tape.memory.iter_mut().for_each(|kept| kept.reserve(rows));
        tape.memory[parts - 1].values[self.span(first..rows)].fill(0.0);
    }

    /// Where the memory keeps the last hidden layer's outputs.
    fn last_units(&self) -> usize {
        self.hidden.len() + 1
    }

    #[inline(always)]
    fn span(&self, rows: Range<usize>) -> Range<usize> {
        rows.start * self.width..rows.end * self.width
    }

    /// Whether so many outputs are requested of `rows` that a matrix product for all of them is cheaper.
    fn is_dense(&self, tape: &Tape, rows: &Range<usize>) -> bool {
        let all = (rows.len() * self.outputs) as f64;
        tape.output_count(rows.start, rows.end) as f64 >= DENSE_SHARE * all
    }

    /// How many of `rows`, at most a sparse block, to work on at a time.
    fn block_size(&self, tape: &Tape, rows: Range<usize>) -> usize {
        if self.is_dense(tape, &rows) { rows.len().min(BLOCK) } else { rows.len() }
    }
}

impl Network for Mlp {
    fn forward(&self, tape: &mut Tape, first: usize) {
        self.prepare(tape, first);
        let mut end = first;
        while end < tape.len() {
            let rows = end..end + self.block_size(tape, end..tape.len().min(end + SPARSE_BLOCK));
            end = rows.end;
            self.block_forward(tape, rows);
        }
    }

    fn backward(&self, tape: &mut Tape, first: usize, gradient: &mut [f32]) {
        let mut end = tape.len();
        while end > first {
            let start = end - self.block_size(tape, first.max(end.saturating_sub(SPARSE_BLOCK))..end);
            self.block_back(tape, start..end, gradient);
            end = start;
        }
    }

    fn parameters(&self) -> &[f32] {
        &self.parameters
    }

    fn parameters_mut(&mut self) -> &mut [f32] {
        &mut self.parameters
    }

    fn tensors(&self) -> Vec<TensorShape> {
        let tensor = |name: String, shape: Vec<usize>| TensorShape { name, shape };
        let weights = std::iter::once(self.inputs).chain(self.hidden.iter().map(|_| self.width));
        let mut tensors = Vec::new();
        for (layer, rows) in weights.enumerate() {
            tensors.push(tensor(format!("hidden.{layer}.weights"), vec![rows, self.width]));
            tensors.push(tensor(format!("hidden.{layer}.biases"), vec![self.width]));
        }
        tensors.push(tensor("output.weights".into(), vec![self.outputs, self.width]));
        tensors.push(tensor("output.biases".into(), vec![self.outputs]));
        if self.reward_inputs > 0 {
            tensors.push(tensor("reward.weights".into(), vec![self.reward_inputs, self.width]));
        }
        tensors
    }

    fn numbers_per_row(&self) -> usize {
        self.width * (self.hidden.len() + 3)
    }
}

/// The `index`-th stretch of `width` numbers in `range`.
#[inline(always)]
fn nth(range: &Range<usize>, width: usize, index: usize) -> Range<usize> {
    let start = range.start + index * width;
    start..start + width
}

/// Two parts of the memory, the first before the second.
#[inline(always)]
fn pair(memory: &mut [PerRow], first: usize, second: usize) -> (&mut [f32], &mut [f32]) {
    let (before, after) = memory.split_at_mut(second);
    (&mut before[first].values, &mut after[0].values)
}

/// The sign of a change: weights are added for an input that is switched on, taken away for one switched off.
#[inline(always)]
fn sign(is_on: bool) -> f32 {
    if is_on { 1.0 } else { -1.0 }
}
