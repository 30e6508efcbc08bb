//! The multi-layer perceptron, written for inputs that change by one bit and for rows that want few outputs.
//!
//! METHOD, "the cost of flow matching": a row's first layer is the first layer of the row it stands on plus or minus
//! one row of weights; an output is one dot product; and the slopes of the first layer are summed along the tree of
//! rows before they reach the weights. The numbers are those of the plain network.

use std::ops::Range;

use gflowcausal_determinism::rand::RngExt;
use gflowcausal_determinism::{Stream, stream};
use serde::{Deserialize, Serialize};

use super::gemm::{Matrix, add_product, set_product};
use super::tape::PerRow;
use super::vector::{add_rows, add_scaled, dot, set_sum, vectorised};
use super::{Activation, Network, Row, Tape, TensorShape};

/// How many rows are worked on at a time, so that they stay in the cache.
const BLOCK: usize = 256;

/// Rows that together want less than this share of all outputs get them one by one.
const DENSE_SHARE: f64 = 0.2;

/// The shape of a [`Mlp`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MlpConfig {
    /// How many hidden layers there are.
    pub layers: usize,
    /// How many units each has.
    pub width: usize,
    /// What a unit makes of its input.
    pub activation: Activation,
}

impl Default for MlpConfig {
    fn default() -> Self {
        Self { layers: 2, width: 256, activation: Activation::Relu }
    }
}

/// One dense layer's place in the parameters: weights, one row for each input, then biases.
#[derive(Debug, Clone)]
struct Layer {
    weights: Range<usize>,
    biases: Range<usize>,
}

/// A multi-layer perceptron over bits.
#[derive(Debug, Clone)]
pub struct Mlp {
    inputs: usize,
    outputs: usize,
    width: usize,
    activation: Activation,
    /// Weights: one row for each input bit.
    first: Layer,
    /// Weights from one hidden layer to the next.
    hidden: Vec<Layer>,
    /// Weights: one row for each *output*, so that one output is one dot product.
    last: Layer,
    parameters: Vec<f32>,
}

impl Mlp {
    /// A network from `inputs` bits to `outputs` log-flows, its parameters drawn from `seed`.
    ///
    /// Uniform in `±√(6 / fan-in)` (He); the last layer a tenth of that, so that the first policy is close to
    /// uniform.
    ///
    /// # Panics
    /// If a dimension of the network is zero.
    #[must_use]
    pub fn new(inputs: usize, outputs: usize, config: &MlpConfig, seed: u64) -> Self {
        let MlpConfig { layers, width, activation } = *config;
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
        let mut mlp =
            Self { inputs, outputs, width, activation, first, hidden, last, parameters: vec![0.0; end] };
        mlp.initialise(seed);
        mlp
    }

    fn initialise(&mut self, seed: u64) {
        let hidden = self.hidden.iter().map(|layer| (layer.weights.clone(), self.width, 1.0));
        let first = (self.first.weights.clone(), self.inputs, 1.0);
        let last = (self.last.weights.clone(), self.width, 0.1);
        let layers: Vec<_> = std::iter::once(first).chain(hidden).chain([last]).collect();
        for (layer, (weights, fan_in, scale)) in layers.into_iter().enumerate() {
            let mut rng = stream(seed, Stream::Parameters { layer: layer as u64 });
            let bound = scale * (6.0 / fan_in as f32).sqrt();
            self.parameters[weights].iter_mut().for_each(|weight| *weight = rng.random_range(-bound..bound));
        }
    }

    #[inline(always)]
    fn values(&self, range: &Range<usize>) -> &[f32] {
        &self.parameters[range.clone()]
    }

    #[inline(always)]
    fn first_weights(&self, bit: u32) -> Range<usize> {
        nth(&self.first.weights, self.width, bit as usize)
    }

    #[inline(always)]
    fn last_weights(&self, output: u32) -> Range<usize> {
        nth(&self.last.weights, self.width, output as usize)
    }

