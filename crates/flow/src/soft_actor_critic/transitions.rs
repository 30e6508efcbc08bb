//! Remembered transitions, and batches of them as rows for networks.

use std::sync::Arc;

use gflowcausal_determinism::StreamRng;
use gflowcausal_determinism::rand::RngExt;

use crate::{Action, Environment, State, Tape};

/// One step of a trajectory.
#[derive(Debug, Clone)]
pub(super) struct Transition {
    /// The whole trajectory.
    pub(super) actions: Arc<[Action]>,
    /// Which of its actions this is.
    pub(super) step: usize,
    /// The reward at the end of the trajectory.
    pub(super) reward: f64,
}

/// The latest transitions.
#[derive(Debug, Clone)]
pub(super) struct Memory {
    capacity: usize,
    kept: Vec<Transition>,
    /// Where the next one goes once the memory is full.
    next: usize,
}

impl Memory {
    /// Room for `capacity` transitions.
    pub(super) fn new(capacity: usize) -> Self {
        Self { capacity, kept: Vec::new(), next: 0 }
    }

    /// Takes in a transition, in the place of the oldest where there is no room.
    pub(super) fn insert(&mut self, transition: Transition) {
        if self.kept.len() < self.capacity {
            self.kept.push(transition);
        } else {
            self.kept[self.next] = transition;
            self.next = (self.next + 1) % self.capacity;
        }
    }

    /// One of them, each equally likely.
    ///
    /// # Panics
    /// If there is none.
    fn draw(&self, rng: &mut StreamRng) -> &Transition {
        &self.kept[rng.random_range(0..self.kept.len())]
    }
}

/// Transitions as rows: the states before the action, and those after it that are not terminal.
pub(super) struct Minibatch {
    pub(super) before: Tape,
    /// Where each action stands among those allowed before it.
    pub(super) places: Vec<usize>,
    pub(super) after: Tape,
    /// The row of the state after each action; the reward where the trajectory ends there.
    pub(super) next: Vec<Result<usize, f64>>,
}

impl Minibatch {
    /// `count` transitions of `memory`.
    pub(super) fn draw(
        memory: &Memory,
        environment: &dyn Environment,
        count: usize,
        rng: &mut StreamRng,
    ) -> Self {
        let (before, after) = (Tape::default(), Tape::default());
        let mut batch = Self { before, places: Vec::new(), after, next: Vec::new() };
        for _ in 0..count {
            batch.push(memory.draw(rng), environment.initial());
        }
        batch
    }

    /// Adds a transition that starts from `state` after the actions before it.
    fn push(&mut self, transition: &Transition, mut state: Box<dyn State>) {
        let (mut changes, mut switched, mut allowed) = (Vec::new(), Vec::new(), Vec::new());
        for (step, &action) in transition.actions[..=transition.step].iter().enumerate() {
            if step == transition.step {
                state.allowed(&mut allowed);
                self.before.push(None, &changes, &allowed);
                let place = allowed.binary_search(&action);
                self.places.push(place.expect("only allowed actions were taken"));
            }
            state.input_changes(action, &mut switched);
            changes.extend_from_slice(&switched);
            state.apply(action);
        }
        if state.is_terminal() {
            self.next.push(Err(transition.reward));
        } else {
            state.allowed(&mut allowed);
            self.next.push(Ok(self.after.push(None, &changes, &allowed)));
        }
    }
}

#[cfg(test)]
mod tests {
    use gflowcausal_determinism::{Stream, stream};
    use gflowcausal_graph::Constraints;

    use super::*;
    use crate::Walk;

    #[test]
    fn the_oldest_transition_makes_room() {
        let mut memory = Memory::new(3);
        for step in 0..5 {
            memory.insert(Transition { actions: Arc::from([0]), step, reward: 0.0 });
        }
        let mut steps: Vec<usize> = memory.kept.iter().map(|kept| kept.step).collect();
        steps.sort_unstable();
        assert_eq!(steps, [2, 3, 4]);
    }

    #[test]
    fn a_batch_has_the_state_before_and_the_one_after() {
        let environment = Walk::Edges.environment(Constraints::none(3)).expect("three variables");
        let actions: Arc<[Action]> = Arc::from([1, 5]);
        let mut memory = Memory::new(10);
        (0..2).for_each(|step| {
            memory.insert(Transition { actions: Arc::clone(&actions), step, reward: 2.5 });
        });
        let batch = Minibatch::draw(&memory, &*environment, 20, &mut stream(0, Stream::Test { k: 0 }));
        let first = batch.next.iter().position(Result::is_ok).expect("one of the first");
        let last = batch.next.iter().position(Result::is_err).expect("one of the last");
        assert_eq!(batch.before.requested(first), [1, 2, 3, 5, 6, 7]);
        assert_eq!(batch.before.requested(first)[batch.places[first]], 1);
        assert_eq!((batch.next[last], batch.before.requested(last)[batch.places[last]]), (Err(2.5), 5));
        let after = batch.next[first].expect("not terminal");
        assert_eq!(batch.after.requested(after), batch.before.requested(last));
    }
}
