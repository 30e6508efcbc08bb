//! Trajectories in lock step: all of them take one action, then the network evaluates all their states at once, those it
//! sees alike once.

mod shared;

use std::collections::HashMap;

use gflowcausal_determinism::rand::RngExt;
use gflowcausal_determinism::{StreamRng, cancellation_point, categorical};

use crate::backward_policy::log_pb;
use crate::{Action, Environment, InputChange, LogReward, Network, State, Tape, Terminal};

/// The place of the selected action among those allowed at a normalized row: by the policy, but with probability
/// `exploration` any of them.
fn select(tape: &Tape, row: usize, exploration: f64, rng: &mut StreamRng) -> usize {
    let probs = tape.probs(row);
    if exploration > 0.0 && rng.random_bool(exploration) {
        return rng.random_range(0..probs.len());
    }
    let probs = probs.iter().map(|&prob| f64::from(prob));
    categorical(probs.enumerate(), rng.random()).unwrap_or(0)
}

/// `ln` of the probability that [`select`] returns `place`.
fn log_probability(tape: &Tape, row: usize, exploration: f64, place: usize) -> f64 {
    let log_prob = f64::from(tape.log_flows(row)[place]) - tape.log_outflow(row);
    if exploration == 0.0 {
        return log_prob;
    }
    (exploration / tape.requested(row).len() as f64 + (1.0 - exploration) * log_prob.exp()).ln()
}

/// The place of the action that `guide` takes as its `step`-th out of a normalized row, and `ln` of its probability: that of a script is
/// the policy's.
fn choose(guide: &mut Guide, step: usize, (tape, row): (&Tape, usize), exploration: f64) -> (usize, f64) {
    if let Some(script) = &guide.script {
        let place = tape.requested(row).binary_search(&script[step]);
        let place = place.expect("scripts keep to allowed actions");
        return (place, log_probability(tape, row, 0.0, place));
    }
    let place = select(tape, row, exploration, &mut guide.rng);
    (place, log_probability(tape, row, exploration, place))
}

/// The parents of one state.
#[derive(Debug, Clone, Default)]
pub(crate) struct Parents {
    actions: Vec<Action>,
    changes: Vec<InputChange>,
    /// Where the changes of each parent end.
    ends: Vec<usize>,
}

impl Parents {
    /// The parents of `state`, which `actions` lead from.
    fn of(state: &dyn State, actions: &[Action]) -> Self {
        let mut parents = Self { actions: actions.to_vec(), ..Self::default() };
        let mut changes = Vec::new();
        for &action in actions {
            state.parent_input_changes(action, &mut changes);
            parents.changes.extend_from_slice(&changes);
            parents.ends.push(parents.changes.len());
        }
        parents
    }

    /// The action that leads from each parent, and the inputs that are switched on the step back to it.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Action, &[InputChange])> {
        let starts = std::iter::once(&0).chain(&self.ends);
        let changes = starts.zip(&self.ends).map(|(&start, &end)| &self.changes[start..end]);
        self.actions.iter().copied().zip(changes)
    }
}

/// One path from the initial to a terminal state.
#[derive(Debug, Clone, Default)]
pub(crate) struct Trajectory {
    pub(crate) actions: Vec<Action>,
    /// The tape's row of each state but the last.
    pub(crate) rows: Vec<usize>,
    /// Where each action stands among those that were allowed.
    pub(crate) places: Vec<usize>,
    /// `ln P_B` of each step.
    pub(crate) log_pb: Vec<f64>,
    /// The partial log-reward at each state but the last, if asked for; else zeros.
    pub(crate) partial_log_reward: Vec<f64>,
    /// The parents of each state but the first, the one on the trajectory among them, if asked for.
    pub(crate) parents: Vec<Parents>,
    /// The inputs that the last action switched.
    pub(crate) last_changes: Vec<InputChange>,
    /// `ln` of the probability with which the actions were selected, or with which the policy alone selects those of a script.
    pub(crate) log_pf: f64,
    pub(crate) terminal: Option<Terminal>,
}

impl Trajectory {
    /// With room for `length` actions.
    fn with_capacity(length: usize) -> Self {
        Self {
            actions: Vec::with_capacity(length),
            rows: Vec::with_capacity(length),
            places: Vec::with_capacity(length),
            log_pb: Vec::with_capacity(length),
            partial_log_reward: Vec::with_capacity(length),
            ..Self::default()
        }
    }
}

/// What is to be recorded of each step.
#[derive(Clone, Copy)]
pub(crate) struct Recording<'a> {
    /// Rows are kept for a gradient.
    pub(crate) for_gradient: bool,
    /// The parents of each state.
    pub(crate) parents: bool,
    /// The reward that the network sees.
    pub(crate) viewed: Option<&'a dyn LogReward>,
    /// The reward whose part so far is recorded at each state.
    pub(crate) partial_reward: Option<&'a dyn LogReward>,
}

