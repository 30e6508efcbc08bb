//! One start: copies at several temperatures that exchange their layerings.

use std::sync::atomic::AtomicBool;

use gflowcausal_determinism::{StreamRng, rand::RngExt};

use super::block_gibbs::BlockGibbs;
use super::independence_sampler::Independence;
use super::linear_extensions::ExtensionCounter;
use super::node_relocation::Relocation;
use super::record::{Round, RoundSums, StoredDraw};
use super::state::State;
use super::structure::Structure;
use super::{ChainsConfig, Target, accepts, is_set, split_merge, swap};

/// Splits or merges, and swaps, in a sweep.
const PARTITION_MOVES: usize = 2;

/// The most relocations in a sweep: with hundreds of variables blocks of parent sets are cheaper, and mix better.
const MOST_RELOCATIONS: usize = 60;

/// How many variables have their parents drawn together in a step of the unheated copy.
const BLOCK: usize = 5;

/// The copies of one start, the unheated first.
///
/// A copy at inverse temperature `β` samples layerings with weight `w^β`: the tables serve all of them.
#[derive(Debug, Clone)]
pub(super) struct Ladder {
    copies: Vec<State>,
    relocation: Relocation,
    block_gibbs: BlockGibbs,
    counter: ExtensionCounter,
}

impl Ladder {
    pub(super) fn new(copies: Vec<State>, nodes: usize) -> Self {
        let (relocation, block_gibbs) = (Relocation::new(nodes), BlockGibbs::default());
        Self { copies, relocation, block_gibbs, counter: ExtensionCounter::default() }
    }

    pub(super) fn copies(&self) -> &[State] {
        &self.copies
    }

    /// Runs the sweeps of one round, with a DAG of the unheated copy after each if they are kept; none if `stop` is set first.
    pub(super) fn round(
        &mut self,
        target: &Target<'_>,
        config: &ChainsConfig,
        keeps_draws: bool,
        rng: &mut StreamRng,
        stop: &AtomicBool,
    ) -> Option<Round> {
        self.refresh(target);
        let mut sums = RoundSums::new(target.possible_edges());
        let mut draws = Vec::new();
        for sweep in 0..config.sweeps {
            for copy in 0..self.moving(target) {
                if is_set(stop) {
                    return None;
                }
                self.sweep(target, copy, config.inverse_temperature(copy), rng);
            }
            self.exchange(target, config, sweep, rng);
            let mut graph = Structure::draw(target, &self.copies[0], rng);
            for _ in 0..Self::block_steps(target) {
                if is_set(stop) {
                    return None;
                }
                self.block_gibbs.step(target, &mut graph, BLOCK, rng);
            }
            sums.see(State::new(target, &graph.layering()).log_weight());
            match &target.lattice {
                Some(lattice) => {
                    let (proposals, counter) = (config.proposals, &mut self.counter);
                    Independence { target, lattice, proposals, counter }.run(&mut graph, &mut sums, rng);
                }
                None => sums.add(1.0, &target.edge_probabilities(&mut graph)),
            }
            self.copies[0] = State::new(target, &graph.layering());
            draws.extend(keeps_draws.then(|| StoredDraw::new(target, &graph)));
        }
        Some(Round { sums, draws })
    }

    /// How many copies move: heated ones are needed only where no proposals come from all modes.
    fn moving(&self, target: &Target<'_>) -> usize {
        if target.lattice.is_some() { 1 } else { self.copies.len() }
    }

    /// How many blocks are drawn in a sweep: few where whole DAGs are proposed.
    fn block_steps(target: &Target<'_>) -> usize {
        if target.lattice.is_some() { 2 } else { target.nodes() }
    }

    /// Looks all terms up, so that a round does not depend on the rounding of the one before.
    fn refresh(&mut self, target: &Target<'_>) {
        for copy in &mut self.copies {
            (0..copy.layers.len()).for_each(|layer| copy.fill_terms(target, layer));
        }
    }

    /// Half as many relocations as there are variables, up to a limit, and a few of each other move.
    fn sweep(&mut self, target: &Target<'_>, copy: usize, beta: f64, rng: &mut StreamRng) {
        let state = &mut self.copies[copy];
        let nodes = target.nodes();
        for _ in 0..nodes.div_ceil(2).min(MOST_RELOCATIONS) {
            let node = rng.random_range(0..nodes);
            self.relocation.step(target, state, node, beta, rng);
        }
        for _ in 0..PARTITION_MOVES {
            split_merge::step(target, state, beta, rng);
            swap::step(target, state, beta, rng);
        }
    }

    /// Tries to exchange neighbouring copies, from the first or the second on by turns.
    fn exchange(&mut self, target: &Target<'_>, config: &ChainsConfig, sweep: u64, rng: &mut StreamRng) {
        let first = usize::from(!sweep.is_multiple_of(2));
        for cold in (first..self.moving(target).saturating_sub(1)).step_by(2) {
            let gap = config.inverse_temperature(cold) - config.inverse_temperature(cold + 1);
            let difference = self.copies[cold + 1].log_weight() - self.copies[cold].log_weight();
            if accepts(gap * difference, rng) {
                self.copies.swap(cold, cold + 1);
            }
        }
    }
}
