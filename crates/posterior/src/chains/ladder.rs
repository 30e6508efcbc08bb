//! One start: copies at several temperatures that exchange their layerings.

use std::sync::atomic::AtomicBool;

use gflowcausal_determinism::{StreamRng, rand::RngExt};

use super::pair_gibbs::Structure;
use super::record::Record;
use super::relocate::Relocation;
use super::state::State;
use super::{ChainsConfig, Target, accepts, is_set, split_merge, swap};

/// Splits or merges, and swaps, in a sweep.
const PARTITION_MOVES: usize = 2;

/// Steps on pairs of parent sets in a sweep of the unheated copy, for each variable.
const PAIR_STEPS: usize = 2;

/// The copies of one start, the unheated first.
///
/// A copy at inverse temperature `β` samples layerings with weight `w^β`: the tables serve all of them.
#[derive(Debug, Clone)]
pub(super) struct Ladder {
    copies: Vec<State>,
    relocation: Relocation,
}

impl Ladder {
    pub(super) fn new(copies: Vec<State>, nodes: usize) -> Self {
        Self { copies, relocation: Relocation::new(nodes) }
    }

    pub(super) fn copies(&self) -> &[State] {
        &self.copies
    }

    /// Runs the sweeps of one round and records a DAG of the unheated copy after each; says whether `stop` let it.
    pub(super) fn round(
        &mut self,
        target: &Target<'_>,
        config: &ChainsConfig,
        record: &mut Record,
        rng: &mut StreamRng,
        stop: &AtomicBool,
    ) -> bool {
        self.refresh(target);
        let mut sums = vec![0.0; target.possible_edges()];
        let mut largest = f64::NEG_INFINITY;
        for sweep in 0..config.sweeps {
            for copy in 0..self.copies.len() {
                if is_set(stop) {
                    return false;
                }
                self.sweep(target, copy, config.inverse_temperature(copy), rng);
            }
            self.exchange(config, sweep, rng);
            let mut graph = Structure::draw(target, &self.copies[0], rng);
            (0..PAIR_STEPS * target.nodes()).for_each(|_| graph.step(target, rng));
            self.copies[0] = State::new(target, &graph.layering());
            largest = largest.max(self.copies[0].log_weight());
            target.add_edge_probabilities(&mut graph, &mut sums);
            record.add_draw(target, &graph);
        }
        record.add_round(sums, config.sweeps, largest);
        record.thin_draws(config.max_draws);
        true
    }

    /// Looks all terms up, so that a round does not depend on the rounding of the one before.
    fn refresh(&mut self, target: &Target<'_>) {
        for copy in &mut self.copies {
            (0..copy.layers.len()).for_each(|layer| copy.fill_terms(target, layer));
        }
    }

    /// As many relocations as there are variables, and a few of each other move.
    fn sweep(&mut self, target: &Target<'_>, copy: usize, beta: f64, rng: &mut StreamRng) {
        let state = &mut self.copies[copy];
        let nodes = target.nodes();
        for _ in 0..nodes {
            let node = rng.random_range(0..nodes);
            self.relocation.step(target, state, node, beta, rng);
        }
        for _ in 0..PARTITION_MOVES {
            split_merge::step(target, state, beta, rng);
            swap::step(target, state, beta, rng);
        }
    }

    /// Tries to exchange neighbouring copies, from the first or the second on by turns.
    fn exchange(&mut self, config: &ChainsConfig, sweep: u64, rng: &mut StreamRng) {
        let first = usize::from(!sweep.is_multiple_of(2));
        for cold in (first..self.copies.len().saturating_sub(1)).step_by(2) {
            let gap = config.inverse_temperature(cold) - config.inverse_temperature(cold + 1);
            let difference = self.copies[cold + 1].log_weight() - self.copies[cold].log_weight();
            if accepts(gap * difference, rng) {
                self.copies.swap(cold, cold + 1);
            }
        }
    }
}
