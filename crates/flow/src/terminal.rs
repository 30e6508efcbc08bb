//! What a finished walk stands for: an order, a DAG, or a graph that may hold cycles.

use gflowcausal_graph::{Dag, Order, Pdag};

/// The end of a walk: the thing that has a reward.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Terminal {
    /// From `complete`, `edges`, `chain` and `order`.
    Order(Order),
    /// From `graph`.
    Dag(Dag),
    /// From `free`: arrows only, cycles possible.
    Digraph(Pdag),
}

impl Terminal {
    /// The order, if it is one.
    #[must_use]
    pub fn as_order(&self) -> Option<&Order> {
        match self {
            Self::Order(order) => Some(order),
            _ => None,
        }
    }

    /// The DAG, if it is one.
    #[must_use]
    pub fn as_dag(&self) -> Option<&Dag> {
        match self {
            Self::Dag(dag) => Some(dag),
            _ => None,
        }
    }
}
