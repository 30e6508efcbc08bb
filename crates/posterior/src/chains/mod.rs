//! Partition MCMC: chains over layerings that visit each DAG in proportion to `exp(score/T)`.
//!
//! The state is a layering (Kuipers & Moffa 2017), its weight the sum over its DAGs, looked up in the parent-set tables as in
//! Gadget (Viinikka et al. 2020). Several starts run side by side, each with a ladder of heated copies. In every sweep the
//! unheated copy also draws a DAG and moves it by blocks of parent sets: that mixes within a mode, heated layerings across modes.
//! Up to 20 variables, proposals from the lattice of all orders take the place of the heated copies.

mod block_gibbs;
mod blocks;
mod config;
mod diagnostics;
mod independence_sampler;
mod linear_extensions;
mod node_relocation;
mod order_lattice;
mod record;
mod split_merge;
mod start;
mod state;
mod structure;
mod summary;
mod swap;
mod target;
mod tempering;
#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicBool, Ordering};

use gflowcausal_determinism::{Stream, StreamRng, map_slices, rand::RngExt, stream};
use gflowcausal_graph::{Constraints, Dag, NodeSet};
use gflowcausal_score::ParentSetTables;
use serde::{Deserialize, Serialize};

pub use config::{ChainsConfig, ChainsError};
pub use record::Draw;
use record::{MOST_ROUNDS, Record};
use state::State;
pub use summary::Summary;
use target::Target;
use tempering::Ladder;

/// Chains over layerings from several starts, advanced in rounds.
///
/// A round of a start draws from a random stream of its own, so the result depends neither on the number of threads nor on
/// where a run was interrupted.
#[derive(Debug)]
pub struct Chains<'a> {
    target: Target<'a>,
    config: ChainsConfig,
    starts: Vec<Start>,
    rounds: u64,
}

/// One start: its heated copies and what was recorded.
#[derive(Debug)]
struct Start {
    ladder: Ladder,
    record: Record,
}

/// All that a run of chains needs to go on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChainsState {
    rounds: u64,
    starts: Vec<StartState>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StartState {
    /// The layers of each heated copy, the unheated first.
    layerings: Vec<Vec<Vec<usize>>>,
    record: Record,
}

/// Why chains came to an end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChainsEnd {
    /// The starts agree and the effective sizes suffice.
    Converged,
    /// All rounds were run.
    Rounds,
    /// The stop flag was set.
    Stopped,
}

impl<'a> Chains<'a> {
    /// Chains that start at the layerings of `starts`; what is missing to [`ChainsConfig::starts`] is drawn at random.
    ///
    /// # Errors
    /// A configuration out of range, or a start that the tables do not allow.
    pub fn new(
        tables: &'a ParentSetTables,
        constraints: &Constraints,
        starts: &[Dag],
        config: ChainsConfig,
    ) -> Result<Self, ChainsError> {
        config.check()?;
        let target = Target::new(tables, &config);
        let count = config.starts.max(starts.len());
        let layerings = (0..count).map(|k| start::layering(&target, constraints, starts, k, config.seed));
        let start = |(k, layering)| {
            let state = State::new(&target, &layering);
            if state.log_weight() == f64::NEG_INFINITY {
                return Err(ChainsError::Start { start: k });
            }
            let ladder = Ladder::new(vec![state; config.copies], target.nodes());
            Ok(Start { ladder, record: Record::default() })
        };
        let starts = layerings.enumerate().map(start).collect::<Result<_, _>>()?;
        Ok(Self { target, config, starts, rounds: 0 })
    }

    /// Chains that go on from a stored state, with the same tables and configuration as then.
    ///
    /// # Errors
    /// A configuration out of range, or a state that does not belong to these tables.
    pub fn resume(
        tables: &'a ParentSetTables,
        state: &ChainsState,
        config: ChainsConfig,
    ) -> Result<Self, ChainsError> {
        config.check()?;
        if state.rounds > MOST_ROUNDS {
            return Err(ChainsError::State { start: 0 });
        }
        let target = Target::new(tables, &config);
        let restore = |(k, stored): (usize, &StartState)| start::restored(&target, stored, k, &config);
        let starts = state.starts.iter().enumerate().map(restore).collect::<Result<_, _>>()?;
        Ok(Self { target, config, starts, rounds: state.rounds })
    }

