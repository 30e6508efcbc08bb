//! Triangular factors of small correlation matrices, with linearly dependent variables left out.

use gflowcausal_determinism::cancellation_point;
use gflowcausal_graph::NodeSet;
use smallvec::SmallVec;

use super::correlation::{Correlation, RESOLUTION};
use super::fit::GaussianStatistics;

/// The factors `L D Lᵀ` of the correlations among some variables.
///
/// A variable that depends linearly on those before it has an inverse pivot of zero and takes part in nothing.
pub(super) struct Factor {
    members: SmallVec<[usize; 16]>,
    /// The rows of `L` below the unit diagonal, one after the other.
    packed: SmallVec<[f64; 128]>,
    inverse_pivots: SmallVec<[f64; 16]>,
}

impl Factor {
    /// Costs `O(k³/6)` multiply-adds for `k` members.
    pub(super) fn of(correlation: &Correlation, members: impl Iterator<Item = usize>) -> Self {
        let members: SmallVec<[usize; 16]> = members.collect();
        let k = members.len();
        let mut packed: SmallVec<[f64; 128]> = zeros(k * k.saturating_sub(1) / 2);
        let mut inverse_pivots: SmallVec<[f64; 16]> = zeros(k);
        let mut start = 0;
        for (i, &member) in members.iter().enumerate() {
            let (done, row) = packed.split_at_mut(start);
            let row = &mut row[..i];
            let left = project(&members[..i], done, &inverse_pivots, correlation.row(member), row);
            row.iter_mut().zip(&inverse_pivots).for_each(|(entry, inverse)| *entry *= inverse);
            inverse_pivots[i] = if left > RESOLUTION { left.recip() } else { 0.0 };
            start += i;
        }
        Self { members, packed, inverse_pivots }
    }

    /// What the members leave of the variance of `node`, and its covariance with what is new in each.
    pub(super) fn residual(&self, correlation: &Correlation, node: usize) -> (f64, SmallVec<[f64; 16]>) {
        let mut innovations: SmallVec<[f64; 16]> = zeros(self.members.len());
        let correlations = correlation.row(node);
        let left = project(&self.members, &self.packed, &self.inverse_pivots, correlations, &mut innovations);
        (left.max(RESOLUTION), innovations)
    }

    /// What the members leave of the covariance of `a` and `b`.
    pub(super) fn residual_covariance(&self, correlation: &Correlation, a: usize, b: usize) -> f64 {
        let (innovations_a, innovations_b) =
            (self.residual(correlation, a).1, self.residual(correlation, b).1);
        let explained = innovations_a.iter().zip(&innovations_b).zip(&self.inverse_pivots);
        explained.fold(correlation.row(a)[b], |left, ((a, b), inverse)| left - a * b * inverse)
    }

    /// What each member adds to the logarithm of the determinant, on the data's own scale; a dependent one counts as
    /// one with the smallest variance that can be resolved.
    fn log_pivots(&self, correlation: &Correlation) -> impl Iterator<Item = f64> {
        let log_pivot = |inverse: f64| if inverse > 0.0 { -inverse.ln() } else { RESOLUTION.ln() };
        let members = self.members.iter().zip(&self.inverse_pivots);
        members.map(move |(&member, &inverse)| 2.0 * correlation.log_scale(member) + log_pivot(inverse))
    }
}

/// Zeros on the stack while they fit: cheaper than filling a vector one by one.
fn zeros<const N: usize>(length: usize) -> SmallVec<[f64; N]> {
    if length <= N {
        SmallVec::from_buf_and_len([0.0; N], length)
    } else {
        SmallVec::from_vec(vec![0.0; length])
    }
}

/// What `members` leave of the variance of a variable with these `correlations`, and in `innovations` its covariance with what
/// is new in each of them.
#[inline]
fn project(
    members: &[usize],
    packed: &[f64],
    inverse_pivots: &[f64],
    correlations: &[f64],
    innovations: &mut [f64],
) -> f64 {
    let mut left = 1.0;
    let mut start = 0;
    for (t, (&member, inverse)) in members.iter().zip(inverse_pivots).enumerate() {
        let (known, rest) = innovations.split_at_mut(t);
        let row = &packed[start..start + t];
        let new = row.iter().zip(known).fold(correlations[member], |new, (a, b)| new - a * *b);
        left -= new * new * inverse;
        rest[0] = new;
        start += t;
    }
    left
}

/// What `parents` leave of the variance of `node`. Costs `O(k³/6)` multiply-adds for `k` parents.
///
/// The members are taken in ascending order, so a parent set has one value however it was found.
pub(crate) fn residual_fit(
    correlation: &Correlation,
    node: usize,
    parents: &NodeSet,
    with_det: bool,
) -> GaussianStatistics {
    let factor = Factor::of(correlation, parents.iter());
    let log_det = if with_det { factor.log_pivots(correlation).sum() } else { 0.0 };
    let (residual, _) = factor.residual(correlation, node);
    GaussianStatistics { parents: factor.members.len(), residual, log_det }
}

