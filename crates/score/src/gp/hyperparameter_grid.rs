//! The likelihood of Gaussian processes over a grid of bandwidth and noise, evaluated only where a search visits it.

use gflowcausal_determinism::cancellation_point;

use super::cell::{Cell, Room};

/// How many bandwidths are tried: the median rule's, half of it, a quarter of it.
const BANDWIDTHS: usize = 3;

/// The noise variances that are tried, in units of the signal's. From the last to the first, each is four times less.
const RATIOS: [f32; 6] = [1.0 / 256.0, 1.0 / 64.0, 1.0 / 16.0, 0.25, 1.0, 4.0];

/// A point of the grid: how often the bandwidth is halved, which ratio of noise to signal.
type Point = (usize, usize);

/// The search starts with much noise: most variables have nothing to do with most parent sets and stay there.
const START: Point = (1, RATIOS.len() - 1);

/// The likelihood of some variables at the points that were visited.
pub(super) struct HyperparameterGrid {
    cells: Vec<Cell>,
    room: Room,
    rows: usize,
    variables: usize,
    /// For each point that was visited, the likelihood of each variable.
    log_likelihoods: [[Option<Vec<f64>>; RATIOS.len()]; BANDWIDTHS],
}

impl HyperparameterGrid {
    /// Of processes that are independent from cell to cell, all with the same bandwidth and noise.
    pub(super) fn new(cells: Vec<Cell>) -> Self {
        Self {
            room: Room::for_cells(&cells),
            rows: cells.iter().map(Cell::rows).sum(),
            variables: cells.first().map_or(0, Cell::responses),
            cells,
            log_likelihoods: Default::default(),
        }
    }

    /// Visits points until the best one of every variable has no neighbour that was not visited.
    pub(super) fn search(&mut self) {
        self.visit(START);
        while let Some(point) = (0..self.variables).find_map(|k| self.unvisited_beside(self.best(k))) {
            self.visit(point);
        }
    }

    /// `−(n/2) ln(yᵀ(K + λI)⁻¹y/n) − ½ ln|K + λI|` for each variable.
    fn visit(&mut self, (halvings, ratio): Point) {
        let mut quadratic = vec![0.0; self.variables];
        let mut factorise = |cell: &Cell| {
            cancellation_point();
            cell.factorise(halvings, RATIOS[ratio], &mut self.room, &mut quadratic)
        };
        let log_det = self.cells.iter().map(&mut factorise).sum::<Option<f64>>();
        let (rows, half_log_det) = (self.rows as f64, 0.5 * log_det.unwrap_or(f64::INFINITY));
        let log_likelihood = |quadratic: f64| -0.5 * rows * (quadratic / rows).ln() - half_log_det;
        self.log_likelihoods[halvings][ratio] = Some(quadratic.into_iter().map(log_likelihood).collect());
    }

    fn log_likelihood(&self, (halvings, ratio): Point, k: usize) -> Option<f64> {
        self.log_likelihoods[halvings][ratio].as_ref().map(|values| values[k])
    }

    /// The likeliest of the points visited for variable `k`, the first of equals.
    fn best(&self, k: usize) -> Point {
        let mut best = (START, f64::NEG_INFINITY);
        for point in (0..BANDWIDTHS).flat_map(|b| (0..RATIOS.len()).map(move |r| (b, r))) {
            if let Some(value) = self.log_likelihood(point, k)
                && value > best.1
            {
                best = (point, value);
            }
        }
        best.0
    }

    /// How often the bandwidth is halved and the ratio of noise to signal where variable `k` is likeliest.
    pub(super) fn likeliest(&self, k: usize) -> (usize, f32) {
        let (halvings, ratio) = self.best(k);
        (halvings, RATIOS[ratio])
    }

    fn unvisited_beside(&self, (halvings, ratio): Point) -> Option<Point> {
        let beside = [
            (halvings, ratio.wrapping_sub(1)),
            (halvings, ratio + 1),
            (halvings.wrapping_sub(1), ratio),
            (halvings + 1, ratio),
        ];
        let inside = |&(b, r): &Point| b < BANDWIDTHS && r < RATIOS.len();
        beside.into_iter().filter(inside).find(|&(b, r)| self.log_likelihoods[b][r].is_none())
    }

    /// The likelihood of variable `k` at its best point, or where the parabola through its two neighbours in `ln λ`
    /// has its top.
    pub(super) fn max_log_likelihood(&self, k: usize) -> f64 {
        let (halvings, ratio) = self.best(k);
        let at = |ratio: usize| RATIOS.get(ratio).and_then(|_| self.log_likelihood((halvings, ratio), k));
        let Some(top) = at(ratio).filter(|value| value.is_finite()) else { return 0.0 };
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
