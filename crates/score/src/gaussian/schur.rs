//! All residual variances of an order's fully connected graph in one elimination.

use gflowcausal_graph::Order;

use super::correlation::{Correlation, RESOLUTION};
use super::{Fit, GaussianScore};
use crate::OrderScore;
use crate::order::without;

/// The Schur complements of a sequence of variables, read off while one after the other is eliminated.
///
/// `C ← C − C[:,k] C[k,:] / C[k,k]` leaves `Var(j | placed)` on the diagonal for every `j` not placed yet. A variable
/// that depends linearly on those placed eliminates nothing. Costs `O(d³/6)` multiply-adds in all.
pub(super) struct Elimination {
    size: usize,
    matrix: Vec<f64>,
    placed: usize,
    log_det: f64,
}

impl Elimination {
    pub(super) fn new(correlation: &Correlation, sequence: &[usize]) -> Self {
        let gather = |&i: &usize| sequence.iter().map(move |&j| correlation.row(i)[j]);
        let matrix = sequence.iter().flat_map(gather).collect();
        Self { size: sequence.len(), matrix, placed: 0, log_det: 0.0 }
    }

    /// How everything placed so far fits the variable at `position` of the sequence, which is not placed.
    pub(super) fn fit(&self, position: usize) -> Fit {
        let residual = self.matrix[position * self.size + position].max(RESOLUTION);
        Fit { parents: self.placed, residual, log_det: self.log_det }
    }

    /// How everything placed so far, and the last variable of the sequence, fit the next one to be placed.
    fn next_fit_with_last(&self, correlation: &Correlation, last: usize) -> Fit {
        let row = &self.matrix[self.placed * self.size..];
        let (own, shared) = (row[self.placed], row[self.size - 1]);
        let left = self.matrix[self.size * self.size - 1];
        let explained = if left > RESOLUTION { shared * shared / left } else { 0.0 };
        Fit {
            parents: self.placed + 1,
            residual: (own - explained).max(RESOLUTION),
            log_det: self.log_det + 2.0 * correlation.log_scale(last) + left.max(RESOLUTION).ln(),
        }
    }

    /// Places the next variable of the sequence, which is `variable`.
    pub(super) fn place(&mut self, correlation: &Correlation, variable: usize) {
        let (d, k) = (self.size, self.placed);
        let (done, rest) = self.matrix.split_at_mut((k + 1) * d);
        let pivots = &done[k * d..];
        let pivot = pivots[k];
        self.placed += 1;
        self.log_det += 2.0 * correlation.log_scale(variable) + pivot.max(RESOLUTION).ln();
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

/// What an insertion of one variable does to everything else: fits along an order that leaves it out.
pub(super) struct InsertionFits {
    /// The variables of the order but for the moving one.
    pub(super) rest: Vec<usize>,
    /// How the first `k` of the rest fit the moving variable, for each `k` from none to all.
    pub(super) moving: Vec<Fit>,
    /// How the first `k` of the rest fit the next of them.
    pub(super) without: Vec<Fit>,
    /// The same with the moving variable placed before it.
    pub(super) with: Vec<Fit>,
}

impl InsertionFits {
    /// One elimination with the moving variable last. Costs `O(d³/6)`.
    pub(super) fn new(correlation: &Correlation, order: &Order, node: usize) -> Self {
        let rest = without(order, node);
        let mut sequence = rest.clone();
        sequence.push(node);
        let mut elimination = Elimination::new(correlation, &sequence);
        let mut fits = Self { rest, moving: Vec::new(), without: Vec::new(), with: Vec::new() };
        for position in 0..fits.rest.len() {
            fits.moving.push(elimination.fit(sequence.len() - 1));
            fits.without.push(elimination.fit(position));
            fits.with.push(elimination.next_fit_with_last(correlation, node));
            elimination.place(correlation, fits.rest[position]);
        }
        fits.moving.push(elimination.fit(sequence.len() - 1));
        fits
    }

    /// `Σ_{i<p} without + moving[p] + Σ_{i≥p} with` at every position `p`, of whatever `value` makes of a fit.
    pub(super) fn totals(&self, value: impl Fn(usize, &Fit) -> f64, node: usize) -> Vec<f64> {
        let mut after: f64 = self.rest.iter().zip(&self.with).map(|(&other, fit)| value(other, fit)).sum();
        let mut before = 0.0;
        let mut totals = Vec::with_capacity(self.moving.len());
        for (position, fit) in self.moving.iter().enumerate() {
            totals.push(before + value(node, fit) + after);
            if let Some(&other) = self.rest.get(position) {
                before += value(other, &self.without[position]);
                after -= value(other, &self.with[position]);
            }
        }
        totals
    }
}

/// A Gaussian score of an order by its fully connected graph.
///
/// For a score-equivalent one this is the same number for every order: it says nothing, and a test says so.
#[derive(Debug, Clone)]
pub struct CompleteGaussian<S>(pub S);

impl<S: GaussianScore> OrderScore for CompleteGaussian<S> {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn nodes(&self) -> usize {
        self.0.nodes()
    }

    /// One elimination: `O(d³/6)`.
    fn score(&self, order: &Order) -> f64 {
        let correlation = self.0.correlation();
        let mut elimination = Elimination::new(correlation, order.as_slice());
        let mut total = 0.0;
        for (position, node) in order.iter().enumerate() {
            total += self.0.term(node, &elimination.fit(position));
            elimination.place(correlation, node);
        }
        total
    }

    /// One elimination for all positions: `O(d³/6)`.
    fn insertion_deltas(&self, order: &Order, node: usize) -> Vec<f64> {
        let fits = InsertionFits::new(self.0.correlation(), order, node);
        let totals = fits.totals(|other, fit| self.0.term(other, fit), node);
        crate::order::relative_to_current(&totals, order, node)
    }
}
