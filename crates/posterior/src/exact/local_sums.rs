//! The sums over parent sets of every variable within every set of variables, and bounds on products of them.

use std::sync::atomic::{AtomicBool, Ordering};

use gflowcausal_determinism::map_slices;
use gflowcausal_graph::NodeSet;
use gflowcausal_score::ParentSetTables;

use super::ExactError;
use super::scaled::floor_log2;
use super::subsets::members;

/// How many sets one task fills.
const BLOCK: usize = 1 << 8;

/// The largest logarithm of a product whose exponent of two fits into 32 bits, with room to spare.
const MOST_NATS: f64 = 5e8;

/// `f_j(A) − f_j(V∖j)` for every set A and every variable j outside it.
#[derive(Debug)]
pub(super) struct LocalSums {
    pub(super) nodes: usize,
    /// Set by set.
    logs: Vec<f64>,
    /// `f_j(V∖j)`.
    largest: Vec<f64>,
}

impl LocalSums {
    /// From the sums `log_sum(j, A)`.
    pub(super) fn new(
        nodes: usize,
        log_sum: impl Fn(usize, &NodeSet) -> f64 + Sync + Send,
        stop: &AtomicBool,
    ) -> Result<Self, ExactError> {
        let largest: Vec<f64> =
            (0..nodes).map(|node| log_sum(node, &NodeSet::full(nodes).without(node))).collect();
        let all = (1_u32 << nodes) - 1;
        let mut logs = vec![f64::NEG_INFINITY; nodes << nodes];
        map_slices(&mut logs, BLOCK * nodes, |block, slice| {
            for (row, set) in slice.chunks_exact_mut(nodes).zip((block * BLOCK) as u32..) {
                if stop.load(Ordering::Relaxed) {
                    return;
                }
                let within = NodeSet::of(nodes, members(set));
                for node in members(all & !set) {
                    row[node] = relative(log_sum(node, &within), largest[node]);
                }
            }
        });
        if stop.load(Ordering::Relaxed) {
            return Err(ExactError::Stopped);
        }
        let nats = logs.iter().filter(|log| log.is_finite()).fold(0.0, |most: f64, log| most.max(-log));
        if nats * nodes as f64 > MOST_NATS {
            return Err(ExactError::Range { nats });
        }
        Ok(Self { nodes, logs, largest })
    }

    pub(super) fn of_tables(tables: &ParentSetTables, stop: &AtomicBool) -> Result<Self, ExactError> {
        Self::new(tables.nodes(), |node, within| tables.log_sum(node, within), stop)
    }

    /// For each variable outside `set`.
    pub(super) fn row(&self, set: u32) -> &[f64] {
        &self.logs[set as usize * self.nodes..][..self.nodes]
    }

    /// `Σ_j f_j(V∖j)` over the variables outside `set`.
    pub(super) fn offset(&self, set: u32) -> f64 {
        members(self.all() & !set).map(|node| self.largest[node]).sum()
    }

    pub(super) fn all(&self) -> u32 {
        (1 << self.nodes) - 1
    }

    /// For each S the exponent of two of `max Π_j F_j(before j)` over the orders of S: the scale of all DAGs on S,
    /// whose weight is at least this and at most `|S|!` times as much.
    pub(super) fn scales_before(&self) -> Vec<i32> {
        let mut best = vec![f64::NEG_INFINITY; 1 << self.nodes];
        best[0] = 0.0;
        for set in 1..=self.all() {
            let last = |node: usize| {
                let before = set & !(1 << node);
                best[before as usize] + self.row(before)[node]
            };
            best[set as usize] = members(set).map(last).fold(f64::NEG_INFINITY, f64::max);
        }
        best.into_iter().map(floor_log2).collect()
    }

    /// The same for what follows A, over the orders of all others.
    pub(super) fn scales_after(&self) -> Vec<i32> {
        let mut best = vec![f64::NEG_INFINITY; 1 << self.nodes];
        best[self.all() as usize] = 0.0;
        for set in (0..self.all()).rev() {
            let row = self.row(set);
            let next = |node: usize| row[node] + best[(set | 1 << node) as usize];
            best[set as usize] = members(self.all() & !set).map(next).fold(f64::NEG_INFINITY, f64::max);
        }
        best.into_iter().map(floor_log2).collect()
    }
}

/// The difference of two logarithms, the second the larger; −∞ if both are.
fn relative(log: f64, largest: f64) -> f64 {
    if log == f64::NEG_INFINITY { log } else { log - largest }
}
