//! Varsortability and R²-sortability: how far sorting the columns would give the same directions.

use std::fmt;

use gflowcausal_data::Moments;
use gflowcausal_determinism::cancellation_point;
use gflowcausal_graph::{Dag, NodeSet};

use crate::gaussian::{Inverse, RESOLUTION};
use crate::{Correlation, ScoreError};

/// Values closer than this are equal: it is what rounding leaves of a standardised variance.
const TOLERANCE: f64 = 1e-9;

/// From here on a sort would find nearly every path of the graph, or nearly none.
const ALONG_MOST_PATHS: f64 = 0.9;

/// The share of a graph's directed paths along which variance, and R², rise.
///
/// For each length `k` and each pair joined by a path of `k` edges, a rise counts 1, a tie ½ (Reisach, Seiler and Weichwald 2021;
/// Reisach et al. 2023). ½ is what chance gives, and what a graph without edges gets.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sortability {
    /// By variance: near 1, the graph says little more than the columns' units.
    pub variance: f64,
    /// By R² of each variable on all others: not touched by units.
    pub r2: f64,
}

impl Sortability {
    /// The sortability of `dag` on the rows behind `moments`.
    ///
    /// # Errors
    /// No rows, or a column without a finite variance.
    pub fn new(dag: &Dag, moments: &Moments) -> Result<Self, ScoreError> {
        let correlation = Correlation::of_moments(moments)?;
        Ok(Self {
            variance: path_agreement(dag, &log_deviations(moments)),
            r2: path_agreement(dag, &coefficients_of_determination(&correlation)),
        })
    }

    /// What the two numbers mean, in a sentence or two.
    #[must_use]
    pub fn verdict(&self) -> String {
        self.to_string()
    }
}

impl fmt::Display for Sortability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { variance, r2 } = self;
        match *variance {
            v if v >= ALONG_MOST_PATHS => write!(
                f,
                "Variance rises along nearly every path of the graph ({variance:.2}): directions may come from the \
                 units of measurement. Standardise and compare."
            )?,
            v if v <= 1.0 - ALONG_MOST_PATHS => write!(
                f,
                "Variance falls along nearly every path of the graph ({variance:.2}): directions may come from the \
                 units of measurement. Standardise and compare."
            )?,
            _ => write!(f, "Variance does not give the directions away ({variance:.2}).")?,
        }
        match *r2 {
            r if r >= ALONG_MOST_PATHS => write!(
                f,
                " R² rises along nearly every path ({r2:.2}), whatever the units; which edges there are does not \
                 follow from that."
            ),
            r if r <= 1.0 - ALONG_MOST_PATHS => write!(f, " R² falls along nearly every path ({r2:.2})."),
            _ => write!(f, " R² does not give the directions away ({r2:.2})."),
        }
    }
}

/// 1 if the value increases from cause to effect, ½ for a tie, 0 if it decreases.
pub(crate) fn agreement(cause: f64, effect: f64) -> f64 {
    if cause == effect || (effect - cause).abs() <= TOLERANCE {
        0.5
    } else {
        f64::from(u8::from(cause < effect))
    }
}

/// The logarithm of each column's standard deviation; −∞ for a constant one.
pub(crate) fn log_deviations(moments: &Moments) -> Vec<f64> {
    let covariance = moments.covariance();
    let d = moments.columns();
    (0..d).map(|i| 0.5 * covariance[i * d + i].ln()).collect()
}

/// The share of each variable's variance that all others explain. Costs `O(d³)`. Can be cancelled.
///
/// Where some columns depend linearly on others, they and whatever they depend on are explained in full.
#[must_use]
pub fn coefficients_of_determination(correlation: &Correlation) -> Vec<f64> {
    let nodes = correlation.nodes();
    if nodes == 0 {
        return Vec::new();
    }
    let everything = Inverse::new(correlation, 0, 0..nodes);
    let left = |node: usize| match everything.diagonal(node) {
        precision if precision > 0.0 => precision.recip().max(RESOLUTION),
        _ => RESOLUTION,
    };
    let mut left: Vec<f64> = (0..nodes).map(left).collect();
    for dependent in (0..nodes).filter(|&node| everything.diagonal(node) <= 0.0) {
        cancellation_point();
        let slopes = everything.solve(correlation.row(dependent));
        for (left, slope) in left.iter_mut().zip(slopes) {
            // What the dependent column would tell about this one, were it not known.
            if slope * slope * *left > RESOLUTION {
                *left = RESOLUTION;
            }
        }
    }
    left.into_iter().map(|left| 1.0 - left).collect()
}

/// `Σ_k Σ_{i→j ∈ A^k} γ / Σ_k Σ_{i→j ∈ A^k} 1`, where `A^k` marks the pairs that are connected by a path of exactly `k` steps.
///
/// `O(d/64)` word operations for each edge and each length.
fn path_agreement(dag: &Dag, values: &[f64]) -> f64 {
    let nodes = dag.nodes();
    let (mut right, mut all) = (0.0, 0.0);
    let mut reached: Vec<NodeSet> = (0..nodes).map(|node| dag.children(node).clone()).collect();
    while reached.iter().any(|set| !set.is_empty()) {
        cancellation_point();
        for (cause, effects) in reached.iter().enumerate() {
            for effect in effects.iter() {
                right += agreement(values[cause], values[effect]);
                all += 1.0;
            }
        }
        reached = (0..nodes).map(|node| one_step_further(dag, node, &reached)).collect();
    }
    if all > 0.0 { right / all } else { 0.5 }
}

fn one_step_further(dag: &Dag, node: usize, reached: &[NodeSet]) -> NodeSet {
    let mut further = NodeSet::empty(dag.nodes());
    dag.children(node).iter().for_each(|child| further.union_with(&reached[child]));
    further
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gaussian::residual_fit;

    /// Row by row, the covariance of `x·weights` for independent `x` of variance one.
    fn correlation_of(weights: &[&[f64]]) -> Correlation {
        let dot = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
        let matrix: Vec<f64> = weights.iter().flat_map(|a| weights.iter().map(|b| dot(a, b))).collect();
        Correlation::of_matrix(weights.len(), &matrix).unwrap()
    }

    #[test]
    fn what_all_others_explain_is_the_same_one_by_one() {
        let [regular, one_sum, two_copies]: [&[&[f64]]; 3] = [
            &[&[1.0, 0.0, 0.2], &[0.5, 1.0, 0.0], &[0.0, -2.0, 1.0]],
            // The third is the sum of the first two; the last two are tied to each other alone.
            &[
                &[1.0, 0.0, 0.0, 0.0],
                &[0.5, 1.0, 0.0, 0.0],
                &[1.5, 1.0, 0.0, 0.0],
                &[0.0, 0.0, 1.0, 0.0],
                &[0.0, 0.0, 0.7, 1.0],
            ],
            &[&[1.0, 0.3], &[2.0, 0.6], &[0.0, 1.0], &[0.0, -3.0], &[0.0, 0.0]],
        ];
        for weights in [regular, one_sum, two_copies] {
            let correlation = correlation_of(weights);
            let explained = coefficients_of_determination(&correlation);
            for (node, explained) in explained.into_iter().enumerate() {
                let others = NodeSet::full(weights.len()).without(node);
                let left = residual_fit(&correlation, node, &others, false).residual;
                assert!((explained - (1.0 - left)).abs() < 1e-9, "{node} of {weights:?}");
            }
        }
    }
}
