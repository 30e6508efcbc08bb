//! The policy at many states, evaluated in one batch: from it follows the probability of a terminal state.

use super::{Action, InputChange, State};
use crate::{LogReward, Network, Tape};

/// States whose policy is wanted.
pub(super) struct PolicyQueries<'a> {
    viewed: Option<&'a dyn LogReward>,
    tape: Tape,
    allowed: Vec<Action>,
}

impl<'a> PolicyQueries<'a> {
    /// Of a network that sees the `viewed` reward.
    pub(super) fn new(viewed: Option<&'a dyn LogReward>) -> Self {
        Self { viewed, tape: Tape::default(), allowed: Vec::new() }
    }

    /// Asks for the policy at `state`, whose inputs are those of row `from` after `changes`; returns its row.
    pub(super) fn push(&mut self, from: Option<usize>, changes: &[InputChange], state: &dyn State) -> usize {
        state.allowed(&mut self.allowed);
        let seen = self.viewed.map(|reward| state.reward_inputs(reward, &self.allowed)).unwrap_or_default();
        self.tape.push_seeing(from, changes, &self.allowed, &seen)
    }

    pub(super) fn evaluate(&mut self, network: &dyn Network) {
        network.forward(&mut self.tape, 0);
        self.tape.normalize();
    }

    /// `ln P(action)` at the state of `row`; negative infinity if it is not allowed there.
    pub(super) fn log_policy(&self, row: usize, action: Action) -> f64 {
        match self.tape.requested(row).binary_search(&action) {
            Ok(place) => f64::from(self.tape.log_flows(row)[place]) - self.tape.log_outflow(row),
            Err(_) => f64::NEG_INFINITY,
        }
    }
}
