//! A cached grow–shrink path, and the sets of predecessors for which it holds.

use gflowcausal_graph::NodeSet;

use super::node::{Id, ParentSetResult};

/// The path of one query from some parent set to its result, without the branches it passed.
///
/// Most parts of a tree are visited by one query, or by many that take the same path. A cached path then stands for the
/// whole part: two sets and a few pairs instead of a sorted list of candidates for each step.
#[derive(Debug)]
pub(super) struct CachedPath {
    /// What the path depended on: the parents taken, and those that would have been taken had they stood before.
    watched: NodeSet,
    taken: NodeSet,
    /// Pairs that would have been taken.
    missed: Vec<[Id; 2]>,
    pub(super) result: ParentSetResult,
}

impl CachedPath {
    /// Whether a query about the variables `before` that has reached the start of the path follows it to the end.
    #[inline]
    pub(super) fn is_for(&self, before: &NodeSet) -> bool {
        let sets = self.watched.words().iter().zip(self.taken.words()).zip(before.words());
        let is_same = sets.fold(true, |same, ((watched, taken), before)| same & (before & watched == *taken));
        is_same && !self.missed.iter().any(|pair| is_among(pair, before))
    }

    /// What it holds elsewhere in memory: the pairs, and the three sets when they are large.
    pub(super) fn heap_bytes(&self) -> usize {
        let words = size_of_val(self.watched.words());
        let sets = if words > 2 * size_of::<u64>() { 3 * words } else { 0 };
        sets + self.missed.capacity() * size_of::<[Id; 2]>()
    }
}

/// A path being recorded.
pub(super) struct PathRecorder<'q> {
    before: &'q NodeSet,
    watched: NodeSet,
    taken: NodeSet,
    missed: Vec<[Id; 2]>,
}

impl<'q> PathRecorder<'q> {
    /// An empty path.
    pub(super) fn new(nodes: usize, before: &'q NodeSet) -> Self {
        Self { before, watched: NodeSet::empty(nodes), taken: NodeSet::empty(nodes), missed: Vec::new() }
    }

    /// The best of `useful` that stands before, which joins the path; the better ones are watched.
    pub(super) fn single(&mut self, useful: &[(f64, Id)]) -> Option<Id> {
        let present = useful.iter().filter(|(_, candidate)| self.before.contains(usize::from(*candidate)));
        let best = present.reduce(|best, next| if is_better(next, best) { next } else { best });
        for candidate in useful.iter().filter(|&candidate| best.is_none_or(|best| is_better(candidate, best)))
        {
            self.watched.insert(usize::from(candidate.1));
        }
        best.map(|&(_, parent)| self.take(parent))
    }

    /// The first of `pairs` of which both stand before, which joins the path.
    pub(super) fn pair(&mut self, pairs: &[[Id; 2]]) -> Option<[Id; 2]> {
        let found = pairs.iter().position(|pair| is_among(pair, self.before));
        self.missed.extend_from_slice(&pairs[..found.unwrap_or(pairs.len())]);
        found.map(|index| pairs[index].map(|parent| self.take(parent)))
    }

    fn take(&mut self, parent: Id) -> Id {
        self.taken.insert(usize::from(parent));
        self.watched.insert(usize::from(parent));
        parent
    }

    /// The path, which ends at `result`.
    pub(super) fn end(mut self, result: ParentSetResult) -> CachedPath {
        self.missed.shrink_to_fit();
        CachedPath { watched: self.watched, taken: self.taken, missed: self.missed, result }
    }
}

/// Whether the first comes before the second: by merit, then by index.
pub(super) fn is_better<T: Ord>((a, i): &(f64, T), (b, j): &(f64, T)) -> bool {
    a.total_cmp(b).then_with(|| j.cmp(i)).is_gt()
}

#[inline]
pub(super) fn is_among(pair: &[Id; 2], before: &NodeSet) -> bool {
    pair.iter().all(|&member| before.contains(usize::from(member)))
}
