//! Random log-rewards that tests are run on: a number for each terminal state, or for each node given others.

use std::hash::{DefaultHasher, Hash, Hasher};

use gflowcausal_determinism::rand::RngExt;
use gflowcausal_determinism::{Stream, log_sum_exp, stream};
use gflowcausal_flow::{LayerLogReward, LocalLogReward, LogReward, Terminal};
use gflowcausal_graph::{Constraints, NodeSet};

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

/// A local log-reward as a log-reward: the sum over an order's or a DAG's nodes.
pub(crate) struct SumOfLocal<L>(pub(crate) L);

impl<L: LocalLogReward> LogReward for SumOfLocal<L> {
    fn log_reward(&self, terminal: &Terminal) -> f64 {
        match terminal {
            Terminal::Order(order) => {
                let mut placed = NodeSet::empty(order.nodes());
                let term = |node| {
                    let term = self.0.log_local(node, &placed);
                    placed.insert(node);
                    term
                };
                order.iter().map(term).sum()
            }
            Terminal::Dag(dag) => {
                (0..dag.nodes()).map(|node| self.0.log_local(node, dag.parents(node))).sum()
            }
            _ => panic!("a graph that may hold cycles has no local terms"),
        }
    }

    fn local(&self) -> Option<&dyn LocalLogReward> {
        Some(&self.0)
    }
}

/// Sums over all parent sets of local terms: the log-reward of a layering is the log-sum of its DAGs'.
pub(crate) struct SumOverParents {
    pub(crate) local: LocalTable,
    pub(crate) constraints: Constraints,
}

impl LayerLogReward for SumOverParents {
    fn log_sum(&self, node: usize, within: &NodeSet, touching: Option<&NodeSet>) -> f64 {
        let nodes = self.constraints.nodes();
        let sets =
            (0..1_u32 << nodes).map(|set| NodeSet::of(nodes, (0..nodes).filter(|i| set >> i & 1 == 1)));
        let allowed = sets.filter(|set| {
            set.is_subset(within)
                && self.constraints.permits_parents(node, set)
                && touching.is_none_or(|touching| !set.is_disjoint(touching))
        });
        log_sum_exp(allowed.map(|set| self.local.log_local(node, &set)))
    }
}

impl LogReward for SumOverParents {
    fn log_reward(&self, terminal: &Terminal) -> f64 {
        self.log_layering(terminal.as_layering().expect("a layering"))
    }

    fn layers(&self) -> Option<&dyn LayerLogReward> {
        Some(self)
    }
}
