//! The states in a batch, their log-flows, and the gradient of the loss by each log-flow.

use std::ops::Range;

use super::packed::Packed;
use super::requested::RequestedOutputs;
use crate::{Action, InputChange};

/// The inputs of each row: those of an earlier row, or none on, with some of them switched.
#[derive(Debug, Clone, Default)]
pub(super) struct Inputs {
    bases: Vec<Option<usize>>,
    /// Where the changes of each row end.
    ends: Vec<usize>,
    changes: Vec<InputChange>,
}

impl Inputs {
    fn push(&mut self, base: Option<usize>, changes: &[InputChange]) {
        self.bases.push(base);
        self.changes.extend_from_slice(changes);
        self.ends.push(self.changes.len());
    }

    fn truncate(&mut self, rows: usize) {
        self.bases.truncate(rows);
        self.ends.truncate(rows);
        self.changes.truncate(end_before(&self.ends, rows));
    }

    fn forget_before(&mut self, first: usize) {
        let changes = end_before(&self.ends, first);
        self.bases.drain(..first);
        self.bases.iter_mut().for_each(|base| *base = base.and_then(|base| base.checked_sub(first)));
        self.ends.drain(..first);
        self.ends.iter_mut().for_each(|end| *end -= changes);
        self.changes.drain(..changes);
    }

    /// The row whose inputs `row` changes; none: all inputs were off.
    #[inline(always)]
    pub(super) fn base(&self, row: usize) -> Option<usize> {
        self.bases[row]
    }

    /// What `row` changes.
    #[inline(always)]
    pub(super) fn changes(&self, row: usize) -> &[InputChange] {
        &self.changes[end_before(&self.ends, row)..self.ends[row]]
    }
}

/// Where the stretch before that of `row` ends.
#[inline(always)]
fn end_before(ends: &[usize], row: usize) -> usize {
    if row == 0 { 0 } else { ends[row - 1] }
}

/// Numbers a network keeps for each row. The room for them only grows; what is beyond the tape's rows is old.
#[derive(Debug, Clone, Default)]
pub(super) struct PerRow {
    pub(super) width: usize,
    pub(super) values: Vec<f32>,
}

impl PerRow {
    /// Makes room for `rows` rows.
    pub(super) fn reserve(&mut self, rows: usize) {
        let length = rows * self.width;
        if self.values.len() < length {
            self.values.resize(length.next_power_of_two(), 0.0);
        }
    }
}

/// Rows in the order in which they were pushed, each with its requested outputs.
///
/// Rows form a tree: each is based on an earlier one. A network can follow it to update instead of recompute, and to
/// add up gradients from the leaves to the root.
#[derive(Debug, Clone, Default)]
pub struct Tape {
    pub(super) inputs: Inputs,
    /// Where the requested outputs of each row end.
    ends: Vec<usize>,
    requested: Vec<Action>,
    log_flows: Vec<f32>,
    /// The reward inputs of all rows, as many for each.
    reward_inputs: PerRow,
    grad: Vec<f32>,
    probs: Vec<f32>,
    log_outflows: Vec<f64>,
    /// What the network keeps: first what rows based on others are computed from.
    pub(super) memory: Vec<PerRow>,
    pub(super) scratch: Vec<Vec<f32>>,
    pub(super) by_output: RequestedOutputs,
    /// A network's weights, layer after layer, laid out for products with few rows.
    pub(super) packed: Vec<Packed>,
    /// Where networks that are differentiated operation by operation record them.
    pub(super) recorded: gflowcausal_autodiff::Tape<f32>,
}

impl Tape {
    /// How many rows there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Adds a row with the inputs of row `base` (none: all off) after `changes`, of which the given outputs are
    /// requested; returns its number.
    pub fn push(&mut self, base: Option<usize>, changes: &[InputChange], requested: &[Action]) -> usize {
        self.push_seeing(base, changes, requested, &[])
    }

    /// The same with what the reward says of the next steps: as many `reward_inputs` in all rows, or none for zeros.
    pub fn push_seeing(
        &mut self,
        base: Option<usize>,
        changes: &[InputChange],
        requested: &[Action],
        reward_inputs: &[f32],
    ) -> usize {
        debug_assert!(base.is_none_or(|base| base < self.len()), "a row is based on an earlier one");
        self.inputs.push(base, changes);
        self.requested.extend_from_slice(requested);
        self.ends.push(self.requested.len());
        self.log_flows.resize(self.requested.len(), 0.0);
        self.grad.resize(self.requested.len(), 0.0);
        if self.len() == 1 {
            self.reward_inputs.width = reward_inputs.len();
        }
        let (width, row) = (self.reward_inputs.width, self.len() - 1);
        self.reward_inputs.reserve(row + 1);
        let own = &mut self.reward_inputs.values[row * width..(row + 1) * width];
        own.fill(0.0);
        own[..reward_inputs.len()].copy_from_slice(reward_inputs);
        row
    }

    /// Forgets the rows from `rows` on.
    pub fn truncate(&mut self, rows: usize) {
        self.inputs.truncate(rows);
        self.ends.truncate(rows);
        let outputs = self.ends.last().copied().unwrap_or(0);
        self.requested.truncate(outputs);
        self.log_flows.truncate(outputs);
        self.grad.truncate(outputs);
        self.probs.truncate(outputs);
        self.log_outflows.truncate(rows);
    }

