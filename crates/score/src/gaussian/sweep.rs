//! A growing Cholesky factor: parents enter one at a time, with the residual variance of every other variable.

use std::cell::RefCell;

use gflowcausal_graph::NodeSet;

use super::correlation::{Correlation, RESOLUTION};
use super::simd::{Elimination, Hit, Left, PairScan};
use super::{GaussianScore, GaussianStatistics, Inverse};

thread_local! {
    /// Each thread's room for growing parent sets.
    static SWEEP: RefCell<Sweep> = RefCell::default();
}

/// The left-looking Cholesky factor of a growing parent set, carried along for all variables at once.
///
/// After `k` parents, column `t` holds for every variable its covariance with what was new in parent `t`;
/// `left` is what they leave of every variable's variance and of its covariance with the target.
/// A further parent costs `O(k·d)` and every candidate can then be evaluated in `O(1)`.
#[derive(Debug, Default)]
pub(crate) struct Sweep {
    machine: pulp::Arch,
    target: usize,
    members: usize,
    taken: Vec<bool>,
    /// The parents that have a column: all but those that depend linearly on earlier ones.
    pivots: Vec<usize>,
    columns: Vec<f64>,
    left: Left,
    log_det: f64,
}

impl Sweep {
    /// Lends this thread's sweep to `work`, as the last one left it. `work` must neither lend it again nor enter the
    /// thread pool.
    pub(crate) fn lend<T>(work: impl FnOnce(&mut Self) -> T) -> T {
        SWEEP.with_borrow_mut(work)
    }

    /// The term of `node` with each of the variables `more` beside `parents`.
    pub(super) fn with_each<S: GaussianScore>(
        score: &S,
        node: usize,
        parents: &NodeSet,
        more: &NodeSet,
    ) -> Vec<f64> {
        let correlation = score.correlation();
        Self::lend(|sweep| {
            sweep.start(correlation, node);
            parents.iter().for_each(|parent| sweep.add(correlation, parent));
            let term = |candidate| score.term(node, &sweep.fit_with(score, candidate));
            more.iter().map(term).collect()
        })
    }

    /// Starts over: no parents of `target`.
    pub(crate) fn start(&mut self, correlation: &Correlation, target: usize) {
        let row = correlation.padded_row(target);
        self.target = target;
        self.members = 0;
        self.pivots.clear();
        self.taken.clear();
        self.taken.resize(row.len(), false);
        self.columns.clear();
        self.left.reset(row);
        self.log_det = 0.0;
    }

    /// The regression of the target on the parents, dependent ones left out of the coefficients.
    ///
    /// The factor is there already: `O(k³/6)` to invert it.
    pub(crate) fn regression(&self, correlation: &Correlation) -> Inverse {
        let stride = self.left.variance.len();
        let entry = |t: usize, variable: usize| self.columns[t * stride + variable];
        let deviations: Vec<f64> =
            self.pivots.iter().enumerate().map(|(t, &pivot)| entry(t, pivot)).collect();
        let mut packed = Vec::with_capacity(self.pivots.len() * self.pivots.len() / 2);
        for (index, &pivot) in self.pivots.iter().enumerate() {
            packed.extend((0..index).map(|t| entry(t, pivot) / deviations[t]));
        }
        let innovations: Vec<f64> =
            deviations.iter().enumerate().map(|(t, deviation)| entry(t, self.target) * deviation).collect();
        let inverse_pivots: Vec<f64> = deviations.iter().map(|deviation| deviation.powi(-2)).collect();
        Inverse::of_factor(correlation, &self.pivots, &packed, &inverse_pivots, &innovations, self.fit())
    }

    /// How the parents so far fit the target.
    pub(crate) fn fit(&self) -> GaussianStatistics {
        let residual = self.left.variance[self.target].max(RESOLUTION);
        GaussianStatistics { parents: self.members, residual, log_det: self.log_det }
    }

    /// Those of `candidates` whose addition raises `score`, with their [merits](GaussianScore::merit).
    pub(crate) fn useful<S: GaussianScore>(&self, score: &S, candidates: &[u16]) -> Vec<(f64, u16)> {
        let now = self.fit();
        let least = score.least_explained(&now, 1);
        let mut useful = Vec::with_capacity(candidates.len());
        for &candidate in candidates {
            let index = usize::from(candidate);
            if self.left.explains[index] > least && !self.taken[index] {
                let merit = self.merit(score, &now, index);
                if merit > 0.0 {
                    useful.push((merit, candidate));
                }
            }
        }
        useful
    }

