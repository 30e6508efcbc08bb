//! Log-rewards of terminal states; the reward itself is never formed.

use gflowcausal_graph::{Layering, NodeSet};

use crate::Terminal;

/// The log-reward of finished walks, at temperature 1. Always finite.
pub trait LogReward: Sync {
    /// `ln r` of one terminal state.
    fn log_reward(&self, terminal: &Terminal) -> f64;

    /// `ln r` of each terminal state, in their order; on all threads unless overridden.
    fn log_rewards(&self, terminals: &[Terminal]) -> Vec<f64> {
        gflowcausal_determinism::map(terminals.len(), |i| self.log_reward(&terminals[i]))
    }

    /// The terms that `ln r` is the sum of, if it is such a sum.
    ///
    /// The sum over an order's nodes of the term given all nodes before must be the order's `ln r`; the sum over a
    /// DAG's nodes of the term given the parents must be the DAG's, up to a constant.
    fn local(&self) -> Option<&dyn LocalLogReward> {
        None
    }

    /// The sums over parent sets that the `ln r` of a layering is made of, if it is.
    ///
    /// The sum over a layering's nodes of the log-sum within all earlier layers, touching the last of them, must be the
    /// layering's `ln r`.
    fn layers(&self) -> Option<&dyn LayerLogReward> {
        None
    }
}

/// One node's term of a log-reward.
pub trait LocalLogReward: Sync {
    /// The term of `node` given its predecessors in an order, or its parents in a DAG.
    fn log_local(&self, node: usize, given: &NodeSet) -> f64;
}

/// One node's sums over parent sets.
pub trait LayerLogReward: Sync {
    /// `ln Σ exp` over the parent sets of `node` within `within`, out of those with a member of `touching` if that is given.
    fn log_sum(&self, node: usize, within: &NodeSet, touching: Option<&NodeSet>) -> f64;

    /// The same over all parent sets of `node` out of `nodes` variables.
    fn log_total(&self, node: usize, nodes: usize) -> f64 {
        self.log_sum(node, &NodeSet::full(nodes).without(node), None)
    }

    /// `ln r` of a layering.
    fn log_layering(&self, layering: &Layering) -> f64 {
        let mut within = NodeSet::empty(layering.nodes());
        let mut last = None;
        let mut log_reward = 0.0;
        for layer in layering.layers() {
            log_reward += layer.iter().map(|node| self.log_sum(node, &within, last)).sum::<f64>();
            within.union_with(layer);
            last = Some(layer);
        }
        log_reward
    }
}
