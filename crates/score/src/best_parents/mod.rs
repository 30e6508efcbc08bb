//! Parents among predecessors: the best set that grow–shrink finds.

mod cached_path;
mod grow_shrink;
mod grow_shrink_trees;
mod node;

use gflowcausal_graph::{Constraints, NodeSet};

pub use grow_shrink::GrowShrink;
pub use grow_shrink_trees::GrowShrinkTrees;

use crate::{LocalScore, OrderModularScore};

/// A search that gives each variable the best parents among those before it in an order.
///
/// What it finds depends on the variable and the *set* before it alone: never on earlier queries or on threads. As
/// a [`OrderModularScore`] the term of a variable is the local score of the set found.
pub trait BestParents: OrderModularScore {
    /// The parents found for `node` among `before`; none if a required parent is not among them.
    fn best_parents(&self, node: usize, before: &NodeSet) -> Option<NodeSet>;
}

/// How many parents `node` may have: what the user allows and the data can support, and always the required ones.
pub(crate) fn parent_limit(
    score: &(impl LocalScore + ?Sized),
    constraints: &Constraints,
    node: usize,
) -> usize {
    score.parent_limit().min(constraints.max_parents()).max(constraints.required(node).len())
}

/// The variables that may be parents of `node` but need not.
fn optional_parents(constraints: &Constraints, node: usize) -> NodeSet {
    let mut optional = constraints.allowed_parents(node).clone();
    optional.subtract(constraints.required(node));
    optional.remove(node);
    optional
}