    /// Forgets the rows before `first`; the others, which are evaluated, are numbered from zero. They can be the bases of others, but
    /// no gradient can be had after that.
    pub fn forget_before(&mut self, first: usize) {
        let outputs = end_before(&self.ends, first);
        self.inputs.forget_before(first);
        self.ends.drain(..first);
        self.ends.iter_mut().for_each(|end| *end -= outputs);
        self.requested.drain(..outputs);
        self.log_flows.drain(..outputs);
        self.grad.drain(..outputs);
        self.probs.drain(..outputs.min(self.probs.len()));
        self.log_outflows.drain(..first.min(self.log_outflows.len()));
        let rows = self.ends.len();
        if let Some(base) = self.memory.first_mut() {
            base.values.copy_within(first * base.width..(first + rows) * base.width, 0);
        }
    }

    /// The outputs requested of `row`.
    #[must_use]
    pub fn requested(&self, row: usize) -> &[Action] {
        &self.requested[self.outputs(row, row + 1)]
    }

    /// The log-flows of `row`, in the order of its requested outputs.
    #[must_use]
    pub fn log_flows(&self, row: usize) -> &[f32] {
        &self.log_flows[self.outputs(row, row + 1)]
    }

    /// Makes a policy of the log-flows of every row that has none yet.
    pub(crate) fn normalize(&mut self) {
        self.probs.resize(self.log_flows.len(), 0.0);
        for row in self.log_outflows.len()..self.len() {
            let outputs = self.outputs(row, row + 1);
            let outflow = softmax(&self.log_flows[outputs.clone()], &mut self.probs[outputs]);
            self.log_outflows.push(outflow);
        }
    }

    /// `ln Σ exp` of the log-flows of a normalized row.
    pub(crate) fn log_outflow(&self, row: usize) -> f64 {
        self.log_outflows[row]
    }

    /// The policy at a normalized row: each requested output's share of the outflow.
    pub(crate) fn probs(&self, row: usize) -> &[f32] {
        &self.probs[self.outputs(row, row + 1)]
    }

    /// Adds to the gradient of `row` what `grad`, the derivative by its log-outflow, brings: that times each probability.
    pub(crate) fn add_log_outflow_grad(&mut self, row: usize, grad: f32) {
        let outputs = self.outputs(row, row + 1);
        let probs = &self.probs[outputs.clone()];
        self.grad[outputs].iter_mut().zip(probs).for_each(|(sum, prob)| *sum += grad * prob);
    }

    /// The derivatives of the loss by the log-flows of `row`.
    pub fn grad_mut(&mut self, row: usize) -> &mut [f32] {
        let outputs = self.outputs(row, row + 1);
        &mut self.grad[outputs]
    }

    pub(super) fn grad(&self, row: usize) -> &[f32] {
        &self.grad[self.outputs(row, row + 1)]
    }

    pub(super) fn log_flows_mut(&mut self, row: usize) -> (&[Action], &mut [f32]) {
        let outputs = self.outputs(row, row + 1);
        (&self.requested[outputs.clone()], &mut self.log_flows[outputs])
    }

    /// The reward inputs of `rows`, row after row.
    pub(super) fn reward_inputs(&self, rows: Range<usize>) -> &[f32] {
        let width = self.reward_inputs.width;
        &self.reward_inputs.values[rows.start * width..rows.end * width]
    }

    /// How many outputs are requested of the rows `first..end` in all.
    pub(super) fn output_count(&self, first: usize, end: usize) -> usize {
        self.outputs(first, end).len()
    }

    fn outputs(&self, first: usize, end: usize) -> Range<usize> {
        end_before(&self.ends, first)..end_before(&self.ends, end)
    }
}

/// `ln Σ exp` of `log_flows`; `probs` become `exp` of each over that sum.
fn softmax(log_flows: &[f32], probs: &mut [f32]) -> f64 {
    let largest = log_flows.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut total = 0.0;
    for (prob, log_flow) in probs.iter_mut().zip(log_flows) {
        *prob = (log_flow - largest).exp();
        total += f64::from(*prob);
    }
    probs.iter_mut().for_each(|prob| *prob = (f64::from(*prob) / total) as f32);
    f64::from(largest) + total.ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forgetting_renumbers_what_is_left() {
        let (on, off) = (InputChange::on, InputChange::off);
        let mut tape = Tape::default();
        let root = tape.push(None, &[], &[4, 5]);
        let middle = tape.push(Some(root), &[on(4)], &[5]);
        tape.push(Some(middle), &[on(5), off(4)], &[]);
        tape.push(Some(middle), &[off(4)], &[4]);
        tape.memory.push(PerRow { width: 1, values: vec![0.0, 1.0, 2.0, 3.0] });
        tape.truncate(3);
        tape.forget_before(1);
        assert_eq!(tape.len(), 2);
        assert_eq!((tape.inputs.base(0), tape.inputs.changes(0)), (None, &[on(4)][..]));
        assert_eq!((tape.inputs.base(1), tape.inputs.changes(1)), (Some(0), &[on(5), off(4)][..]));
        assert_eq!((tape.requested(0), tape.requested(1)), (&[5][..], &[][..]));
        assert_eq!(tape.memory[0].values[..2], [1.0, 2.0]);
        assert_eq!(tape.push(Some(1), &[on(1)], &[7]), 2);
        assert_eq!((tape.inputs.changes(2), tape.requested(2)), (&[on(1)][..], &[7][..]));
    }
}