/// `ln |Σ_{B|A}|` on the data's own scale, for the variables `block` given the variables `given`.
pub(crate) fn conditional_log_det(
    correlation: &Correlation,
    given: impl Iterator<Item = usize> + Clone,
    block: impl Iterator<Item = usize>,
) -> f64 {
    let first = given.clone().count();
    Factor::of(correlation, given.chain(block)).log_pivots(correlation).skip(first).sum()
}

/// The regression of one variable on its parents, with the inverse of the parents' correlations.
///
/// Parents can be taken out one by one at `O(k²)` each, nothing is factorised again.
#[derive(Debug, Clone)]
pub(crate) struct Inverse {
    pub(crate) members: Vec<usize>,
    log_scales: Vec<f64>,
    removed: Vec<bool>,
    /// `D^{−½} L⁻¹`, row by row.
    lower: Vec<f64>,
    /// The inverse, made when the first member is taken out.
    inverse: Vec<f64>,
    diagonal: Vec<f64>,
    coefficients: Vec<f64>,
    pub(crate) fit: GaussianStatistics,
}

impl Inverse {
    /// Costs `O(k³/3)`.
    pub(crate) fn new(correlation: &Correlation, node: usize, parents: impl Iterator<Item = usize>) -> Self {
        let factor = Factor::of(correlation, parents);
        let log_det = factor.log_pivots(correlation).sum();
        let (residual, innovations) = factor.residual(correlation, node);
        let fit = GaussianStatistics { parents: factor.members.len(), residual, log_det };
        Self::of_factor(
            correlation,
            &factor.members,
            &factor.packed,
            &factor.inverse_pivots,
            &innovations,
            fit,
        )
    }

    /// From the factors, and the target's covariance with what is new in each member.
    pub(super) fn of_factor(
        correlation: &Correlation,
        members: &[usize],
        packed: &[f64],
        inverse_pivots: &[f64],
        innovations: &[f64],
        fit: GaussianStatistics,
    ) -> Self {
        let k = members.len();
        let lower = invert_lower(packed, inverse_pivots);
        let (mut diagonal, mut coefficients) = (vec![0.0; k], vec![0.0; k]);
        for (t, row) in lower.chunks(k.max(1)).enumerate() {
            let y = innovations[t] * inverse_pivots[t].sqrt();
            for (index, a) in row[..=t].iter().enumerate() {
                diagonal[index] += a * a;
                coefficients[index] += a * y;
            }
        }
        Self {
            log_scales: members.iter().map(|&member| correlation.log_scale(member)).collect(),
            members: members.to_vec(),
            removed: vec![false; k],
            lower,
            inverse: Vec::new(),
            diagonal,
            coefficients,
            fit,
        }
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
    pub(crate) fn fit_without(&self, index: usize, with_det: bool) -> GaussianStatistics {
        let log_pivot = |diagonal: f64| if diagonal > 0.0 { -diagonal.ln() } else { RESOLUTION.ln() };
        let lost =
            if with_det { log_pivot(self.diagonal[index]) + 2.0 * self.log_scales[index] } else { 0.0 };
        GaussianStatistics {
            parents: self.fit.parents - 1,
            residual: self.fit.residual + self.loss(index),
            log_det: self.fit.log_det - lost,
        }
    }

    /// Takes the member at `index` out, with the determinant only if asked for: a rank-one downdate of the inverse and
    /// the coefficients.
    ///
    /// Its row and column turn to zeros; it stays in place, and [`kept`](Self::kept) no longer names it.
    pub(crate) fn remove(&mut self, index: usize, with_det: bool) {
        self.fit = self.fit_without(index, with_det);
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

/// How many rows are inverted before the work may be cancelled: a matrix of thousands takes seconds.
const CANCELLABLE: usize = 256;

/// `D^{−½} L⁻¹`, row by row; dependent variables get rows of zeros.
fn invert_lower(packed: &[f64], inverse_pivots: &[f64]) -> Vec<f64> {
    let k = inverse_pivots.len();
    let mut lower = vec![0.0; k * k];
    let mut start = 0;
    for i in 0..k {
        if i % CANCELLABLE == CANCELLABLE - 1 {
            cancellation_point();
        }
        let (done, row) = lower.split_at_mut(i * k);
        for (earlier, factor) in done.chunks(k).zip(&packed[start..start + i]) {
            row[..i].iter_mut().zip(earlier).for_each(|(entry, e)| *entry -= factor * e);
        }
        row[i] = 1.0;
        start += i;
    }
    for (i, row) in lower.chunks_mut(k.max(1)).enumerate() {
        let scale = inverse_pivots[i].sqrt();
        row[..=i].iter_mut().for_each(|entry| *entry *= scale);
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
