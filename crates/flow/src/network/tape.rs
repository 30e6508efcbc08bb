//! The states a network is asked about, what it answered, and how the loss changes with each answer.

use std::ops::Range;

use super::packed::Packed;
use super::wants::Wants;
use crate::Action;

/// One state: another row with one bit changed, or the state with no bit set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    pub(super) from: Option<usize>,
    pub(super) change: Option<(Action, bool)>,
}

impl Row {
    /// No bit set.
    #[must_use]
    pub const fn blank() -> Self {
        Self { from: None, change: None }
    }

    /// Row `from` with `bit` set.
    #[must_use]
    pub const fn with(from: usize, bit: Action) -> Self {
        Self { from: Some(from), change: Some((bit, true)) }
    }

    /// Row `from` with `bit` taken out.
    #[must_use]
    pub const fn without(from: usize, bit: Action) -> Self {
        Self { from: Some(from), change: Some((bit, false)) }
    }
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

/// Rows in the order in which they were asked for, each with the outputs it wants.
///
/// Rows form a tree: each stands on an earlier one. A network can follow it to update instead of recompute, and to
/// add up gradients from the leaves to the root.
#[derive(Debug, Clone, Default)]
pub struct Tape {
    rows: Vec<Row>,
    /// Where the wanted outputs of each row end.
    ends: Vec<usize>,
    wanted: Vec<Action>,
    log_flows: Vec<f32>,
    slopes: Vec<f32>,
    shares: Vec<f32>,
    outflows: Vec<f64>,
    pub(super) memory: Vec<PerRow>,
    pub(super) scratch: Vec<Vec<f32>>,
    pub(super) wants: Wants,
    /// A network's weights, layer after layer, laid out for products with few rows.
    pub(super) packed: Vec<Packed>,
}

impl Tape {
    /// How many rows there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Adds a row that wants the given outputs; returns its number.
    pub fn push(&mut self, row: Row, wanted: &[Action]) -> usize {
        debug_assert!(row.from.is_none_or(|from| from < self.len()), "a row stands on an earlier one");
        self.rows.push(row);
        self.wanted.extend_from_slice(wanted);
        self.ends.push(self.wanted.len());
        self.log_flows.resize(self.wanted.len(), 0.0);
        self.slopes.resize(self.wanted.len(), 0.0);
        self.rows.len() - 1
    }

    /// Forgets the rows from `rows` on.
    pub fn truncate(&mut self, rows: usize) {
        self.rows.truncate(rows);
        self.ends.truncate(rows);
        let outputs = self.ends.last().copied().unwrap_or(0);
        self.wanted.truncate(outputs);
        self.log_flows.truncate(outputs);
        self.slopes.truncate(outputs);
        self.shares.truncate(outputs);
        self.outflows.truncate(rows);
    }

    /// Forgets the rows before `first`; the others are numbered from zero. No gradient can be had after that.
    pub fn forget_before(&mut self, first: usize) {
        let outputs = self.outputs(0, first).end;
        self.rows.drain(..first);
        self.rows.iter_mut().for_each(|row| row.from = row.from.and_then(|from| from.checked_sub(first)));
        self.ends.drain(..first);
        self.ends.iter_mut().for_each(|end| *end -= outputs);
        self.wanted.drain(..outputs);
        self.log_flows.drain(..outputs);
        self.slopes.drain(..outputs);
        self.shares.drain(..outputs.min(self.shares.len()));
        self.outflows.drain(..first.min(self.outflows.len()));
        for kept in &mut self.memory {
            kept.values.copy_within(first * kept.width..(first + self.rows.len()) * kept.width, 0);
        }
    }

    /// The outputs that `row` wants.
    #[must_use]
    pub fn wanted(&self, row: usize) -> &[Action] {
        &self.wanted[self.outputs(row, row + 1)]
    }

    /// The log-flows of `row`, in the order of its wanted outputs.
    #[must_use]
    pub fn log_flows(&self, row: usize) -> &[f32] {
        &self.log_flows[self.outputs(row, row + 1)]
    }

