//! Random log-rewards that tests are run on: a number for each terminal state, or for each node given others.

use std::hash::{DefaultHasher, Hash, Hasher};

use gflowcausal_determinism::rand::RngExt;
use gflowcausal_determinism::{Stream, stream};
use gflowcausal_flow::{LocalLogReward, LogReward, SumOfLocal, Terminal};
use gflowcausal_graph::NodeSet;

/// Uniform in `[0, spread)` for each key, the same for the same key.
fn number(seed: u64, spread: f64, key: impl Hash) -> f64 {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    stream(seed, Stream::Test { k: hasher.finish() }).random_range(0.0..spread)
}

/// Unrelated log-rewards.
pub(crate) struct Table {
    pub(crate) seed: u64,
    pub(crate) spread: f64,
}

impl LogReward for Table {
    fn log_reward(&self, terminal: &Terminal) -> f64 {
        number(self.seed, self.spread, terminal)
    }
}

/// Unrelated local terms.
pub(crate) struct LocalTable {
    pub(crate) seed: u64,
    pub(crate) spread: f64,
}

impl LocalLogReward for LocalTable {
    fn log_local(&self, node: usize, given: &NodeSet) -> f64 {
        number(self.seed, self.spread, (node, given))
    }
}

/// A local table as a log-reward.
pub(crate) fn local_table(seed: u64, spread: f64) -> SumOfLocal<LocalTable> {
    SumOfLocal(LocalTable { seed, spread })
}

/// Local terms that are hundreds of nats apart from one node to the next, as those of scores are.
pub(crate) struct FarApart(pub(crate) LocalTable);

impl LocalLogReward for FarApart {
    fn log_local(&self, node: usize, given: &NodeSet) -> f64 {
        self.0.log_local(node, given) - 150.0 * (node as f64 + 1.0)
    }
}
