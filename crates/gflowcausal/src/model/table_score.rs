//! Tables of parent sets as a score of orders: sums over all DAGs that an order allows.

use gflowcausal_graph::NodeSet;
use gflowcausal_score::{OrderModularScore, ParentSetTables};

use super::ScoringModel;

/// `T · ln Σ_G exp(score(G)/T + γ·edges)` over the DAGs that an order allows.
pub(crate) struct TableScore<'a> {
    tables: &'a ParentSetTables,
    temperature: f64,
}

impl<'a> TableScore<'a> {
    /// The sums of `tables`, which were made of `model`.
    pub(crate) fn new(tables: &'a ParentSetTables, model: &ScoringModel) -> Self {
        Self { tables, temperature: model.temperature() }
    }
}

impl OrderModularScore for TableScore<'_> {
    fn local(&self, node: usize, before: &NodeSet) -> f64 {
        self.temperature * self.tables.log_sum(node, before)
    }
}