    /// Adds up the log-flows of every row that has not been added up yet: `ln Σ exp` and each one's share.
    pub(crate) fn settle(&mut self) {
        self.shares.resize(self.log_flows.len(), 0.0);
        for row in self.outflows.len()..self.len() {
            let outputs = self.outputs(row, row + 1);
            let outflow = softmax(&self.log_flows[outputs.clone()], &mut self.shares[outputs]);
            self.outflows.push(outflow);
        }
    }

    /// `ln Σ exp` of the log-flows of a settled row.
    pub(crate) fn outflow(&self, row: usize) -> f64 {
        self.outflows[row]
    }

    /// The policy at a settled row: each wanted output's share of the outflow.
    pub(crate) fn shares(&self, row: usize) -> &[f32] {
        &self.shares[self.outputs(row, row + 1)]
    }

    /// Adds to the slopes of `row` what a slope of its outflow brings: that slope times each share.
    pub(crate) fn add_outflow_slope(&mut self, row: usize, slope: f32) {
        let outputs = self.outputs(row, row + 1);
        let shares = &self.shares[outputs.clone()];
        self.slopes[outputs].iter_mut().zip(shares).for_each(|(sum, share)| *sum += slope * share);
    }

    /// The derivatives of the loss by the log-flows of `row`.
    pub fn slopes_mut(&mut self, row: usize) -> &mut [f32] {
        let outputs = self.outputs(row, row + 1);
        &mut self.slopes[outputs]
    }

    pub(super) fn row(&self, row: usize) -> Row {
        self.rows[row]
    }

    pub(super) fn slopes(&self, row: usize) -> &[f32] {
        &self.slopes[self.outputs(row, row + 1)]
    }

    pub(super) fn log_flows_mut(&mut self, row: usize) -> (&[Action], &mut [f32]) {
        let outputs = self.outputs(row, row + 1);
        (&self.wanted[outputs.clone()], &mut self.log_flows[outputs])
    }

    /// How many outputs the rows `first..end` want in all.
    pub(super) fn output_count(&self, first: usize, end: usize) -> usize {
        self.outputs(first, end).len()
    }

    fn outputs(&self, first: usize, end: usize) -> Range<usize> {
        let before = |row: usize| if row == 0 { 0 } else { self.ends[row - 1] };
        before(first)..before(end)
    }
}

/// `ln Σ exp` of `log_flows`; `shares` become `exp` of each over that sum.
fn softmax(log_flows: &[f32], shares: &mut [f32]) -> f64 {
    let largest = log_flows.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut total = 0.0;
    for (share, log_flow) in shares.iter_mut().zip(log_flows) {
        *share = (log_flow - largest).exp();
        total += f64::from(*share);
    }
    shares.iter_mut().for_each(|share| *share = (f64::from(*share) / total) as f32);
    f64::from(largest) + total.ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forgetting_renumbers_what_is_left() {
        let mut tape = Tape::default();
        let root = tape.push(Row::blank(), &[4, 5]);
        let middle = tape.push(Row::with(root, 4), &[5]);
        tape.push(Row::with(middle, 5), &[]);
        tape.push(Row::without(middle, 4), &[4]);
        tape.memory.push(PerRow { width: 1, values: vec![0.0, 1.0, 2.0, 3.0] });
        tape.truncate(3);
        tape.forget_before(1);
        assert_eq!(tape.len(), 2);
        assert_eq!((tape.row(0), tape.row(1)), (Row { from: None, ..Row::with(0, 4) }, Row::with(0, 5)));
        assert_eq!((tape.wanted(0), tape.wanted(1)), (&[5][..], &[][..]));
        assert_eq!(tape.memory[0].values[..2], [1.0, 2.0]);
        assert_eq!(tape.push(Row::with(1, 1), &[7]), 2);
        assert_eq!(tape.wanted(2), [7]);
    }
}
