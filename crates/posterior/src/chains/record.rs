//! What a start has seen: means of edge probabilities over stretches of rounds, and a bounded number of drawn DAGs.

use gflowcausal_determinism::StreamRng;
use gflowcausal_graph::{Dag, NodeSet};
use serde::{Deserialize, Serialize};

use super::{Target, reversal::draw_parents, state::State};

/// The most batches kept; when they are full, neighbours are merged.
pub(super) const MAX_BATCHES: usize = 64;

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

/// Sums over consecutive rounds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Batch {
    rounds: u64,
    samples: u64,
    sums: Vec<f64>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredDraw {
    parents: Vec<Vec<usize>>,
    log_score: f64,
}

impl Batch {
    fn merge(&mut self, later: &Self) {
        self.rounds += later.rounds;
        self.samples += later.samples;
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
    /// Adds the sums over the `samples` layerings of a round.
    pub(super) fn add_round(&mut self, sums: Vec<f64>, samples: u64) {
        let round = Batch { rounds: 1, samples, sums };
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
    }

    /// Draws a DAG given the layering, if it is time for one.
    pub(super) fn add_draw(&mut self, target: &Target<'_>, state: &State, rng: &mut StreamRng) {
        self.rounds_per_draw = self.rounds_per_draw.max(1);
        if !self.rounds.is_multiple_of(self.rounds_per_draw) {
            return;
        }
        let parents = draw_parents(target, state, rng);
        let log_score =
            parents.iter().enumerate().map(|(node, set)| target.tables.log_score(node, set)).sum();
        let parents = parents.iter().map(|set| set.iter().collect()).collect();
        self.draws.push(StoredDraw { parents, log_score });
    }

    /// Keeps every second draw, and draws half as often, while there are more than `max_draws`.
    pub(super) fn thin_draws(&mut self, max_draws: usize) {
        while self.draws.len() > max_draws {
            let kept = self.draws.drain(..).skip(1).step_by(2);
            self.draws = kept.collect();
            self.rounds_per_draw *= 2;
        }
    }

    /// Whether the sizes are those of this target.
    pub(super) fn fits(&self, target: &Target<'_>) -> bool {
        let edges = target.possible_edges();
        self.batches.iter().all(|batch| batch.sums.len() == edges && batch.samples > 0)
            && self.draws.iter().all(|draw| draw.parents.len() == target.nodes())
    }

    /// The batches after the burn-in.
    pub(super) fn used(&self, burn_in: f64) -> &[Batch] {
        &self.batches[skipped(self.batches.len(), burn_in)..]
    }

    /// The draws after the burn-in.
    pub(super) fn draws(&self, nodes: usize, burn_in: f64) -> Vec<Draw> {
        let restore = |draw: &StoredDraw| {
            let parents: Vec<NodeSet> =
                draw.parents.iter().map(|set| NodeSet::of(nodes, set.iter().copied())).collect();
            let dag = Dag::from_parents(&parents).expect("drawn from a layering");
            Draw { dag, log_score: draw.log_score }
        };
        self.draws[skipped(self.draws.len(), burn_in)..].iter().map(restore).collect()
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
