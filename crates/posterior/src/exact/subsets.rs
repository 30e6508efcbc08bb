//! Signed products over all subsets of a few variables, as two tables whose rows are multiplied.

use super::scaled::split_exp;

/// The most variables of the inner table: it stays in the fastest cache.
const INNER: usize = 10;

/// So many variables go to the outer table at least, so that the inner one is used more than once.
const OUTER: usize = 2;

/// The product over one subset: `value · 2^exponent`, and the subset as bits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Product {
    pub(super) value: f64,
    pub(super) exponent: i32,
    pub(super) set: u32,
}

/// `Π_{j∈T} (−F_j)` for all subsets T of some variables.
///
/// The subset with number `h·2^l + t` is that of the `h`-th row of `outer` and the `t`-th of the `l` inner variables;
/// bit `i` of the number stands for the `i`-th variable.
#[derive(Debug, Default)]
pub(super) struct SubsetProducts {
    pub(super) outer: Vec<Product>,
    pub(super) values: Vec<f64>,
    pub(super) exponents: Vec<i32>,
    pub(super) sets: Vec<u32>,
}

impl SubsetProducts {
    /// For the variables in `free`, with `F_j = exp(logs[j])`.
    pub(super) fn fill(&mut self, free: u32, logs: &[f64]) {
        let count = free.count_ones() as usize;
        let inner = count.saturating_sub(OUTER).min(INNER);
        self.outer.clear();
        self.values.clear();
        self.exponents.clear();
        self.sets.clear();
        self.outer.push(Product { value: 1.0, exponent: 0, set: 0 });
        self.values.push(1.0);
        self.exponents.push(0);
        self.sets.push(0);
        for (at, node) in members(free).enumerate() {
            let (value, exponent) = split_exp(logs[node]);
            if at < inner {
                self.extend_inner(-value, exponent, 1 << node);
            } else {
                self.extend_outer(-value, exponent, 1 << node);
            }
        }
    }

    fn extend_inner(&mut self, value: f64, exponent: i32, bit: u32) {
        let count = self.values.len();
        for at in 0..count {
            self.values.push(self.values[at] * value);
        }
        for at in 0..count {
            self.exponents.push(self.exponents[at] + exponent);
        }
        for at in 0..count {
            self.sets.push(self.sets[at] | bit);
        }
    }

    fn extend_outer(&mut self, value: f64, exponent: i32, bit: u32) {
        for at in 0..self.outer.len() {
            let row = self.outer[at];
            self.outer.push(Product {
                value: row.value * value,
                exponent: row.exponent + exponent,
                set: row.set | bit,
            });
        }
    }
}

/// The variables in a set of bits, ascending.
pub(super) fn members(mut set: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let member = set.trailing_zeros();
        set &= set.wrapping_sub(1);
        (member < u32::BITS).then_some(member as usize)
    })
}
