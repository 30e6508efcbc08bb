//! The multi-layer perceptron, written for inputs that change by one bit and for rows that want few outputs.
//!
//! METHOD, "the cost of flow matching": a row's first layer is the first layer of the row it stands on plus or minus
//! one row of weights; an output is one dot product; and the slopes of the first layer are summed along the tree of
//! rows before they reach the weights. The numbers are those of the plain network.

use std::ops::Range;

use gflowcausal_determinism::rand::RngExt;
use gflowcausal_determinism::{Stream, stream};
use serde::{Deserialize, Serialize};

use super::gemm::{Matrix, add_product};
use super::tape::PerRow;
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

    fn values(&self, range: &Range<usize>) -> &[f32] {
        &self.parameters[range.clone()]
    }

    fn first_weights(&self, bit: u32) -> Range<usize> {
        nth(&self.first.weights, self.width, bit as usize)
    }

    fn last_weights(&self, output: u32) -> Range<usize> {
        nth(&self.last.weights, self.width, output as usize)
    }

    /// The memory's parts: first-layer inputs, then each hidden layer's outputs, then first-layer slopes.
    fn prepare(&self, tape: &mut Tape) {
        let parts = self.hidden.len() + 3;
        if tape.memory.len() != parts {
            tape.memory = vec![PerRow { width: self.width, values: vec![] }; parts];
            tape.scratch = vec![vec![]; 2];
        }
        let length = tape.len() * self.width;
        tape.memory.iter_mut().for_each(|kept| kept.values.resize(length, 0.0));
    }

    fn span(&self, rows: Range<usize>) -> Range<usize> {
        rows.start * self.width..rows.end * self.width
    }

    /// First-layer inputs of `rows`: those of the row each stands on, plus or minus one row of weights.
    fn first_layer(&self, tape: &mut Tape, rows: Range<usize>) {
        for index in rows.clone() {
            let Row { from, change } = tape.row(index);
            let (earlier, own) = tape.memory[0].values.split_at_mut(index * self.width);
            let own = &mut own[..self.width];
            match from {
                Some(from) => own.copy_from_slice(&earlier[self.span(from..from + 1)]),
                None => own.copy_from_slice(self.values(&self.first.biases)),
            }
            if let Some((bit, set)) = change {
                add_scaled(if set { 1.0 } else { -1.0 }, self.values(&self.first_weights(bit)), own);
            }
        }
        let span = self.span(rows);
        let (inputs, outputs) = pair(&mut tape.memory, 0, 1);
        outputs[span.clone()].copy_from_slice(&inputs[span.clone()]);
        self.activation.apply(&mut outputs[span]);
    }

    /// Hidden layer after hidden layer: `h' = act(h · W + b)`.
    fn hidden_layers(&self, tape: &mut Tape, rows: Range<usize>) {
        let span = self.span(rows);
        for (depth, layer) in self.hidden.iter().enumerate() {
            let (inputs, outputs) = pair(&mut tape.memory, depth + 1, depth + 2);
            let outputs = &mut outputs[span.clone()];
            fill_rows(outputs, self.values(&layer.biases));
            let weights = Matrix::new(self.values(&layer.weights), self.width);
            add_product(Matrix::new(&inputs[span.clone()], self.width), weights, outputs);
            self.activation.apply(outputs);
        }
    }

    /// Whether so many outputs are wanted of `rows` that a matrix product for all of them is cheaper.
    fn is_dense(&self, tape: &Tape, rows: &Range<usize>) -> bool {
        let all = (rows.len() * self.outputs) as f64;
        tape.output_count(rows.start, rows.end) as f64 >= DENSE_SHARE * all
    }

    fn outputs_one_by_one(&self, tape: &mut Tape, rows: Range<usize>) {
        let last = std::mem::take(&mut tape.memory[self.hidden.len() + 1]);
        for index in rows {
            let units = &last.values[self.span(index..index + 1)];
            let (wanted, log_flows) = tape.log_flows_mut(index);
            for (&output, log_flow) in wanted.iter().zip(log_flows) {
                let bias = self.parameters[self.last.biases.start + output as usize];
                *log_flow = bias + dot(self.values(&self.last_weights(output)), units);
            }
        }
        tape.memory[self.hidden.len() + 1] = last;
    }

    fn outputs_by_product(&self, tape: &mut Tape, rows: Range<usize>) {
        let mut all = std::mem::take(&mut tape.scratch[0]);
        all.resize(rows.len() * self.outputs, 0.0);
        fill_rows(&mut all, self.values(&self.last.biases));
        let units = &tape.memory[self.hidden.len() + 1].values[self.span(rows.clone())];
        let weights = Matrix::new(self.values(&self.last.weights), self.width);
        add_product(Matrix::new(units, self.width), weights.transposed(), &mut all);
        for (index, outputs) in rows.zip(all.chunks_exact(self.outputs)) {
            let (wanted, log_flows) = tape.log_flows_mut(index);
            for (&output, log_flow) in wanted.iter().zip(log_flows) {
                *log_flow = outputs[output as usize];
            }
        }
        tape.scratch[0] = all;
    }

    /// Slopes of the last hidden layer into `slopes`; those of the last weights into `gradient`.
    fn last_layer_back(&self, tape: &mut Tape, rows: Range<usize>, slopes: &mut [f32], gradient: &mut [f32]) {
        slopes.fill(0.0);
        if self.is_dense(tape, &rows) {
            self.last_layer_back_by_product(tape, rows, slopes, gradient);
        } else {
            self.last_layer_back_one_by_one(tape, rows, slopes, gradient);
        }
    }

    fn last_layer_back_one_by_one(
        &self,
        tape: &Tape,
        rows: Range<usize>,
        slopes: &mut [f32],
        gradient: &mut [f32],
    ) {
        let last = &tape.memory[self.hidden.len() + 1].values;
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
        let units = &tape.memory[self.hidden.len() + 1].values[self.span(rows)];
        let output_slopes = Matrix::new(&all, self.outputs);
        add_product(output_slopes, Matrix::new(self.values(&self.last.weights), self.width), slopes);
        let weights = &mut gradient[self.last.weights.clone()];
        add_product(output_slopes.transposed(), Matrix::new(units, self.width), weights);
        add_rows(&all, &mut gradient[self.last.biases.clone()]);
        tape.scratch[0] = all;
    }

    /// Slopes of the first hidden layer's outputs, from those of the last's, which they replace.
    fn hidden_layers_back(
        &self,
        tape: &mut Tape,
        rows: Range<usize>,
        slopes: &mut [f32],
        gradient: &mut [f32],
    ) {
        let span = self.span(rows);
        let mut earlier = std::mem::take(&mut tape.scratch[1]);
        for (depth, layer) in self.hidden.iter().enumerate().rev() {
            self.activation.pull_back(&tape.memory[depth + 2].values[span.clone()], slopes);
            let inputs = Matrix::new(&tape.memory[depth + 1].values[span.clone()], self.width);
            let outgoing = Matrix::new(slopes, self.width);
            add_product(inputs.transposed(), outgoing, &mut gradient[layer.weights.clone()]);
            add_rows(slopes, &mut gradient[layer.biases.clone()]);
            earlier.clear();
            earlier.resize(slopes.len(), 0.0);
            let weights = Matrix::new(self.values(&layer.weights), self.width).transposed();
            add_product(outgoing, weights, &mut earlier);
            slopes.copy_from_slice(&earlier);
        }
        tape.scratch[1] = earlier;
    }

    /// Hands each row's first-layer slopes to the weights of its bit and on to the row it stands on.
    fn first_layer_back(&self, tape: &mut Tape, rows: Range<usize>, gradient: &mut [f32]) {
        let part = tape.memory.len() - 1;
        for index in rows.rev() {
            let Row { from, change } = tape.row(index);
            let (earlier, own) = tape.memory[part].values.split_at_mut(index * self.width);
            let own = &own[..self.width];
            if let Some((bit, set)) = change {
                add_scaled(if set { 1.0 } else { -1.0 }, own, &mut gradient[self.first_weights(bit)]);
            }
            match from {
                Some(from) => add_scaled(1.0, own, &mut earlier[self.span(from..from + 1)]),
                None => add_scaled(1.0, own, &mut gradient[self.first.biases.clone()]),
            }
        }
    }

    fn block_back(&self, tape: &mut Tape, rows: Range<usize>, gradient: &mut [f32]) {
        if tape.output_count(rows.start, rows.end) > 0 {
            let mut slopes = vec![0.0; rows.len() * self.width];
            self.last_layer_back(tape, rows.clone(), &mut slopes, gradient);
            self.hidden_layers_back(tape, rows.clone(), &mut slopes, gradient);
            self.activation.pull_back(&tape.memory[1].values[self.span(rows.clone())], &mut slopes);
            let part = tape.memory.len() - 1;
            add_scaled(1.0, &slopes, &mut tape.memory[part].values[self.span(rows.clone())]);
        }
        self.first_layer_back(tape, rows, gradient);
    }
}

