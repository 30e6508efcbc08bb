//! Parents among predecessors: the best set that grow–shrink finds, and the sum over all small sets.

mod cached_path;
mod grow_shrink;
mod grow_shrink_trees;
mod node;
mod table;

use gflowcausal_graph::{Constraints, Dag, NodeSet, Order};

pub use grow_shrink::GrowShrink;
pub use grow_shrink_trees::GrowShrinkTrees;
pub use table::{BestTable, ParentTable};

use crate::{LocalScore, OrderModularScore};

/// A search that gives each variable the best parents among those before it in an order.
///
/// What it finds depends on the variable and the *set* before it alone: never on earlier questions or on threads. As
/// a [`OrderModularScore`] the term of a variable is the local score of the set found.
pub trait BestParents: OrderModularScore {
    /// The parents found for `node` among `before`; none if a required parent is not among them.
    fn best_parents(&self, node: usize, before: &NodeSet) -> Option<NodeSet>;

    /// The graph of the parents found along `order`; none if the order puts a required cause after its effect.
    fn best_dag(&self, order: &Order) -> Option<Dag> {
        let mut before = NodeSet::empty(order.nodes());
        let mut parents = vec![before.clone(); order.nodes()];
        for node in order.iter() {
            parents[node] = self.best_parents(node, &before)?;
            before.insert(node);
        }
        Some(Dag::from_parents(&parents).expect("parents come before their child"))
    }
}

/// How many parents `node` may have: what the user allows and the data can speak about, and always the required ones.
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
