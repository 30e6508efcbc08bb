//! How far an estimated graph is from the true one: TPR, FDR, SHD, SID, AUROC and their like.

mod confusion;
mod ranking;
mod shd;
mod sid;

use serde::{Deserialize, Serialize};

use crate::{Dag, Pdag};
use confusion::Counts;

pub use ranking::{auprc, auroc};
pub use shd::{class_shd, cpdag_shd, expected_shd, shd};
pub use sid::sid;

/// An estimate compared with the truth, pair of variables by pair.
///
/// A pair joined without direction in the estimate counts as right when the truth joins it in either direction. Every number
/// is a number for every input: with no true edge all of none are found (`tpr` 1), with none predicted none is false
/// (`fdr` 0, `precision` 1).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Metrics {
    /// True positive rate: true edges found with the right direction, out of all true edges.
    pub tpr: f64,
    /// False discovery rate: reversed and extra edges, out of all predicted edges.
    pub fdr: f64,
    /// False positive rate: reversed and extra edges, out of the `d(d−1)/2 − |E|` pairs that the truth does not
    /// join (at least one). Above 1 when more edges are reversed than there are such pairs.
    pub fpr: f64,
    /// Structural Hamming distance: extra, missing and reversed edges, each once.
    pub shd: usize,
    /// The same with a reversed edge counted twice: once as extra, once as missing.
    #[serde(rename = "shd_2")]
    pub shd2: usize,
    /// The pairs that the two classes of Markov-equivalent graphs join differently; see [`cpdag_shd`].
    pub cpdag_shd: usize,
    /// Structural intervention distance; see [`sid()`].
    pub sid: usize,
    /// Edges predicted with the right direction, out of all predicted edges.
    pub precision: f64,
    /// Another name of `tpr`.
    pub recall: f64,
    /// The harmonic mean of precision and recall; 0 when both are, 1 when both graphs are empty.
    pub f1: f64,
    /// True edges found with the right direction.
    pub correct: usize,
    /// Pairs joined in both graphs, with opposite arrows.
    pub reversed: usize,
    /// Pairs that only the truth joins.
    pub missing: usize,
    /// Pairs that only the estimate joins.
    pub extra: usize,
    /// Edges of the truth.
    pub true_edges: usize,
    /// Edges of the estimate.
    pub predicted_edges: usize,
}

/// Compares `estimate` with `truth`.
///
/// # Panics
/// If the graphs have different numbers of variables.
///
/// ```
/// use gflowcausal_graph::{Dag, Edge, Pdag, evaluate};
/// let truth = Dag::from_edges(3, [Edge::new(0, 1), Edge::new(1, 2)])?;
/// let estimate = Dag::from_edges(3, [Edge::new(1, 0), Edge::new(1, 2)])?;
/// let metrics = evaluate(&Pdag::from(&estimate), &truth);
/// assert_eq!((metrics.tpr, metrics.shd, metrics.cpdag_shd), (0.5, 1, 0));
/// # Ok::<(), gflowcausal_graph::EdgeError>(())
/// ```
#[must_use]
pub fn evaluate(estimate: &Pdag, truth: &Dag) -> Metrics {
    let counts = Counts::between(estimate, truth);
    Metrics {
        tpr: counts.recall(),
        fdr: counts.false_discovery_rate(),
        fpr: counts.false_positive_rate(),
        shd: counts.shd(),
        shd2: counts.shd() + counts.reversed,
        cpdag_shd: cpdag_shd(estimate, truth),
        sid: sid(estimate, truth),
        precision: counts.precision(),
        recall: counts.recall(),
        f1: counts.f1(),
        correct: counts.correct,
        reversed: counts.reversed,
        missing: counts.missing(),
        extra: counts.extra(),
        true_edges: counts.true_edges,
        predicted_edges: counts.predicted_edges,
    }
}
