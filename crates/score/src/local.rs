//! What a local score is: a number for one variable and its direct causes.

use gflowcausal_graph::{Dag, NodeSet};

/// A score that is a sum over the variables of a term that depends on the variable and its parents alone.
///
/// Higher is better, natural logarithms. A value is never NaN and never infinite, and the method never panics for a
/// `node` below [`nodes`](Self::nodes) and a `parents` out of as many variables that leaves `node` out.
pub trait LocalScore: Send + Sync {
    /// The name users know it by.
    fn name(&self) -> &'static str;

    /// How many variables there are.
    fn nodes(&self) -> usize;

    /// The term of `node` when its direct causes are `parents`.
    fn local(&self, node: usize, parents: &NodeSet) -> f64;

    /// Whether Markov-equivalent graphs always get the same total.
    fn is_score_equivalent(&self) -> bool {
        false
    }
}

/// The score of a graph: the sum of its local terms, in the order of the variables.
pub fn dag_score(score: &(impl LocalScore + ?Sized), dag: &Dag) -> f64 {
    (0..dag.nodes()).map(|node| score.local(node, dag.parents(node))).sum()
}
