//! All parent sets of one variable: a table over subsets of its candidates, and a few sets beside it.

use std::sync::OnceLock;

use gflowcausal_determinism::{StreamRng, categorical, exp_or_zero, log_add, log_sum_exp, rand::RngExt};
use gflowcausal_graph::NodeSet;

use super::bit_gather::Gather;
use super::extra_parent_sets::{ExtraSet, ExtraSets};
use super::sampling::SubsetSums;
use super::zeta::{max_subsets, spread, squeeze, subsets, sum_subsets};
use super::{SumsAround, TableProblem, TableSettings};
use crate::ScoreError;

/// A difference of two sums is trusted down to this share of the larger: its relative error is then below 1e−7.
const TRUSTED_SHARE: f64 = 1e-6;

/// The parent sets of one variable with their terms and sums.
#[derive(Debug)]
pub(super) struct NodeTable {
    nodes: usize,
    pub(super) required: NodeSet,
    /// The candidates, required ones among them, ascending.
    pub(super) candidates: Vec<usize>,
    inside: NodeSet,
    /// The candidates that are not required: the bits of an index into the tables.
    optional: Vec<usize>,
    gather: Gather,
    /// The term of the required parents and each subset of the optional ones.
    terms: Vec<f64>,
    /// `ln Σ exp(term)` over the subsets of each set.
    sums: Vec<f64>,
    /// For each optional candidate the sums over the sets that have it, its bit taken out: made when first needed,
    /// absent where they would take too much memory.
    containing: Vec<OnceLock<Vec<f64>>>,
    extra: ExtraSets,
    /// `ln Σ exp(term)` over all sets.
    pub(super) log_total: f64,
    /// The indices into the tables by falling terms: made when first drawn from.
    by_term: OnceLock<Vec<u32>>,
}

impl NodeTable {
    pub(super) fn new(
        problem: &TableProblem<'_>,
        node: usize,
        candidates: &NodeSet,
    ) -> Result<Self, ScoreError> {
        let TableProblem { constraints, settings, .. } = *problem;
        let required = constraints.required(node).clone();
        let mut inside = candidates.clone();
        inside.intersect_with(constraints.allowed_parents(node));
        inside.union_with(&required);
        let optional: Vec<usize> = inside.iter().filter(|&parent| !required.contains(parent)).collect();
        if optional.len() > settings.max_candidates {
            let (sets, limit) = (1 << optional.len().min(127), 1 << settings.max_candidates);
            return Err(ScoreError::TooManyParentSets { node, sets, limit });
        }
        let gather = Gather::new(&optional);
        let terms = problem.terms(node, &required, &optional)?;
        let mut table = Self {
            nodes: constraints.nodes(),
            candidates: inside.iter().collect(),
            sums: Vec::new(),
            containing: Vec::new(),
            extra: ExtraSets::new(Vec::new(), &inside, &required),
            required,
            inside,
            optional,
            gather,
            terms,
            log_total: f64::NEG_INFINITY,
            by_term: OnceLock::new(),
        };
        table.add_extra_sets(problem, node)?;
        table.sums = table.terms.clone();
        sum_subsets(&mut table.sums);
        table.log_total = table.log_sum(&NodeSet::full(table.nodes));
        if TableSettings::sums_with_each_fit(table.nodes, table.optional.len()) {
            table.containing = table.optional.iter().map(|_| OnceLock::new()).collect();
        }
        Ok(table)
    }

    /// Adds the required parents with each variable that is no candidate, and the parents in the given graphs that are missing.
    fn add_extra_sets(&mut self, problem: &TableProblem<'_>, node: usize) -> Result<(), ScoreError> {
        let mut extra = Vec::new();
        if self.required.len() < problem.limit(node) {
            let allowed = problem.constraints.allowed_parents(node).iter();
            let non_candidates = allowed.filter(|&parent| !self.inside.contains(parent));
            extra.extend(non_candidates.map(|non_candidate| self.required.with(non_candidate)));
        }
        for parents in problem.graphs.iter().map(|graph| graph.parents(node)) {
            if !problem.constraints.permits_parents(node, parents) {
                return Err(ScoreError::ForbiddenGraph { node });
            }
            if parents.is_subset(&self.inside) {
                // Only a set beyond what the data can tell apart is missing here.
                let term = &mut self.terms[self.gather.index(parents)];
                if *term == f64::NEG_INFINITY {
                    *term = problem.term(node, parents);
                }
            } else if !extra.contains(parents) {
                extra.push(parents.clone());
            }
        }
        let scored = extra.into_iter().map(|parents| (problem.term(node, &parents), parents)).collect();
        self.extra = ExtraSets::new(scored, &self.inside, &self.required);
        Ok(())
    }

    pub(super) fn possible_parents(&self) -> NodeSet {
        let mut possible = self.inside.clone();
        self.extra.iter().for_each(|extra| possible.union_with(&extra.parents));
        possible
    }

