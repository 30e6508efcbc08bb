//! Cholesky factors of small correlation matrices, blind to linearly dependent variables.

use gflowcausal_graph::NodeSet;
use smallvec::SmallVec;

use super::correlation::{Correlation, RESOLUTION};
use super::sweep::Fit;

/// The Cholesky factor of the correlations among some variables, grown one variable at a time.
///
/// Packed rows; the diagonal holds the *inverse* pivots, zero for a variable that depends linearly on those before
/// it. Such a variable takes part in nothing.
#[derive(Debug, Default)]
struct Factor {
    members: SmallVec<[usize; 16]>,
    packed: SmallVec<[f64; 136]>,
}

impl Factor {
    fn of(correlation: &Correlation, members: impl Iterator<Item = usize>) -> Self {
        let mut factor = Self::default();
        members.for_each(|member| factor.push(correlation, member));
        factor
    }

    fn row(&self, index: usize) -> &[f64] {
        let start = index * (index + 1) / 2;
        &self.packed[start..=start + index]
    }

    /// Appends the row of `variable` without its diagonal, and returns what the members leave of its variance.
    fn project(&mut self, correlations: &[f64]) -> f64 {
        let start = self.packed.len();
        let mut left = 1.0;
        for (t, &member) in self.members.iter().enumerate() {
            let (done, new) = self.packed.split_at(start);
            let row = &done[t * (t + 1) / 2..=t * (t + 1) / 2 + t];
            let known: f64 = row[..t].iter().zip(new).map(|(a, b)| a * b).sum();
            let entry = (correlations[member] - known) * row[t];
            left -= entry * entry;
            self.packed.push(entry);
        }
        left
    }

    fn push(&mut self, correlation: &Correlation, variable: usize) {
        let left = self.project(correlation.row(variable));
        self.packed.push(if left > RESOLUTION { left.sqrt().recip() } else { 0.0 });
        self.members.push(variable);
    }

    /// The logarithm of the determinant on the data's own scale; a dependent variable counts as one with the
    /// smallest variance that can be resolved.
    fn log_det(&self, correlation: &Correlation) -> f64 {
        let pivot = |inverse: f64| if inverse > 0.0 { -2.0 * inverse.ln() } else { RESOLUTION.ln() };
        let term =
            |(i, &member): (usize, &usize)| 2.0 * correlation.log_scale(member) + pivot(self.row(i)[i]);
        self.members.iter().enumerate().map(term).sum()
    }
}

/// What `parents` leave of the variance of `node`. Costs `O(k³/6)` multiply-adds for `k` parents.
///
/// The members are taken in ascending order, so a parent set has one value however it was found.
pub(crate) fn residual_fit(correlation: &Correlation, node: usize, parents: &NodeSet, with_det: bool) -> Fit {
    let mut factor = Factor::of(correlation, parents.iter());
    let log_det = if with_det { factor.log_det(correlation) } else { 0.0 };
    let residual = factor.project(correlation.row(node));
    Fit { parents: factor.members.len(), residual: residual.max(RESOLUTION), log_det }
}

/// `ln |Σ_{B|A}|` on the data's own scale, for the variables `block` given the variables `given`.
pub(crate) fn conditional_log_det(
    correlation: &Correlation,
    given: impl Iterator<Item = usize>,
    block: impl Iterator<Item = usize>,
) -> f64 {
    let mut factor = Factor::of(correlation, given);
    let before = factor.log_det(correlation);
    block.for_each(|variable| factor.push(correlation, variable));
    factor.log_det(correlation) - before
}

/// The regression of one variable on its parents, with the inverse of the parents' correlations.
///
/// Parents can be taken out one by one at `O(k²)` each, nothing is factorised again.
#[derive(Debug, Clone)]
pub(crate) struct Inverse {
    pub(crate) members: Vec<usize>,
    inverse: Vec<f64>,
    coefficients: Vec<f64>,
    log_scales: Vec<f64>,
    pub(crate) fit: Fit,
}