impl Recording<'_> {
    /// What the network sees of the reward at `state`.
    fn seen(&self, state: &dyn State, actions: &[Action]) -> Vec<f32> {
        self.viewed.map(|reward| state.reward_inputs(reward, actions)).unwrap_or_default()
    }
}

/// How one trajectory goes on.
pub(crate) struct Guide {
    pub(crate) rng: StreamRng,
    /// The actions to take; selected by the policy where there are none.
    pub(crate) script: Option<Vec<Action>>,
}

/// An unfinished trajectory.
struct Growing<'a> {
    guide: &'a mut Guide,
    trajectory: Trajectory,
    state: Box<dyn State>,
    row: usize,
    partial_log_reward: f64,
}

/// One trajectory for each of `guides` from the initial state to the end, one action each at a time, any allowed action
/// with probability `exploration`.
pub(crate) fn roll_out(
    environment: &dyn Environment,
    network: &dyn Network,
    exploration: f64,
    recording: Recording<'_>,
    guides: &mut [Guide],
    tape: &mut Tape,
) -> Vec<Trajectory> {
    let (initial, mut allowed) = (environment.initial(), Vec::new());
    initial.allowed(&mut allowed);
    tape.truncate(0);
    tape.push_seeing(None, &[], &allowed, &recording.seen(&*initial, &allowed));
    if environment.walk().shares_inputs() && !recording.parents {
        return shared::roll_out(environment, network, exploration, recording, guides, tape);
    }
    let mut growing: Vec<Growing<'_>> = guides
        .iter_mut()
        .map(|guide| Growing {
            guide,
            trajectory: Trajectory::default(),
            state: environment.initial(),
            row: 0,
            partial_log_reward: 0.0,
        })
        .collect();
    let (mut first, mut known) = (0, HashMap::new());
    while first < tape.len() {
        cancellation_point();
        network.forward(tape, first);
        tape.normalize();
        if !recording.for_gradient {
            tape.forget_before(first);
            growing.iter_mut().for_each(|growing| growing.row = growing.row.saturating_sub(first));
        }
        first = tape.len();
        known.clear();
        for growing in growing.iter_mut().filter(|growing| !growing.state.is_terminal()) {
            growing.step(exploration, recording, tape, &mut allowed);
            if !growing.state.is_terminal() {
                growing.push(recording, tape, &mut known, &mut allowed);
            }
        }
    }
    growing.into_iter().map(Growing::finish).collect()
}

impl Growing<'_> {
    fn step(
        &mut self,
        exploration: f64,
        recording: Recording<'_>,
        tape: &mut Tape,
        actions: &mut Vec<Action>,
    ) {
        let step = self.trajectory.actions.len();
        let (place, log_prob) = choose(self.guide, step, (tape, self.row), exploration);
        self.trajectory.log_pf += log_prob;
        let action = tape.requested(self.row)[place];
        self.record(place, action, recording);
        self.state.input_changes(action, &mut self.trajectory.last_changes);
        self.state.apply(action);
        self.state.parents(actions);
        self.trajectory.log_pb.push(log_pb(actions.len()));
        if recording.parents {
            self.trajectory.parents.push(Parents::of(&*self.state, actions));
        }
    }

    /// Adds a row for the state, unless one that the network sees alike is `known` since the last evaluation.
    fn push(
        &mut self,
        recording: Recording<'_>,
        tape: &mut Tape,
        known: &mut HashMap<Vec<u64>, usize>,
        actions: &mut Vec<Action>,
    ) {
        let key = self.state.input_key();
        if let Some(&row) = key.as_ref().and_then(|key| known.get(key)) {
            self.row = row;
            return;
        }
        self.state.allowed(actions);
        let seen = recording.seen(&*self.state, actions);
        self.row = tape.push_seeing(Some(self.row), &self.trajectory.last_changes, actions, &seen);
        known.extend(key.map(|key| (key, self.row)));
    }

    fn record(&mut self, place: usize, action: Action, recording: Recording<'_>) {
        self.trajectory.actions.push(action);
        self.trajectory.rows.push(self.row);
        self.trajectory.places.push(place);
        self.trajectory.partial_log_reward.push(self.partial_log_reward);
        if let Some(reward) = recording.partial_reward {
            self.partial_log_reward += self
                .state
                .delta_log_reward(action, reward)
                .expect("partial rewards are asked for only where there are any");
        }
    }

    fn finish(mut self) -> Trajectory {
        self.trajectory.terminal = self.state.terminal();
        self.trajectory
    }
}
