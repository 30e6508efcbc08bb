//! The few parent sets of a variable that are not made of its candidates alone.

use gflowcausal_determinism::log_add;
use gflowcausal_graph::NodeSet;

use super::SumsAround;

/// A sum of weights below this may have lost some of them: they are added up as logarithms instead.
const SMALL: f64 = 1e-280;

/// A logarithm so small that a share of this size is lost in rounding.
const NEGLIGIBLE: f64 = -40.0;

/// A parent set with a variable that is no candidate.
#[derive(Debug, Clone)]
pub(super) struct ExtraSet {
    pub(super) parents: NodeSet,
    pub(super) term: f64,
    /// One that is no candidate; the only one in most sets, so that the test of its bit is enough.
    non_candidate: usize,
    is_only_one: bool,
    /// `exp(term − largest)`.
    weight: f64,
}

/// Parent sets with non-candidates, and their sums.
#[derive(Debug, Clone)]
pub(super) struct ExtraSets {
    sets: Vec<ExtraSet>,
    largest: f64,
    /// At least `ln Σ exp(term)` over all of them.
    log_bound: f64,
}

impl ExtraSets {
    /// Distinct sets with their terms; `inside` holds the candidates, `required` what every set has.
    pub(super) fn new(sets: Vec<(f64, NodeSet)>, inside: &NodeSet, required: &NodeSet) -> Self {
        let largest = sets.iter().map(|&(term, _)| term).fold(f64::NEG_INFINITY, f64::max);
        let extra = |(term, parents): (f64, NodeSet)| {
            let non_candidate = parents.iter().find(|&parent| !inside.contains(parent));
            let non_candidate = non_candidate.expect("a set with a variable that is no candidate");
            let is_only_one = parents.without(non_candidate) == *required;
            ExtraSet { parents, term, non_candidate, is_only_one, weight: (term - largest).exp() }
        };
        let log_bound = largest + (sets.len() as f64).ln();
        Self { sets: sets.into_iter().map(extra).collect(), largest, log_bound }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &ExtraSet> {
        self.sets.iter()
    }

    /// The term of `parents`, if it is one of the sets.
    pub(super) fn term(&self, parents: &NodeSet) -> Option<f64> {
        self.sets.iter().find(|extra| extra.parents == *parents).map(|extra| extra.term)
    }

    /// `ln Σ exp(term)` over the sets within `within`, which holds what is required, that pass `keep`.
    pub(super) fn log_sum(&self, within: &NodeSet, keep: impl Fn(&ExtraSet) -> bool) -> f64 {
        let kept = || self.sets.iter().filter(|extra| extra.is_within(within) && keep(extra));
        let sum: f64 = kept().map(|extra| extra.weight).sum();
        if sum > SMALL {
            return self.largest + sum.ln();
        }
        kept().fold(f64::NEG_INFINITY, |sum, extra| log_add(sum, extra.term))
    }

    /// Whether all of them together change a sum of `log_reference` by less than rounding does.
    #[inline]
    pub(super) fn are_negligible(&self, log_reference: f64) -> bool {
        self.sets.is_empty() || self.log_bound < log_reference + NEGLIGIBLE
    }

    /// Whether a set outweighs the sum `log_reference` so much that a product of a few ratios to it may overflow.
    pub(super) fn outweigh(&self, log_reference: f64) -> bool {
        self.largest - log_reference > 300.0
    }

    /// Adds the sets that lie within each of the four; what is required must be checked beside.
    pub(super) fn add_around(&self, sums: &mut SumsAround, before: &NodeSet, last: &NodeSet, other: usize) {
        let scale = (self.largest - sums.log_reference).exp();
        for extra in self.sets.iter().filter(|extra| extra.is_within_both(before, other)) {
            let weight = scale * extra.weight;
            let has_other = extra.parents.contains(other);
            let touches = extra.touches(last);
            sums.all += weight;
            if !has_other {
                sums.without_other += weight;
            }
            if !touches {
                sums.without_last += weight;
            }
            if !has_other && !touches {
                sums.without_both += weight;
            }
        }
    }
}

impl ExtraSet {
    #[inline]
    pub(super) fn is_within(&self, within: &NodeSet) -> bool {
        within.contains(self.non_candidate) && (self.is_only_one || self.parents.is_subset(within))
    }

    /// Whether the set lies within `before` and `other`.
    #[inline]
    fn is_within_both(&self, before: &NodeSet, other: usize) -> bool {
        let contains = |node: usize| node == other || before.contains(node);
        contains(self.non_candidate) && (self.is_only_one || self.parents.iter().all(contains))
    }

    /// Whether the set has a member of `touching`, which has none of the required parents.
    #[inline]
    pub(super) fn touches(&self, touching: &NodeSet) -> bool {
        touching.contains(self.non_candidate) || (!self.is_only_one && !self.parents.is_disjoint(touching))
    }
}
