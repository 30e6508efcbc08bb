//! Local terms remembered by variable and parent set: bounded, shared by threads, without effect on any result.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

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
    hits: AtomicU64,
    misses: AtomicU64,
}

#[derive(Debug, Default)]
struct Generations {
    young: FxHashMap<NodeSet, f64>,
    old: FxHashMap<NodeSet, f64>,
}

/// How often a [`Cached`] score knew the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CacheCounts {
    /// Terms that were remembered.
    pub hits: u64,
    /// Terms that had to be computed.
    pub misses: u64,
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
            hits: AtomicU64::new(0),
            misses: AtomicU64::new(0),
            score,
        }
    }

    /// The score behind the memory.
    #[must_use]
    pub fn inner(&self) -> &S {
        &self.score
    }

    /// How often the answer was known so far.
    #[must_use]
    pub fn counts(&self) -> CacheCounts {
        CacheCounts { hits: self.hits.load(Ordering::Relaxed), misses: self.misses.load(Ordering::Relaxed) }
    }

    /// How many terms are remembered now.
    #[must_use]
    pub fn len(&self) -> usize {
        self.lanes.iter().map(locked).map(|lane| lane.young.len() + lane.old.len()).sum()
    }

    /// Whether nothing is remembered.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
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
            self.hits.fetch_add(1, Ordering::Relaxed);
            return term;
        }
        self.misses.fetch_add(1, Ordering::Relaxed);
        let term = self.score.local(node, parents);
        locked(lane).remember(parents.clone(), term, self.generation_size);
        term
    }

    fn parent_limit(&self) -> usize {
        self.score.parent_limit()
    }

    fn is_score_equivalent(&self) -> bool {
        self.score.is_score_equivalent()
    }
}
