//! Graphs and orders drawn from a policy, with the probability of drawing them.

mod arrival;
mod lattice;

use std::ops::Range;

use gflowcausal_determinism::{Stream, map, stream};

use crate::rollout::{Draw, Recording, Walker, roll_out};
use crate::{Action, Lattice, LatticeError, Network, Row, StateSpace, Tape, Terminal, Terrain, Walk};

/// How many trajectories are walked in lock step.
const LANE_SIZE: usize = 32;

/// How samples are drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SampleMode {
    /// By the policy as trained.
    Policy,
    /// By the policy's probabilities to the power of one over this temperature (above zero), at each step.
    Tempered(f64),
    /// The most likely action at each step: always the same sample.
    Greedy,
}

/// One draw.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// What was drawn.
    pub terminal: Terminal,
    /// `ln` of the probability of the whole trajectory, in the mode it was drawn in.
    pub log_forward: f64,
    /// `ln` of the probability with which the backward policy takes this trajectory from what was drawn.
    ///
    /// `ln r + log_backward − log_forward` is the sample's importance weight, in every walk.
    pub log_backward: f64,
}

/// A policy to draw from.
#[derive(Clone, Copy)]
pub struct Sampler<'a> {
    terrain: &'a Terrain,
    network: &'a dyn Network,
}

impl<'a> Sampler<'a> {
    /// The policy of `network` on `terrain`.
    #[must_use]
    pub fn new(terrain: &'a Terrain, network: &'a dyn Network) -> Self {
        Self { terrain, network }
    }

    /// `count` draws; the `k`-th depends on `seed` and `k` alone.
    #[must_use]
    pub fn sample(&self, count: usize, seed: u64, mode: SampleMode) -> Vec<Sample> {
        self.sample_range(0..count, seed, mode)
    }

    /// The draws of these `numbers` among all of `seed`.
    #[must_use]
    pub fn sample_range(&self, numbers: Range<usize>, seed: u64, mode: SampleMode) -> Vec<Sample> {
        let Range { start, end } = numbers;
        let lanes = map(numbers.len().div_ceil(LANE_SIZE), |lane| {
            let first = start + lane * LANE_SIZE;
            self.sample_lane(first..end.min(first + LANE_SIZE), seed, mode)
        });
        lanes.into_iter().flatten().collect()
    }

    fn sample_lane(&self, numbers: Range<usize>, seed: u64, mode: SampleMode) -> Vec<Sample> {
        let draw = match mode {
            SampleMode::Policy => Draw::Exploring(0.0),
            SampleMode::Tempered(temperature) => Draw::Tempered(temperature),
            SampleMode::Greedy => Draw::Greedy,
        };
        let recording = Recording { for_gradient: false, parents: false, gathered: None };
        let walker = |k| Walker { script: None, rng: stream(seed, Stream::Sample { k: k as u64 }) };
        let mut walkers: Vec<Walker> = numbers.map(walker).collect();
        roll_out(self.terrain, self.network, draw, recording, &mut walkers, &mut Tape::default())
            .into_iter()
            .map(|trajectory| Sample {
                log_forward: trajectory.log_drawn,
                log_backward: trajectory.backward.iter().sum::<f64>() - self.terrain.log_copies(),
                terminal: trajectory.terminal.expect("a walk ends in a terminal state"),
            })
            .collect()
    }

    /// `ln` of the probability that the policy ends in `terminal`, by any trajectory, where it can be computed.
    ///
    /// In `order` there is one trajectory; in `chain` all `2^(d−2)` of them pass through the `d²/2` intervals of the
    /// order. Negative infinity for an order that the walk does not lead to.
    #[must_use]
    pub fn log_probability(&self, terminal: &Terminal) -> Option<f64> {
        match (self.terrain.walk(), terminal) {
            (Walk::Order, Terminal::Order(order)) => {
                Some(arrival::at_order(self.terrain, self.network, order))
            }
            (Walk::Chain, Terminal::Order(order)) => {
                Some(arrival::at_chain(self.terrain, self.network, order))
            }
            _ => None,
        }
    }

    /// The policy as a distribution over all orders, on `order`: its marginals, the probability of each order, and how
    /// far it is from another distribution. `2^d` evaluations.
    ///
    /// # Errors
    /// On another walk, and with more than 20 variables.
    pub fn lattice(&self) -> Result<Lattice, LatticeError> {
        if self.terrain.walk() != Walk::Order {
            return Err(LatticeError::OtherWalk(self.terrain.walk()));
        }
        Lattice::of_conditionals(self.terrain.nodes(), |first, count| {
            lattice::log_conditionals(self.terrain, self.network, first, count)
        })
    }

    /// The network's log-flows at every state of `space`, as [`StateSpace::policy_outcome`] takes them.
    #[must_use]
    pub fn log_flows(&self, space: &StateSpace) -> Vec<Vec<f64>> {
        let mut tape = Tape::default();
        for at in 0..space.len() {
            let wanted: Vec<Action> = space.next(at).iter().map(|&(action, _)| action).collect();
            let row = match space.found_from(at) {
                Some((from, action)) if !wanted.is_empty() => Row::with(from, action),
                _ => Row::blank(),
            };
            tape.push(row, &wanted);
        }
        self.network.forward(&mut tape, 0);
        let exact = |at| tape.log_flows(at).iter().map(|&flow| f64::from(flow)).collect();
        (0..space.len()).map(exact).collect()
    }

    /// `ln Σ F(s_0, a)` as the network has it.
    pub(crate) fn log_initial_flow(&self) -> f64 {
        let mut tape = Tape::default();
        let mut allowed = vec![];
        self.terrain.initial().allowed(&mut allowed);
        tape.push(Row::blank(), &allowed);
        self.network.forward(&mut tape, 0);
        tape.settle();
        tape.outflow(0)
    }
}
