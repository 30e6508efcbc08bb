//! Generalised additive models: penalised B-splines, smoothness by restricted likelihood (REML).

use std::ops::Range;

use faer::{Mat, Scale};
use gflowcausal_determinism::cancellation_point;

use super::SplineBasis;
use super::cholesky::{Cholesky, dot};

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
    /// Which coordinates belong to each function; none is without.
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
    pub(crate) edf: f64,
    /// The log-likelihood of the response with the bends integrated out and the lines fitted, less that of no function
    /// at all: `−(n/2) ln D − ½ ln |G + W|/(|G_L||W|)`, with `D` the mean squared residual and penalty, `G` the gram
    /// matrix, `G_L` that of the lines and `W` the penalty of the bends.
    pub(crate) log_evidence: f64,
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

    /// The coordinates that are unpenalised: the straight lines.
    pub(crate) fn lines(&self) -> impl Iterator<Item = usize> + Clone + '_ {
        (0..self.size()).filter(|&a| self.roughness[a] == 0.0)
    }

    /// Rows less the intercept and the straight lines: what the restricted likelihood is about.
    fn contrasts(&self) -> f64 {
        self.rows as f64 - 1.0 - self.lines().count() as f64
    }

    /// The logarithm of the determinant of the lines' gram matrix, without dependent ones.
    pub(crate) fn lines_log_det(&self) -> f64 {
        let entry = |a: usize, b: usize| self.gram[a * self.size() + b];
        let gram: Vec<f64> = self.lines().flat_map(|a| self.lines().map(move |b| entry(a, b))).collect();
        Cholesky::new(&gram, self.lines().count()).log_det()
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
        cancellation_point();
        let k = problem.size();
        let mut penalty = vec![0.0; k];
        for (block, log_weight) in problem.blocks.iter().zip(&log_weights) {
            block.clone().for_each(|a| penalty[a] = log_weight.exp() * problem.roughness[a]);
        }
        let mut matrix = problem.gram.clone();
        (0..k).for_each(|a| matrix[a * k + a] += penalty[a]);
        let factor = Cholesky::new(&matrix, k);
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
            for (j, columns) in problem.blocks.iter().enumerate().skip(i) {
                let (mut response, mut spread) = (0.0, 0.0);
                for a in rows.clone() {
                    let (mut row_response, mut row_spread) = (0.0, 0.0);
                    for b in columns.clone() {
                        let entry = self.inverse[a * k + b];
                        row_response += entry * pull[b];
                        row_spread += entry * entry * self.penalty[b];
                    }
                    response += pull[a] * row_response;
                    spread += self.penalty[a] * row_spread;
                }
                let shares = energies[i] * energies[j] / self.deviance;
                let common = 0.5 * (contrasts * (2.0 * response + shares) / self.deviance + spread);
                hessian[i * count + j] -= common;
                if i != j {
                    hessian[j * count + i] -= common;
                }
            }
        }
        (gradient, hessian)
    }

    fn into_fit(self, problem: &AdditiveProblem) -> AdditiveFit {
        let (k, log_evidence) = (problem.size(), self.log_evidence(problem));
        let bending: f64 = self.penalty.iter().zip(&self.coefficients).map(|(p, b)| p * b * b).sum();
        let shrunk: f64 = (0..k).map(|a| self.inverse[a * k + a] * self.penalty[a]).sum();
        AdditiveFit {
            residual: (self.deviance - bending).max(RESOLUTION),
            edf: k as f64 - shrunk,
            coefficients: self.coefficients,
            inverse: self.inverse,
            penalty: self.penalty,
            log_evidence,
        }
    }

    /// The criterion with all rows in the place of the contrasts, and with its constants.
    fn log_evidence(&self, problem: &AdditiveProblem) -> f64 {
        let others = problem.rows as f64 - problem.contrasts();
        let bends = problem.roughness.iter().filter(|&&bend| bend > 0.0).map(|bend| bend.ln()).sum::<f64>();
        0.5 * (problem.lines_log_det() + bends - others * self.deviance.ln()) - self.criterion
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
        Cholesky::new(&matrix, count)
    });
    let Some(factor) = factors.find(Cholesky::is_definite) else { return vec![0.0; count] };
    factor.inverse().chunks(count.max(1)).map(|row| -dot(row, gradient)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers in `[0, 1)` that any language can make again, in columns.
    fn uniforms(rows: usize, columns: usize, mut state: u64) -> Vec<Vec<f64>> {
        let mut table = vec![vec![0.0; rows]; columns];
        for row in 0..rows {
            for column in &mut table {
                state = (1_103_515_245 * state + 12_345) % (1 << 31);
                column[row] = state as f64 / f64::from(1_u32 << 31);
            }
        }
        table
    }

    fn standardized(values: &[f64]) -> Vec<f64> {
        let rows = values.len() as f64;
        let mean = values.iter().sum::<f64>() / rows;
        let deviation = (values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / rows).sqrt();
        values.iter().map(|x| (x - mean) / deviation).collect()
    }

    /// mgcv 1.8-41 with the same splines and the same criterion:
    ///
    /// ```r
    /// u <- as.matrix(read.csv("u.csv"))            # s <- 1103515245 s + 12345 mod 2^31 from 17, s/2^31, 300 rows of 5
    /// z <- function(x) (x-mean(x))/sqrt(mean((x-mean(x))^2))
    /// a <- u[,1]*2-1; b <- u[,2]*2-1; c <- u[,3]*2-1; d <- u[,4]*2-1
    /// for (y in list(sin(4*a) + 0.5*b + 0.6*c*c + (u[,5]-0.5)*1.5, 0.12*a + 0.25*c*c + 0.1*sin(6*b) + (u[,5]-0.5)*1.5)) {
    ///   D <- data.frame(y=z(y), a=z(a), b=z(b), c=z(c), d=z(d))
    ///   f <- gam(y ~ s(a,bs="cr") + s(b,bs="cr") + s(c,bs="cr") + s(d,bs="cr"), data=D, method="REML")
    ///   print(c(sum(f$edf)-1, mean(residuals(f)^2), f$gcv.ubre))
    /// }
    /// ```
    ///
    /// Its restricted likelihood has other constants, so the difference of two responses is compared.
    #[test]
    fn smoothness_residual_and_restricted_likelihood_equal_mgcvs() {
        let u = uniforms(300, 5, 17);
        let x: Vec<Vec<f64>> =
            u[..4].iter().map(|column| column.iter().map(|u| u * 2.0 - 1.0).collect()).collect();
        let bases: Vec<SplineBasis> =
            x.iter().map(|column| SplineBasis::new(&standardized(column), 10)).collect();
        let noise = |i: usize| (u[4][i] - 0.5) * 1.5;
        let strong = |i: usize| (4.0 * x[0][i]).sin() + 0.5 * x[1][i] + 0.6 * x[2][i] * x[2][i] + noise(i);
        let weak =
            |i: usize| 0.12 * x[0][i] + 0.25 * x[2][i] * x[2][i] + 0.1 * (6.0 * x[1][i]).sin() + noise(i);
        let problem = |response: &dyn Fn(usize) -> f64| {
            AdditiveProblem::new(&bases, &standardized(&(0..300).map(response).collect::<Vec<f64>>()))
        };
        let problems = [problem(&strong), problem(&weak)];
        let fits = problems.each_ref().map(|problem| problem.fit().expect("rows enough"));
        for (fit, edf, residual) in
            [(&fits[0], 12.962971377193, 0.236360970689), (&fits[1], 6.894968249023, 0.941305435384)]
        {
            assert!((fit.edf - edf).abs() < 0.01 && (fit.residual - residual).abs() < 1e-4);
        }
        let restricted = |k: usize| {
            let all_rows = (problems[k].rows as f64 - problems[k].contrasts()) * deviance(&fits[k]).ln();
            fits[k].log_evidence + 0.5 * all_rows
        };
        let theirs = 425.323437305614 - 235.658787347814;
        assert!((restricted(0) - restricted(1) - theirs).abs() < 0.01);
    }

    /// Mean squared residual and penalty together.
    fn deviance(fit: &AdditiveFit) -> f64 {
        fit.residual
            + fit.penalty.iter().zip(&fit.coefficients).map(|(weight, b)| weight * b * b).sum::<f64>()
    }
}
