//! What a start has seen: means of edge probabilities over stretches of rounds, and a bounded number of drawn DAGs.

use gflowcausal_graph::{Dag, NodeSet};
use serde::{Deserialize, Serialize};

use super::{Target, structure::Structure};

/// The most batches kept; when they are full, neighbours are merged.
pub(super) const MAX_BATCHES: usize = 64;

/// More rounds than any chain has: a counter beyond is damaged.
pub(super) const MOST_ROUNDS: u64 = 1 << 48;

/// A DAG drawn from the target.
#[derive(Debug, Clone, PartialEq)]
pub struct Draw {
    /// The graph.
    pub dag: Dag,
    /// Its logarithmic weight in the tables: score over temperature, plus the structure prior.
    pub log_score: f64,
}

/// The record of one start. Its size does not grow with the number of rounds.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Record {
    batches: Vec<Batch>,
    /// How many rounds a full batch has.
    rounds_per_batch: u64,
    draws: Vec<StoredDraw>,
    /// A draw is kept every so many rounds.
    rounds_per_draw: u64,
    rounds: u64,
}

/// What one round gives.
#[derive(Debug)]
pub(super) struct Round {
    pub(super) sums: RoundSums,
    pub(super) draws: Vec<StoredDraw>,
}

/// Sums over one round.
#[derive(Debug)]
pub(super) struct RoundSums {
    /// Of the probability of each possible edge.
    sums: Vec<f64>,
    /// Of the weights of what was added.
    samples: f64,
    /// The largest log-weight of a layering.
    largest: f64,
}

impl RoundSums {
    pub(super) fn new(edges: usize) -> Self {
        Self { sums: vec![0.0; edges], samples: 0.0, largest: f64::NEG_INFINITY }
    }

    /// Adds the probability of every possible edge, `weight` times.
    pub(super) fn add(&mut self, weight: f64, probabilities: &[f64]) {
        self.samples += weight;
        self.sums.iter_mut().zip(probabilities).for_each(|(sum, more)| *sum += weight * more);
    }

    /// Takes note of a layering with this log-weight.
    pub(super) fn see(&mut self, log_weight: f64) {
        self.largest = self.largest.max(log_weight);
    }
}

/// Sums over consecutive rounds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Batch {
    rounds: u64,
    samples: u64,
    sums: Vec<f64>,
    /// The largest log-weight of a layering.
    largest: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StoredDraw {
    parents: Vec<Vec<usize>>,
    log_score: f64,
}

impl StoredDraw {
    pub(super) fn new(target: &Target<'_>, graph: &Structure) -> Self {
        let parents = graph.parents();
        let log_score =
            parents.iter().enumerate().map(|(node, set)| target.tables.log_score(node, set)).sum();
        Self { parents: parents.iter().map(|set| set.iter().collect()).collect(), log_score }
    }

    /// The parents of each variable, all of them variables.
    fn parent_sets(&self) -> Vec<NodeSet> {
        self.parents.iter().map(|set| NodeSet::of(self.parents.len(), set.iter().copied())).collect()
    }
}

impl Batch {
    fn merge(&mut self, later: &Self) {
        self.rounds += later.rounds;
        self.samples += later.samples;
        self.largest = self.largest.max(later.largest);
        self.sums.iter_mut().zip(&later.sums).for_each(|(sum, more)| *sum += more);
    }

    /// How many layerings were seen.
    pub(super) fn samples(&self) -> u64 {
        self.samples
    }

    /// The sum of the probabilities of possible edge number `edge`.
    pub(super) fn sum(&self, edge: usize) -> f64 {
        self.sums[edge]
    }
}

