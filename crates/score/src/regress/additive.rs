//! Sums of smooth functions of one variable each: penalised least squares, smoothness by restricted likelihood.

use std::ops::Range;

use faer::{Mat, Scale};

use super::SplineBasis;
use super::dense::{Cholesky, dot};

/// No fit is credited with leaving less than this share of the variance.
const RESOLUTION: f64 = 1e-12;

/// The logarithm of a smoothing weight stays within these bounds: at the upper one a function is a straight line.
const LOG_WEIGHTS: Range<f64> = -18.0..18.0;

/// Newton's method starts with functions that are hardly smoothed: from straight lines it may not see a wave.
const START: f64 = -8.0;

/// Newton's method stops when it expects to gain less than this in log-likelihood.
const ENOUGH: f64 = 1e-3;

/// It also stops after so many steps.
const MOST_STEPS: usize = 30;

/// The normal equations of a sum of smooth functions, one block of spline coordinates for each variable.
///
/// Everything is a mean over rows of a standardised response, so the diagonal of `gram` is one.
pub(crate) struct AdditiveProblem {
    pub(crate) rows: usize,
    /// Which coordinates belong to each function.
    pub(crate) blocks: Vec<Range<usize>>,
    /// How much each coordinate bends its function; 0 for straight lines.
    pub(crate) roughness: Vec<f64>,
    /// Mean products of the coordinates, row by row.
    pub(crate) gram: Vec<f64>,
    /// Mean products of the coordinates with the response.
    pub(crate) cross: Vec<f64>,
}

/// A fitted sum of smooth functions.
pub(crate) struct AdditiveFit {
    pub(crate) coefficients: Vec<f64>,
    /// `(gram + penalty)⁻¹`, row by row; zero for coordinates that depend on others.
    pub(crate) inverse: Vec<f64>,
    /// The weight of each coordinate's square in the penalty.
    pub(crate) penalty: Vec<f64>,
    /// Mean squared residual.
    pub(crate) residual: f64,
    /// Effective number of coefficients, without the intercept; a dependent one counts as one.
    pub(crate) freedom: f64,
}

impl AdditiveProblem {
    /// The regression of a standardised `response` on a sum of functions from `bases`. Costs `O(n k²)`.
    pub(crate) fn new(bases: &[SplineBasis], response: &[f64]) -> Self {
        let blocks = consecutive(bases.iter().map(SplineBasis::len));
        let owner: Vec<(usize, usize)> =
            bases.iter().enumerate().flat_map(|(b, basis)| (0..basis.len()).map(move |j| (b, j))).collect();
        let (rows, k) = (response.len(), owner.len());
        let design = Mat::from_fn(rows, k, |row, a| bases[owner[a].0].functions[(row, owner[a].1)]);
        let gram = design.transpose() * &design * Scale(1.0 / rows as f64);
        let mean_product = |a: usize| dot(design.col_as_slice(a), response) / rows as f64;
        Self {
            rows,
            blocks,
            roughness: bases.iter().flat_map(|basis| basis.roughness.iter().copied()).collect(),
            gram: (0..k * k).map(|entry| gram[(entry / k, entry % k)]).collect(),
            cross: (0..k).map(mean_product).collect(),
        }
    }

    fn size(&self) -> usize {
        self.roughness.len()
    }

    /// How many coordinates are unpenalised: the straight lines.
    fn lines(&self) -> usize {
        self.roughness.iter().filter(|&&bend| bend == 0.0).count()
    }

    /// Rows less the intercept and the straight lines: what the restricted likelihood is about.
    fn contrasts(&self) -> f64 {
        self.rows as f64 - 1.0 - self.lines() as f64
    }

    /// The fit with the smoothing weights that maximise the restricted likelihood (REML), by Newton's method.
    ///
    /// `None` when there are not more rows than straight lines. Costs `O(k³)` a step for `k` coordinates.
    pub(crate) fn fit(&self) -> Option<AdditiveFit> {
        if self.contrasts() < 1.0 {
            return None;
        }
        let mut now = Step::at(self, vec![START; self.blocks.len()]);
        for _ in 0..MOST_STEPS {
            let Some(next) = now.improved(self) else { break };
            now = next;
        }
        Some(now.into_fit(self))
    }
}

/// Neighbouring ranges of the given lengths.
pub(crate) fn consecutive(lengths: impl Iterator<Item = usize>) -> Vec<Range<usize>> {
    let mut end = 0;
    lengths
        .map(|length| {
            end += length;
            end - length..end
        })
        .collect()
}

/// Where Newton's method stands: the fit for some smoothing weights, and the slope of the restricted likelihood.
struct Step {
    log_weights: Vec<f64>,
    penalty: Vec<f64>,
    inverse: Vec<f64>,
    coefficients: Vec<f64>,
    /// Mean squared residual and penalty together.
    deviance: f64,
    /// Minus the restricted log-likelihood, but for constants.
    criterion: f64,
}

