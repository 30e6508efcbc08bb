//! Pruning by the score itself: `score`.

use gflowcausal_graph::NodeSet;

use super::Prune;
use crate::LocalScore;

/// A loss below this share of the term is rounding.
const ROUNDING: f64 = 1e-10;

/// `score`: a parent goes whenever the variable's local term is no worse without it, the least missed first.
///
/// The same regressor decides that was used to find the order, so what it can see is not thrown away: an additive test
/// is blind to the single edges of a joint function.
#[derive(Debug)]
pub struct ByScore<'a, S: ?Sized>(pub &'a S);

impl<S: LocalScore + ?Sized> ByScore<'_, S> {
    /// What `node` loses when each of its parents goes, the smallest loss first.
    fn losses(&self, node: usize, parents: &NodeSet) -> Vec<(usize, f64)> {
        let term = self.0.local(node, parents);
        let loss = |parent| (parent, term - self.0.local(node, &parents.without(parent)));
        let mut losses: Vec<(usize, f64)> = parents.iter().map(loss).collect();
        losses.sort_by(|(i, a), (j, b)| a.total_cmp(b).then(j.cmp(i)));
        losses
    }

    fn is_none(&self, loss: f64, node: usize, parents: &NodeSet) -> bool {
        loss <= ROUNDING * self.0.local(node, parents).abs()
    }
}

impl<S: LocalScore + ?Sized> Prune for ByScore<'_, S> {
    /// `O(p²)` local terms for `p` candidates.
    fn keep(&self, node: usize, candidates: &NodeSet) -> Vec<usize> {
        let mut parents = candidates.clone();
        loop {
            let losses = self.losses(node, &parents);
            match losses.first() {
                Some(&(parent, loss)) if self.is_none(loss, node, &parents) => parents.remove(parent),
                _ => return losses.into_iter().rev().map(|(parent, _)| parent).collect(),
            };
        }
    }
}
