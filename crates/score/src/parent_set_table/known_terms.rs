//! A score that is cut short: parent sets by size while there is time, and tables of those that were evaluated.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use gflowcausal_determinism::map;
use gflowcausal_graph::{Constraints, NodeSet};

use crate::LocalScore;
use crate::best_parents::parent_limit;

/// Evaluates the parent sets out of the `candidates` of each variable, the small ones of all variables first.
///
/// With a score that remembers its terms, whoever is interrupted here has the small sets, which carry most of the probability.
pub fn evaluate_by_size(score: &dyn LocalScore, constraints: &Constraints, candidates: &[NodeSet]) {
    let most = candidates.iter().map(NodeSet::len).max().unwrap_or(0);
    for size in 0..=most {
        map(score.nodes(), |node| {
            let required = constraints.required(node);
            let mut optional = candidates[node].clone();
            optional.intersect_with(constraints.allowed_parents(node));
            optional.subtract(required);
            if required.len() + size <= parent_limit(&score, constraints, node) {
                let optional: Vec<usize> = optional.iter().collect();
                for_each_of_size(&optional, size, required, &mut |parents| {
                    score.local(node, parents);
                });
            }
        });
    }
}

/// Calls `visit` with `parents` and each choice of `size` members of `others`.
fn for_each_of_size(others: &[usize], size: usize, parents: &NodeSet, visit: &mut impl FnMut(&NodeSet)) {
    if size == 0 {
        return visit(parents);
    }
    for (at, &other) in others.iter().enumerate().take((others.len() + 1).saturating_sub(size)) {
        for_each_of_size(&others[at + 1..], size - 1, &parents.with(other), visit);
    }
}

/// A score of which tables hold only the terms that are known already: all other parent sets count as impossible.
///
/// Single terms that are asked for, such as those of a graph that a search found, are computed.
pub struct KnownTerms<'a> {
    score: &'a dyn LocalScore,
    known: AtomicUsize,
    wanted: AtomicUsize,
}

impl<'a> KnownTerms<'a> {
    /// The terms of `score` that are known.
    #[must_use]
    pub fn new(score: &'a dyn LocalScore) -> Self {
        Self { score, known: AtomicUsize::new(0), wanted: AtomicUsize::new(0) }
    }

    /// Of how many parent sets that tables asked for the term was known, and how many they were.
    #[must_use]
    pub fn counts(&self) -> (usize, usize) {
        (self.known.load(Ordering::Relaxed), self.wanted.load(Ordering::Relaxed))
    }
}

impl LocalScore for KnownTerms<'_> {
    fn name(&self) -> &'static str {
        self.score.name()
    }

    fn nodes(&self) -> usize {
        self.score.nodes()
    }

    fn local(&self, node: usize, parents: &NodeSet) -> f64 {
        self.score.local(node, parents)
    }

    fn known(&self, node: usize, parents: &NodeSet) -> Option<f64> {
        self.score.known(node, parents)
    }

    fn with_each(&self, node: usize, parents: &NodeSet, more: &NodeSet) -> Vec<f64> {
        let term = |parent| self.known(node, &parents.with(parent)).unwrap_or(f64::NEG_INFINITY);
        more.iter().map(term).collect()
    }

    fn fill_subsets(
        &self,
        node: usize,
        base: &NodeSet,
        optional: &[usize],
        limit: usize,
        terms: &mut [f64],
        _stop: &AtomicBool,
    ) {
        let (mut known, mut wanted) = (0, 0);
        for (set, term) in terms.iter_mut().enumerate() {
            if base.len() + set.count_ones() as usize > limit {
                continue;
            }
            let mut parents = base.clone();
            let members = optional.iter().enumerate().filter(|(bit, _)| set >> bit & 1 == 1);
            members.for_each(|(_, &parent)| _ = parents.insert(parent));
            wanted += 1;
            if let Some(value) = self.known(node, &parents) {
                (*term, known) = (value, known + 1);
            }
        }
        self.known.fetch_add(known, Ordering::Relaxed);
        self.wanted.fetch_add(wanted, Ordering::Relaxed);
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
    use std::sync::atomic::AtomicU64;

    use gflowcausal_determinism::{StopFlag, cancellation_point, interruptible};

    use super::*;
    use crate::{Cached, ParentSetTables, TableSettings};

    /// A score that can be asked a certain number of times before the flag is set.
    struct Patient(AtomicU64, StopFlag);

    impl LocalScore for Patient {
        fn name(&self) -> &'static str {
            "patient"
        }

        fn nodes(&self) -> usize {
            5
        }

        fn local(&self, node: usize, parents: &NodeSet) -> f64 {
            cancellation_point();
            if self.0.fetch_sub(1, Ordering::Relaxed) == 1 {
                self.1.set();
            }
            -((node + 2 * parents.len()) as f64)
        }
    }

    fn settings() -> TableSettings {
        TableSettings { temperature: 1.0, edge_log_odds: 0.0, max_candidates: 4 }
    }

    #[test]
    fn what_is_interrupted_has_the_small_sets_of_every_variable() {
        let flag = StopFlag::new();
        // The empty sets, the single parents, the pairs of some.
        let score = Cached::new(Patient(AtomicU64::new(5 + 20 + 7), flag.clone()));
        let constraints = Constraints::none(5);
        let candidates: Vec<NodeSet> = (0..5).map(|node| constraints.allowed_parents(node).clone()).collect();
        let whole = interruptible(&flag, || evaluate_by_size(&score, &constraints, &candidates));
        assert!(whole.is_none());
        let known = KnownTerms::new(&score);
        let never = AtomicBool::new(false);
        let tables = ParentSetTables::new(&known, &constraints, &candidates, &[], &settings(), &never);
        let tables = tables.expect("tables of what is known");
        // Other threads may complete one term each.
        let (evaluated, wanted) = known.counts();
        assert!((32..50).contains(&evaluated) && wanted == 5 * 16, "{evaluated} of {wanted}");
        for node in 0..5 {
            let others = NodeSet::full(5).without(node);
            for parent in others.iter() {
                assert_eq!(tables.log_score(node, &NodeSet::of(5, [parent])), -((node + 2) as f64));
            }
            assert_eq!(tables.log_score(node, &others), f64::NEG_INFINITY);
        }
    }

    #[test]
    fn all_sets_are_evaluated_where_there_is_time() {
        let score = Cached::new(Patient(AtomicU64::new(u64::MAX), StopFlag::new()));
        let constraints = Constraints::none(5);
        let candidates: Vec<NodeSet> = (0..5).map(|node| constraints.allowed_parents(node).clone()).collect();
        evaluate_by_size(&score, &constraints, &candidates);
        let known = KnownTerms::new(&score);
        let never = AtomicBool::new(false);
        ParentSetTables::new(&known, &constraints, &candidates, &[], &settings(), &never).expect("tables");
        assert_eq!(known.counts(), (80, 80));
    }
}
