//! The terms of all subsets of some candidate parents, by one elimination that branches at every candidate.

use gflowcausal_graph::NodeSet;

use super::correlation::{Correlation, RESOLUTION};
use super::{GaussianScore, GaussianStatistics};

/// Writes the term of `node` with the parents `base` and each subset of `optional` that keeps within `limit`.
///
/// The residual covariances of the candidates that are still to be decided are shared by all subsets that agree on the
/// earlier ones, so that a subset costs a few multiply-adds on average: `Σ_m 2^(k−m) m²/2` for `k` candidates.
pub(super) fn fill_subsets<S: GaussianScore>(
    score: &S,
    node: usize,
    base: &NodeSet,
    optional: &[usize],
    limit: usize,
    terms: &mut [f64],
) {
    let mut start = Residuals::new(score.correlation(), node, optional);
    base.iter().for_each(|parent| start.eliminate_variable(score.correlation(), parent));
    let log_scales = optional.iter().map(|&parent| 2.0 * score.correlation().log_scale(parent)).collect();
    let mut levels = vec![start.matrix; optional.len() + 1];
    let branches = Branches { score, node, size: optional.len() + 1, log_scales, limit };
    branches.visit(0, 0, base.len(), start.log_det, &mut levels, terms);
}

/// What some parents leave of the covariances of the candidates and, last, the target.
struct Residuals {
    variables: Vec<usize>,
    /// Parents taken away so far: what is new in each, for every variable, scaled to unit variance.
    innovations: Vec<Vec<f64>>,
    matrix: Vec<f64>,
    log_det: f64,
}

impl Residuals {
    fn new(correlation: &Correlation, node: usize, optional: &[usize]) -> Self {
        let variables: Vec<usize> = optional.iter().copied().chain([node]).collect();
        let row = |&a: &usize| variables.iter().map(move |&b| (a, b)).collect::<Vec<_>>();
        let pairs = variables.iter().flat_map(row);
        let matrix = pairs.map(|(a, b)| correlation.row(a)[b]).collect();
        Self { variables, innovations: Vec::new(), matrix, log_det: 0.0 }
    }

    /// Takes away what `parent`, which is none of the variables, explains.
    fn eliminate_variable(&mut self, correlation: &Correlation, parent: usize) {
        let mut left = correlation.row(parent).to_vec();
        for known in &self.innovations {
            let weight = known[parent];
            left.iter_mut().zip(known).for_each(|(left, known)| *left -= weight * known);
        }
        let pivot = left[parent];
        self.log_det += 2.0 * correlation.log_scale(parent) + pivot.max(RESOLUTION).ln();
        if pivot <= RESOLUTION {
            return;
        }
        left.iter_mut().for_each(|entry| *entry /= pivot.sqrt());
        let size = self.variables.len();
        for (row, &a) in self.matrix.chunks_exact_mut(size).zip(&self.variables) {
            row.iter_mut().zip(&self.variables).for_each(|(entry, &b)| *entry -= left[a] * left[b]);
        }
        self.innovations.push(left);
    }
}

/// The tree of decisions: each candidate in turn is left out or taken in.
struct Branches<'a, S> {
    score: &'a S,
    node: usize,
    /// The candidates and the target.
    size: usize,
    log_scales: Vec<f64>,
    limit: usize,
}

impl<S: GaussianScore> Branches<'_, S> {
    /// Decides about candidate `next`; the first of `levels` holds the residuals given the `set` taken in so far.
    fn visit(
        &self,
        next: usize,
        set: usize,
        parents: usize,
        log_det: f64,
        levels: &mut [Vec<f64>],
        terms: &mut [f64],
    ) {
        let (current, deeper) = levels.split_first_mut().expect("a level for every candidate");
        if next == self.size - 1 || parents == self.limit {
            let residual = current[self.size * self.size - 1].max(RESOLUTION);
            terms[set] = self.score.term(self.node, &GaussianStatistics { parents, residual, log_det });
            return;
        }
        let pivot = current[next * self.size + next];
        eliminate(current, &mut deeper[0], next, self.size);
        let log_pivot = if S::USES_DETERMINANT { pivot.max(RESOLUTION).ln() } else { 0.0 };
        let with = log_det + self.log_scales[next] + log_pivot;
        self.visit(next + 1, set | 1 << next, parents + 1, with, deeper, terms);
        self.visit(next + 1, set, parents, log_det, levels, terms);
    }
}

/// Writes to `into` what variable `at` leaves of those after it; one that depends on earlier ones takes nothing away.
fn eliminate(from: &[f64], into: &mut [f64], at: usize, size: usize) {
    let pivots = &from[at * size..(at + 1) * size];
    let inverse = if pivots[at] > RESOLUTION { pivots[at].recip() } else { 0.0 };
    let rows = from.chunks_exact(size).zip(into.chunks_exact_mut(size)).enumerate().skip(at + 1);
    for (i, (from, into)) in rows {
        let factor = pivots[i] * inverse;
        let entries = from[i..].iter().zip(&mut into[i..]).zip(&pivots[i..]);
        entries.for_each(|((from, into), pivot)| *into = from - factor * pivot);
    }
}