impl Step {
    fn at(problem: &AdditiveProblem, log_weights: Vec<f64>) -> Self {
        let k = problem.size();
        let mut penalty = vec![0.0; k];
        for (block, log_weight) in problem.blocks.iter().zip(&log_weights) {
            block.clone().for_each(|a| penalty[a] = log_weight.exp() * problem.roughness[a]);
        }
        let mut matrix = problem.gram.clone();
        (0..k).for_each(|a| matrix[a * k + a] += penalty[a]);
        let factor = Cholesky::new(matrix, k);
        let (inverse, log_det) = (factor.inverse(), factor.log_det());
        let coefficients: Vec<f64> = inverse.chunks(k.max(1)).map(|row| dot(row, &problem.cross)).collect();
        let deviance = (1.0 - dot(&coefficients, &problem.cross)).max(RESOLUTION);
        let bent =
            |block: &Range<usize>| block.clone().filter(|&a| problem.roughness[a] > 0.0).count() as f64;
        let prior: f64 = problem.blocks.iter().zip(&log_weights).map(|(block, log)| bent(block) * log).sum();
        let criterion = 0.5 * (problem.contrasts() * deviance.ln() + log_det - prior);
        Self { log_weights, penalty, inverse, coefficients, deviance, criterion }
    }

    /// A better point, or none when little is to be gained.
    fn improved(&self, problem: &AdditiveProblem) -> Option<Self> {
        let (gradient, hessian) = self.slopes(problem);
        let mut direction = descent(&hessian, &gradient);
        for (step, log_weight) in direction.iter_mut().zip(&self.log_weights) {
            let bounded = (log_weight + step.clamp(-4.0, 4.0)).clamp(LOG_WEIGHTS.start, LOG_WEIGHTS.end);
            *step = bounded - log_weight;
        }
        let expected = -dot(&gradient, &direction);
        if expected < ENOUGH {
            return None;
        }
        let shorter = |halvings: i32| {
            let weights =
                self.log_weights.iter().zip(&direction).map(|(w, step)| w + step / f64::from(1 << halvings));
            Self::at(problem, weights.collect())
        };
        (0..6).map(shorter).find(|next| next.criterion < self.criterion)
    }

    /// First and second derivatives of the criterion in the logarithms of the smoothing weights (Wood 2011, §3).
    fn slopes(&self, problem: &AdditiveProblem) -> (Vec<f64>, Vec<f64>) {
        let (k, count) = (problem.size(), problem.blocks.len());
        let pull: Vec<f64> = self.penalty.iter().zip(&self.coefficients).map(|(p, b)| p * b).collect();
        let contrasts = problem.contrasts();
        let (mut gradient, mut hessian) = (vec![0.0; count], vec![0.0; count * count]);
        let mut energies = vec![0.0; count];
        for (i, block) in problem.blocks.iter().enumerate() {
            let bent = block.clone().filter(|&a| problem.roughness[a] > 0.0).count() as f64;
            let trace: f64 = block.clone().map(|a| self.inverse[a * k + a] * self.penalty[a]).sum();
            energies[i] = block.clone().map(|a| pull[a] * self.coefficients[a]).sum();
            gradient[i] = 0.5 * (contrasts * energies[i] / self.deviance + trace - bent);
            hessian[i * count + i] = 0.5 * (contrasts * energies[i] / self.deviance + trace);
        }
        for (i, rows) in problem.blocks.iter().enumerate() {
            for (j, columns) in problem.blocks.iter().enumerate() {
                let (mut response, mut spread) = (0.0, 0.0);
                for a in rows.clone() {
                    for b in columns.clone() {
                        let entry = self.inverse[a * k + b];
                        response += pull[a] * entry * pull[b];
                        spread += entry * entry * self.penalty[a] * self.penalty[b];
                    }
                }
                let shares = energies[i] * energies[j] / self.deviance;
                hessian[i * count + j] -=
                    0.5 * (contrasts * (2.0 * response + shares) / self.deviance + spread);
            }
        }
        (gradient, hessian)
    }

    fn into_fit(self, problem: &AdditiveProblem) -> AdditiveFit {
        let k = problem.size();
        let bending: f64 = self.penalty.iter().zip(&self.coefficients).map(|(p, b)| p * b * b).sum();
        let shrunk: f64 = (0..k).map(|a| self.inverse[a * k + a] * self.penalty[a]).sum();
        AdditiveFit {
            residual: (self.deviance - bending).max(RESOLUTION),
            freedom: k as f64 - shrunk,
            coefficients: self.coefficients,
            inverse: self.inverse,
            penalty: self.penalty,
        }
    }
}

/// Newton's step `−H⁻¹g`, with enough added to the diagonal of `H` to make it positive definite.
fn descent(hessian: &[f64], gradient: &[f64]) -> Vec<f64> {
    let count = gradient.len();
    let largest = (0..count).map(|i| hessian[i * count + i].abs()).fold(1e-3, f64::max);
    // Once the diagonal outweighs every row the matrix is definite: ten times the largest entry is enough for any.
    let added = [0.0, 1e-3, 1e-2, 0.1, 1.0, 10.0 * count as f64].map(|share| share * largest);
    let mut factors = added.into_iter().map(|added| {
        let mut matrix = hessian.to_vec();
        (0..count).for_each(|i| matrix[i * count + i] += added);
        Cholesky::new(matrix, count)
    });
    let Some(factor) = factors.find(Cholesky::is_definite) else { return vec![0.0; count] };
    factor.inverse().chunks(count.max(1)).map(|row| -dot(row, gradient)).collect()
}
