//! Structural Hamming distances: of graphs, of equivalence classes, and expected over drawn graphs.

use super::confusion::Counts;
use crate::{Cpdag, Dag, NodeSet, Pdag};

/// Structural Hamming distance: extra, missing and reversed edges, each once; an undirected edge is right when the
/// truth joins the pair. Costs `O(d²/64)`.
///
/// # Panics
/// If the graphs have different numbers of variables.
#[must_use]
pub fn shd(estimate: &Pdag, truth: &Dag) -> usize {
    Counts::between(estimate, truth).shd()
}

/// In how many pairs the classes of `estimate` and `truth` differ: apart, joined without direction, or with an
/// arrow in either direction.
///
/// The class of an estimate is that of any DAG with its skeleton, v-structures and arrows. An estimate that no DAG
/// fits (it holds a cycle, say) is compared as it stands.
///
/// # Panics
/// If the graphs have different numbers of variables.
#[must_use]
pub fn cpdag_shd(estimate: &Pdag, truth: &Dag) -> usize {
    let truth = Cpdag::of(truth).into_pdag();
    match Cpdag::of_pdag(estimate) {
        Some(class) => differing_pairs(class.as_pdag(), &truth),
        None => differing_pairs(estimate, &truth),
    }
}

/// The mean structural Hamming distance of weighted samples to the truth; `None` without a sample of positive
/// weight. Weights need not sum to one.
///
/// # Panics
/// If the graphs have different numbers of variables.
pub fn expected_shd<'a>(samples: impl IntoIterator<Item = (&'a Dag, f64)>, truth: &Dag) -> Option<f64> {
    let (mut total, mut weights) = (0.0, 0.0);
    for (sample, weight) in samples {
        total += weight * shd(&Pdag::from(sample), truth) as f64;
        weights += weight;
    }
    (weights > 0.0).then(|| total / weights)
}

/// In how many pairs two classes differ: apart, joined without direction, or with an arrow in either direction. For classes that are more than
/// Markov equivalence, such as those of graphs that experiments do not tell apart.
///
/// # Panics
/// If the graphs have different numbers of variables.
#[must_use]
pub fn class_shd(estimate: &Pdag, truth: &Pdag) -> usize {
    differing_pairs(estimate, truth)
}

/// The pairs that are joined in one graph and apart in the other, or joined differently.
fn differing_pairs(a: &Pdag, b: &Pdag) -> usize {
    assert_eq!(a.nodes(), b.nodes(), "graphs over different variables");
    let seen_from_both_ends: usize = (0..a.nodes())
        .map(|node| {
            let mut differing = apart(a.parents(node), b.parents(node));
            differing.union_with(&apart(a.children(node), b.children(node)));
            differing.union_with(&apart(a.neighbours(node), b.neighbours(node)));
            differing.len()
        })
        .sum();
    seen_from_both_ends / 2
}

/// What is in one set and not in the other.
fn apart(a: &NodeSet, b: &NodeSet) -> NodeSet {
    let (mut only_a, mut only_b) = (a.clone(), b.clone());
    only_a.subtract(b);
    only_b.subtract(a);
    only_a.union_with(&only_b);
    only_a
}
