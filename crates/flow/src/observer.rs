//! The events of training, for observers. The library itself prints nothing.

use serde::{Deserialize, Serialize};

use crate::Terminal;

/// What one iteration brought.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// How many iterations are done, this one included.
    pub iteration: usize,
    /// The mean loss of the batch.
    pub loss: f64,
    /// The mean log-reward of the sampled (not the replayed) terminal states, at temperature 1.
    pub mean_log_reward: f64,
    /// The best log-reward so far, at temperature 1.
    pub best_log_reward: f64,
    /// The temperature of this iteration.
    pub temperature: f64,
    /// The probability of a random action in this iteration.
    pub exploration: f64,
    /// The constant that training learns beside the network: `ln Z` in TB.
    pub log_partition: f64,
}

/// Why training stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Stopped {
    /// Neither the loss nor the best terminal state gets better any more, and the policy agrees with an independent reference.
    Converged,
    /// Neither the loss nor the best terminal state gets better any more. A policy that leaves modes out stops so too.
    Plateau,
    /// All iterations are done.
    Iterations,
    /// The caller asked for it.
    Interrupted,
}

/// Something that happened in training.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
#[expect(missing_docs, reason = "a variant's sentence names its fields")]
pub enum Event<'a> {
    /// A terminal state better than all before.
    Best { iteration: usize, terminal: &'a Terminal, log_reward: f64 },
    /// An iteration is done.
    Iteration(Progress),
}

/// An observer of training.
pub trait Observer {
    /// Is called with each event as it happens.
    fn observe(&mut self, event: &Event<'_>);
}

impl<F: FnMut(&Event<'_>)> Observer for F {
    fn observe(&mut self, event: &Event<'_>) {
        self(event);
    }
}
