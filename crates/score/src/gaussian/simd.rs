//! The two inner loops of grow–shrink, compiled for the machine's widest vectors.
//!
//! Every lane does the same operations in the same order whatever the width, fused ones are rounded once on every
//! machine, and nothing is summed across lanes: the bits do not depend on the machine.

use std::array;

use pulp::{Simd, WithSimd};

use super::correlation::RESOLUTION;

/// How many variables are carried through a loop at once.
pub(super) const LANES: usize = 8;

/// `nodes` rounded up to whole lanes.
pub(super) const fn padded(nodes: usize) -> usize {
    nodes.next_multiple_of(LANES)
}

#[inline(always)]
fn lanes_of(values: &[f64]) -> &[[f64; LANES]] {
    values.as_chunks().0
}

/// What a parent set leaves of every variable.
#[derive(Debug, Default)]
pub(super) struct Left {
    /// Of its variance.
    pub(super) variance: Vec<f64>,
    /// Of its covariance with the target.
    pub(super) covariance: Vec<f64>,
    /// How much of the target's variance it would explain, were it added.
    pub(super) explains: Vec<f64>,
}

impl Left {
    /// Nothing is taken away yet: unit variances and the target's correlations.
    pub(super) fn reset(&mut self, correlations: &[f64]) {
        self.variance.clear();
        self.variance.resize(correlations.len(), 1.0);
        self.covariance.clear();
        self.covariance.extend_from_slice(correlations);
        self.explains.clear();
        self.explains.extend(correlations.iter().map(|r| r * r));
    }
}

/// Takes a variable away: `column ← (column − Σ_t columns[t][at]·columns[t]) / deviation` is what is new in it.
pub(super) struct Elimination<'a> {
    pub(super) left: &'a mut Left,
    pub(super) columns: &'a [f64],
    pub(super) column: &'a mut [f64],
    pub(super) at: usize,
    pub(super) target: usize,
}

impl WithSimd for Elimination<'_> {
    type Output = ();

    /// `O(k·d)`.
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { left, columns, column, at, target } = self;
        let scale = left.variance[at].sqrt().recip();
        subtract_projections(columns, column, at, column.len());
        let weight = column[target] * scale;
        let left = left.variance.iter_mut().zip(&mut left.covariance).zip(&mut left.explains);
        for (entry, ((variance, covariance), explains)) in column.iter_mut().zip(left) {
            *entry *= scale;
            *variance -= *entry * *entry;
            *covariance -= *entry * weight;
            let share = *covariance * *covariance / *variance;
            *explains = if *variance > RESOLUTION { share } else { 0.0 };
        }
    }
}

/// `into − Σ_t columns[t][at]·columns[t]`, lanes kept in registers from the first to the last `t`.
#[inline(always)]
fn subtract_projections(columns: &[f64], into: &mut [f64], at: usize, stride: usize) {
    for (chunk, out) in into.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
        let mut left = *out;
        for column in columns.chunks_exact(stride) {
            let weight = -column[at];
            let known = &lanes_of(column)[chunk];
            left = array::from_fn(|lane| weight.mul_add(known[lane], left[lane]));
        }
        *out = left;
    }
}

/// How many candidates share one pass over the columns when pairs are evaluated.
const ROWS: usize = 4;

/// Two candidates that may raise the score together, and what is left of their covariance.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hit {
    pub(super) pair: [usize; 2],
    pub(super) shared: f64,
}

/// A growing parent set, as the search for pairs sees it.
pub(super) struct PairScan<'a> {
    pub(super) correlation: &'a super::Correlation,
    pub(super) columns: &'a [f64],
    /// What is left of each candidate's variance; infinite for what is not a candidate, so that it explains nothing.
    pub(super) variance: &'a [f64],
    pub(super) covariance: &'a [f64],
    /// In ascending order.
    pub(super) candidates: &'a [usize],
    /// How much a pair has to explain of the target's variance.
    pub(super) needed: f64,
}

impl WithSimd for PairScan<'_> {
    type Output = Vec<Hit>;

    /// Each candidate with every later one that explains more than what is needed.
    ///
    /// `O(k·d²/2)` for `k` parents: the residual covariances of all candidates, four rows at a time.
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Vec<Hit> {
        let mut hits = Vec::new();
        for block in self.candidates.chunks(ROWS) {
            let rows: [usize; ROWS] = array::from_fn(|row| block[row.min(block.len() - 1)]);
            for chunk in rows[0] / LANES..self.variance.len() / LANES {
                let shared = self.residual_covariances(rows, chunk);
                for (row, &first) in block.iter().enumerate() {
                    self.test(first, chunk, &shared[row], &mut hits);
                }
            }
        }
        hits
    }
}

impl PairScan<'_> {
    /// What is left of the covariances of `rows` with the variables of a chunk.
    #[inline(always)]
    fn residual_covariances(&self, rows: [usize; ROWS], chunk: usize) -> [[f64; LANES]; ROWS] {
        let stride = self.variance.len();
        let mut left = rows.map(|row| lanes_of(self.correlation.padded_row(row))[chunk]);
        for column in self.columns.chunks_exact(stride) {
            let known = &lanes_of(column)[chunk];
            for (row, left) in left.iter_mut().enumerate() {
                let weight = -column[rows[row]];
                *left = array::from_fn(|lane| weight.mul_add(known[lane], left[lane]));
            }
        }
        left
    }

    /// Looks for partners of `first` in a chunk. With what `first` explains taken off, a partner must explain the rest:
    /// `second² / left > rest`, without the division.
    #[inline(always)]
    fn test(&self, first: usize, chunk: usize, shared: &[f64; LANES], hits: &mut Vec<Hit>) {
        let inverse = self.variance[first].recip();
        let own = self.covariance[first];
        let rest = self.needed - own * own * inverse;
        let variance = &lanes_of(self.variance)[chunk];
        let covariance = &lanes_of(self.covariance)[chunk];
        let is_hit: [bool; LANES] = array::from_fn(|lane| {
            let slope = shared[lane] * inverse;
            let left = variance[lane] - slope * shared[lane];
            let second = covariance[lane] - slope * own;
            second * second > rest * left
        });
        if is_hit.iter().fold(false, |any, &hit| any | hit) {
            let partner = |lane: usize| Hit { pair: [first, chunk * LANES + lane], shared: shared[lane] };
            hits.extend(
                (0..LANES).filter(|&lane| is_hit[lane]).map(partner).filter(|hit| hit.pair[1] > first),
            );
        }
    }
}
