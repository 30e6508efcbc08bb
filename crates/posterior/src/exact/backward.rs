//! Backward sums: the weight of everything that can follow each ancestral set, and the marginals that come with it.

use std::sync::atomic::{AtomicBool, Ordering};

use gflowcausal_determinism::map;

use super::ExactError;
use super::forward::ForwardSums;
use super::local_sums::LocalSums;
use super::scaled::power_of_two;
use super::subsets::{SubsetProducts, members};

/// How many tasks the sets of one size are cut into.
const TASKS: usize = 64;

/// How many partial sums a vector is added up in.
const LANES: usize = 8;

/// `C(A)`, the weight of all acyclic choices of parents for the variables outside A when those inside have their
/// parents inside: `values[A] · 2^scales[A]`.
///
/// `C(A) = Σ_{∅≠T⊆V∖A} (−1)^(|T|+1) C(A∪T) Π_{j∈T} F_j(A)`, where T are some of the variables with all parents in A.
/// The terms are at most `2^s` times the sum if `s` variables have all parents in A, so little is lost to cancellation.
#[derive(Debug)]
pub(super) struct BackwardSums {
    pub(super) values: Vec<f64>,
    pub(super) scales: Vec<i32>,
}

/// Probabilities of edges and of paths, row by row: the row is the cause.
#[derive(Debug, Clone)]
pub(super) struct Marginals {
    pub(super) edges: Vec<f64>,
    pub(super) ancestors: Vec<f64>,
}

impl Marginals {
    fn zero(nodes: usize) -> Self {
        Self { edges: vec![0.0; nodes * nodes], ancestors: vec![0.0; nodes * nodes] }
    }

    fn add(&mut self, other: &Self) {
        let add = |to: &mut [f64], from: &[f64]| to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
        add(&mut self.edges, &other.edges);
        add(&mut self.ancestors, &other.ancestors);
    }
}

impl BackwardSums {
    /// Largest sets first; sets of one size side by side.
    pub(super) fn new(
        sums: &LocalSums,
        forward: &ForwardSums,
        stop: &AtomicBool,
    ) -> Result<(Self, Marginals), ExactError> {
        let all = sums.all();
        let mut backward = Self { values: vec![0.0; 1 << sums.nodes], scales: sums.scales_after() };
        backward.values[all as usize] = 1.0;
        let mut marginals = Marginals::zero(sums.nodes);
        for size in (0..sums.nodes as u32).rev() {
            let sets: Vec<u32> = (0..=all).filter(|set| set.count_ones() == size).collect();
            let length = sets.len().div_ceil(TASKS);
            let tasks = map(sets.len().div_ceil(length), |task| {
                let sets = &sets[task * length..sets.len().min((task + 1) * length)];
                Task::new(sums, forward, &backward).run(sets, stop)
            });
            for (sets, (values, part)) in sets.chunks(length).zip(tasks) {
                sets.iter().zip(values).for_each(|(&set, value)| backward.values[set as usize] = value);
                marginals.add(&part);
            }
            if stop.load(Ordering::Relaxed) {
                return Err(ExactError::Stopped);
            }
        }
        Ok((backward, marginals))
    }
}

/// One task: some sets of one size.
struct Task<'a> {
    sums: &'a LocalSums,
    forward: &'a ForwardSums,
    backward: &'a BackwardSums,
    products: SubsetProducts,
    /// The terms of one set, by T.
    terms: Vec<f64>,
    scratch: Vec<f64>,
    marginals: Marginals,
}

impl<'a> Task<'a> {
    fn new(sums: &'a LocalSums, forward: &'a ForwardSums, backward: &'a BackwardSums) -> Self {
        let products = SubsetProducts::default();
        let (terms, scratch, marginals) = (Vec::new(), Vec::new(), Marginals::zero(sums.nodes));
        Self { sums, forward, backward, products, terms, scratch, marginals }
    }

    /// `C(A)` of each set, and what the sets add to the marginals.
    fn run(mut self, sets: &[u32], stop: &AtomicBool) -> (Vec<f64>, Marginals) {
        let values = sets.iter().map(|&set| {
            if stop.load(Ordering::Relaxed) {
                return 0.0;
            }
            self.fill_terms(set);
            self.fold(set)
        });
        let values = values.collect();
        (values, self.marginals)
    }

