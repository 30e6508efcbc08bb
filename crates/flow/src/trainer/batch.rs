//! What a batch is made of: ways to draws of the target and to remembered states, and the policy's own; and what is remembered.

use gflowcausal_determinism::rand::RngExt;
use gflowcausal_determinism::{Stream, map, stream};

use super::shard::Outcome;
use super::{Best, TrainError, Trainer, finite};
use crate::replay::Remembered;
use crate::rollout::Guide;
use crate::{Event, Observer, Terminal};

impl Trainer<'_> {
    /// Whether this iteration learns by maximum likelihood.
    pub(super) fn is_likelihood(&self) -> bool {
        !self.reference.is_empty() && self.iteration < self.config.reference.likelihood_iterations
    }

    /// Draws of the target to learn from; those that the environment does not lead to are left out.
    ///
    /// # Errors
    /// When one of them has no finite log-reward.
    pub fn set_reference(&mut self, draws: Vec<Terminal>) -> Result<(), TrainError> {
        let draws: Vec<Terminal> =
            draws.into_iter().filter(|terminal| self.environment.leads_to(terminal)).collect();
        let log_rewards = finite(self.problem.reward.log_rewards(&draws))?;
        let remembered = |(terminal, log_reward)| Remembered { terminal, log_reward };
        self.reference = draws.into_iter().zip(log_rewards).map(remembered).collect();
        Ok(())
    }

    /// The batch: the first trajectories lead to draws of the target, the next to remembered states, the others follow
    /// the policy.
    pub(super) fn guides(&self) -> Vec<Guide> {
        let part = |share: f64| (share * self.config.batch_size as f64) as usize;
        let drawn = match self.is_likelihood() {
            true => self.config.batch_size,
            false if self.reference.is_empty() => 0,
            false => part(self.config.reference.share),
        };
        let replayed = drawn + part(self.config.replay.share);
        let iteration = self.iteration as u64;
        map(self.config.batch_size, |k| {
            let (seed, k64) = (self.config.seed, k as u64);
            let mut rng = stream(seed, Stream::Replay { iteration, k: k64 });
            let remembered = match k {
                _ if k < drawn => Some(&self.reference[rng.random_range(0..self.reference.len())]),
                _ if k < replayed => self.replay.draw(&mut rng),
                _ => None,
            };
            match remembered {
                Some(kept) => {
                    let script = self.environment.sample_backward_trajectory(&kept.terminal, &mut rng);
                    Guide { script: Some(script), rng }
                }
                None => Guide { script: None, rng: stream(seed, Stream::Trajectory { iteration, k: k64 }) },
            }
        })
    }

    /// Adds terminal states found elsewhere: they are learned from and may be the best so far.
    ///
    /// # Errors
    /// When one of them has no finite log-reward.
    pub fn remember(&mut self, terminals: Vec<Terminal>) -> Result<(), TrainError> {
        let log_rewards = finite(self.problem.reward.log_rewards(&terminals))?;
        let ends: Vec<(Terminal, f64)> = terminals.into_iter().zip(log_rewards).collect();
        self.note(&ends, &mut |_: &Event<'_>| {});
        Ok(())
    }

    /// Where trajectories ended, and what local search made of some of them.
    pub(super) fn ends(&self, outcome: &Outcome) -> Result<Vec<(Terminal, f64)>, TrainError> {
        let mut ends: Vec<(Terminal, f64)> =
            outcome.ends.iter().map(|end| (end.terminal.clone(), end.log_reward)).collect();
        ends.extend(self.improved(outcome)?);
        Ok(ends)
    }

    pub(super) fn note(&mut self, ends: &[(Terminal, f64)], observer: &mut dyn Observer) {
        for (terminal, log_reward) in ends {
            if self.best.as_ref().is_none_or(|best| *log_reward > best.log_reward) {
                self.best = Some(Best { terminal: terminal.clone(), log_reward: *log_reward });
                observer.observe(&Event::Best {
                    iteration: self.iteration,
                    terminal,
                    log_reward: *log_reward,
                });
            }
            self.replay.insert(terminal, *log_reward);
        }
    }

    /// What local search makes of a few states: half of them (the odd one too) are the first that were sampled, the
    /// others are drawn from the remembered ones.
    fn improved(&self, outcome: &Outcome) -> Result<Vec<(Terminal, f64)>, TrainError> {
        let Some(search) = self.problem.local_search else { return Ok(vec![]) };
        let count = self.config.improvements;
        let sampled: Vec<&Terminal> =
            outcome.sampled().map(|end| &end.terminal).take(count.div_ceil(2)).collect();
        let found = map(count, |k| {
            let purpose = Stream::Search { iteration: self.iteration as u64, k: k as u64 };
            let mut rng = stream(self.config.seed, purpose);
            let remembered = || Some(&self.replay.draw(&mut rng)?.terminal);
            let start = sampled.get(k).copied().or_else(remembered)?;
            search.improve(start, self.temperature(), &mut rng)
        });
        let found: Vec<Terminal> =
            found.into_iter().flatten().filter(|terminal| self.environment.leads_to(terminal)).collect();
        let log_rewards = finite(self.problem.reward.log_rewards(&found))?;
        Ok(found.into_iter().zip(log_rewards).collect())
    }
}
