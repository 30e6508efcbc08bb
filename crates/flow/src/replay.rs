//! The replay buffer of terminal states: the best ever seen and the latest, each once.

use std::collections::{HashSet, VecDeque};

use gflowcausal_determinism::StreamRng;
use gflowcausal_determinism::rand::RngExt;

use crate::Terminal;

/// A terminal state and its log-reward.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Remembered {
    pub(crate) terminal: Terminal,
    pub(crate) log_reward: f64,
}

/// The latest terminal states, and the best of those that were pushed out by later ones.
#[derive(Debug, Clone, Default)]
pub(crate) struct ReplayBuffer {
    half: usize,
    /// Best first; of equals, the earlier first.
    best: Vec<Remembered>,
    recent: VecDeque<Remembered>,
    members: HashSet<Terminal>,
}

impl ReplayBuffer {
    /// Room for `capacity` states.
    pub(crate) fn new(capacity: usize) -> Self {
        Self { half: capacity.div_ceil(2), ..Self::default() }
    }

    /// Takes in `terminal` unless it is here already.
    pub(crate) fn insert(&mut self, terminal: &Terminal, log_reward: f64) {
        if self.half == 0 || !self.members.insert(terminal.clone()) {
            return;
        }
        self.recent.push_back(Remembered { terminal: terminal.clone(), log_reward });
        if self.recent.len() > self.half
            && let Some(oldest) = self.recent.pop_front()
        {
            self.retire(oldest);
        }
    }

    /// Keeps `old` if it is among the best.
    fn retire(&mut self, old: Remembered) {
        let place = self.best.partition_point(|kept| kept.log_reward >= old.log_reward);
        self.best.insert(place, old);
        if self.best.len() > self.half
            && let Some(worst) = self.best.pop()
        {
            self.members.remove(&worst.terminal);
        }
    }

    /// One of the remembered states, each equally likely.
    pub(crate) fn draw(&self, rng: &mut StreamRng) -> Option<&Remembered> {
        let count = self.best.len() + self.recent.len();
        let drawn = (count > 0).then(|| rng.random_range(0..count))?;
        self.best.get(drawn).or_else(|| self.recent.get(drawn - self.best.len()))
    }

    /// The best, best first, and the latest, oldest first.
    pub(crate) fn parts(&self) -> (&[Remembered], Vec<&Remembered>) {
        (&self.best, self.recent.iter().collect())
    }

    /// A memory with what [`Self::parts`] returned.
    pub(crate) fn restore(capacity: usize, best: Vec<Remembered>, recent: Vec<Remembered>) -> Self {
        let members = best.iter().chain(&recent).map(|kept| kept.terminal.clone()).collect();
        Self { best, recent: recent.into(), members, ..Self::new(capacity) }
    }
}

#[cfg(test)]
mod tests {
    use gflowcausal_determinism::{Stream, stream};
    use gflowcausal_graph::Order;

    use super::*;

    fn order(k: usize) -> Terminal {
        let mut sequence: Vec<usize> = (0..5).collect();
        sequence.rotate_left(k % 5);
        sequence.swap(0, k / 5 + 1);
        Terminal::Order(Order::new(sequence).unwrap())
    }

    #[test]
    fn the_latest_stay_and_of_the_others_the_best() {
        let mut replay = ReplayBuffer::new(6);
        for (k, log_reward) in [-5.0, -1.0, -9.0, -2.0, -7.0, -3.0, -8.0, -6.0].into_iter().enumerate() {
            replay.insert(&order(k), log_reward);
            replay.insert(&order(k), log_reward);
        }
        let (best, recent) = replay.parts();
        assert_eq!(best.iter().map(|kept| kept.log_reward).collect::<Vec<_>>(), [-1.0, -2.0, -5.0]);
        assert_eq!(recent.iter().map(|kept| kept.log_reward).collect::<Vec<_>>(), [-3.0, -8.0, -6.0]);
        replay.insert(&order(2), -9.0);
        assert_eq!(replay.parts().1.last().unwrap().log_reward, -9.0, "what was dropped may come again");
    }

    #[test]
    fn all_are_drawn() {
        let mut replay = ReplayBuffer::new(4);
        assert!(replay.draw(&mut stream(0, Stream::Test { k: 0 })).is_none());
        (0..4).for_each(|k| replay.insert(&order(k), k as f64));
        let drawn: HashSet<Terminal> = (0..100)
            .map(|k| replay.draw(&mut stream(0, Stream::Test { k })).unwrap().terminal.clone())
            .collect();
        assert_eq!(drawn.len(), 4);
    }
}