    pub(super) fn only_term_with(&self, parent: usize) -> Option<f64> {
        let mut with = self.extra.iter().filter(|extra| extra.parents.contains(parent));
        let only = with.next().filter(|extra| extra.parents == self.required.with(parent))?;
        (!self.inside.contains(parent) && with.next().is_none()).then_some(only.term)
    }

    pub(super) fn log_sum(&self, within: &NodeSet) -> f64 {
        if !self.required.is_subset(within) {
            return f64::NEG_INFINITY;
        }
        let inside = self.sums[self.gather.index(within)];
        if self.extra.are_negligible(inside) {
            return inside;
        }
        log_add(inside, self.extra.log_sum(within, |_| true))
    }

    pub(super) fn log_sum_touching(&self, within: &NodeSet, touching: &NodeSet) -> f64 {
        if !self.required.is_subset(within) {
            return f64::NEG_INFINITY;
        }
        if !self.required.is_disjoint(touching) {
            return self.log_sum(within);
        }
        let touched = self.gather.index(touching);
        let inside = self.touching_inside(self.gather.index(within), touched);
        if self.extra.are_negligible(inside) {
            return inside;
        }
        log_add(inside, self.extra.log_sum(within, |extra| extra.touches(touching)))
    }

    pub(super) fn sums_around(&self, before: &NodeSet, last: &NodeSet, other: usize) -> Option<SumsAround> {
        let (inside, added) = (self.gather.index(before), self.gather.bit(other));
        let kept = inside & !self.gather.index(last);
        let log_reference = self.sums[inside | added];
        if log_reference == f64::NEG_INFINITY || self.extra.outweigh(log_reference) {
            return None;
        }
        let share = |set: usize| exp_or_zero(self.sums[set] - log_reference);
        let mut sums = SumsAround {
            log_reference,
            all: 1.0,
            without_other: share(inside),
            without_last: share(kept | added),
            without_both: share(kept),
        };
        // The smallest of the four sums decides what can be neglected.
        if !self.extra.are_negligible(self.sums[kept]) {
            self.extra.add_around(&mut sums, before, last, other);
        }
        let mut missing = self.required.clone();
        missing.subtract(before);
        let touched = !self.required.is_disjoint(last);
        if touched || !missing.is_empty() {
            sums.without_both = 0.0;
        }
        if !missing.is_empty() {
            sums.without_other = 0.0;
        }
        missing.remove(other);
        if touched || !missing.is_empty() {
            sums.without_last = 0.0;
        }
        missing.is_empty().then_some(sums)
    }

    /// `ln Σ exp(term)` over the subsets of `within` that have a bit of `touching`.
    fn touching_inside(&self, within: usize, touching: usize) -> f64 {
        let touching = touching & within;
        if touching == 0 {
            return f64::NEG_INFINITY;
        }
        let (all, others) = (self.sums[within], self.sums[within & !touching]);
        let share = -(others - all).exp_m1();
        if share > TRUSTED_SHARE {
            all + share.ln()
        } else if self.containing.is_empty() {
            let touched = subsets(within).filter(|set| set & touching != 0);
            log_sum_exp(touched.map(|set| self.terms[set]))
        } else {
            self.touching_one_by_one(within, touching)
        }
    }

    /// The same without a difference: the sets whose lowest bit of `touching` is the first, the second, and so on.
    fn touching_one_by_one(&self, mut within: usize, touching: usize) -> f64 {
        let mut sum = f64::NEG_INFINITY;
        for bit in (0..self.optional.len()).filter(|bit| touching >> bit & 1 == 1) {
            within &= !(1 << bit);
            sum = log_add(sum, self.containing(bit)[squeeze(within, bit)]);
        }
        sum
    }

    /// The sums over the sets that have `bit`, for each set of the others.
    fn containing(&self, bit: usize) -> &[f64] {
        self.containing[bit].get_or_init(|| {
            let with = |set: usize| self.terms[spread(set, bit) | 1 << bit];
            let mut sums: Vec<f64> = (0..self.terms.len() / 2).map(with).collect();
            sum_subsets(&mut sums);
            sums
        })
    }

    /// As if the sums over the sets that have a candidate did not fit in memory.
    #[cfg(test)]
    pub(super) fn forget_containing(&mut self) {
        self.containing.clear();
    }

    pub(super) fn log_score(&self, parents: &NodeSet) -> f64 {
        if parents.is_subset(&self.inside) && self.required.is_subset(parents) {
            return self.terms[self.gather.index(parents)];
        }
        self.extra.term(parents).unwrap_or(f64::NEG_INFINITY)
    }

    /// The largest term within each set of optional candidates.
    pub(super) fn maxima(&self) -> Vec<f64> {
        let mut maxima = self.terms.clone();
        max_subsets(&mut maxima);
        maxima
    }

