//! Independent proposals of whole DAGs, for up to 20 variables: exact draws of orders, of which most DAGs have only one.

use gflowcausal_determinism::{
    Stream, StreamRng, cancellation_point, categorical, exp_or_zero, log_sum_exp, rand::RngExt, stream,
};
use gflowcausal_graph::NodeSet;
use gflowcausal_score::ParentSetTables;

use super::linear_extensions::{ExtensionCounter, MOST_NODES, bits};
use super::structure::Structure;

/// How many DAGs are drawn to see whether proposals would be accepted.
const TRIALS: u64 = 64;

/// Proposals pay when at least this share is accepted.
const LEAST_ACCEPTED: f64 = 0.1;

/// Sums over orders of each set of variables, by the last of them: `12·d·2^d` bytes, 250 MB at most.
///
/// Variables are ranked by the best order. An order counts for a DAG if it is a canonical linear extension of it: each variable that is
/// followed by one of lower rank is a parent of that one. A DAG drawn given a drawn order comes with probability ∝ weight · (number of its orders). As a proposal of
/// Metropolis and Hastings it is accepted by the ratio of these two numbers alone, wherever the modes are.
#[derive(Debug)]
pub(super) struct OrderLattice {
    /// The variables by rank.
    order: Vec<usize>,
    /// `ln F_v(S)`, the sum over the parent sets of `v` within S, at `S·d + v`; sets and variables by rank.
    log_sums: Vec<f64>,
    /// The share of the orders of S that end with `v`, at `S·d + v`.
    shares: Vec<f32>,
}

/// A proposed DAG, and the logarithm of the number of its orders.
pub(super) struct Proposal {
    pub(super) graph: Structure,
    pub(super) log_orders: f64,
}

impl OrderLattice {
    /// None with too many variables, or where DAGs differ so much in the number of their orders that few would be accepted.
    pub(super) fn new(tables: &ParentSetTables) -> Option<Self> {
        if !(2..=MOST_NODES).contains(&tables.nodes()) {
            return None;
        }
        let by_node = log_sums(tables);
        let order = best_order(&by_node, tables.nodes())?;
        let log_sums = by_rank(&by_node, &order);
        let mut lattice = Self { shares: vec![0.0; log_sums.len()], order, log_sums };
        lattice.add_up();
        lattice.pays(tables).then_some(lattice)
    }

    /// `W(S∪v, v) = F_v(S) Σ_u W(S, u)·(share of the sets that may follow u)`.
    fn add_up(&mut self) {
        let nodes = self.order.len();
        let mut totals = vec![0.0; 1 << nodes];
        for set in 1..totals.len() {
            if set % 1024 == 0 {
                cancellation_point();
            }
            let mut ends = [f64::NEG_INFINITY; MOST_NODES];
            for last in bits(set) {
                let before = set & !(1 << last);
                let share: f64 = if before == 0 {
                    1.0
                } else {
                    bits(before).map(|previous| self.continuation(before, previous, last)).sum()
                };
                ends[last] = totals[before] + self.log_sums[before * nodes + last] + share.ln();
            }
            let total = log_sum_exp(ends.iter().copied());
            totals[set] = total;
            if total == f64::NEG_INFINITY {
                continue;
            }
            for last in bits(set) {
                self.shares[set * nodes + last] = (ends[last] - total).exp() as f32;
            }
        }
    }

    /// The share of the orders of `set` that end with `previous`, times that of the parent sets of `next` that may follow:
    /// all of them if `next` ranks higher, else those that have `previous`.
    fn continuation(&self, set: usize, previous: usize, next: usize) -> f64 {
        let nodes = self.order.len();
        let share = f64::from(self.shares[set * nodes + previous]);
        if previous < next || share == 0.0 {
            return share;
        }
        let all = self.log_sums[set * nodes + next];
        if all == f64::NEG_INFINITY {
            return 0.0;
        }
        let without = self.log_sums[(set & !(1 << previous)) * nodes + next];
        share * left_by((without - all).min(0.0))
    }

    /// Whether enough of some proposals would be accepted, from each to the next.
    fn pays(&self, tables: &ParentSetTables) -> bool {
        let mut counter = ExtensionCounter::default();
        let mut draw =
            |k: u64| self.propose(tables, &mut counter, &mut stream(0, Stream::OrderProposal { k }));
        let drawn: Vec<Option<f64>> =
            (0..TRIALS).map(|k| draw(k).map(|proposal| proposal.log_orders)).collect();
        let accepted = drawn.iter().zip(drawn.iter().skip(1)).map(|pair| match pair {
            (Some(from), Some(to)) => (from - to).min(0.0).exp(),
            _ => 0.0,
        });
        accepted.sum::<f64>() >= LEAST_ACCEPTED * (TRIALS - 1) as f64
    }

