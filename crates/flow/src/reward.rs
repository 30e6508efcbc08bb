//! Log-rewards of terminal states; the reward itself is never formed.

use gflowcausal_graph::NodeSet;

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
}

/// One node's term of a log-reward.
pub trait LocalLogReward: Sync {
    /// The term of `node` given its predecessors in an order, or its parents in a DAG.
    fn log_local(&self, node: usize, given: &NodeSet) -> f64;
}
