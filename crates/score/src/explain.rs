//! Where a graph's score comes from: the term of each variable, and what each edge adds to it.

use gflowcausal_graph::Dag;

use crate::LocalScore;

/// The score of a graph, taken apart.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoredGraph {
    /// The sum over the variables.
    pub total: f64,
    /// The term of each variable.
    pub nodes: Vec<ScoredNode>,
}

/// The term of one variable, taken apart.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoredNode {
    /// Its term with all its parents.
    pub score: f64,
    /// Its parents, in ascending order.
    pub edges: Vec<ScoredEdge>,
}

/// What one edge adds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScoredEdge {
    /// The parent.
    pub from: usize,
    /// How the total would change if this edge alone were taken out: below zero for an edge that earns its place.
    pub delta_without: f64,
}

/// Scores `dag` variable by variable, on all threads.
///
/// ```
/// use gflowcausal_data::Moments;
/// use gflowcausal_graph::{Dag, Edge};
/// use gflowcausal_score::{Bic, Penalty, score_graph};
/// let columns: [&[f64]; 2] = [&[1.0, 2.0, 3.0, 4.0], &[2.1, 3.9, 6.0, 8.1]];
/// let bic = Bic::new(&Moments::of_columns(&columns), Penalty::Factor(1.0))?;
/// let graph = score_graph(&bic, &Dag::from_edges(2, [Edge::new(0, 1)])?);
/// assert!(graph.nodes[1].edges[0].delta_without < 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn score_graph(score: &(impl LocalScore + ?Sized), dag: &Dag) -> ScoredGraph {
    let nodes = gflowcausal_determinism::map(dag.nodes(), |node| {
        let parents = dag.parents(node);
        let term = score.local(node, parents);
        let edge =
            |from| ScoredEdge { from, delta_without: score.local(node, &parents.without(from)) - term };
        ScoredNode { score: term, edges: parents.iter().map(edge).collect() }
    });
    ScoredGraph { total: nodes.iter().map(|node| node.score).sum(), nodes }
}