    /// What [`resume`](Self::resume) needs.
    #[must_use]
    pub fn state(&self) -> ChainsState {
        let store = |start: &Start| StartState {
            layerings: start.ladder.copies().iter().map(State::members).collect(),
            record: start.record.clone(),
        };
        ChainsState { rounds: self.rounds, starts: self.starts.iter().map(store).collect() }
    }

    /// How many rounds every start has completed.
    #[must_use]
    pub fn rounds(&self) -> u64 {
        self.rounds
    }

    /// Runs every start for `rounds` rounds, or until `stop` is set; says how many were completed.
    ///
    /// A round that is interrupted leaves no trace.
    pub fn advance(&mut self, rounds: u64, stop: &AtomicBool) -> u64 {
        (0..rounds).find(|_| !self.round(stop)).unwrap_or(rounds)
    }

    /// One round of every start; none if `stop` is set before all are through.
    fn round(&mut self, stop: &AtomicBool) -> bool {
        let (target, config, round) = (&self.target, &self.config, self.rounds);
        let mut next: Vec<_> = self.starts.iter().map(|start| (start.ladder.clone(), None)).collect();
        map_slices(&mut next, 1, |k, slice| {
            let rng = &mut stream(config.seed, Stream::Layering { start: k as u64, round });
            let keeps_draws = self.starts[k].record.keeps_draws();
            let (ladder, done) = &mut slice[0];
            *done = ladder.round(target, config, keeps_draws, rng, stop);
        });
        let is_complete = next.iter().all(|(_, done)| done.is_some());
        if is_complete {
            for (start, (ladder, done)) in self.starts.iter_mut().zip(next) {
                start.ladder = ladder;
                done.into_iter().for_each(|round| start.record.add_round(round, config.max_draws));
            }
            self.rounds += 1;
        }
        is_complete
    }

    /// Runs until the starts agree ([`ChainsConfig::is_converged`]), `max_rounds` are completed in all, or `stop` is set.
    ///
    /// Asks after every eighth of the rounds so far.
    pub fn run(&mut self, max_rounds: u64, stop: &AtomicBool) -> ChainsEnd {
        while self.rounds < max_rounds {
            let more = (self.rounds / 8).max(1).min(max_rounds - self.rounds);
            if self.advance(more, stop) < more {
                return ChainsEnd::Stopped;
            }
            if self.summary().is_some_and(|summary| self.config.is_converged(&summary)) {
                return ChainsEnd::Converged;
            }
        }
        ChainsEnd::Rounds
    }

    /// Edge probabilities and how far the starts agree; none before the first round.
    #[must_use]
    pub fn summary(&self) -> Option<Summary> {
        (self.rounds > 0).then(|| summary::summarize(&self.target, &self.records(), &self.config))
    }

    /// The DAGs drawn after the burn-in, one list for each start that is used.
    #[must_use]
    pub fn draws(&self) -> Vec<Vec<Draw>> {
        let (nodes, records) = (self.target.nodes(), self.records());
        let least = summary::least_log_weight(nodes, &records);
        let draws = records.iter().map(|record| record.draws(self.config.burn_in, least));
        draws.filter(|draws| !draws.is_empty()).collect()
    }

    fn records(&self) -> Vec<&Record> {
        self.starts.iter().map(|start| &start.record).collect()
    }
}

/// Replaces layers (first index, old ones, new ones) and keeps that with the probability of Metropolis and Hastings, where
/// `log_ratio` is the logarithm of the backward over the forward proposal probability.
fn metropolis(
    target: &Target<'_>,
    state: &mut State,
    beta: f64,
    log_ratio: f64,
    (at, old, new): (usize, &[NodeSet], &[NodeSet]),
    rng: &mut StreamRng,
) {
    let difference = state.splice(target, at, old.len(), new);
    if !accepts(beta * difference + log_ratio, rng) {
        state.splice(target, at, new.len(), old);
    }
}

/// Whether a step whose acceptance ratio has this logarithm is accepted.
fn accepts(log_ratio: f64, rng: &mut StreamRng) -> bool {
    log_ratio >= 0.0 || rng.random::<f64>() < log_ratio.exp()
}

/// Whether the caller wants the work to end.
fn is_set(stop: &AtomicBool) -> bool {
    stop.load(Ordering::Relaxed)
}
