//! A matrix of weights, and the acyclic graph of the strongest of them.

use gflowcausal_graph::{Constraints, Dag, Edge};

/// What an optimiser found: how strongly each variable acts on each other one.
#[derive(Debug, Clone, PartialEq)]
pub struct Weighted {
    nodes: usize,
    weights: Vec<f64>,
    /// Half the mean squared residual, summed over variables, and the L1 penalty.
    pub objective: f64,
    /// The acyclicity constraint `h` at the solution.
    pub h: f64,
}

impl Weighted {
    /// `weights[i·nodes + j]` for the edge from `i` to `j`, with what they were found at.
    #[must_use]
    pub fn new(nodes: usize, weights: Vec<f64>, objective: f64, h: f64) -> Self {
        Self { nodes, weights, objective, h }
    }

    /// The weight of `edge`.
    #[must_use]
    pub fn get(&self, edge: Edge) -> f64 {
        self.weights[edge.from * self.nodes + edge.to]
    }

    /// The graph of all edges with a weight above `threshold`, the strongest first: one that would close a cycle or give
    /// its effect too many parents is left out, a required one is always in.
    ///
    /// So the result is acyclic even where the optimiser stopped short of that, and no edge goes that a higher threshold
    /// for all would have kept.
    #[must_use]
    pub fn dag(&self, threshold: f64, constraints: &Constraints) -> Dag {
        let mut dag = Dag::from_edges(self.nodes, constraints.required_edges())
            .expect("satisfiable constraints require no cycle");
        let mut strong: Vec<Edge> = (0..self.nodes * self.nodes)
            .map(|k| Edge { from: k / self.nodes, to: k % self.nodes })
            .filter(|&edge| self.get(edge).abs() > threshold && constraints.allows(edge))
            .collect();
        strong.sort_by(|&a, &b| self.get(b).abs().total_cmp(&self.get(a).abs()));
        for edge in strong {
            if dag.parents(edge.to).len() < constraints.max_parents() && !dag.contains(edge) {
                // An edge that closes a cycle is refused: that is the point.
                let _ = dag.insert(edge);
            }
        }
        dag
    }
}

/// Which weights may differ from zero.
pub(super) fn free_weights(constraints: &Constraints) -> Vec<bool> {
    let nodes = constraints.nodes();
    (0..nodes * nodes).map(|k| constraints.allows(Edge { from: k / nodes, to: k % nodes })).collect()
}

#[cfg(test)]
mod tests {
    use gflowcausal_graph::Knowledge;

    use super::*;

    fn cycle() -> Weighted {
        Weighted::new(3, vec![0.0, 0.9, 0.1, 0.2, 0.0, 0.8, 0.7, 0.0, 0.0], 0.0, 0.0)
    }

    #[test]
    fn the_weakest_edge_of_a_cycle_goes() {
        let dag = cycle().dag(0.3, &Constraints::none(3));
        assert_eq!(dag.edges().collect::<Vec<_>>(), [Edge::new(0, 1), Edge::new(1, 2)]);
    }

    #[test]
    fn knowledge_is_obeyed_whatever_the_weights() {
        let mut knowledge = Knowledge::default();
        knowledge.require("c->a").forbid("a->b").max_parents(1);
        let constraints = knowledge.compile(&["a", "b", "c"]).unwrap();
        let dag = cycle().dag(0.3, &constraints);
        assert_eq!(dag.edges().collect::<Vec<_>>(), [Edge::new(1, 2), Edge::new(2, 0)]);
        assert!(constraints.permits(&dag));
    }
}
