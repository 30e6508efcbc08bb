//! From inputs to log-flows, block after block of rows.

use std::ops::Range;

use super::{Mlp, pair, sign};
use crate::network::Tape;
use crate::network::gemm::{Matrix, set_product};
use crate::network::packed::Packed;
use crate::network::relu::{relu, relu_biased};
use crate::network::vector::{dot, set_sum};
use crate::network::{add_scaled, vectorised};

/// Up to so many rows, as they are in a step of a batch, are few.
const FEW_ROWS: usize = 64;

impl Mlp {
    pub(super) fn block_forward(&self, tape: &mut Tape, rows: Range<usize>) {
        vectorised(
            #[inline(always)]
            || self.first_layer(tape, rows.clone()),
        );
        if tape.output_count(rows.start, rows.end) == 0 {
            return;
        }
        if self.reward_inputs > 0 {
            self.add_reward_inputs(tape, rows.clone());
        }
        self.hidden_layers(tape, rows.clone());
        if self.is_dense(tape, &rows) {
            self.outputs_by_product(tape, rows);
        } else {
            self.outputs_one_by_one(tape, rows);
        }
    }

    /// First-layer inputs of `rows`: those of the row each is based on, plus or minus a row of weights for each change.
    #[inline(always)]
    fn first_layer(&self, tape: &mut Tape, rows: Range<usize>) {
        for index in rows {
            let (inputs, outputs) = pair(&mut tape.memory, 0, 1);
            let (earlier, own) = inputs.split_at_mut(index * self.width);
            let own = &mut own[..self.width];
            let base = match tape.inputs.base(index) {
                Some(base) => &earlier[self.span(base..base + 1)],
                None => self.values(&self.first.biases),
            };
            match tape.inputs.changes(index) {
                [] => own.copy_from_slice(base),
                [change, others @ ..] => {
                    set_sum(base, sign(change.is_on), self.values(&self.first_weights(change.input)), own);
                    for change in others {
                        let weights = self.values(&self.first_weights(change.input));
                        add_scaled(sign(change.is_on), weights, own);
                    }
                }
            }
            relu(own, &mut outputs[self.span(index..index + 1)]);
        }
    }

    /// Adds what the reward inputs of `rows` bring to the first layer's inputs, for its outputs alone: rows that are based
    /// on these have reward inputs of their own.
    fn add_reward_inputs(&self, tape: &mut Tape, rows: Range<usize>) {
        let mut sums = std::mem::take(&mut tape.scratch[0]);
        sums.resize(rows.len() * self.width, 0.0);
        let weights = Matrix::new(self.values(&self.reward_weights), self.width);
        set_product(Matrix::new(tape.reward_inputs(rows.clone()), self.reward_inputs), weights, &mut sums);
        let (inputs, outputs) = pair(&mut tape.memory, 0, 1);
        let span = self.span(rows);
        vectorised(
            #[inline(always)]
            || {
                add_scaled(1.0, &inputs[span.clone()], &mut sums);
                relu(&sums, &mut outputs[span]);
            },
        );
        tape.scratch[0] = sums;
    }

    /// Hidden layer after hidden layer: `h' = max(h · W + b, 0)`.
    fn hidden_layers(&self, tape: &mut Tape, rows: Range<usize>) {
        let span = self.span(rows);
        for (depth, layer) in self.hidden.iter().enumerate() {
            let (inputs, outputs) = pair(&mut tape.memory, depth + 1, depth + 2);
            let outputs = &mut outputs[span.clone()];
            let weights = Matrix::new(self.values(&layer.weights), self.width);
            multiply(&inputs[span.clone()], weights, &mut tape.packed[depth], outputs);
            let biases = self.values(&layer.biases);
            vectorised(
                #[inline(always)]
                || {
                    outputs.chunks_exact_mut(self.width).for_each(|row| relu_biased(biases, row));
                },
            );
        }
    }

    fn outputs_one_by_one(&self, tape: &mut Tape, rows: Range<usize>) {
        let last = std::mem::take(&mut tape.memory[self.last_units()]);
        vectorised(
            #[inline(always)]
            || {
                for index in rows {
                    let units = &last.values[self.span(index..index + 1)];
                    let (requested, log_flows) = tape.log_flows_mut(index);
                    for (&output, log_flow) in requested.iter().zip(log_flows) {
                        let bias = self.parameters[self.last.biases.start + output as usize];
                        *log_flow = bias + dot(self.values(&self.last_weights(output)), units);
                    }
                }
            },
        );
        tape.memory[self.last_units()] = last;
    }

    fn outputs_by_product(&self, tape: &mut Tape, rows: Range<usize>) {
        let mut all = std::mem::take(&mut tape.scratch[0]);
        all.resize(rows.len() * self.outputs, 0.0);
        let units = &tape.memory[self.last_units()].values[self.span(rows.clone())];
        let weights = Matrix::new(self.values(&self.last.weights), self.width).transposed();
        multiply(units, weights, &mut tape.packed[self.hidden.len()], &mut all);
        let biases = self.values(&self.last.biases);
        for (index, outputs) in rows.zip(all.chunks_exact(self.outputs)) {
            let (requested, log_flows) = tape.log_flows_mut(index);
            for (&output, log_flow) in requested.iter().zip(log_flows) {
                *log_flow = biases[output as usize] + outputs[output as usize];
            }
        }
        tape.scratch[0] = all;
    }
}

/// `target ← rows · weights`, by the weights' layout in `packed` where there are few rows.
fn multiply(rows: &[f32], weights: Matrix<'_>, packed: &mut Packed, target: &mut [f32]) {
    if rows.len() <= FEW_ROWS * weights.rows() {
        packed.update(weights);
        packed.multiply(rows, target);
    } else {
        set_product(Matrix::new(rows, weights.rows()), weights, target);
    }
}
