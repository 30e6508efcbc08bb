//! Plain grow–shrink for any local score: the reference, and the search for scores too expensive to evaluate every candidate.

use gflowcausal_graph::{Constraints, NodeSet};

use super::{BestParents, optional_parents, parent_limit};
use crate::{LocalScore, OrderModularScore};

/// Grows a parent set by the candidate that raises the local score most until none does, then shrinks it likewise.
///
/// Of candidates with equal scores the smallest index is taken. It evaluates `O(k·d)` local terms a query, so the
/// score is usually [`Cached`](crate::Cached).
#[derive(Debug)]
pub struct GrowShrink<S> {
    score: S,
    constraints: Constraints,
}

impl<S: LocalScore> GrowShrink<S> {
    /// A search with `score` within `constraints`.
    ///
    /// # Panics
    /// If the two have different numbers of variables.
    #[must_use]
    pub fn new(score: S, constraints: Constraints) -> Self {
        assert_eq!(score.nodes(), constraints.nodes(), "a score and constraints of different variables");
        Self { score, constraints }
    }

    /// The local score.
    #[must_use]
    pub fn local_score(&self) -> &S {
        &self.score
    }

    fn search(&self, node: usize, before: &NodeSet) -> Option<(f64, NodeSet)> {
        let required = self.constraints.required(node);
        if !required.is_subset(before) {
            return None;
        }
        let mut candidates = optional_parents(&self.constraints, node);
        candidates.intersect_with(before);
        let empty = (self.score.local(node, required), required.clone());
        let grown = self.grow(node, candidates, empty);
        Some(self.shrink(node, grown))
    }

    fn grow(&self, node: usize, mut candidates: NodeSet, start: (f64, NodeSet)) -> (f64, NodeSet) {
        let limit = parent_limit(&self.score, &self.constraints, node);
        let mut now = start;
        while let Some(better) = self.best_addition(node, &candidates, &now, limit) {
            candidates.subtract(&better.1);
            now = better;
        }
        now
    }

    fn best_addition(
        &self,
        node: usize,
        candidates: &NodeSet,
        (floor, parents): &(f64, NodeSet),
        limit: usize,
    ) -> Option<(f64, NodeSet)> {
        let has_room = parents.len() < limit;
        let wider = candidates.iter().filter(|_| has_room).map(|candidate| parents.with(candidate));
        self.best_above(node, wider, *floor)
    }

    fn shrink(&self, node: usize, grown: (f64, NodeSet)) -> (f64, NodeSet) {
        let required = self.constraints.required(node);
        let mut now = grown;
        loop {
            let optional = now.1.iter().filter(|&parent| !required.contains(parent));
            let narrower = optional.map(|parent| now.1.without(parent));
            let Some(better) = self.best_above(node, narrower, now.0) else { return now };
            now = better;
        }
    }

    /// The first of the best `sets`, if it beats `floor`.
    fn best_above(
        &self,
        node: usize,
        sets: impl Iterator<Item = NodeSet>,
        floor: f64,
    ) -> Option<(f64, NodeSet)> {
        let mut best: Option<(f64, NodeSet)> = None;
        for set in sets {
            let value = self.score.local(node, &set);
            if value > best.as_ref().map_or(floor, |(highest, _)| *highest) {
                best = Some((value, set));
            }
        }
        best
    }
}

impl<S: LocalScore> OrderModularScore for GrowShrink<S> {
    fn local(&self, node: usize, before: &NodeSet) -> f64 {
        self.search(node, before).map_or(f64::NEG_INFINITY, |(value, _)| value)
    }
}

impl<S: LocalScore> BestParents for GrowShrink<S> {
    fn best_parents(&self, node: usize, before: &NodeSet) -> Option<NodeSet> {
        self.search(node, before).map(|(_, parents)| parents)
    }
}
