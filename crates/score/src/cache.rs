//! Local terms remembered by variable and parent set: bounded, shared by threads, without effect on any result.

use std::sync::{Mutex, MutexGuard, PoisonError};

use gflowcausal_determinism::cancellation_point;
use gflowcausal_graph::NodeSet;
use rustc_hash::FxHashMap;

use crate::LocalScore;

/// How many terms are kept unless something else is asked for: about 100 MB up to 128 variables.
const DEFAULT_CAPACITY: usize = 1 << 21;

/// Into how many parts the terms of one variable are cut, so that threads seldom wait for each other.
const LANES: usize = 8;

/// A local score that remembers its terms.
///
/// Terms are pure functions of the variable and its parents, so what is forgotten changes nothing but the time. Each
/// part keeps two generations: a full young one becomes the old one, and what is asked for again moves back. A term
/// is computed outside the lock; two threads may compute the same one, never wait for one.
#[derive(Debug)]
pub struct Cached<S> {
    score: S,
    lanes: Vec<Mutex<Generations>>,
    generation_size: usize,
}

#[derive(Debug, Default)]
struct Generations {
    young: FxHashMap<NodeSet, f64>,
    old: FxHashMap<NodeSet, f64>,
}

impl<S: LocalScore> Cached<S> {
    /// Remembers up to about two million terms of `score`.
    #[must_use]
    pub fn new(score: S) -> Self {
        Self::with_capacity(score, DEFAULT_CAPACITY)
    }

    /// Remembers up to `capacity` terms of `score` (at least two for each variable and lane).
    #[must_use]
    pub fn with_capacity(score: S, capacity: usize) -> Self {
        let lanes = score.nodes() * LANES;
        let lane = || Mutex::new(Generations::default());
        Self {
            generation_size: (capacity / lanes.max(1) / 2).max(1),
            lanes: (0..lanes).map(|_| lane()).collect(),
            score,
        }
    }

    /// The score behind the memory.
    #[must_use]
    pub fn inner(&self) -> &S {
        &self.score
    }

    fn lane(&self, node: usize, parents: &NodeSet) -> &Mutex<Generations> {
        let mixed =
            parents.words().iter().fold(0, |mix: u64, word| (mix ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15));
        &self.lanes[node * LANES + (mixed >> 61) as usize]
    }
}

/// A map of pure values is valid even if a thread died while it held the lock.
fn locked(lane: &Mutex<Generations>) -> MutexGuard<'_, Generations> {
    lane.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Generations {
    fn recall(&mut self, parents: &NodeSet, size: usize) -> Option<f64> {
        if let Some(&term) = self.young.get(parents) {
            return Some(term);
        }
        let (parents, term) = self.old.remove_entry(parents)?;
        self.remember(parents, term, size);
        Some(term)
    }

    fn remember(&mut self, parents: NodeSet, term: f64, size: usize) {
        if self.young.len() >= size {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(parents, term);
    }
}

impl<S: LocalScore> LocalScore for Cached<S> {
    fn name(&self) -> &'static str {
        self.score.name()
    }

    fn nodes(&self) -> usize {
        self.score.nodes()
    }

    fn local(&self, node: usize, parents: &NodeSet) -> f64 {
        let lane = self.lane(node, parents);
        if let Some(term) = locked(lane).recall(parents, self.generation_size) {
            return term;
        }
        cancellation_point();
        let term = self.score.local(node, parents);
        locked(lane).remember(parents.clone(), term, self.generation_size);
        term
    }

    fn known(&self, node: usize, parents: &NodeSet) -> Option<f64> {
        locked(self.lane(node, parents)).recall(parents, self.generation_size)
    }

    fn parent_limit(&self) -> usize {
        self.score.parent_limit()
    }

    fn is_score_equivalent(&self) -> bool {
        self.score.is_score_equivalent()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    /// The sum of the parents' numbers, and how often it was asked for.
    struct Counting(AtomicU64);

    impl LocalScore for Counting {
        fn name(&self) -> &'static str {
            "counting"
        }

        fn nodes(&self) -> usize {
            10
        }

        fn local(&self, node: usize, parents: &NodeSet) -> f64 {
            self.0.fetch_add(1, Ordering::Relaxed);
            parents.iter().map(|parent| (parent * parent + node) as f64).sum()
        }
    }

    /// The number of evaluations and of remembered terms after each of 512 sets was asked for twice.
    fn asked_twice(capacity: usize) -> (u64, usize) {
        let cached = Cached::with_capacity(Counting(AtomicU64::new(0)), capacity);
        let set = |bits: usize| NodeSet::of(10, (0..9).filter(|bit| bits >> bit & 1 == 1));
        for bits in (0..512).chain(0..512) {
            let expected = Counting(AtomicU64::new(0)).local(9, &set(bits));
            assert_eq!(cached.local(9, &set(bits)).to_bits(), expected.to_bits());
        }
        let remembered = cached.lanes.iter().map(locked).map(|lane| lane.young.len() + lane.old.len()).sum();
        (cached.inner().0.load(Ordering::Relaxed), remembered)
    }

    #[test]
    fn what_a_cache_knows_was_computed_before() {
        let cached = Cached::new(Counting(AtomicU64::new(0)));
        let set = NodeSet::of(10, [2]);
        assert_eq!(cached.known(1, &set), None);
        cached.local(1, &set);
        assert_eq!(cached.known(1, &set), Some(5.0));
        assert_eq!(cached.inner().0.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn a_cache_forgets_but_never_lies() {
        assert_eq!(asked_twice(DEFAULT_CAPACITY), (512, 512));
        let (evaluations, remembered) = asked_twice(160);
        assert!((512..=1024).contains(&evaluations));
        assert!(remembered <= 160, "{remembered} terms in a cache of 160");
    }
}