    /// Those of `candidates` that are not parents, would be something new and do not raise `score`.
    fn useless<S: GaussianScore>(&self, score: &S, candidates: &[u16]) -> Vec<usize> {
        let now = self.fit();
        let least = score.least_explained(&now, 1);
        let useless = |&index: &usize| {
            let new = !self.taken[index] && self.left.variance[index] > RESOLUTION;
            new && (self.left.explains[index] <= least || self.merit(score, &now, index) <= 0.0)
        };
        candidates.iter().map(|&candidate| usize::from(candidate)).filter(useless).collect()
    }

    #[inline]
    fn merit<S: GaussianScore>(&self, score: &S, now: &GaussianStatistics, candidate: usize) -> f64 {
        score.merit(self.target, now, &self.fit_with(score, candidate))
    }

    /// How the parents and `candidate` fit the target.
    #[inline]
    fn fit_with<S: GaussianScore>(&self, score: &S, candidate: usize) -> GaussianStatistics {
        let log_det = if S::USES_DETERMINANT {
            log_pivot(score.correlation(), candidate, self.left.variance[candidate])
        } else {
            0.0
        };
        self.fit_after(1, self.left.explains[candidate], log_det)
    }

    fn fit_after(&self, more: usize, explained: f64, log_det: f64) -> GaussianStatistics {
        let residual = (self.left.variance[self.target] - explained).max(RESOLUTION);
        GaussianStatistics { parents: self.members + more, residual, log_det: self.log_det + log_det }
    }

    /// Every two of `candidates` (ascending) that raise `score` together where neither does alone, with the merit.
    ///
    /// Costs `O(k·d²/2)` multiply-adds.
    pub(crate) fn pair_merits<S: GaussianScore>(
        &self,
        score: &S,
        candidates: &[u16],
    ) -> Vec<(f64, [u16; 2])> {
        let now = self.fit();
        let idle = self.useless(score, candidates);
        let mut variance = vec![f64::INFINITY; self.left.variance.len()];
        idle.iter().for_each(|&index| variance[index] = self.left.variance[index]);
        let hits = self.machine.dispatch(PairScan {
            correlation: score.correlation(),
            columns: &self.columns,
            variance: &variance,
            covariance: &self.left.covariance,
            candidates: &idle,
            needed: score.least_explained(&now, 2),
        });
        hits.iter()
            .filter(|hit| variance[hit.pair[1]].is_finite())
            .map(|hit| (self.pair_merit(score, &now, hit), hit.pair.map(|member| member as u16)))
            .filter(|&(merit, _)| merit > 0.0)
            .collect()
    }

    fn pair_merit<S: GaussianScore>(&self, score: &S, now: &GaussianStatistics, hit: &Hit) -> f64 {
        let [a, b] = hit.pair;
        let slope = hit.shared / self.left.variance[a];
        let left = self.left.variance[b] - slope * hit.shared;
        if left <= RESOLUTION {
            return 0.0;
        }
        let (first, second) =
            (self.left.covariance[a], self.left.covariance[b] - slope * self.left.covariance[a]);
        let explained = first * first / self.left.variance[a] + second * second / left;
        let log_det = if S::USES_DETERMINANT {
            let correlation = score.correlation();
            log_pivot(correlation, a, self.left.variance[a]) + log_pivot(correlation, b, left)
        } else {
            0.0
        };
        score.merit(self.target, now, &self.fit_after(2, explained, log_det))
    }

    /// Makes `parent` a parent of the target. Costs `O(k·d)`.
    pub(crate) fn add(&mut self, correlation: &Correlation, parent: usize) {
        let left = self.left.variance[parent];
        self.members += 1;
        self.taken[parent] = true;
        self.log_det += log_pivot(correlation, parent, left);
        if left <= RESOLUTION {
            return;
        }
        self.pivots.push(parent);
        let start = self.columns.len();
        self.columns.extend_from_slice(correlation.padded_row(parent));
        let (columns, column) = self.columns.split_at_mut(start);
        let (left, target) = (&mut self.left, self.target);
        self.machine.dispatch(Elimination { left, columns, column, at: parent, target });
    }
}

/// What a variable with the share `left` of its variance adds to the logarithm of a determinant.
fn log_pivot(correlation: &Correlation, variable: usize, left: f64) -> f64 {
    2.0 * correlation.log_scale(variable) + left.max(RESOLUTION).ln()
}
