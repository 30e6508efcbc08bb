//! Draws of parent sets, one candidate after another, each by the share of the sets that have it.

use gflowcausal_determinism::{StreamRng, categorical, exp_or_zero, rand::RngExt};

use super::zeta::subsets;

/// Below this share a difference of sums is not trusted.
const TRUSTED_SHARE: f64 = 1e-6;

/// The terms of all sets of candidates, and `ln Σ exp(term)` over the subsets of each.
#[derive(Clone, Copy)]
pub(super) struct SubsetSums<'a> {
    pub(super) sums: &'a [f64],
    pub(super) terms: &'a [f64],
}

/// What is left to decide of a draw: the sets `chosen ⊆ P ⊆ within`.
struct Descent<'a> {
    table: SubsetSums<'a>,
    log_reference: f64,
    within: usize,
    chosen: usize,
    /// The sum over the sets that are left, divided by the reference.
    total: f64,
}

impl<'a> SubsetSums<'a> {
    /// A subset of `within` with probability ∝ exp(term).
    pub(super) fn sample(self, within: usize, rng: &mut StreamRng) -> usize {
        self.descent(within, 1.0).finish(within, rng)
    }

    /// The same out of those that have a bit of `touching`; none if their share is too small to be distinguished from rounding.
    pub(super) fn sample_touching(
        self,
        within: usize,
        touching: usize,
        rng: &mut StreamRng,
    ) -> Option<usize> {
        let touching = touching & within;
        let others = (self.sums[within & !touching] - self.sums[within]).exp();
        if 1.0 - others <= TRUSTED_SHARE {
            return None;
        }
        let mut descent = self.descent(within, 1.0 - others);
        let mut undecided = within;
        for bit in bits(touching) {
            undecided &= !bit;
            let without = descent.share(descent.within & !bit) - others;
            if descent.decide(bit, without, rng) {
                break;
            }
        }
        // Rounding can leave no bit of `touching`, with the probability of rounding.
        (descent.chosen != 0).then(|| descent.finish(undecided, rng))
    }

    fn descent(self, within: usize, total: f64) -> Descent<'a> {
        Descent { table: self, log_reference: self.sums[within], within, chosen: 0, total }
    }
}

impl Descent<'_> {
    fn share(&self, set: usize) -> f64 {
        exp_or_zero(self.table.sums[set] - self.log_reference)
    }

    /// The sum over the sets `chosen ⊆ P ⊆ within`, by inclusion and exclusion of the chosen.
    fn share_with_chosen(&self, within: usize) -> f64 {
        let signed = |left_out: usize| {
            let share = self.share(within & !left_out);
            if left_out.count_ones().is_multiple_of(2) { share } else { -share }
        };
        subsets(self.chosen).map(signed).sum()
    }

    /// Chooses `bit` or leaves it out, where the sets without it have the sum `without`; says which.
    fn decide(&mut self, bit: usize, without: f64, rng: &mut StreamRng) -> bool {
        let without = without.clamp(0.0, self.total);
        let is_chosen = rng.random::<f64>() * self.total >= without;
        if is_chosen {
            self.chosen |= bit;
            self.total -= without;
        } else {
            self.within &= !bit;
            self.total = without;
        }
        is_chosen
    }

    /// Decides the `undecided` bits: one by one, or all at once where that takes fewer sums.
    fn finish(mut self, undecided: usize, rng: &mut StreamRng) -> usize {
        let mut undecided = undecided & self.within & !self.chosen;
        while undecided != 0 {
            let left = undecided.count_ones();
            if (left as usize) << self.chosen.count_ones() >= 1 << left {
                return self.enumerate(undecided, rng);
            }
            let bit = undecided & undecided.wrapping_neg();
            undecided &= !bit;
            let without = self.share_with_chosen(self.within & !bit);
            self.decide(bit, without, rng);
        }
        self.chosen
    }

    /// The chosen bits and a subset of `undecided`, by the terms of all of them.
    fn enumerate(&self, undecided: usize, rng: &mut StreamRng) -> usize {
        let sets = || subsets(undecided).map(|set| set | self.chosen);
        let weight = |set: usize| exp_or_zero(self.table.terms[set] - self.log_reference);
        let total: f64 = sets().map(weight).sum();
        let drawn = categorical(sets().map(|set| (set, weight(set))), rng.random::<f64>() * total);
        drawn.unwrap_or(self.chosen)
    }
}

/// The bits of a set, one at a time, from the lowest.
fn bits(mut set: usize) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lowest = set & set.wrapping_neg();
        set &= !lowest;
        (lowest != 0).then_some(lowest)
    })
}
