//! From the grads of log-flows to the gradient, the last block of rows first.

use std::ops::Range;

use super::{Mlp, pair, sign};
use crate::network::Tape;
use crate::network::gemm::{Matrix, add_product, set_product};
use crate::network::relu::relu_back;
use crate::network::requested::{Request, RequestedOutputs};
use crate::network::vector::add_rows;
use crate::network::{add_scaled, vectorised};

/// How many units of all rows are worked on at a time where outputs are few.
const STRETCH: usize = 64;

impl Mlp {
    fn last_layer_back_one_by_one(
        &self,
        tape: &mut Tape,
        rows: Range<usize>,
        grads: &mut [f32],
        gradient: &mut [f32],
    ) {
        let mut requested = std::mem::take(&mut tape.by_output);
        requested.sort(tape, rows.clone(), self.outputs);
        let units = &tape.memory[self.last_units()].values[self.span(rows)];
        grads.fill(0.0);
        vectorised(
            #[inline(always)]
            || self.requested_back(&requested, units, grads, gradient),
        );
        tape.by_output = requested;
    }

    /// Output after output, so that its weights are fetched once for all rows of which it is requested; and a stretch of the units at
    /// a time, so that those of all rows stay in the cache.
    #[inline(always)]
    fn requested_back(
        &self,
        requested: &RequestedOutputs,
        units: &[f32],
        grads: &mut [f32],
        gradient: &mut [f32],
    ) {
        let whole = self.width - self.width % STRETCH;
        for start in (0..whole).step_by(STRETCH) {
            self.stretch_back::<STRETCH>(start, requested, units, grads, gradient);
        }
        for start in whole..self.width {
            self.stretch_back::<1>(start, requested, units, grads, gradient);
        }
        for (output, requests) in requested.iter() {
            gradient[self.last.biases.start + output] +=
                requests.iter().map(|request| request.grad).sum::<f32>();
        }
    }

    /// The part of the units from `start` on, `N` of them.
    #[inline(always)]
    fn stretch_back<const N: usize>(
        &self,
        start: usize,
        requested: &RequestedOutputs,
        units: &[f32],
        grads: &mut [f32],
        gradient: &mut [f32],
    ) {
        const INSIDE: &str = "a stretch ends before its row";
        for (output, requests) in requested.iter() {
            let place = self.last.weights.start + output * self.width + start;
            let weights: &[f32; N] = self.parameters[place..].first_chunk().expect(INSIDE);
            let sums: &mut [f32; N] = gradient[place..].first_chunk_mut().expect(INSIDE);
            // Copies, so that they stay in registers.
            let (weights, mut totals) = (*weights, *sums);
            for &Request { row, grad } in requests {
                let units: &[f32; N] = units[row * self.width + start..].first_chunk().expect(INSIDE);
                let grads = grads[row * self.width + start..].first_chunk_mut().expect(INSIDE);
                add_scaled(grad, &weights, grads as &mut [f32; N]);
                add_scaled(grad, units, &mut totals);
            }
            *sums = totals;
        }
    }

    fn last_layer_back_by_product(
        &self,
        tape: &mut Tape,
        rows: Range<usize>,
        grads: &mut [f32],
        gradient: &mut [f32],
    ) {
        let mut all = std::mem::take(&mut tape.scratch[0]);
        all.clear();
        all.resize(rows.len() * self.outputs, 0.0);
        for (index, outputs) in rows.clone().zip(all.chunks_exact_mut(self.outputs)) {
            for (&output, &grad) in tape.requested(index).iter().zip(tape.grad(index)) {
                outputs[output as usize] = grad;
            }
        }
        let units = &tape.memory[self.last_units()].values[self.span(rows)];
        let output_grad = Matrix::new(&all, self.outputs);
        set_product(output_grad, Matrix::new(self.values(&self.last.weights), self.width), grads);
        let weights = &mut gradient[self.last.weights.clone()];
        add_product(output_grad.transposed(), Matrix::new(units, self.width), weights);
        vectorised(
            #[inline(always)]
            || add_rows(&all, &mut gradient[self.last.biases.clone()]),
        );
        tape.scratch[0] = all;
    }

