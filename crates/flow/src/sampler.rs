//! Graphs and orders drawn from a policy, with the probability of drawing them.

use std::ops::Range;

use gflowcausal_determinism::{Stream, log_sum_exp, map, stream};

use crate::rollout::{Guide, Recording, roll_out};
use crate::{Action, Environment, LogReward, Network, State, StateSpace, Tape, Terminal, Walk};

/// How many trajectories grow in lock step.
const BATCH_SIZE: usize = 32;

/// The same where states with the same inputs are evaluated once: the more trajectories, the more states share theirs.
const SHARING_BATCH_SIZE: usize = 4096;

/// One draw.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// What was drawn.
    pub terminal: Terminal,
    /// `ln` of the probability of the whole trajectory.
    pub log_forward: f64,
    /// `ln` of the probability with which the backward policy takes this trajectory from what was drawn.
    ///
    /// `ln r + log_backward − log_forward` is the sample's log importance weight, in every environment.
    pub log_backward: f64,
}

/// A policy to draw from.
#[derive(Clone, Copy)]
pub struct Sampler<'a> {
    environment: &'a dyn Environment,
    network: &'a dyn Network,
    viewed: Option<&'a dyn LogReward>,
}

impl<'a> Sampler<'a> {
    /// The policy of `network` in `environment`.
    #[must_use]
    pub fn new(environment: &'a dyn Environment, network: &'a dyn Network) -> Self {
        Self { environment, network, viewed: None }
    }

    /// The same for a network that sees `reward`.
    #[must_use]
    pub fn viewing(self, reward: &'a dyn LogReward) -> Self {
        Self { viewed: Some(reward), ..self }
    }

    /// The name of the environment.
    #[must_use]
    pub fn walk(&self) -> Walk {
        self.environment.walk()
    }

    /// `count` draws; the `k`-th depends on `seed` and `k` alone.
    #[must_use]
    pub fn sample(&self, count: usize, seed: u64) -> Vec<Sample> {
        self.sample_range(0..count, seed)
    }

    /// The draws of these `numbers` among all of `seed`.
    #[must_use]
    pub fn sample_range(&self, numbers: Range<usize>, seed: u64) -> Vec<Sample> {
        let Range { start, end } = numbers;
        let size = if self.walk().shares_inputs() { SHARING_BATCH_SIZE } else { BATCH_SIZE };
        let batches = map(numbers.len().div_ceil(size), |batch| {
            let first = start + batch * size;
            self.sample_batch(first..end.min(first + size), seed)
        });
        batches.into_iter().flatten().collect()
    }

    fn sample_batch(&self, numbers: Range<usize>, seed: u64) -> Vec<Sample> {
        let recording =
            Recording { for_gradient: false, parents: false, viewed: self.viewed, partial_reward: None };
        let guide = |k| Guide { script: None, rng: stream(seed, Stream::Sample { k: k as u64 }) };
        let mut guides: Vec<Guide> = numbers.map(guide).collect();
        roll_out(self.environment, self.network, 0.0, recording, &mut guides, &mut Tape::default())
            .into_iter()
            .map(|trajectory| Sample {
                log_forward: trajectory.log_pf,
                log_backward: trajectory.log_pb.iter().sum::<f64>() - self.environment.log_multiplicity(),
                terminal: trajectory.terminal.expect("a trajectory ends in a terminal state"),
            })
            .collect()
    }

    /// `ln` of the probability that the policy ends in `terminal`, by any trajectory, where it can be computed.
    ///
    /// In `order` there is one trajectory; in `chain` all `2^(d−2)` of them pass through the `d²/2` intervals of the
    /// order. Negative infinity for an order that the environment does not lead to.
    #[must_use]
    pub fn log_probability(&self, terminal: &Terminal) -> Option<f64> {
        self.environment.log_probability(self.network, self.viewed, terminal)
    }

    /// `ln` of the probability that the policy ends in `terminal`, estimated where it cannot be computed: from
    /// `trajectories` drawn by the backward policy, as the mean of their forward over their backward probability. The mean
    /// is right, its logarithm low on average.
    ///
    /// None if no trajectory ends there.
    #[must_use]
    pub fn estimate_log_probability(
        &self,
        terminal: &Terminal,
        trajectories: usize,
        seed: u64,
    ) -> Option<f64> {
        if !self.environment.leads_to(terminal) {
            return None;
        }
        let guide = |k| {
            let mut rng = stream(seed, Stream::Sample { k });
            let script = self.environment.sample_backward_trajectory(terminal, &mut rng);
            Guide { script: Some(script), rng }
        };
        let mut guides: Vec<Guide> = (0..trajectories as u64).map(guide).collect();
        let recording =
            Recording { for_gradient: false, parents: false, viewed: self.viewed, partial_reward: None };
        let taken =
            roll_out(self.environment, self.network, 0.0, recording, &mut guides, &mut Tape::default());
        let log_copies = self.environment.log_multiplicity();
        let ratios = taken.iter().map(|taken| taken.log_pf - taken.log_pb.iter().sum::<f64>() + log_copies);
        Some(log_sum_exp(ratios) - (trajectories as f64).ln())
    }

    /// The network's log-flows at every state of `space`, as [`StateSpace::policy_outcome`] takes them.
    #[must_use]
    pub fn log_flows(&self, space: &StateSpace) -> Vec<Vec<f64>> {
        let mut tape = Tape::default();
        for (at, trajectory) in space.trajectories().enumerate() {
            let actions: Vec<Action> = space.next(at).iter().map(|&(action, _)| action).collect();
            let (from, changes) = space.found_from(at);
            let seen = self.seen(&*self.environment.replay(trajectory), &actions);
            tape.push_seeing(from, changes, &actions, &seen);
        }
        self.network.forward(&mut tape, 0);
        let exact = |at| tape.log_flows(at).iter().map(|&flow| f64::from(flow)).collect();
        (0..space.len()).map(exact).collect()
    }

    fn seen(&self, state: &dyn State, actions: &[Action]) -> Vec<f32> {
        self.viewed.map(|reward| state.reward_inputs(reward, actions)).unwrap_or_default()
    }

    /// `ln Σ F(s_0, a)` as the network has it.
    pub(crate) fn log_initial_flow(&self) -> f64 {
        let mut tape = Tape::default();
        let (initial, mut allowed) = (self.environment.initial(), vec![]);
        initial.allowed(&mut allowed);
        tape.push_seeing(None, &[], &allowed, &self.seen(&*initial, &allowed));
        self.network.forward(&mut tape, 0);
        tape.normalize();
        tape.log_outflow(0)
    }
}
