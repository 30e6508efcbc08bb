//! The adaptive LASSO with its penalty chosen by BIC, from the covariance and the number of rows alone.

use gflowcausal_determinism::cancellation_point;
use gflowcausal_graph::NodeSet;

use super::Ols;
use crate::Correlation;
use crate::gaussian::Inverse;

/// Steps and coefficients below this share of the first correlation are rounding.
const ROUNDING: f64 = 1e-12;

/// The slopes (in units of the standard deviations) that the adaptive LASSO leaves of a regression of `node` on
/// `candidates`, zeros left out.
///
/// Each column is multiplied by its least-squares slope, so a weak one is shrunk more; the path of all penalties is
/// followed by least-angle regression (Efron et al. 2004), and the breakpoint with the lowest
/// `RSS/σ² + ln(n)·(number of slopes)` is taken, σ² from least squares on all candidates: scikit-learn's `LassoLarsIC`.
/// Nothing here depends on the columns' scales.
pub(crate) fn adaptive_lasso(
    correlation: &Correlation,
    rows: u64,
    node: usize,
    candidates: &NodeSet,
) -> Vec<(usize, f64)> {
    let full = Ols::new(correlation, rows, node, candidates);
    let noise = full.residual / (full.residual_df.max(1) as f64);
    let log_rows = (rows as f64).ln();
    let mut path = Path::new(correlation, node, &full);
    let mut best = (f64::INFINITY, Vec::new());
    loop {
        cancellation_point();
        let slopes = path.slopes();
        let criterion = path.residual() / noise + log_rows * slopes.len() as f64;
        if criterion < best.0 {
            best = (criterion, slopes);
        }
        if !path.advance() {
            return best.1;
        }
    }
}

/// Where least-angle regression stands: a LASSO solution at the penalty `lambda`.
struct Path<'a> {
    correlation: &'a Correlation,
    node: usize,
    variables: Vec<usize>,
    /// What each column is multiplied by.
    weights: Vec<f64>,
    /// The slopes on the weighted columns.
    slopes: Vec<f64>,
    /// Indices of the variables with a slope.
    active: Vec<usize>,
    /// The weighted columns' correlations with what is left of the target.
    correlations: Vec<f64>,
    lambda: f64,
    smallest_lambda: f64,
    /// What left the path at the last step: it must not come back in the same place.
    dropped: Option<usize>,
}

/// What ends a step.
#[derive(Clone, Copy)]
enum Event {
    Join(usize),
    Leave(usize),
    End,
}

impl<'a> Path<'a> {
    fn new(correlation: &'a Correlation, node: usize, full: &Ols) -> Self {
        let weights: Vec<f64> = full.standardized.iter().map(|slope| slope.abs()).collect();
        let target = correlation.row(node);
        let correlations: Vec<f64> =
            full.parents.iter().zip(&weights).map(|(&v, weight)| weight * target[v]).collect();
        let mut path = Self {
            correlation,
            node,
            variables: full.parents.clone(),
            slopes: vec![0.0; weights.len()],
            weights,
            active: Vec::new(),
            lambda: 0.0,
            smallest_lambda: 0.0,
            correlations,
            dropped: None,
        };
        path.lambda =
            path.correlations.iter().fold(0.0, |largest, correlation| correlation.abs().max(largest));
        path.smallest_lambda = ROUNDING * path.lambda;
        if path.lambda > 0.0 {
            path.active
                .extend((0..path.correlations.len()).find(|&i| path.correlations[i].abs() == path.lambda));
        }
        path
    }

    /// The share of the target's variance that the slopes leave.
    fn residual(&self) -> f64 {
        let target = self.correlation.row(self.node);
        let fit = self.active.iter().map(|&i| {
            let first = self.weights[i] * target[self.variables[i]];
            self.slopes[i] * (first + self.correlations[i])
        });
        1.0 - fit.sum::<f64>()
    }

    /// A variable that has just joined has no slope yet.
    fn slopes(&self) -> Vec<(usize, f64)> {
        let sloped = self.active.iter().filter(|&&i| self.slopes[i] != 0.0);
        sloped.map(|&i| (self.variables[i], self.slopes[i] * self.weights[i])).collect()
    }

    /// Lowers the penalty to the next breakpoint; says whether there was one.
    fn advance(&mut self) -> bool {
        if self.active.is_empty() || self.lambda <= self.smallest_lambda {
            return false;
        }
        let direction = self.direction();
        let correlation_slopes = self.correlation_slopes(&direction);
        let (step, event) = self.next_event(&direction, &correlation_slopes);
        for (&i, u) in self.active.iter().zip(&direction) {
            self.slopes[i] += step * u;
        }
        self.correlations
            .iter_mut()
            .zip(&correlation_slopes)
            .for_each(|(correlation, a)| *correlation -= step * a);
        self.lambda -= step;
        self.apply(event);
        true
    }

    fn apply(&mut self, event: Event) {
        self.dropped = None;
        match event {
            Event::Join(i) => self.active.push(i),
            Event::Leave(at) => {
                let i = self.active.remove(at);
                self.slopes[i] = 0.0;
                self.dropped = Some(i);
            }
            Event::End => self.lambda = 0.0,
        }
    }

