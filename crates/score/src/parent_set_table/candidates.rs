//! Candidate parents: neighbours and spouses in graphs that searches found, then what scores best beside their parents.

use std::cmp::Reverse;

use gflowcausal_determinism::map;
use gflowcausal_graph::{Constraints, Dag, NodeSet};

use crate::LocalScore;

/// Up to `size` candidate parents for each variable, and always its required ones.
///
/// Everybody that is allowed if they fit. Else the parents of the variable in `graphs` come first, those of more
/// graphs before those of fewer, then children, then spouses, then the others; within a group, by the best score
/// beside the parents that a graph has, the same without one of them, or none.
///
/// A graph of which only some parents fit is still in the tables: they take its parent set as one more.
#[must_use]
pub fn candidate_parents(
    score: &dyn LocalScore,
    constraints: &Constraints,
    graphs: &[Dag],
    size: usize,
) -> Vec<NodeSet> {
    map(score.nodes(), |node| candidates_of(score, constraints, graphs, size, node))
}

fn candidates_of(
    score: &dyn LocalScore,
    constraints: &Constraints,
    graphs: &[Dag],
    size: usize,
    node: usize,
) -> NodeSet {
    let allowed = constraints.allowed_parents(node);
    let mut chosen = constraints.required(node).clone();
    if allowed.len() <= size {
        chosen.union_with(allowed);
        return chosen;
    }
    let fits = best_fits(score, graphs, node, allowed);
    let mut ranked: Vec<usize> = allowed.iter().filter(|&parent| !chosen.contains(parent)).collect();
    ranked.sort_by(|&a, &b| {
        let rank = |parent| Reverse(votes(graphs, node, parent));
        rank(a).cmp(&rank(b)).then_with(|| fits[b].total_cmp(&fits[a]))
    });
    let room = size.saturating_sub(chosen.len());
    ranked.into_iter().take(room).for_each(|parent| _ = chosen.insert(parent));
    chosen
}

/// In how many graphs `other` is a parent, a child, a spouse of `node`.
fn votes(graphs: &[Dag], node: usize, other: usize) -> [usize; 3] {
    let count = |is: &dyn Fn(&Dag) -> bool| graphs.iter().filter(|graph| is(graph)).count();
    let spouse = |graph: &Dag| !graph.children(node).is_disjoint(graph.children(other));
    [
        count(&|graph| graph.parents(node).contains(other)),
        count(&|graph| graph.children(node).contains(other)),
        count(&spouse),
    ]
}

/// For each allowed variable the best term of `node` with it beside the parents in a graph, those but one, or none.
fn best_fits(score: &dyn LocalScore, graphs: &[Dag], node: usize, allowed: &NodeSet) -> Vec<f64> {
    let mut fits = vec![f64::NEG_INFINITY; score.nodes()];
    for base in bases(score.nodes(), graphs, node) {
        let mut more = allowed.clone();
        more.subtract(&base);
        for (parent, term) in more.iter().zip(score.with_each(node, &base, &more)) {
            fits[parent] = term.max(fits[parent]);
        }
    }
    fits
}

/// The parents of `node` in each graph, those without one, and none; each once.
fn bases(nodes: usize, graphs: &[Dag], node: usize) -> Vec<NodeSet> {
    let mut bases = vec![NodeSet::empty(nodes)];
    for parents in graphs.iter().map(|graph| graph.parents(node)) {
        bases.push(parents.clone());
        bases.extend(parents.iter().map(|parent| parents.without(parent)));
    }
    bases.sort();
    bases.dedup();
    bases
}