impl Record {
    /// Adds what a round gave, and keeps `max_draws` DAGs at most.
    pub(super) fn add_round(&mut self, round: Round, max_draws: usize) {
        let Round { sums: RoundSums { sums, samples, largest }, draws } = round;
        self.rounds_per_draw = self.rounds_per_draw.max(1);
        self.draws.extend(draws);
        let round = Batch { rounds: 1, samples: samples.round() as u64, sums, largest };
        match self.batches.last_mut() {
            Some(last) if last.rounds < self.rounds_per_batch => last.merge(&round),
            _ => self.batches.push(round),
        }
        self.rounds += 1;
        self.rounds_per_batch = self.rounds_per_batch.max(1);
        if self.batches.len() > MAX_BATCHES {
            self.batches = merged(&self.batches);
            self.rounds_per_batch *= 2;
        }
        self.thin_draws(max_draws);
    }

    /// Whether the DAGs of the next round are kept.
    pub(super) fn keeps_draws(&self) -> bool {
        self.rounds.is_multiple_of(self.rounds_per_draw.max(1))
    }

    /// Keeps every second draw, and draws half as often, while there are more than `max_draws`.
    fn thin_draws(&mut self, max_draws: usize) {
        while self.draws.len() > max_draws {
            let kept = self.draws.drain(..).skip(1).step_by(2);
            self.draws = kept.collect();
            self.rounds_per_draw *= 2;
        }
    }

    /// Whether sizes and graphs are those of this target.
    pub(super) fn fits(&self, target: &Target<'_>) -> bool {
        let (edges, nodes) = (target.possible_edges(), target.nodes());
        let is_batch = |batch: &Batch| {
            let is_bounded = batch.rounds <= self.rounds && batch.samples <= MOST_ROUNDS;
            batch.sums.len() == edges && batch.samples > 0 && is_bounded
        };
        let is_drawn = |draw: &StoredDraw| {
            let is_within =
                draw.parents.len() == nodes && draw.parents.iter().flatten().all(|&node| node < nodes);
            is_within && Dag::from_parents(&draw.parent_sets()).is_ok()
        };
        let counters = [self.rounds, self.rounds_per_batch, self.rounds_per_draw];
        counters.iter().all(|&counter| counter <= MOST_ROUNDS)
            && self.batches.len() <= MAX_BATCHES
            && self.batches.iter().all(is_batch)
            && self.draws.iter().all(is_drawn)
    }

    /// The largest log-weight of a layering that was seen.
    pub(super) fn largest(&self) -> f64 {
        self.batches.iter().map(|batch| batch.largest).fold(f64::NEG_INFINITY, f64::max)
    }

    /// The batches after the burn-in, from the first on that saw a log-weight of at least `least`.
    pub(super) fn used(&self, burn_in: f64, least: f64) -> &[Batch] {
        &self.batches[self.first_used(burn_in, least)..]
    }

    fn first_used(&self, burn_in: f64, least: f64) -> usize {
        let arrived = self.batches.iter().position(|batch| batch.largest >= least);
        skipped(self.batches.len(), burn_in).max(arrived.unwrap_or(self.batches.len()))
    }

    /// The draws that are as late as the [`used`](Self::used) batches.
    pub(super) fn draws(&self, burn_in: f64, least: f64) -> Vec<Draw> {
        let restore = |draw: &StoredDraw| {
            let dag = Dag::from_parents(&draw.parent_sets()).expect("drawn from a layering");
            Draw { dag, log_score: draw.log_score }
        };
        let unused = self.first_used(burn_in, least) as f64 / self.batches.len().max(1) as f64;
        self.draws[skipped(self.draws.len(), burn_in.max(unused))..].iter().map(restore).collect()
    }
}

fn skipped(count: usize, burn_in: f64) -> usize {
    (count as f64 * burn_in) as usize
}

/// Neighbours joined in pairs; the last may stay alone.
fn merged(batches: &[Batch]) -> Vec<Batch> {
    let join = |pair: &[Batch]| {
        let mut first = pair[0].clone();
        pair[1..].iter().for_each(|later| first.merge(later));
        first
    };
    batches.chunks(2).map(join).collect()
}
