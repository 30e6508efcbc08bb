//! The log marginal likelihood of a Gaussian process, its bandwidth and its noise chosen by likelihood.

use faer::Mat;
use gflowcausal_data::Table;
use gflowcausal_graph::NodeSet;

use super::kernel::{Distances, Kernel};
use super::{MAX_ROWS, ROOM, matrix_of};
use crate::shared::SharedTerms;
use crate::standard::StandardColumns;
use crate::{LocalScore, ScoreError};

/// How many bandwidths are tried: the median rule's, half of it, a quarter of it.
const BANDWIDTHS: usize = 3;

/// The noise variances that are tried, in units of the signal's. From the last to the first, each is four times less.
const RATIOS: [f64; 6] = [1.0 / 256.0, 1.0 / 64.0, 1.0 / 16.0, 0.25, 1.0, 4.0];

/// The log marginal likelihood of `y = f(parents) + noise`, `f` a Gaussian process with a radial kernel.
///
/// Columns are standardised. `y ~ N(0, s²(K + λI))` with `K = exp(−d²/(2ℓ²))`: the signal variance `s²` has its
/// maximum in closed form, and
/// `−(n/2) ln(yᵀ(K + λI)⁻¹y/n) − ½ ln|K + λI|` remains, without the constants that every term shares. A variable
/// without parents has term 0. The squared bandwidth `ℓ²` is the median squared distance between rows, a quarter or a
/// sixteenth of it, and the ratio `λ` of noise to signal a power of 4; both are raised to the likeliest by steps, `λ`
/// between steps by the parabola through three of them. There is no price for a parent: the likelihood of a
/// function of more variables spreads over more functions.
///
/// With the median's bandwidth alone, many parents make every function look smooth: on joint Gaussian-process data
/// with 10 variables and 40 edges, dropping parents by score then errs in 9 edges where this errs in 1.
///
/// More than a thousand rows are thinned to a thousand. A parent set costs about six factorisations of `n³/3` for
/// all variables together.
#[derive(Debug)]
pub struct GpMarginal {
    data: StandardColumns,
    responses: Mat<f64>,
    shared: SharedTerms,
}

impl GpMarginal {
    /// The score of a table of complete real columns.
    ///
    /// # Errors
    /// No rows, or a column that is not real or misses a cell.
    pub fn new(table: &Table) -> Result<Self, ScoreError> {
        let data = StandardColumns::thinned(table, MAX_ROWS)?;
        let shared = SharedTerms::with_room_for(ROOM, data.nodes());
        Ok(Self { responses: matrix_of(&data), data, shared })
    }

    fn terms(&self, parents: &NodeSet) -> Vec<f64> {
        let columns: Vec<&[f64]> =
            parents.iter().map(|parent| self.data.columns[parent].as_slice()).collect();
        let Some(distances) = Distances::between(&columns, self.data.rows) else {
            return vec![0.0; self.data.nodes()];
        };
        let outside: Vec<usize> = (0..self.data.nodes()).filter(|&node| !parents.contains(node)).collect();
        let mut surface = Surface::new(distances, &self.responses, &outside);
        surface.climb();
        let mut terms = vec![0.0; self.data.nodes()];
        for (k, &node) in outside.iter().enumerate() {
            let constant = self.data.columns[node].iter().all(|&value| value == 0.0);
            terms[node] = if constant { 0.0 } else { surface.summit(k) };
        }
        terms
    }
}

impl LocalScore for GpMarginal {
    fn name(&self) -> &'static str {
        "gp"
    }

    fn nodes(&self) -> usize {
        self.data.nodes()
    }

    fn local(&self, node: usize, parents: &NodeSet) -> f64 {
        self.shared.term(node, parents, || self.terms(parents))
    }
}

/// A point of the grid: which bandwidth, which ratio of noise to signal.
type Point = (usize, usize);

/// The likelihood of some variables over bandwidth and noise, known only where somebody climbed.
struct Surface {
    kernels: [Kernel; BANDWIDTHS],
    responses: Mat<f64>,
    /// For each point that was visited, the likelihood of each variable.
    heights: [[Option<Vec<f64>>; RATIOS.len()]; BANDWIDTHS],
}

