//! `bge`: the marginal likelihood of a linear Gaussian network under a normal–Wishart prior.

use std::sync::atomic::AtomicBool;

use gflowcausal_data::Moments;
use gflowcausal_graph::NodeSet;
use statrs::function::gamma::ln_gamma;

use super::{Correlation, GaussianScore, GaussianStatistics, Sweep, residual_fit};
use crate::{LocalScore, ScoreError};

/// The hyper-parameters of the normal–Wishart prior. Its mean is the data's own, its scale matrix a multiple of one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BgePrior {
    /// How many rows the prior mean counts as (α_μ).
    pub alpha_mu: f64,
    /// The degrees of freedom of the Wishart (α_w); `d + α_μ + 1` unless given.
    pub alpha_w: Option<f64>,
    /// The diagonal of its scale matrix T; `α_μ (α_w − d − 1) / (α_μ + 1)` unless given.
    pub scale: Option<f64>,
}

impl Default for BgePrior {
    fn default() -> Self {
        Self { alpha_mu: 1.0, alpha_w: None, scale: None }
    }
}

impl BgePrior {
    /// α_μ, α_w and the diagonal of T for `nodes` variables, checked.
    fn resolve(self, nodes: usize) -> Result<[f64; 3], ScoreError> {
        let d = nodes as f64;
        let alpha_mu = above("alpha_mu", 0.0, self.alpha_mu)?;
        let alpha_w = above("alpha_w", d - 1.0, self.alpha_w.unwrap_or(d + alpha_mu + 1.0))?;
        let usual = alpha_mu * (alpha_w - d - 1.0) / (alpha_mu + 1.0);
        Ok([alpha_mu, alpha_w, above("scale", 0.0, self.scale.unwrap_or(usual))?])
    }
}

fn above(name: &'static str, bound: f64, value: f64) -> Result<f64, ScoreError> {
    if value > bound && value.is_finite() {
        Ok(value)
    } else {
        Err(ScoreError::Prior { name, above: bound, value })
    }
}

/// The Bayesian Gaussian equivalent score of Geiger and Heckerman (2002), as corrected by Kuipers, Moffa and
/// Heckerman (2014).
///
/// With `R = T + scatter` and `l` parents P of `j`, the term is
/// `c(l) − ((N + α_w − d + l + 1)/2) ln(|R_{P∪j}|/|R_P|) − ½ ln|R_P|`, where `c(l)` gathers what depends on `l` alone.
#[derive(Debug, Clone, PartialEq)]
pub struct Bge {
    correlation: Correlation,
    /// `c(l)` for `l = 0, 1, …, d − 1` parents.
    constants: Vec<f64>,
    /// `(N + α_w − d + 1)/2`.
    exponent: f64,
}

impl Bge {
    /// The score of the rows behind `moments`.
    ///
    /// # Errors
    /// No rows, a column without a finite variance, or a prior that does not exist.
    pub fn new(moments: &Moments, prior: BgePrior) -> Result<Self, ScoreError> {
        let nodes = moments.columns();
        if moments.rows() == 0 {
            return Err(ScoreError::NoRows);
        }
        let [alpha_mu, alpha_w, scale] = prior.resolve(nodes)?;
        let mut posterior = moments.scatter().to_vec();
        (0..nodes).for_each(|i| posterior[i * nodes + i] += scale);
        let (rows, freedom) = (moments.rows() as f64, alpha_w - nodes as f64);
        let constant = |parents: usize| {
            let l = parents as f64;
            0.5 * (alpha_mu / (rows + alpha_mu)).ln() + ln_gamma(0.5 * (rows + freedom + l + 1.0))
                - ln_gamma(0.5 * (freedom + l + 1.0))
                - 0.5 * rows * std::f64::consts::PI.ln()
                + 0.5 * (freedom + 2.0 * l + 1.0) * scale.ln()
        };
        Ok(Self {
            correlation: Correlation::of_matrix(nodes, &posterior)?,
            constants: (0..nodes).map(constant).collect(),
            exponent: 0.5 * (rows + freedom + 1.0),
        })
    }
}

impl LocalScore for Bge {
    fn name(&self) -> &'static str {
        "bge"
    }

    fn nodes(&self) -> usize {
        self.correlation.nodes()
    }

    fn local(&self, node: usize, parents: &NodeSet) -> f64 {
        self.term(node, &residual_fit(&self.correlation, node, parents, true))
    }

    /// One sweep: `O(k·d)`.
    fn with_each(&self, node: usize, parents: &NodeSet, more: &NodeSet) -> Vec<f64> {
        Sweep::with_each(self, node, parents, more)
    }

    /// One branching elimination.
    fn fill_subsets(
        &self,
        node: usize,
        base: &NodeSet,
        optional: &[usize],
        limit: usize,
        terms: &mut [f64],
        _stop: &AtomicBool,
    ) {
        super::subsets::fill_subsets(self, node, base, optional, limit, terms);
    }

    fn is_score_equivalent(&self) -> bool {
        true
    }
}

impl GaussianScore for Bge {
    const USES_DETERMINANT: bool = true;

    fn correlation(&self) -> &Correlation {
        &self.correlation
    }

    fn term(&self, node: usize, fit: &GaussianStatistics) -> f64 {
        let log_variance = 2.0 * self.correlation.log_scale(node) + fit.residual.ln();
        let exponent = self.exponent + 0.5 * fit.parents as f64;
        self.constants[fit.parents] - exponent * log_variance - 0.5 * fit.log_det
    }
}
