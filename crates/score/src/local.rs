//! What a local score is: a number for one variable and its direct causes.

use std::sync::atomic::{AtomicBool, Ordering};

use gflowcausal_graph::{Dag, NodeSet};

/// A score that is a sum over the variables of a term that depends on the variable and its parents alone.
///
/// Higher is better, natural logarithms. A value is never NaN and never infinite, and the method never panics for a
/// `node` below [`nodes`](Self::nodes) and a `parents` out of as many variables that leaves `node` out.
pub trait LocalScore: Send + Sync {
    /// The name users know it by.
    fn name(&self) -> &'static str;

    /// How many variables there are.
    fn nodes(&self) -> usize;

    /// The term of `node` when its direct causes are `parents`.
    fn local(&self, node: usize, parents: &NodeSet) -> f64;

    /// The same if it costs nothing; none if it would have to be computed at length.
    ///
    /// A score that remembers its terms has those that it remembers.
    fn known(&self, node: usize, parents: &NodeSet) -> Option<f64> {
        Some(self.local(node, parents))
    }

    /// The term of `node` with each of the variables `more`, in ascending order, beside `parents`.
    ///
    /// The same as [`local`](Self::local) one by one, up to rounding; a score may have a faster algorithm.
    fn with_each(&self, node: usize, parents: &NodeSet, more: &NodeSet) -> Vec<f64> {
        more.iter().map(|parent| self.local(node, &parents.with(parent))).collect()
    }

    /// Writes the term of `node` with the parents `base` and each subset of `optional`, as long as that makes no more
    /// than `limit` parents; the other entries stay as they are.
    ///
    /// Bit `i` of an index into `terms` stands for `optional[i]`, which must be ascending and leave out `base` and
    /// `node`. The same as [`local`](Self::local) one by one, up to rounding; a score may have a faster algorithm. Returns
    /// early when `stop` is set.
    fn fill_subsets(
        &self,
        node: usize,
        base: &NodeSet,
        optional: &[usize],
        limit: usize,
        terms: &mut [f64],
        stop: &AtomicBool,
    ) {
        for (set, term) in terms.iter_mut().enumerate() {
            if stop.load(Ordering::Relaxed) {
                return;
            }
            if base.len() + set.count_ones() as usize <= limit {
                let mut parents = base.clone();
                let members = optional.iter().enumerate().filter(|(bit, _)| set >> bit & 1 == 1);
                members.for_each(|(_, &parent)| _ = parents.insert(parent));
                *term = self.local(node, &parents);
            }
        }
    }

    /// The largest number of parents that the data can support, whatever the user allows.
    fn parent_limit(&self) -> usize {
        self.nodes().saturating_sub(1)
    }

    /// Whether Markov-equivalent graphs always get the same total.
    fn is_score_equivalent(&self) -> bool {
        false
    }
}

/// A score of a whole graph: natural logarithm, higher is better.
///
/// Every [`LocalScore`] is one; `bic-equal` is one that is not a sum of local terms.
pub trait GraphScore: Send + Sync {
    /// The score of `dag`.
    fn graph(&self, dag: &Dag) -> f64;
}

impl<S: LocalScore + ?Sized> GraphScore for S {
    /// The sum of the local terms, in the order of the variables.
    fn graph(&self, dag: &Dag) -> f64 {
        (0..dag.nodes()).map(|node| self.local(node, dag.parents(node))).sum()
    }
}

impl<S: LocalScore + ?Sized> LocalScore for &S {
    fn name(&self) -> &'static str {
        (**self).name()
    }

    fn nodes(&self) -> usize {
        (**self).nodes()
    }

    fn local(&self, node: usize, parents: &NodeSet) -> f64 {
        (**self).local(node, parents)
    }

    fn known(&self, node: usize, parents: &NodeSet) -> Option<f64> {
        (**self).known(node, parents)
    }

    fn with_each(&self, node: usize, parents: &NodeSet, more: &NodeSet) -> Vec<f64> {
        (**self).with_each(node, parents, more)
    }

    fn fill_subsets(
        &self,
        node: usize,
        base: &NodeSet,
        optional: &[usize],
        limit: usize,
        terms: &mut [f64],
        stop: &AtomicBool,
    ) {
        (**self).fill_subsets(node, base, optional, limit, terms, stop);
    }

    fn parent_limit(&self) -> usize {
        (**self).parent_limit()
    }

    fn is_score_equivalent(&self) -> bool {
        (**self).is_score_equivalent()
    }
}
