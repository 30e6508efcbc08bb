//! From an order, or a graph with too many edges, to a graph: which candidate parents stay.

mod by_score;
mod cam;
mod linear;

use gflowcausal_graph::{Constraints, Dag, NodeSet, Order};

pub use by_score::ByScore;
pub use cam::Cam;
pub use linear::{Lasso, LinearModel, TTest, Threshold};

use crate::BestParents;

/// A rule that says which candidate parents of a variable stay. It depends on the variable and the candidates alone.
pub trait Prune: Send + Sync {
    /// Those of `candidates` that stay parents of `node`, the strongest first.
    fn keep(&self, node: usize, candidates: &NodeSet) -> Vec<usize>;
}

impl<P: Prune + ?Sized> Prune for &P {
    fn keep(&self, node: usize, candidates: &NodeSet) -> Vec<usize> {
        (**self).keep(node, candidates)
    }
}

/// The edges of `dag` that `rule` keeps within `constraints`.
///
/// A required parent always stays, a forbidden one goes, and of too many the strongest stay. Variables are taken on
/// all threads.
pub fn prune(rule: &(impl Prune + ?Sized), dag: &Dag, constraints: &Constraints) -> Dag {
    let parents = gflowcausal_determinism::map(dag.nodes(), |node| {
        let mut candidates = dag.parents(node).clone();
        candidates.intersect_with(constraints.allowed_parents(node));
        let mut kept = constraints.required(node).clone();
        kept.intersect_with(&candidates);
        let room = constraints.max_parents().saturating_sub(kept.len());
        let chosen =
            rule.keep(node, &candidates).into_iter().filter(|&parent| !kept.contains(parent)).take(room);
        let chosen: Vec<usize> = chosen.collect();
        kept.union_with(&NodeSet::of(dag.nodes(), chosen));
        kept
    });
    Dag::from_parents(&parents).expect("part of an acyclic graph")
}

/// The graph that `rule` leaves of the fully connected graph of `order`. It evaluates no other order.
pub fn prune_order(rule: &(impl Prune + ?Sized), order: &Order, constraints: &Constraints) -> Dag {
    prune(rule, &order.complete_dag(), constraints)
}

/// `none`: everything stays.
#[derive(Debug, Clone, Copy)]
pub struct NoPruning;

impl Prune for NoPruning {
    fn keep(&self, _node: usize, candidates: &NodeSet) -> Vec<usize> {
        candidates.iter().collect()
    }
}

/// `selected`: the parents that the sparse order score chose.
#[derive(Debug, Clone, Copy)]
pub struct Selected<'a, B: ?Sized>(pub &'a B);

impl<B: BestParents + ?Sized> Prune for Selected<'_, B> {
    fn keep(&self, node: usize, candidates: &NodeSet) -> Vec<usize> {
        self.0.best_parents(node, candidates).map_or_else(Vec::new, |parents| parents.iter().collect())
    }
}
