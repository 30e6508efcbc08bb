//! The environments: one file for each, with its states, actions, stop, parents and backward policy.
//!
//! To add one, write its file and register it below; nothing else depends on which environment it is.

mod action;
mod acyclic;
mod chain;
mod complete;
mod edges;
mod free;
mod graph;
mod layers;
mod order;
mod policy_queries;
mod registry;
mod rules;

use std::fmt;

use gflowcausal_determinism::StreamRng;

use crate::{LogReward, Network, Terminal};
use registry::{Registration, register};

pub use action::{Action, InputChange};
pub(crate) use action::{action_edge, edge_action};
pub(crate) use rules::Rules;

register! {
    /// Variables placed in layers, the next layer opened by closing the last: each DAG has one layering.
    Layers = "layers" => layers::REGISTRATION,
    /// The paper's Case 1: any edge that closes no cycle, until all pairs are joined.
    Complete = "complete" => complete::REGISTRATION,
    /// The paper's Case 2: any edge that closes no cycle, until the order is identified.
    Edges = "edges" => edges::REGISTRATION,
    /// The paper's Case 3: a path that grows at its head or its tail.
    Chain = "chain" => chain::REGISTRATION,
    /// Nodes appended to an order; the network sees the set of nodes placed so far.
    Order = "order" => order::REGISTRATION,
    /// Edges added to a DAG, stopping anywhere.
    Graph = "graph" => graph::REGISTRATION,
    /// One direction chosen for each pair, cycles and all.
    Free = "free" => free::REGISTRATION,
}

/// A copy of a state whose type is not known.
pub trait CloneState {
    /// A copy.
    fn boxed_clone(&self) -> Box<dyn State>;
}

impl<S: State + Clone + 'static> CloneState for S {
    fn boxed_clone(&self) -> Box<dyn State> {
        Box::new(self.clone())
    }
}

/// A state on a trajectory.
pub trait State: CloneState + Send {
    /// Replaces `actions` by the actions open here, in ascending order; none when the state is terminal.
    fn allowed(&self, actions: &mut Vec<Action>);

    /// Takes `action`, which must be one of the allowed ones.
    fn apply(&mut self, action: Action);

    /// Whether trajectories end here.
    fn is_terminal(&self) -> bool;

    /// Replaces `actions` by those that lead here, each from a parent of its own.
    ///
    /// The backward policy is uniform over them.
    fn parents(&self, actions: &mut Vec<Action>);

    /// What the state stands for, if it is terminal.
    fn terminal(&self) -> Option<Terminal>;

    /// Replaces `changes` by the inputs that `action`, taken here, switches: by default the input of the same number, on.
    fn input_changes(&self, action: Action, changes: &mut Vec<InputChange>) {
        changes.clear();
        changes.push(InputChange::on(action));
    }

    /// Replaces `changes` by the inputs that are switched on the step back to the parent from which `action` leads here.
    fn parent_input_changes(&self, action: Action, changes: &mut Vec<InputChange>) {
        changes.clear();
        changes.push(InputChange::off(action));
    }

    /// What the network sees of the state, where states with the same inputs are common: those are evaluated once. All with
    /// the same key allow the same actions, switch the same inputs by them and have the same reward inputs and differences.
    fn input_key(&self) -> Option<Vec<u64>> {
        None
    }

    /// What `reward` says of the next steps, where [the environment](Environment::reward_inputs) has inputs for it:
    /// `actions` are those allowed here.
    fn reward_inputs(&self, reward: &dyn LogReward, actions: &[Action]) -> Vec<f32> {
        let _ = (reward, actions);
        Vec::new()
    }

    /// What `action` adds to the partial log-reward, where [the environment](Environment::has_partial_rewards) has one.
    fn delta_log_reward(&self, action: Action, reward: &dyn LogReward) -> Option<f64> {
        let _ = (action, reward);
        None
    }
}

/// An environment over given variables, within what is known about them.
pub trait Environment: fmt::Debug + Send + Sync {
    /// Its name.
    fn walk(&self) -> Walk;

    /// How many variables there are.
    fn nodes(&self) -> usize;

    /// How many inputs of the network describe a state. In the initial state all are off.
    fn inputs(&self) -> usize;

    /// How many numbers a network that sees the reward gets beside these inputs.
    fn reward_inputs(&self) -> usize {
        0
    }

    /// How many actions there are, allowed or not.
    fn actions(&self) -> usize {
        self.inputs()
    }

    /// The action that ends a trajectory, where there is one. Its number is the highest, and every state allows it.
    fn stop(&self) -> Option<Action> {
        None
    }

    /// How many actions the longest trajectory has.
    fn longest_trajectory(&self) -> usize;

    /// The initial state.
    fn initial(&self) -> Box<dyn State>;

    /// The state that `actions` lead to.
    fn replay(&self, actions: &[Action]) -> Box<dyn State> {
        let mut state = self.initial();
        actions.iter().for_each(|&action| state.apply(action));
        state
    }

    /// What tells states apart: the same key for two action sequences if and only if they lead to the same state.
    ///
    /// By default the set of actions.
    fn state_key(&self, actions: &[Action]) -> Vec<Action> {
        let mut key = actions.to_vec();
        key.sort_unstable();
        key
    }

    /// Whether trajectories can end in `terminal`: it is of the right kind and size, and knowledge permits it.
    fn leads_to(&self, terminal: &Terminal) -> bool;

    /// A trajectory to `terminal`, drawn by the backward policy (and, where several terminal states stand for the same
    /// order, from one of those at random).
    ///
    /// It keeps to allowed actions if the environment [leads there](Self::leads_to).
    ///
    /// # Panics
    /// If `terminal` is of another kind.
    fn sample_backward_trajectory(&self, terminal: &Terminal, rng: &mut StreamRng) -> Vec<Action>;

    /// The logarithm of the number of terminal states that stand for the same order or graph.
    fn log_multiplicity(&self) -> f64 {
        0.0
    }

    /// Whether states have a partial reward: the part of `reward` that the trajectory to them has collected.
    fn has_partial_rewards(&self, reward: &dyn LogReward) -> bool {
        let _ = reward;
        false
    }

    /// `ln` of the probability that the policy of `network`, which sees the `viewed` reward, ends in `terminal`, by any
    /// trajectory, where it can be computed.
    fn log_probability(
        &self,
        network: &dyn Network,
        viewed: Option<&dyn LogReward>,
        terminal: &Terminal,
    ) -> Option<f64> {
        let _ = (network, viewed, terminal);
        None
    }
}

/// A set-up without an environment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EnvironmentError {
    /// Nothing to order.
    #[error("at least two variables are needed, not {0}")]
    TooFewNodes(usize),
}

/// Why a terminal cannot be walked back from.
#[cold]
fn wrong_kind(walk: Walk, terminal: &Terminal) -> ! {
    panic!("no trajectory of {walk} ends in {terminal:?}")
}

#[cfg(test)]
mod tests;