impl Network for Mlp {
    fn forward(&self, tape: &mut Tape, first: usize) {
        self.prepare(tape);
        for start in (first..tape.len()).step_by(BLOCK) {
            let rows = start..tape.len().min(start + BLOCK);
            self.first_layer(tape, rows.clone());
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
fn nth(range: &Range<usize>, width: usize, index: usize) -> Range<usize> {
    let start = range.start + index * width;
    start..start + width
}

/// Two parts of the memory, the first to read and the second to write.
fn pair(memory: &mut [PerRow], read: usize, write: usize) -> (&[f32], &mut [f32]) {
    let (before, after) = memory.split_at_mut(write);
    (&before[read].values, &mut after[0].values)
}

/// Makes each row of `matrix` a copy of `row`.
fn fill_rows(matrix: &mut [f32], row: &[f32]) {
    matrix.chunks_exact_mut(row.len()).for_each(|target| target.copy_from_slice(row));
}

/// Adds all rows of `matrix` to `sum`.
fn add_rows(matrix: &[f32], sum: &mut [f32]) {
    matrix.chunks_exact(sum.len()).for_each(|row| add_scaled(1.0, row, sum));
}

/// `sum ← sum + factor · values`.
fn add_scaled(factor: f32, values: &[f32], sum: &mut [f32]) {
    sum.iter_mut().zip(values).for_each(|(sum, value)| *sum += factor * value);
}

/// The inner product, in eight running sums.
fn dot(left: &[f32], right: &[f32]) -> f32 {
    let mut sums = [0.0; 8];
    let (left, right) = (left.chunks_exact(8), right.chunks_exact(8));
    let rest: f32 = left.remainder().iter().zip(right.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in left.zip(right) {
        sums.iter_mut().zip(a.iter().zip(b)).for_each(|(sum, (a, b))| *sum += a * b);
    }
    sums.iter().sum::<f32>() + rest
}
