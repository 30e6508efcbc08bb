//! Structural intervention distance: how many causal effects the estimate would make a reader compute wrongly.

use crate::{Closure, Dag, NodeSet, Pdag};

/// The number of ordered pairs (cause, effect) whose interventional distribution, computed by adjusting for the
/// cause's parents in `estimate`, is wrong in `truth` (Peters and Bühlmann 2015); 0 to `d(d−1)`.
///
/// For an estimate with undirected edges this is the parent adjustment identification distance (Henckel, Würtzen and
/// Weichwald 2024), which for a DAG is the same number: an effect is also wrong when the estimate cannot identify it,
/// that is when a path to it that may be causal begins with an undirected edge. Their theory covers DAGs and CPDAGs;
/// any other estimate is counted by the same rule.
///
/// Costs `O(d·(d²/64 + |E|))`.
///
/// # Panics
/// If the graphs have different numbers of variables.
#[must_use]
pub fn sid(estimate: &Pdag, truth: &Dag) -> usize {
    assert_eq!(estimate.nodes(), truth.nodes(), "graphs over different variables");
    let truth = Truth { dag: truth, closure: Closure::of(truth) };
    (0..estimate.nodes()).map(|cause| truth.wrong_effects(estimate, cause).len()).sum()
}

struct Truth<'a> {
    dag: &'a Dag,
    closure: Closure,
}

impl Truth<'_> {
    fn wrong_effects(&self, estimate: &Pdag, cause: usize) -> NodeSet {
        let adjusted = estimate.parents(cause);
        let mut wrong = self.invalid_effects(cause, adjusted);
        wrong.union_with(&unidentified_effects(estimate, cause));
        wrong.subtract(adjusted);
        // The estimate says that its parents of `cause` feel no effect of it.
        let mut denied = self.closure.descendants(cause);
        denied.intersect_with(adjusted);
        wrong.union_with(&denied);
        wrong.without(cause)
    }

    /// The variables for which adjusting for `adjusted` does not give the effect of `cause`.
    ///
    /// The adjustment criterion: no adjusted variable comes after a variable on a causal path, and every path that
    /// is not causal is blocked.
    fn invalid_effects(&self, cause: usize, adjusted: &NodeSet) -> NodeSet {
        let mut invalid = self.below_disturbed_paths(cause, adjusted);
        let here = NodeSet::of(self.dag.nodes(), [cause]);
        invalid.union_with(&self.dag.open_walks(&self.non_causal_starts(cause, adjusted), adjusted, &here));
        invalid
    }

    /// The variables on causal paths through some variable that is adjusted, or has an adjusted descendant.
    fn below_disturbed_paths(&self, cause: usize, adjusted: &NodeSet) -> NodeSet {
        let mut disturbed = union(self.dag.nodes(), adjusted, |node| self.closure.ancestors(node));
        disturbed.intersect_with(&self.closure.descendants(cause));
        disturbed.remove(cause);
        union(self.dag.nodes(), &disturbed, |node| self.closure.descendants(node))
    }

    /// Where walks from `cause` first go against an arrow: at once, or at an adjusted variable below it.
    fn non_causal_starts(&self, cause: usize, adjusted: &NodeSet) -> NodeSet {
        let mut starts = self.dag.parents(cause).clone();
        let mut seen = self.dag.children(cause).clone();
        let mut stack: Vec<usize> = seen.iter().collect();
        while let Some(node) = stack.pop() {
            if adjusted.contains(node) {
                starts.union_with(self.dag.parents(node));
            } else {
                let mut next = self.dag.children(node).clone();
                next.subtract(&seen);
                seen.union_with(&next);
                stack.extend(next.iter());
            }
        }
        starts
    }
}

/// The variables that a path from `cause` reaches which begins with an undirected edge and never goes against an
/// arrow: whether `cause` has an effect on them the estimate does not say.
fn unidentified_effects(estimate: &Pdag, cause: usize) -> NodeSet {
    let mut reached = estimate.neighbours(cause).with(cause);
    let mut stack: Vec<usize> = estimate.neighbours(cause).iter().collect();
    while let Some(node) = stack.pop() {
        let mut next = estimate.children(node).clone();
        next.union_with(estimate.neighbours(node));
        next.subtract(&reached);
        reached.union_with(&next);
        stack.extend(next.iter());
    }
    reached
}

fn union(nodes: usize, members: &NodeSet, of: impl Fn(usize) -> NodeSet) -> NodeSet {
    let mut all = NodeSet::empty(nodes);
    for node in members.iter() {
        all.union_with(&of(node));
    }
    all
}