    /// The memory's parts: first-layer inputs, then each hidden layer's outputs, then first-layer slopes.
    fn prepare(&self, tape: &mut Tape, first: usize) {
        let parts = self.hidden.len() + 3;
        if tape.memory.len() != parts {
            tape.memory = vec![PerRow { width: self.width, values: vec![] }; parts];
            tape.scratch = vec![vec![]; 3];
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

    /// First-layer inputs of `rows`: those of the row each stands on, plus or minus one row of weights.
    #[inline(always)]
    fn first_layer(&self, tape: &mut Tape, rows: Range<usize>) {
        for index in rows {
            let Row { from, change } = tape.row(index);
            let (inputs, outputs) = pair(&mut tape.memory, 0, 1);
            let (earlier, own) = inputs.split_at_mut(index * self.width);
            let own = &mut own[..self.width];
            let base = match from {
                Some(from) => &earlier[self.span(from..from + 1)],
                None => self.values(&self.first.biases),
            };
            match change {
                Some((bit, set)) => set_sum(base, sign(set), self.values(&self.first_weights(bit)), own),
                None => own.copy_from_slice(base),
            }
            self.activation.apply(own, &mut outputs[self.span(index..index + 1)]);
        }
    }

    /// Hidden layer after hidden layer: `h' = act(h · W + b)`.
    fn hidden_layers(&self, tape: &mut Tape, rows: Range<usize>) {
        let span = self.span(rows);
        for (depth, layer) in self.hidden.iter().enumerate() {
            let (inputs, outputs) = pair(&mut tape.memory, depth + 1, depth + 2);
            let outputs = &mut outputs[span.clone()];
            let weights = Matrix::new(self.values(&layer.weights), self.width);
            set_product(Matrix::new(&inputs[span.clone()], self.width), weights, outputs);
            let biases = self.values(&layer.biases);
            vectorised(|| {
                outputs
                    .chunks_exact_mut(self.width)
                    .for_each(|row| self.activation.apply_biased(biases, row));
            });
        }
    }

    /// Whether so many outputs are wanted of `rows` that a matrix product for all of them is cheaper.
    fn is_dense(&self, tape: &Tape, rows: &Range<usize>) -> bool {
        let all = (rows.len() * self.outputs) as f64;
        tape.output_count(rows.start, rows.end) as f64 >= DENSE_SHARE * all
    }

    fn outputs_one_by_one(&self, tape: &mut Tape, rows: Range<usize>) {
        let last = std::mem::take(&mut tape.memory[self.last_units()]);
        vectorised(|| {
            for index in rows {
                let units = &last.values[self.span(index..index + 1)];
                let (wanted, log_flows) = tape.log_flows_mut(index);
                for (&output, log_flow) in wanted.iter().zip(log_flows) {
                    let bias = self.parameters[self.last.biases.start + output as usize];
                    *log_flow = bias + dot(self.values(&self.last_weights(output)), units);
                }
            }
        });
        tape.memory[self.last_units()] = last;
    }

    fn outputs_by_product(&self, tape: &mut Tape, rows: Range<usize>) {
        let mut all = std::mem::take(&mut tape.scratch[0]);
        all.resize(rows.len() * self.outputs, 0.0);
        let units = &tape.memory[self.last_units()].values[self.span(rows.clone())];
        let weights = Matrix::new(self.values(&self.last.weights), self.width);
        set_product(Matrix::new(units, self.width), weights.transposed(), &mut all);
        let biases = self.values(&self.last.biases);
        for (index, outputs) in rows.zip(all.chunks_exact(self.outputs)) {
            let (wanted, log_flows) = tape.log_flows_mut(index);
            for (&output, log_flow) in wanted.iter().zip(log_flows) {
                *log_flow = biases[output as usize] + outputs[output as usize];
            }
        }
        tape.scratch[0] = all;
    }

    #[inline(always)]
    fn last_layer_back_one_by_one(
        &self,
        tape: &Tape,
        rows: Range<usize>,
        slopes: &mut [f32],
        gradient: &mut [f32],
    ) {
        let last = &tape.memory[self.last_units()].values;
        slopes.fill(0.0);
        for (index, row) in rows.zip(slopes.chunks_exact_mut(self.width)) {
            let units = &last[self.span(index..index + 1)];
            for (&output, &slope) in tape.wanted(index).iter().zip(tape.slopes(index)) {
                let weights = self.last_weights(output);
                add_scaled(slope, self.values(&weights), row);
                add_scaled(slope, units, &mut gradient[weights]);
                gradient[self.last.biases.start + output as usize] += slope;
            }
        }
    }

    fn last_layer_back_by_product(
        &self,
        tape: &mut Tape,
        rows: Range<usize>,
        slopes: &mut [f32],
        gradient: &mut [f32],
    ) {
        let mut all = std::mem::take(&mut tape.scratch[0]);
        all.clear();
        all.resize(rows.len() * self.outputs, 0.0);
        for (index, outputs) in rows.clone().zip(all.chunks_exact_mut(self.outputs)) {
            for (&output, &slope) in tape.wanted(index).iter().zip(tape.slopes(index)) {
                outputs[output as usize] = slope;
            }
        }
        let units = &tape.memory[self.last_units()].values[self.span(rows)];
        let output_slopes = Matrix::new(&all, self.outputs);
        set_product(output_slopes, Matrix::new(self.values(&self.last.weights), self.width), slopes);
        let weights = &mut gradient[self.last.weights.clone()];
        add_product(output_slopes.transposed(), Matrix::new(units, self.width), weights);
        vectorised(|| add_rows(&all, &mut gradient[self.last.biases.clone()]));
        tape.scratch[0] = all;
    }

    /// From the slopes of the last hidden layer's outputs to those of the first's; `spare` is as long.
    fn hidden_layers_back(
        &self,
        tape: &Tape,
        rows: Range<usize>,
        slopes: &mut Vec<f32>,
        spare: &mut Vec<f32>,
        gradient: &mut [f32],
    ) {
        let span = self.span(rows);
        for (depth, layer) in self.hidden.iter().enumerate().rev() {
            vectorised(|| {
                self.activation.pull_back(&tape.memory[depth + 2].values[span.clone()], slopes);
                add_rows(slopes, &mut gradient[layer.biases.clone()]);
            });
            let inputs = Matrix::new(&tape.memory[depth + 1].values[span.clone()], self.width);
            let outgoing = Matrix::new(slopes, self.width);
            add_product(inputs.transposed(), outgoing, &mut gradient[layer.weights.clone()]);
            let weights = Matrix::new(self.values(&layer.weights), self.width).transposed();
            set_product(outgoing, weights, spare);
            std::mem::swap(slopes, spare);
        }
    }

    /// Hands each row's first-layer slopes to the weights of its bit and on to the row it stands on.
    #[inline(always)]
    fn first_layer_back(&self, tape: &mut Tape, rows: Range<usize>, gradient: &mut [f32]) {
        let part = tape.memory.len() - 1;
        for index in rows.rev() {
            let Row { from, change } = tape.row(index);
            let (earlier, own) = tape.memory[part].values.split_at_mut(index * self.width);
            let own = &own[..self.width];
            if let Some((bit, set)) = change {
                add_scaled(sign(set), own, &mut gradient[self.first_weights(bit)]);
            }
            match from {
                Some(from) => add_scaled(1.0, own, &mut earlier[self.span(from..from + 1)]),
                None => add_scaled(1.0, own, &mut gradient[self.first.biases.clone()]),
            }
        }
    }

    /// Adds the slopes of the first-layer inputs that come from these rows' own outputs.
    fn outputs_back(&self, tape: &mut Tape, rows: Range<usize>, gradient: &mut [f32]) {
        let (mut slopes, mut spare) =
            (std::mem::take(&mut tape.scratch[1]), std::mem::take(&mut tape.scratch[2]));
        slopes.resize(rows.len() * self.width, 0.0);
        spare.resize(rows.len() * self.width, 0.0);
        if self.is_dense(tape, &rows) {
            self.last_layer_back_by_product(tape, rows.clone(), &mut slopes, gradient);
        } else {
            vectorised(|| self.last_layer_back_one_by_one(tape, rows.clone(), &mut slopes, gradient));
        }
        self.hidden_layers_back(tape, rows.clone(), &mut slopes, &mut spare, gradient);
        let span = self.span(rows);
        let part = tape.memory.len() - 1;
        let (units, sums) = pair(&mut tape.memory, 1, part);
        vectorised(|| {
            self.activation.pull_back(&units[span.clone()], &mut slopes);
            add_scaled(1.0, &slopes, &mut sums[span]);
        });
        (tape.scratch[1], tape.scratch[2]) = (slopes, spare);
    }

    fn block_back(&self, tape: &mut Tape, rows: Range<usize>, gradient: &mut [f32]) {
        if tape.output_count(rows.start, rows.end) > 0 {
            self.outputs_back(tape, rows.clone(), gradient);
        }
        vectorised(|| self.first_layer_back(tape, rows, gradient));
    }
}

impl Network for Mlp {
    fn forward(&self, tape: &mut Tape, first: usize) {
        self.prepare(tape, first);
        for start in (first..tape.len()).step_by(BLOCK) {
            let rows = start..tape.len().min(start + BLOCK);
            vectorised(|| self.first_layer(tape, rows.clone()));
            if tape.output_count(rows.start, rows.end) == 0 {
                continue;
            }
            self.hidden_layers(tape, rows.clone());
            if self.is_dense(tape, &rows) {
                self.outputs_by_product(tape, rows);
            } else {
                self.outputs_one_by_one(tape, rows);
            }
        }
    }

    fn backward(&self, tape: &mut Tape, first: usize, gradient: &mut [f32]) {
        let mut end = tape.len();
        while end > first {
            let start = first.max(end.saturating_sub(BLOCK));
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
        tensors
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

/// What a bit that is set adds, and a bit that is taken out.
#[inline(always)]
fn sign(set: bool) -> f32 {
    if set { 1.0 } else { -1.0 }
}
