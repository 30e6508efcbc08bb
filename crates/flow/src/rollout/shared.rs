//! The same where trajectories share states: what the network sees alike is one state, and each action out of it is taken
//! once.

use std::collections::HashMap;

use gflowcausal_determinism::cancellation_point;

use super::{Guide, Recording, Trajectory, choose};
use crate::backward_policy::log_pb;
use crate::{Action, Environment, InputChange, Network, State, Tape};

/// One of the states that the network sees alike, and what its actions lead to.
struct SharedState {
    state: Box<dyn State>,
    /// By the place of the action among those allowed.
    steps: Vec<Option<Step>>,
}

/// What an action out of a shared state brings to every trajectory that takes it.
#[derive(Clone, Copy)]
struct Step {
    log_pb: f64,
    /// What it adds to the partial log-reward.
    delta_log_reward: f64,
    /// The row of the state that it leads to; none where trajectories end.
    row: Option<usize>,
}

impl SharedState {
    fn new(state: Box<dyn State>, allowed: usize) -> Self {
        Self { state, steps: vec![None; allowed] }
    }
}

/// An unfinished trajectory.
struct Growing<'a> {
    guide: &'a mut Guide,
    trajectory: Trajectory,
    /// None at the end.
    row: Option<usize>,
    partial_log_reward: f64,
}

/// The states after the next action, in the order of their rows.
struct Frontier<'a, 't> {
    recording: Recording<'a>,
    tape: &'t mut Tape,
    states: Vec<SharedState>,
    /// The row of each by what the network sees of it.
    known: HashMap<Vec<u64>, usize>,
    allowed: Vec<Action>,
    changes: Vec<InputChange>,
}

/// One trajectory for each of `guides`; the `tape` has the row of the initial state.
pub(super) fn roll_out(
    environment: &dyn Environment,
    network: &dyn Network,
    exploration: f64,
    recording: Recording<'_>,
    guides: &mut [Guide],
    tape: &mut Tape,
) -> Vec<Trajectory> {
    let length = environment.longest_trajectory();
    let mut growing: Vec<Growing<'_>> = guides
        .iter_mut()
        .map(|guide| {
            let trajectory = Trajectory::with_capacity(length);
            Growing { guide, trajectory, row: Some(0), partial_log_reward: 0.0 }
        })
        .collect();
    let mut states = vec![SharedState::new(environment.initial(), tape.requested(0).len())];
    let mut first = 0;
    while !states.is_empty() {
        cancellation_point();
        network.forward(tape, first);
        tape.normalize();
        if !recording.for_gradient {
            tape.forget_before(first);
            growing.iter_mut().for_each(|growing| growing.row = growing.row.map(|row| row - first));
            first = 0;
        }
        let next = tape.len();
        let mut frontier = Frontier::new(recording, tape);
        for growing in &mut growing {
            growing.step(exploration, &mut states, first, &mut frontier);
        }
        (states, first) = (frontier.states, next);
    }
    let finish = |growing: Growing<'_>| {
        let terminal = environment.replay(&growing.trajectory.actions).terminal();
        Trajectory { terminal, ..growing.trajectory }
    };
    growing.into_iter().map(finish).collect()
}

impl Growing<'_> {
    /// Takes the next action out of one of `states`, the rows of which begin at `first`.
    fn step(
        &mut self,
        exploration: f64,
        states: &mut [SharedState],
        first: usize,
        frontier: &mut Frontier<'_, '_>,
    ) {
        let Some(row) = self.row else { return };
        let trajectory = &mut self.trajectory;
        let (place, log_prob) =
            choose(self.guide, trajectory.actions.len(), (frontier.tape, row), exploration);
        let action = frontier.tape.requested(row)[place];
        trajectory.log_pf += log_prob;
        trajectory.actions.push(action);
        trajectory.rows.push(row);
        trajectory.places.push(place);
        trajectory.partial_log_reward.push(self.partial_log_reward);
        let SharedState { state, steps } = &mut states[row - first];
        let step = *steps[place].get_or_insert_with(|| frontier.step(&**state, row, action));
        trajectory.log_pb.push(step.log_pb);
        self.partial_log_reward += step.delta_log_reward;
        self.row = step.row;
    }
}

impl<'a, 't> Frontier<'a, 't> {
    fn new(recording: Recording<'a>, tape: &'t mut Tape) -> Self {
        Self {
            recording,
            tape,
            states: Vec::new(),
            known: HashMap::new(),
            allowed: Vec::new(),
            changes: Vec::new(),
        }
    }

    /// Takes `action` out of `state`, which has `row`. Adds a row for where it leads, unless there is one for what the network sees
    /// alike.
    fn step(&mut self, state: &dyn State, row: usize, action: Action) -> Step {
        let delta = |reward| {
            let delta = state.delta_log_reward(action, reward);
            delta.expect("partial rewards are asked for only where there are any")
        };
        let delta_log_reward = self.recording.partial_reward.map_or(0.0, delta);
        state.input_changes(action, &mut self.changes);
        let mut next = state.boxed_clone();
        next.apply(action);
        next.parents(&mut self.allowed);
        let log_pb = log_pb(self.allowed.len());
        let row = if next.is_terminal() { None } else { Some(self.row(next, row)) };
        Step { log_pb, delta_log_reward, row }
    }

    fn row(&mut self, state: Box<dyn State>, base: usize) -> usize {
        let key = state.input_key().expect("a walk that shares inputs has keys for them");
        if let Some(&row) = self.known.get(&key) {
            return row;
        }
        state.allowed(&mut self.allowed);
        let seen = self.recording.seen(&*state, &self.allowed);
        let row = self.tape.push_seeing(Some(base), &self.changes, &self.allowed, &seen);
        self.states.push(SharedState::new(state, self.allowed.len()));
        self.known.insert(key, row);
        row
    }
}