    /// The largest term within `within`, given the [`maxima`](Self::maxima); −∞ if no set is allowed.
    pub(super) fn largest(&self, maxima: &[f64], within: &NodeSet) -> f64 {
        if !self.required.is_subset(within) {
            return f64::NEG_INFINITY;
        }
        let extra = self.extra.iter().filter(|extra| extra.is_within(within)).map(|extra| extra.term);
        extra.fold(maxima[self.gather.index(within)], f64::max)
    }

    /// A parent set within `within` whose term is the largest: of equal ones in the table the smallest index.
    pub(super) fn best_within(&self, within: &NodeSet) -> NodeSet {
        let inside = subsets(self.gather.index(within)).map(|set| (self.terms[set], Drawn::Inside(set)));
        let extra = self.extra.iter().filter(|extra| extra.is_within(within));
        let extra = extra.map(|extra| (extra.term, Drawn::Extra(&extra.parents)));
        let best = extra.chain(inside).max_by(|a, b| a.0.total_cmp(&b.0));
        match best.expect("the empty subset is one").1 {
            Drawn::Inside(set) => self.members(set),
            Drawn::Extra(parents) => parents.clone(),
        }
    }

    /// The logarithm of the share of the sets with non-candidates among all.
    pub(super) fn log_outside_share(&self) -> f64 {
        self.extra.log_sum(&NodeSet::full(self.nodes), |_| true) - self.log_total
    }

    /// Parents within `within` that have a member of `touching`, if given, and `ln Σ exp(term)` over all such sets.
    pub(super) fn sample(
        &self,
        within: &NodeSet,
        touching: Option<&NodeSet>,
        rng: &mut StreamRng,
    ) -> (NodeSet, f64) {
        let touching = touching.filter(|touching| self.required.is_disjoint(touching));
        let index = self.gather.index(within);
        let touched = touching.map(|touching| self.gather.index(touching));
        let has_required = self.required.is_subset(within);
        let inside = match touched {
            _ if !has_required => f64::NEG_INFINITY,
            Some(touched) => self.touching_inside(index, touched),
            None => self.sums[index],
        };
        let is_open = |extra: &&ExtraSet| {
            extra.is_within(within) && touching.is_none_or(|touching| extra.touches(touching))
        };
        let mut total = inside;
        if has_required && !self.extra.are_negligible(inside) {
            let extra = self.extra.log_sum(within, |extra| is_open(&extra));
            total = log_add(inside, extra);
            if extra > f64::NEG_INFINITY && rng.random::<f64>() >= (inside - total).exp() {
                let weighted = self.extra.iter().filter(is_open);
                let weighted = weighted.map(|set| (&set.parents, (set.term - extra).exp()));
                let drawn = categorical(weighted, rng.random()).expect("the sum is that of these sets");
                return (drawn.clone(), total);
            }
        }
        assert!(total > f64::NEG_INFINITY, "some parent set is allowed");
        let sums = SubsetSums { sums: &self.sums, terms: &self.terms };
        let drawn = match touched {
            Some(touched) => sums.sample_touching(index, touched, rng),
            None => Some(sums.sample(index, rng)),
        };
        // Rounding may lead to an impossible set, though hardly ever.
        let drawn = drawn.filter(|&set| self.terms[set] > f64::NEG_INFINITY);
        let drawn = drawn.unwrap_or_else(|| self.sample_by_terms(index, touched, inside, rng));
        (self.members(drawn), total)
    }

    /// A set of rare ones, whose sum is `total`, in proportion to its term: goes through all sets by falling terms until
    /// the drawn one is reached.
    fn sample_by_terms(
        &self,
        within: usize,
        touching: Option<usize>,
        total: f64,
        rng: &mut StreamRng,
    ) -> usize {
        let sets = self.by_term().iter().map(|&set| set as usize).filter(|set| set & !within == 0);
        let sets = sets.filter(|set| touching.is_none_or(|touching| set & touching != 0));
        let weighted = sets.map(|set| (set, (self.terms[set] - total).exp()));
        categorical(weighted, rng.random()).expect("the total is the sum over the sets")
    }

    fn by_term(&self) -> &[u32] {
        self.by_term.get_or_init(|| {
            let mut sets: Vec<u32> = (0..self.terms.len() as u32).collect();
            sets.sort_by(|&a, &b| self.terms[b as usize].total_cmp(&self.terms[a as usize]));
            sets
        })
    }

    fn members(&self, set: usize) -> NodeSet {
        let mut members = self.required.clone();
        let chosen = self.optional.iter().enumerate().filter(|(bit, _)| set >> bit & 1 == 1);
        chosen.for_each(|(_, &parent)| _ = members.insert(parent));
        members
    }
}

/// A parent set in the table or beside it.
#[derive(Clone, Copy)]
enum Drawn<'a> {
    Inside(usize),
    Extra(&'a NodeSet),
}
