//! A score on rows from experiments: the term of a variable is that of the rows in which it was not set from outside.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use gflowcausal_graph::NodeSet;
use gflowcausal_score::LocalScore;

use super::score_kind::Decomposable;

/// One score for each set of rows, and which of them each variable has.
///
/// With hard interventions the likelihood of a row factorises over the variables that were not set in it (Cooper and Yoo 1999), so a
/// sum over variables stays one. Graphs are distinguished by more than their Markov equivalence class: an edge of which one end was set has a
/// direction.
pub(super) struct Interventional {
    pub(super) parts: Vec<Arc<Decomposable>>,
    pub(super) part_of: Vec<usize>,
}

impl Interventional {
    fn of(&self, node: usize) -> &dyn LocalScore {
        self.parts[self.part_of[node]].local_score()
    }
}

impl LocalScore for Interventional {
    fn name(&self) -> &'static str {
        self.parts[0].local_score().name()
    }

    fn nodes(&self) -> usize {
        self.part_of.len()
    }

    fn local(&self, node: usize, parents: &NodeSet) -> f64 {
        self.of(node).local(node, parents)
    }

    fn with_each(&self, node: usize, parents: &NodeSet, more: &NodeSet) -> Vec<f64> {
        self.of(node).with_each(node, parents, more)
    }

    fn fill_subsets(
        &self,
        node: usize,
        base: &NodeSet,
        optional: &[usize],
        limit: usize,
        terms: &mut [f64],
        stop: &AtomicBool,
    ) {
        self.of(node).fill_subsets(node, base, optional, limit, terms, stop);
    }

    fn parent_limit(&self) -> usize {
        self.parts.iter().map(|part| part.local_score().parent_limit()).min().unwrap_or(0)
    }
}