    /// How the coefficients move while the penalty decreases by one: `u = G_A⁻¹ s`, with the weights taken out of the inverse.
    fn direction(&self) -> Vec<f64> {
        let members = self.active.iter().map(|&i| self.variables[i]);
        let inverse = Inverse::new(self.correlation, self.node, members);
        let signs: Vec<f64> =
            self.active.iter().map(|&i| self.correlations[i].signum() / self.weights[i]).collect();
        let solved = inverse.solve(&signs);
        solved.iter().zip(&self.active).map(|(u, &i)| u / self.weights[i]).collect()
    }

    /// How fast each column's correlation decreases along `direction`.
    fn correlation_slopes(&self, direction: &[f64]) -> Vec<f64> {
        let weighted: Vec<(usize, f64)> = self
            .active
            .iter()
            .zip(direction)
            .map(|(&i, u)| (self.variables[i], u * self.weights[i]))
            .collect();
        let decrease = |(&variable, weight): (&usize, &f64)| {
            let row = self.correlation.row(variable);
            weight * weighted.iter().map(|&(other, u)| u * row[other]).sum::<f64>()
        };
        self.variables.iter().zip(&self.weights).map(decrease).collect()
    }

    /// The first of: a column catches up with the active ones, a slope reaches zero, the penalty does.
    fn next_event(&self, direction: &[f64], correlation_slopes: &[f64]) -> (f64, Event) {
        let mut first = (self.lambda, Event::End);
        let mut offer = |step: f64, event: Event| {
            if step >= 0.0 && step < first.0 {
                first = (step, event);
            }
        };
        for (at, (&i, u)) in self.active.iter().zip(direction).enumerate() {
            let step = -self.slopes[i] / u;
            if step > 0.0 {
                offer(step, Event::Leave(at));
            }
        }
        let idle =
            (0..self.correlations.len()).filter(|i| !self.active.contains(i) && Some(*i) != self.dropped);
        for i in idle.filter(|&i| self.weights[i] > 0.0) {
            offer((self.lambda - self.correlations[i]) / (1.0 - correlation_slopes[i]), Event::Join(i));
            offer((self.lambda + self.correlations[i]) / (1.0 + correlation_slopes[i]), Event::Join(i));
        }
        first
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gflowcausal_data::Moments;

    /// Columns that any language can make again.
    fn columns() -> Vec<Vec<f64>> {
        let mut state: u64 = 63;
        let mut columns = vec![vec![0.0; 80]; 12];
        for row in 0..80 {
            for column in &mut columns {
                state = (1_103_515_245 * state + 12_345) % (1 << 31);
                column[row] = state as f64 / f64::from(1_u32 << 31) - 0.5;
            }
            for j in 2..12 {
                columns[j][row] += 0.9 * columns[j - 1][row] - 0.5 * columns[j - 2][row]
                    + 0.3 * columns[(j * j) % (j - 1)][row];
            }
        }
        columns
    }

    /// One variable leaves the path and comes back. The program:
    ///
    /// ```python
    /// import numpy as np
    /// from sklearn.linear_model import LinearRegression, LassoLarsIC
    /// s, u = 63, []
    /// for _ in range(80 * 12):
    ///     s = (1103515245 * s + 12345) % 2**31
    ///     u.append(s / 2**31 - 0.5)
    /// X = np.array(u).reshape(80, 12)
    /// for j in range(2, 12):
    ///     X[:, j] += 0.9 * X[:, j-1] - 0.5 * X[:, j-2] + 0.3 * X[:, (j*j) % (j-1)]
    /// w = np.abs(LinearRegression().fit(X[:, :11], X[:, 11]).coef_)
    /// print(LassoLarsIC(criterion='bic').fit(X[:, :11]*w, X[:, 11]).alphas_ / X[:, 11].var())
    /// ```
    #[test]
    fn the_path_breaks_where_sklearn_says() {
        let columns = columns();
        let slices: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        let correlation = Correlation::of_moments(&Moments::of_columns(&slices)).unwrap();
        let full = Ols::new(&correlation, 80, 11, &NodeSet::full(12).without(11));
        let mut path = Path::new(&correlation, 11, &full);
        let mut lambdas = vec![path.lambda];
        while path.advance() {
            lambdas.push(path.lambda);
        }
        let theirs = [
            0.3688191338470167,
            0.10177940192291265,
            0.026374654446167125,
            0.021627919763532656,
            0.02123715654991169,
            0.020761466277161293,
            0.02038577395165996,
            0.013091760429801471,
            0.0044328832439374565,
            0.004203078582310945,
            0.0027049248458815675,
            0.001657368639331645,
            0.000576541961947369,
            0.0,
        ];
        assert_eq!(lambdas.len(), theirs.len());
        for (ours, theirs) in lambdas.iter().zip(theirs) {
            assert!((ours - theirs).abs() < 1e-10, "{ours} is not {theirs}");
        }
    }
}