    /// From the grads of the last hidden layer's outputs to those of the first's; `spare` is as long.
    fn hidden_layers_back(
        &self,
        tape: &Tape,
        rows: Range<usize>,
        grads: &mut Vec<f32>,
        spare: &mut Vec<f32>,
        gradient: &mut [f32],
    ) {
        let span = self.span(rows);
        for (depth, layer) in self.hidden.iter().enumerate().rev() {
            vectorised(
                #[inline(always)]
                || {
                    relu_back(&tape.memory[depth + 2].values[span.clone()], grads);
                    add_rows(grads, &mut gradient[layer.biases.clone()]);
                },
            );
            let inputs = Matrix::new(&tape.memory[depth + 1].values[span.clone()], self.width);
            let outgoing = Matrix::new(grads, self.width);
            add_product(inputs.transposed(), outgoing, &mut gradient[layer.weights.clone()]);
            let weights = Matrix::new(self.values(&layer.weights), self.width).transposed();
            set_product(outgoing, weights, spare);
            std::mem::swap(grads, spare);
        }
    }

    /// Hands each row's first-layer gradient to the weights of its changed inputs and on to the row it is based on.
    #[inline(always)]
    fn first_layer_back(&self, tape: &mut Tape, rows: Range<usize>, gradient: &mut [f32]) {
        let part = tape.memory.len() - 1;
        for index in rows.rev() {
            let (earlier, own) = tape.memory[part].values.split_at_mut(index * self.width);
            let own = &own[..self.width];
            for change in tape.inputs.changes(index) {
                add_scaled(sign(change.is_on), own, &mut gradient[self.first_weights(change.input)]);
            }
            match tape.inputs.base(index) {
                Some(base) => add_scaled(1.0, own, &mut earlier[self.span(base..base + 1)]),
                None => add_scaled(1.0, own, &mut gradient[self.first.biases.clone()]),
            }
        }
    }

    /// Adds the grads of the first-layer inputs that come from these rows' own outputs.
    fn outputs_back(&self, tape: &mut Tape, rows: Range<usize>, gradient: &mut [f32]) {
        let (mut grads, mut spare) =
            (std::mem::take(&mut tape.scratch[1]), std::mem::take(&mut tape.scratch[2]));
        grads.resize(rows.len() * self.width, 0.0);
        spare.resize(rows.len() * self.width, 0.0);
        if self.is_dense(tape, &rows) {
            self.last_layer_back_by_product(tape, rows.clone(), &mut grads, gradient);
        } else {
            self.last_layer_back_one_by_one(tape, rows.clone(), &mut grads, gradient);
        }
        self.hidden_layers_back(tape, rows.clone(), &mut grads, &mut spare, gradient);
        let span = self.span(rows.clone());
        let part = tape.memory.len() - 1;
        let (units, sums) = pair(&mut tape.memory, 1, part);
        vectorised(
            #[inline(always)]
            || {
                relu_back(&units[span.clone()], &mut grads);
                add_scaled(1.0, &grads, &mut sums[span]);
            },
        );
        if self.reward_inputs > 0 {
            let inputs = Matrix::new(tape.reward_inputs(rows), self.reward_inputs).transposed();
            let weights = &mut gradient[self.reward_weights.clone()];
            add_product(inputs, Matrix::new(&grads, self.width), weights);
        }
        (tape.scratch[1], tape.scratch[2]) = (grads, spare);
    }

    pub(super) fn block_back(&self, tape: &mut Tape, rows: Range<usize>, gradient: &mut [f32]) {
        if tape.output_count(rows.start, rows.end) > 0 {
            self.outputs_back(tape, rows.clone(), gradient);
        }
        vectorised(
            #[inline(always)]
            || self.first_layer_back(tape, rows, gradient),
        );
    }
}
