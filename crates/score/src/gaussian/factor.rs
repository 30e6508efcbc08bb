//! Cholesky factors of small correlation matrices, blind to linearly dependent variables.

use gflowcausal_graph::NodeSet;
use smallvec::SmallVec;

use super::correlation::{Correlation, RESOLUTION};
use super::fit::Fit;

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
    log_scales: Vec<f64>,
    removed: Vec<bool>,
    /// `L⁻¹`, row by row.
    lower: Vec<f64>,
    /// `(L Lᵀ)⁻¹`, made when the first member is taken out.
    inverse: Vec<f64>,
    diagonal: Vec<f64>,
    coefficients: Vec<f64>,
    pub(crate) fit: Fit,
}

impl Inverse {
    /// Costs `O(k³/3)`.
    pub(crate) fn new(correlation: &Correlation, node: usize, parents: impl Iterator<Item = usize>) -> Self {
        let mut factor = Factor::of(correlation, parents);
        let log_det = factor.log_det(correlation);
        let length = factor.packed.len();
        let residual = factor.project(correlation.row(node)).max(RESOLUTION);
        let (packed, target) = factor.packed.split_at(length);
        let fit = Fit { parents: factor.members.len(), residual, log_det };
        Self::of_factor(correlation, factor.members.to_vec(), packed, target.to_vec(), fit)
    }

    /// From the rows of a Cholesky factor with inverse diagonal, and the target's own row.
    pub(super) fn of_factor(
        correlation: &Correlation,
        members: Vec<usize>,
        packed: &[f64],
        target: Vec<f64>,
        fit: Fit,
    ) -> Self {
        let k = members.len();
        let lower = invert_lower(packed, k);
        let (mut diagonal, mut coefficients) = (vec![0.0; k], vec![0.0; k]);
        for (row, y) in lower.chunks(k.max(1)).zip(target) {
            for (index, a) in row.iter().enumerate() {
                diagonal[index] += a * a;
                coefficients[index] += a * y;
            }
        }
        let log_scales = members.iter().map(|&member| correlation.log_scale(member)).collect();
        Self {
            removed: vec![false; k],
            members,
            log_scales,
            lower,
            inverse: Vec::new(),
            diagonal,
            coefficients,
            fit,
        }
    }

    /// Whether a member depends linearly on others.
    pub(crate) fn is_singular(&self) -> bool {
        self.diagonal.iter().any(|&precision| precision <= 0.0)
    }

    /// The reciprocal of what the other members leave of the variance of the one at `index`; zero for a dependent one.
    pub(crate) fn diagonal(&self, index: usize) -> f64 {
        self.diagonal[index]
    }

    /// The inverse times `vector`. Costs `O(k²)`.
    pub(crate) fn solve(&self, vector: &[f64]) -> Vec<f64> {
        let k = self.members.len();
        let mut solution = vec![0.0; k];
        for row in self.lower.chunks(k.max(1)) {
            let dot: f64 = row.iter().zip(vector).map(|(a, b)| a * b).sum();
            solution.iter_mut().zip(row).for_each(|(entry, a)| *entry += dot * a);
        }
        solution
    }

    /// The standardised coefficient of the member at `index`; zero for a dependent one.
    pub(crate) fn coefficient(&self, index: usize) -> f64 {
        self.coefficients[index]
    }

    /// How much more of the variance is left without the member at `index`.
    pub(crate) fn loss(&self, index: usize) -> f64 {
        let diagonal = self.diagonal[index];
        if diagonal > 0.0 { self.coefficients[index].powi(2) / diagonal } else { 0.0 }
    }

    /// The fit without the member at `index`, with the determinant only if asked for.
    pub(crate) fn fit_without(&self, index: usize, with_det: bool) -> Fit {
        let log_pivot = |diagonal: f64| if diagonal > 0.0 { -diagonal.ln() } else { RESOLUTION.ln() };
        let lost =
            if with_det { log_pivot(self.diagonal[index]) + 2.0 * self.log_scales[index] } else { 0.0 };
        Fit {
            parents: self.fit.parents - 1,
            residual: self.fit.residual + self.loss(index),
            log_det: self.fit.log_det - lost,
        }
    }

    /// Takes the member at `index` out: a rank-one downdate of the inverse and the coefficients.
    ///
    /// Its row and column turn to zeros; it stays in place, and [`kept`](Self::kept) no longer names it.
    pub(crate) fn remove(&mut self, index: usize) {
        self.fit = self.fit_without(index, true);
        let k = self.members.len();
        if self.inverse.is_empty() {
            self.inverse = gram(&self.lower, k);
        }
        let column = self.inverse[index * k..][..k].to_vec();
        let scale = if column[index] > 0.0 { column[index].recip() } else { 0.0 };
        let coefficient = self.coefficients[index] * scale;
        for (i, row) in self.inverse.chunks_mut(k).enumerate() {
            let weight = column[i] * scale;
            row.iter_mut().zip(&column).for_each(|(entry, c)| *entry -= weight * c);
            self.coefficients[i] -= column[i] * coefficient;
            self.diagonal[i] -= weight * column[i];
        }
        self.removed[index] = true;
    }

    /// The members that were not taken out, with their indices.
    pub(crate) fn kept(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let members = self.members.iter().copied().enumerate();
        members.filter(|&(index, _)| !self.removed[index])
    }
}

/// `L⁻¹` of a packed factor with inverse diagonal, row by row; dependent variables get rows of zeros.
fn invert_lower(packed: &[f64], k: usize) -> Vec<f64> {
    let mut lower = vec![0.0; k * k];
    for i in 0..k {
        let start = i * (i + 1) / 2;
        let (factors, pivot) = (&packed[start..start + i], packed[start + i]);
        let (done, row) = lower.split_at_mut(i * k);
        for (earlier, factor) in done.chunks(k).zip(factors) {
            row[..i].iter_mut().zip(earlier).for_each(|(entry, e)| *entry -= factor * e);
        }
        row[..i].iter_mut().for_each(|entry| *entry *= pivot);
        row[i] = pivot;
    }
    lower
}

/// `AᵀA` of a lower triangular matrix.
fn gram(lower: &[f64], k: usize) -> Vec<f64> {
    let mut product = vec![0.0; k * k];
    for (t, row) in lower.chunks(k.max(1)).enumerate() {
        for (i, &a) in row[..=t].iter().enumerate() {
            product[i * k..].iter_mut().zip(&row[..=t]).for_each(|(entry, b)| *entry += a * b);
        }
    }
    product
}