impl Inverse {
    /// Costs `O(k³/2)`.
    pub(crate) fn new(correlation: &Correlation, node: usize, parents: impl Iterator<Item = usize>) -> Self {
        let mut factor = Factor::of(correlation, parents);
        let log_det = factor.log_det(correlation);
        let inverse = invert(&factor);
        let members = factor.members.to_vec();
        let k = members.len();
        let target = correlation.row(node);
        let dot = |row: &[f64]| row.iter().zip(&members).map(|(a, &member)| a * target[member]).sum();
        let coefficients = inverse.chunks(k.max(1)).map(dot).collect();
        let residual = factor.project(target).max(RESOLUTION);
        let log_scales = members.iter().map(|&member| correlation.log_scale(member)).collect();
        Self { members, inverse, coefficients, log_scales, fit: Fit { parents: k, residual, log_det } }
    }

    /// Whether a member depends linearly on others.
    pub(crate) fn is_singular(&self) -> bool {
        (0..self.members.len()).any(|index| self.diagonal(index) <= 0.0)
    }

    /// The reciprocal of what the other members leave of the variance of the one at `index`; zero for a dependent one.
    pub(crate) fn diagonal(&self, index: usize) -> f64 {
        self.inverse[index * self.members.len() + index]
    }

    /// The inverse times `vector`.
    pub(crate) fn solve(&self, vector: &[f64]) -> Vec<f64> {
        let dot = |row: &[f64]| row.iter().zip(vector).map(|(a, b)| a * b).sum();
        self.inverse.chunks(self.members.len().max(1)).map(dot).collect()
    }

    /// The standardised coefficient of the member at `index`; zero for a dependent one.
    pub(crate) fn coefficient(&self, index: usize) -> f64 {
        self.coefficients[index]
    }

    /// How much more of the variance is left without the member at `index`.
    pub(crate) fn loss(&self, index: usize) -> f64 {
        let diagonal = self.diagonal(index);
        if diagonal > 0.0 { self.coefficients[index].powi(2) / diagonal } else { 0.0 }
    }

    /// The fit without the member at `index`.
    pub(crate) fn fit_without(&self, index: usize) -> Fit {
        let diagonal = self.diagonal(index);
        let log_pivot = if diagonal > 0.0 { -diagonal.ln() } else { RESOLUTION.ln() };
        Fit {
            parents: self.fit.parents - 1,
            residual: self.fit.residual + self.loss(index),
            log_det: self.fit.log_det - log_pivot - 2.0 * self.log_scales[index],
        }
    }

    /// Takes the member at `index` out: a rank-one downdate of the inverse and the coefficients.
    pub(crate) fn remove(&mut self, index: usize) {
        self.fit = self.fit_without(index);
        let k = self.members.len();
        let pivot = self.diagonal(index);
        let column: Vec<f64> = (0..k).map(|i| self.inverse[i * k + index]).collect();
        let scale = if pivot > 0.0 { pivot.recip() } else { 0.0 };
        let coefficient = self.coefficients[index];
        let mut kept = Vec::with_capacity((k - 1) * (k - 1));
        for i in (0..k).filter(|&i| i != index) {
            self.coefficients[i] -= column[i] * coefficient * scale;
            kept.extend(
                (0..k)
                    .filter(|&j| j != index)
                    .map(|j| self.inverse[i * k + j] - column[i] * column[j] * scale),
            );
        }
        self.inverse = kept;
        self.coefficients.remove(index);
        self.log_scales.remove(index);
        self.members.remove(index);
    }
}

/// `(L Lᵀ)⁻¹` by inverting `L` and multiplying back, row by row; dependent variables get rows of zeros.
fn invert(factor: &Factor) -> Vec<f64> {
    let k = factor.members.len();
    let mut lower = vec![0.0; k * k];
    for i in 0..k {
        let row = factor.row(i);
        for j in 0..i {
            let sum: f64 = (j..i).map(|t| row[t] * lower[t * k + j]).sum();
            lower[i * k + j] = -sum * row[i];
        }
        lower[i * k + i] = row[i];
    }
    let mut inverse = vec![0.0; k * k];
    for t in 0..k {
        let row = &lower[t * k..=t * k + t];
        for (i, &a) in row.iter().enumerate() {
            for (j, &b) in row.iter().enumerate() {
                inverse[i * k + j] += a * b;
            }
        }
    }
    inverse
}
