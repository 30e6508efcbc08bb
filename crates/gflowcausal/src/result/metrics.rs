//! The best graph and the draws against the truth, and whether scale gives the directions away.

use gflowcausal_determinism::cancellation_point;
use gflowcausal_graph::{Dag, Metrics, Pdag, auprc, auroc, class_shd, evaluate, expected_shd, shd};
use gflowcausal_score::Sortability;
use serde::{Deserialize, Serialize};

use super::number;
use crate::discover::Discovery;

/// Whether scale gives the directions away.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SortabilityResult {
    /// By variance.
    #[serde(deserialize_with = "number")]
    pub variance: f64,
    /// By R².
    #[serde(deserialize_with = "number")]
    pub r2: f64,
    /// What that means.
    pub verdict: String,
}

/// The best graph and the draws against the truth.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MetricsResult {
    /// Of the best graph.
    #[serde(flatten)]
    pub graph: Metrics,
    /// The SHD of its equivalence class: a reversible edge counts as right if the truth joins the pair.
    pub class_shd: usize,
    /// In how many pairs the classes of graphs that the interventions do not tell apart differ, where there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interventional_shd: Option<usize>,
    /// Area under the ROC curve of the edge probabilities.
    #[serde(deserialize_with = "number")]
    pub auroc: f64,
    /// Area under the precision–recall curve of the edge probabilities.
    #[serde(deserialize_with = "number")]
    pub auprc: f64,
    /// The mean SHD of the draws.
    #[serde(deserialize_with = "number")]
    pub expected_shd: f64,
}

impl Discovery {
    pub(super) fn sortability(&self) -> Option<SortabilityResult> {
        let moments = self.moments.as_ref()?;
        let sortability = self.in_time(|| {
            cancellation_point();
            Sortability::new(&self.graph, moments).ok()
        })??;
        let Sortability { variance, r2 } = sortability;
        Some(SortabilityResult { variance, r2, verdict: sortability.verdict() })
    }

    pub(super) fn metrics(&self, truth: &Dag) -> MetricsResult {
        let samples = self.posterior.candidates.iter().map(|candidate| (&candidate.dag, candidate.weight));
        let estimate = self.class.clone().unwrap_or_else(|| Pdag::from(&self.graph));
        let graph = evaluate(&estimate, truth);
        MetricsResult {
            expected_shd: expected_shd(samples, truth).unwrap_or(graph.shd as f64),
            auroc: auroc(self.posterior.edges(), truth),
            auprc: auprc(self.posterior.edges(), truth),
            class_shd: shd(&self.class(), truth),
            interventional_shd: self
                .model
                .interventions()
                .map(|_| class_shd(&self.class(), &self.class_of(truth))),
            graph,
        }
    }
}
