//! The best order and the best graph there are: dynamic programmes over the `2^d` sets of variables.

use gflowcausal_determinism::map;
use gflowcausal_graph::{Dag, NodeSet, Order};
use gflowcausal_score::LocalScore;

/// Every local term of a few variables.
pub(crate) struct Terms {
    nodes: usize,
    /// For each set of variables, the term of every variable outside it.
    terms: Vec<Vec<f64>>,
}

impl Terms {
    /// All `d·2^(d−1)` terms of `score`.
    pub(crate) fn of(score: &dyn LocalScore) -> Self {
        let nodes = score.nodes();
        let terms = map(1 << nodes, |bits| {
            let set = set_of(nodes, bits);
            let term = |node| if set.contains(node) { f64::NEG_INFINITY } else { score.local(node, &set) };
            (0..nodes).map(term).collect()
        });
        Self { nodes, terms }
    }

    /// The order whose fully connected graph has the highest score.
    pub(crate) fn best_order(&self) -> Result<Order, Box<dyn std::error::Error>> {
        Ok(Order::new(self.best_sequence(|bits, node| self.terms[bits][node]))?)
    }

    /// The graph with the highest score (Silander and Myllymäki 2006).
    pub(crate) fn best_graph(&self) -> Result<Dag, Box<dyn std::error::Error>> {
        let best = self.best_parents();
        let mut parents = vec![NodeSet::empty(self.nodes); self.nodes];
        let mut before = 0;
        for node in self.best_sequence(|bits, node| best[bits][node].0) {
            parents[node] = set_of(self.nodes, best[before][node].1);
            before |= 1 << node;
        }
        Ok(Dag::from_parents(&parents)?)
    }

    /// For each set and variable outside it: the best term of parents within the set, and those parents.
    fn best_parents(&self) -> Vec<Vec<(f64, usize)>> {
        let mut parents: Vec<Vec<(f64, usize)>> = Vec::with_capacity(self.terms.len());
        for (bits, terms) in self.terms.iter().enumerate() {
            let mut best: Vec<(f64, usize)> = terms.iter().map(|&term| (term, bits)).collect();
            for smaller in members(self.nodes, bits).map(|node| bits & !(1 << node)) {
                for (node, mine) in best.iter_mut().enumerate().filter(|(node, _)| bits >> node & 1 == 0) {
                    if parents[smaller][node].0 >= mine.0 {
                        *mine = parents[smaller][node];
                    }
                }
            }
            parents.push(best);
        }
        parents
    }

    /// The sequence with the highest sum of terms, each of a variable and the set before it.
    fn best_sequence(&self, term: impl Fn(usize, usize) -> f64) -> Vec<usize> {
        let mut last = vec![(f64::NEG_INFINITY, 0); 1 << self.nodes];
        last[0].0 = 0.0;
        for bits in 0..last.len() {
            for node in members(self.nodes, !bits) {
                let total = last[bits].0 + term(bits, node);
                if total > last[bits | 1 << node].0 {
                    last[bits | 1 << node] = (total, node);
                }
            }
        }
        let mut sequence = Vec::with_capacity(self.nodes);
        let mut bits = last.len() - 1;
        while bits != 0 {
            sequence.push(last[bits].1);
            bits &= !(1 << last[bits].1);
        }
        sequence.reverse();
        sequence
    }
}

fn members(nodes: usize, bits: usize) -> impl Iterator<Item = usize> {
    (0..nodes).filter(move |node| bits >> node & 1 == 1)
}

fn set_of(nodes: usize, bits: usize) -> NodeSet {
    NodeSet::of(nodes, members(nodes, bits))
}

impl LocalScore for Terms {
    fn name(&self) -> &'static str {
        "table"
    }

    fn nodes(&self) -> usize {
        self.nodes
    }

    fn local(&self, node: usize, parents: &NodeSet) -> f64 {
        self.terms[parents.iter().map(|parent| 1 << parent).sum::<usize>()][node]
    }
}
