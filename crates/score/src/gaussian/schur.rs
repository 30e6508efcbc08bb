//! All residual variances of an order's fully connected graph in one elimination.

use gflowcausal_graph::Order;

use super::correlation::{Correlation, RESOLUTION};
use crate::order_score::without;

/// The Schur complements of a sequence of variables, read off while one after the other is eliminated.
///
/// `C ← C − C[:,k] C[k,:] / C[k,k]` leaves `Var(j | placed)` on the diagonal for every `j` not placed yet. A variable
/// that depends linearly on those placed eliminates nothing. Costs `O(d³/6)` multiply-adds in all.
pub(super) struct Elimination {
    size: usize,
    matrix: Vec<f64>,
    placed: usize,
}

impl Elimination {
    pub(super) fn new(correlation: &Correlation, sequence: &[usize]) -> Self {
        let gather = |&i: &usize| sequence.iter().map(move |&j| correlation.row(i)[j]);
        let matrix = sequence.iter().flat_map(gather).collect();
        Self { size: sequence.len(), matrix, placed: 0 }
    }

    /// The residual variance of the variable at `position` of the sequence, not placed yet, given all that are placed.
    pub(super) fn residual(&self, position: usize) -> f64 {
        self.matrix[position * self.size + position].max(RESOLUTION)
    }

    /// The residual variance of the next variable given all that are placed and the last of the sequence.
    fn next_residual_with_last(&self) -> f64 {
        let row = &self.matrix[self.placed * self.size..];
        let (own, shared) = (row[self.placed], row[self.size - 1]);
        let left = self.matrix[self.size * self.size - 1];
        let explained = if left > RESOLUTION { shared * shared / left } else { 0.0 };
        (own - explained).max(RESOLUTION)
    }

    /// Places the next variable of the sequence.
    pub(super) fn place(&mut self) {
        let (d, k) = (self.size, self.placed);
        let (done, rest) = self.matrix.split_at_mut((k + 1) * d);
        let pivots = &done[k * d..];
        let pivot = pivots[k];
        self.placed += 1;
        if pivot <= RESOLUTION {
            return;
        }
        for (offset, row) in rest.chunks_exact_mut(d).enumerate() {
            let i = k + 1 + offset;
            let factor = pivots[i] / pivot;
            for (entry, p) in row[i..].iter_mut().zip(&pivots[i..]) {
                *entry -= factor * p;
            }
        }
    }
}

/// What an insertion of one variable does to everything else: residual variances along an order that leaves it out.
pub(super) struct InsertionResiduals {
    /// The variables of the order but for the moving one.
    pub(super) rest: Vec<usize>,
    /// Of the moving variable given the first `k` of the rest, for each `k` from none to all.
    pub(super) moving: Vec<f64>,
    /// Of the next of the rest given the first `k` of them.
    pub(super) without: Vec<f64>,
    /// The same with the moving variable placed before it.
    pub(super) with: Vec<f64>,
}

impl InsertionResiduals {
    /// One elimination with the moving variable last. Costs `O(d³/6)`.
    pub(super) fn new(correlation: &Correlation, order: &Order, node: usize) -> Self {
        let rest = without(order, node);
        let mut sequence = rest.clone();
        sequence.push(node);
        let mut elimination = Elimination::new(correlation, &sequence);
        let mut residuals = Self { rest, moving: Vec::new(), without: Vec::new(), with: Vec::new() };
        for position in 0..residuals.rest.len() {
            residuals.moving.push(elimination.residual(sequence.len() - 1));
            residuals.without.push(elimination.residual(position));
            residuals.with.push(elimination.next_residual_with_last());
            elimination.place();
        }
        residuals.moving.push(elimination.residual(sequence.len() - 1));
        residuals
    }

    /// `Σ_{i<p} without + moving[p] + Σ_{i≥p} with` at every position `p`, of whatever `value` makes of a residual variance.
    pub(super) fn totals(&self, value: impl Fn(usize, f64) -> f64, node: usize) -> Vec<f64> {
        let mut after: f64 =
            self.rest.iter().zip(&self.with).map(|(&other, &residual)| value(other, residual)).sum();
        let mut before = 0.0;
        let mut totals = Vec::with_capacity(self.moving.len());
        for (position, &residual) in self.moving.iter().enumerate() {
            totals.push(before + value(node, residual) + after);
            if let Some(&other) = self.rest.get(position) {
                before += value(other, self.without[position]);
                after -= value(other, self.with[position]);
            }
        }
        totals
    }
}
