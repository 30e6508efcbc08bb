//! The nodes of a grow–shrink tree: filled once, shared by threads without locks.

use std::sync::OnceLock;

use gflowcausal_graph::NodeSet;
use smallvec::SmallVec;

use super::cached_path::{CachedPath, is_among};

/// A variable in a tree, which has many of them.
pub(super) type Id = u16;

/// Where a further part of the tree hangs, or will hang.
pub(super) type Slot = OnceLock<Box<Node>>;

/// Candidates whose slots are made together: most candidates are never taken.
const CHUNK: usize = 8;

/// The parents on the path from the root, without the required ones.
pub(super) type Path = SmallVec<[Id; 32]>;

/// A parent set that a query reached: the path that the first query took from here, and a branch once another query took
/// a different one.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) path: CachedPath,
    pub(super) branch: OnceLock<Box<Branch>>,
}

/// A parent set during the grow phase.
///
/// It does not depend on the query: `candidates` are *all* variables that raise the score, best first, and a query takes
/// the first that stands before the variable in its order.
#[derive(Debug)]
pub(super) struct Branch {
    candidates: Box<[Id]>,
    slots: Box<[OnceLock<Box<[Slot; CHUNK]>>]>,
    /// Two variables that raise the score together where neither does alone, best first.
    pairs: OnceLock<Box<[Pair]>>,
    /// What shrinking makes of the set, once a query has ended here.
    result: OnceLock<ParentSetResult>,
}

#[derive(Debug)]
pub(super) struct Pair {
    members: [Id; 2],
    slot: Slot,
}

/// The result of a query.
#[derive(Debug)]
pub(super) struct ParentSetResult {
    pub(super) score: f64,
    pub(super) parents: NodeSet,
}

/// Where a query continues from a branch.
pub(super) enum Step<'t> {
    /// To a larger set.
    Grow(&'t [Id], &'t Slot),
    /// Nowhere: this is the answer.
    Stop(&'t ParentSetResult),
    /// No query was here before.
    Unknown,
}

impl Node {
    pub(super) fn new(path: CachedPath) -> Self {
        Self { path, branch: OnceLock::new() }
    }

    /// The next step of a query about the variables `before`, as far as it is known.
    #[inline]
    pub(super) fn step(&self, before: &NodeSet) -> Step<'_> {
        if self.path.is_for(before) {
            return Step::Stop(&self.path.result);
        }
        self.branch.get().map_or(Step::Unknown, |branch| branch.step(before))
    }
}

impl Branch {
    /// A branch whose `candidates` raise the score, best first.
    pub(super) fn new(candidates: Box<[Id]>) -> Self {
        let chunks = candidates.len().div_ceil(CHUNK);
        Self {
            candidates,
            slots: (0..chunks).map(|_| OnceLock::new()).collect(),
            pairs: OnceLock::new(),
            result: OnceLock::new(),
        }
    }

    #[inline]
    pub(super) fn step(&self, before: &NodeSet) -> Step<'_> {
        if let Some(index) = self.best(before) {
            let known = self.slots[index / CHUNK].get();
            return known.map_or(Step::Unknown, |chunk| {
                Step::Grow(&self.candidates[index..=index], &chunk[index % CHUNK])
            });
        }
        let Some(pairs) = self.pairs.get() else { return Step::Unknown };
        match pairs.iter().find(|pair| is_among(&pair.members, before)) {
            Some(pair) => Step::Grow(&pair.members, &pair.slot),
            None => self.result.get().map_or(Step::Unknown, Step::Stop),
        }
    }

    /// Where the best candidate among `before` stands.
    #[inline]
    fn best(&self, before: &NodeSet) -> Option<usize> {
        let words = before.words();
        self.candidates
            .iter()
            .position(|&candidate| words[usize::from(candidate / 64)] >> (candidate % 64) & 1 == 1)
    }

    /// Makes the next [`step`](Self::step) for `before` known, with `pairs` and `result` to ask if need be, and returns
    /// how many bytes it took.
    pub(super) fn learn(
        &self,
        before: &NodeSet,
        pairs: impl FnOnce() -> Vec<[Id; 2]>,
        result: impl FnOnce() -> ParentSetResult,
    ) -> usize {
        let mut bytes = 0;
        if let Some(index) = self.best(before) {
            self.slots[index / CHUNK].get_or_init(|| {
                bytes = size_of::<[Slot; CHUNK]>();
                Box::default()
            });
            return bytes;
        }
        let pairs = self.pairs.get_or_init(|| {
            let pairs: Box<[Pair]> = pairs().into_iter().map(Pair::new).collect();
            bytes = size_of_val(&*pairs);
            pairs
        });
        if !pairs.iter().any(|pair| is_among(&pair.members, before)) {
            self.result.get_or_init(result);
        }
        bytes
    }

    /// The size of a new branch.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Self>() + size_of_val(&*self.candidates) + size_of_val(&*self.slots)
    }
}

impl Pair {
    fn new(members: [Id; 2]) -> Self {
        Self { members, slot: OnceLock::new() }
    }
}