    /// `(−1)^(|T|+1) C(A∪T) Π_{j∈T} F_j(A)` for every T, as multiples of the scale of A; zero for the empty one.
    fn fill_terms(&mut self, set: u32) {
        let BackwardSums { values, scales } = self.backward;
        self.products.fill(self.sums.all() & !set, self.sums.row(set));
        let reference = scales[set as usize];
        self.terms.clear();
        for row in &self.products.outer {
            let (value, exponent, base) = (-row.value, row.exponent - reference, set | row.set);
            let inner = self.products.values.iter().zip(&self.products.exponents).zip(&self.products.sets);
            self.terms.extend(inner.map(|((factor, shift), set)| {
                let target = (base | set) as usize;
                value * factor * values[target] * power_of_two(exponent + shift + scales[target])
            }));
        }
    }

    /// Adds up the terms: all, those whose T has each variable, those whose T has each pair.
    ///
    /// With the sums over T that have j, `D_j(A) = Z(A)/Z · Σ_{T∋j}` is the probability that A is ancestral and j
    /// alone outside A has all its parents there; over all A that adds up to 1 for each j. With T that has i and j,
    /// inclusion–exclusion over the sinks of the ancestors of j gives the paths. `4·2^m` additions for `m` variables
    /// outside A.
    fn fold(&mut self, set: u32) -> f64 {
        let free: Vec<usize> = members(self.sums.all() & !set).collect();
        let share = self.share(set);
        for (at, &node) in free.iter().enumerate().rev() {
            let (without, with) = self.terms[..2 << at].split_at_mut(1 << at);
            self.scratch.clear();
            self.scratch.extend_from_slice(with);
            without.iter_mut().zip(&*with).for_each(|(without, with)| *without += with);
            if share > 0.0 {
                self.add_paths(node, &free[..at], share);
                self.add_edges(set, node, share * self.scratch[0]);
            }
        }
        self.terms[0]
    }

    /// `Z(A)/Z`, times the scale of `C(A)`.
    fn share(&self, set: u32) -> f64 {
        let (set, all) = (set as usize, self.sums.all() as usize);
        let ForwardSums { values, scales } = self.forward;
        let scale = power_of_two(scales[set] + self.backward.scales[set] - scales[all]);
        values[set] / values[all] * scale
    }

    /// Folds the sums over T that have `node` down to one number, and on the way those of each pair with a variable
    /// of `others` outside A: both are then ancestors of each other in the sum.
    fn add_paths(&mut self, node: usize, others: &[usize], share: f64) {
        let nodes = self.sums.nodes;
        for (at, &other) in others.iter().enumerate().rev() {
            let (without, with) = self.scratch[..2 << at].split_at_mut(1 << at);
            let both = share * sum(with);
            without.iter_mut().zip(&*with).for_each(|(without, with)| *without += with);
            self.marginals.ancestors[node * nodes + other] += both;
            self.marginals.ancestors[other * nodes + node] += both;
        }
    }

    /// Adds the probability that `node` gets its parents from `set` to those of its edges and paths.
    fn add_edges(&mut self, set: u32, node: usize, probability: f64) {
        let nodes = self.sums.nodes;
        let all = self.sums.row(set)[node];
        for parent in members(set) {
            let without = self.sums.row(set & !(1 << parent))[node];
            self.marginals.ancestors[parent * nodes + node] += probability;
            if probability > 0.0 {
                self.marginals.edges[parent * nodes + node] -= probability * (without - all).exp_m1();
            }
        }
    }
}

/// The sum of `values`, in a fixed number of partial sums.
pub(super) fn sum(values: &[f64]) -> f64 {
    let (chunks, rest) = values.as_chunks::<LANES>();
    let mut lanes = [0.0; LANES];
    for chunk in chunks {
        lanes.iter_mut().zip(chunk).for_each(|(lane, value)| *lane += value);
    }
    lanes.iter().sum::<f64>() + rest.iter().sum::<f64>()
}