impl Surface {
    fn new(distances: Distances, responses: &Mat<f64>, nodes: &[usize]) -> Self {
        let widest = distances.kernel();
        let half = widest.half_bandwidth();
        let quarter = half.half_bandwidth();
        let responses = Mat::from_fn(responses.nrows(), nodes.len(), |row, k| responses[(row, nodes[k])]);
        Self { kernels: [widest, half, quarter], responses, heights: Default::default() }
    }

    /// Visits points until every variable stands on one that is higher than its neighbours.
    ///
    /// It starts with much noise: most variables have nothing to do with most parent sets and stay there.
    fn climb(&mut self) {
        self.visit((1, RATIOS.len() - 1));
        while let Some(point) = (0..self.responses.ncols()).find_map(|k| self.unvisited_beside(self.best(k)))
        {
            self.visit(point);
        }
    }

    fn visit(&mut self, (bandwidth, ratio): Point) {
        let heights = log_likelihoods(&mut self.kernels[bandwidth], RATIOS[ratio], &self.responses);
        self.heights[bandwidth][ratio] = Some(heights);
    }

    fn height(&self, (bandwidth, ratio): Point, k: usize) -> Option<f64> {
        self.heights[bandwidth][ratio].as_ref().map(|heights| heights[k])
    }

    /// The highest point visited for variable `k`, the first of equals.
    fn best(&self, k: usize) -> Point {
        let mut best = ((1, RATIOS.len() - 1), f64::NEG_INFINITY);
        for point in (0..BANDWIDTHS).flat_map(|b| (0..RATIOS.len()).map(move |r| (b, r))) {
            if let Some(height) = self.height(point, k)
                && height > best.1
            {
                best = (point, height);
            }
        }
        best.0
    }

    fn unvisited_beside(&self, (bandwidth, ratio): Point) -> Option<Point> {
        let beside = [
            (bandwidth, ratio.wrapping_sub(1)),
            (bandwidth, ratio + 1),
            (bandwidth.wrapping_sub(1), ratio),
            (bandwidth + 1, ratio),
        ];
        let inside = |&(b, r): &Point| b < BANDWIDTHS && r < RATIOS.len();
        beside.into_iter().filter(inside).find(|&(b, r)| self.heights[b][r].is_none())
    }

    /// The likelihood of variable `k` at its best point, or where the parabola through its two neighbours in `ln λ`
    /// has its top.
    fn summit(&self, k: usize) -> f64 {
        let (bandwidth, ratio) = self.best(k);
        let at = |ratio: usize| RATIOS.get(ratio).and_then(|_| self.height((bandwidth, ratio), k));
        let Some(top) = at(ratio).filter(|height| height.is_finite()) else { return 0.0 };
        match (at(ratio.wrapping_sub(1)), at(ratio + 1)) {
            (Some(less), Some(more)) => top + parabola_above(less, top, more),
            _ => top,
        }
    }
}

/// How far the parabola through three equally spaced values rises above the middle one, which is the largest.
fn parabola_above(left: f64, middle: f64, right: f64) -> f64 {
    let (slope, bend) = (0.5 * (right - left), left + right - 2.0 * middle);
    if bend < 0.0 && bend.is_finite() { -0.5 * slope * slope / bend } else { 0.0 }
}

/// `−(n/2) ln(yᵀ(K + λI)⁻¹y/n) − ½ ln|K + λI|` for each column `y`: `O(n³/3)` for all, `O(n²)` for each.
fn log_likelihoods(kernel: &mut Kernel, ratio: f64, responses: &Mat<f64>) -> Vec<f64> {
    let Some(factor) = kernel.factor(ratio) else {
        return vec![f64::NEG_INFINITY; responses.ncols()];
    };
    let white = factor.whiten(responses);
    let (rows, half_log_det) = (responses.nrows() as f64, 0.5 * factor.log_det());
    let height = |k: usize| -0.5 * rows * (white.col(k).squared_norm_l2() / rows).ln() - half_log_det;
    (0..responses.ncols()).map(height).collect()
}