    /// A DAG given an order, each drawn from its distribution; none if it has too many orders to count.
    pub(super) fn propose(
        &self,
        tables: &ParentSetTables,
        counter: &mut ExtensionCounter,
        rng: &mut StreamRng,
    ) -> Option<Proposal> {
        let nodes = self.order.len();
        let mut parents = vec![NodeSet::empty(nodes); nodes];
        let mut within = NodeSet::empty(nodes);
        let mut left = (1_usize << nodes) - 1;
        let mut last = {
            let ends = bits(left).map(|last| (last, f64::from(self.shares[left * nodes + last])));
            categorical(ends, rng.random())?
        };
        loop {
            left &= !(1 << last);
            if left == 0 {
                let graph = Structure::of_parents(parents);
                return Some(Proposal { log_orders: self.log_orders(&graph, counter)?, graph });
            }
            let mut weights = [0.0; MOST_NODES];
            bits(left).for_each(|previous| weights[previous] = self.continuation(left, previous, last));
            let ends = bits(left).map(|previous| (previous, weights[previous]));
            let previous = categorical(ends, rng.random::<f64>() * weights.iter().sum::<f64>())?;
            self.assign(&mut within, left);
            let node = self.order[last];
            let touching = (previous > last).then(|| NodeSet::of(nodes, [self.order[previous]]));
            parents[node] = tables.sample_parents(node, &within, touching.as_ref(), rng);
            last = previous;
        }
    }

    /// The logarithm of the number of orders of a DAG; none if there are too many steps to go through.
    pub(super) fn log_orders(&self, graph: &Structure, counter: &mut ExtensionCounter) -> Option<f64> {
        let mut ranks = [0; MOST_NODES];
        self.order.iter().enumerate().for_each(|(rank, &node)| ranks[node] = rank);
        let mask =
            |&node: &usize| graph.parents()[node].iter().fold(0, |mask, parent| mask | 1 << ranks[parent]);
        let parents: Vec<usize> = self.order.iter().map(mask).collect();
        counter.log_count(&parents)
    }

    fn assign(&self, set: &mut NodeSet, mask: usize) {
        set.clear();
        bits(mask).for_each(|rank| _ = set.insert(self.order[rank]));
    }
}

/// `1 − exp x` for x ≤ 0; the slower function only where the other would cancel.
fn left_by(x: f64) -> f64 {
    if x < -1.0 { 1.0 - exp_or_zero(x) } else { -x.exp_m1() }
}

/// `ln F_v(S)` for every set and every variable outside it, at `S·d + v`.
fn log_sums(tables: &ParentSetTables) -> Vec<f64> {
    let nodes = tables.nodes();
    let mut sums = vec![f64::NEG_INFINITY; nodes << nodes];
    let mut within = NodeSet::empty(nodes);
    for (set, sums) in sums.chunks_exact_mut(nodes).enumerate() {
        if set % 1024 == 0 {
            cancellation_point();
        }
        within.clear();
        bits(set).for_each(|node| _ = within.insert(node));
        for node in bits(((1 << nodes) - 1) & !set) {
            sums[node] = tables.log_sum(node, &within);
        }
    }
    sums
}

/// The same with sets and variables by their place in `order`.
fn by_rank(log_sums: &[f64], order: &[usize]) -> Vec<f64> {
    let nodes = order.len();
    let mut ranked = vec![0.0; log_sums.len()];
    for (set, ranked) in ranked.chunks_exact_mut(nodes).enumerate() {
        let members = bits(set).fold(0, |members, rank| members | 1 << order[rank]);
        let sums = &log_sums[members * nodes..][..nodes];
        ranked.iter_mut().zip(order).for_each(|(sum, &node)| *sum = sums[node]);
    }
    ranked
}

/// The heaviest order, by dynamic programming over sets; none if no order is possible.
fn best_order(log_sums: &[f64], nodes: usize) -> Option<Vec<usize>> {
    let mut best = vec![(f64::NEG_INFINITY, 0); 1 << nodes];
    best[0].0 = 0.0;
    for set in 0..best.len() {
        if set % 1024 == 0 {
            cancellation_point();
        }
        for next in bits((best.len() - 1) & !set) {
            let weight = best[set].0 + log_sums[set * nodes + next];
            let grown = &mut best[set | 1 << next];
            if weight > grown.0 {
                *grown = (weight, next);
            }
        }
    }
    let mut left = best.len() - 1;
    (best[left].0 > f64::NEG_INFINITY).then(|| {
        let take = |_| {
            let last = best[left].1;
            left &= !(1 << last);
            last
        };
        let mut order: Vec<usize> = (0..nodes).map(take).collect();
        order.reverse();
        order
    })
}

#[cfg(test)]
impl OrderLattice {
    /// The variables by rank.
    pub(super) fn order(&self) -> &[usize] {
        &self.order
    }

    /// The logarithm of the sum over all orders, from the share of one of them.
    pub(super) fn log_total(&self) -> f64 {
        let nodes = self.order.len();
        // The order by rank has no descent: every set of parents may follow.
        let (mut log_weight, mut log_share) = (0.0, 0.0);
        for rank in 0..nodes {
            let (before, after) = ((1 << rank) - 1, (1 << (rank + 1)) - 1);
            log_weight += self.log_sums[before * nodes + rank];
            let continued: f64 = match rank {
                0 => 1.0,
                _ => bits(before).map(|previous| self.continuation(before, previous, rank)).sum(),
            };
            let previous = rank.checked_sub(1).map_or(1.0, |last| self.continuation(before, last, rank));
            log_share += (previous / continued).ln();
            if rank + 1 == nodes {
                log_share += f64::from(self.shares[after * nodes + rank]).ln();
            }
        }
        log_weight - log_share
    }
}
