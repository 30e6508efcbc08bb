//! What the chains sample: the sums of parent sets, and who may be whose parent.

use gflowcausal_determinism::cancellation_point;
use gflowcausal_graph::{Edge, NodeSet};
use gflowcausal_score::ParentSetTables;

use super::ChainsConfig;
use super::blocks::Blocks;
use super::order_lattice::OrderLattice;
use super::structure::{Structure, complement};

/// The tables, with the questions that the moves ask.
#[derive(Debug)]
pub(super) struct Target<'a> {
    pub(super) tables: &'a ParentSetTables,
    possible_children: Vec<NodeSet>,
    possible_parents: Vec<Vec<Parent>>,
    /// The term of the only set of a child with a parent, at `child · nodes + parent`; NaN where there are more.
    only_terms: Vec<f64>,
    pub(super) blocks: Blocks,
    /// Where proposals from all orders pay.
    pub(super) lattice: Option<OrderLattice>,
    none: NodeSet,
}

/// A possible parent of a variable.
#[derive(Debug, Clone, Copy)]
struct Parent {
    node: usize,
    /// The term of the only set that has it, unless there are more.
    only_term: Option<f64>,
}

impl<'a> Target<'a> {
    /// With proposals from the lattice of orders, if they are wanted and pay.
    pub(super) fn new(tables: &'a ParentSetTables, config: &ChainsConfig) -> Self {
        let lattice = (config.proposals > 0).then(|| OrderLattice::new(tables)).flatten();
        Self { lattice, ..Self::without_lattice(tables) }
    }

    pub(super) fn without_lattice(tables: &'a ParentSetTables) -> Self {
        let nodes = tables.nodes();
        let mut possible_children = vec![NodeSet::empty(nodes); nodes];
        let mut only_terms = vec![f64::NAN; nodes * nodes];
        let mut parents_of = |child: usize| {
            cancellation_point();
            let parent = |node: usize| {
                possible_children[node].insert(child);
                let only_term = tables.only_term_with(child, node);
                only_terms[child * nodes + node] = only_term.unwrap_or(f64::NAN);
                Parent { node, only_term }
            };
            tables.possible_parents(child).iter().map(parent).collect()
        };
        let possible_parents = (0..nodes).map(&mut parents_of).collect();
        Self {
            tables,
            possible_children,
            possible_parents,
            only_terms,
            blocks: Blocks::new(tables),
            lattice: None,
            none: NodeSet::empty(nodes),
        }
    }

    pub(super) fn nodes(&self) -> usize {
        self.tables.nodes()
    }

    /// The variables that may have `node` as a parent.
    pub(super) fn possible_children(&self, node: usize) -> &NodeSet {
        &self.possible_children[node]
    }

    /// The term of the only set of `child` that has `parent`; none where there are more, or no such set.
    pub(super) fn only_term(&self, child: usize, parent: usize) -> Option<f64> {
        let term = self.only_terms[child * self.nodes() + parent];
        (!term.is_nan()).then_some(term)
    }

    /// The log-sum over the parent sets of `node` among `before` with a member in `last`; no parents where there is no last.
    #[inline]
    pub(super) fn term(&self, node: usize, before: &NodeSet, last: Option<&NodeSet>) -> f64 {
        match last {
            Some(last) => self.tables.log_sum_touching(node, before, last),
            None => self.tables.log_score(node, &self.none),
        }
    }

    /// How many edges are possible.
    pub(super) fn possible_edges(&self) -> usize {
        self.possible_parents.iter().map(Vec::len).sum()
    }

    /// The possible edges, sorted by effect, then cause.
    pub(super) fn edges(&self) -> impl Iterator<Item = Edge> + '_ {
        let into = |(to, parents): (usize, &'_ Vec<Parent>)| {
            parents.iter().map(move |parent| Edge { from: parent.node, to }).collect::<Vec<_>>()
        };
        self.possible_parents.iter().enumerate().flat_map(into)
    }

    /// The probability of every possible edge given the parents of all variables but its effect.
    ///
    /// Averages of these have less variance than those of the DAGs themselves (Rao–Blackwell).
    pub(super) fn edge_probabilities(&self, graph: &mut Structure) -> Vec<f64> {
        let mut probabilities = Vec::with_capacity(self.possible_edges());
        for (node, parents) in self.possible_parents.iter().enumerate() {
            let mut above = complement(self.nodes(), &graph.descendants(node));
            let all = self.tables.log_sum(node, &above);
            let of = |parent: &Parent| self.edge_probability(node, *parent, all, &mut above);
            probabilities.extend(parents.iter().map(of));
        }
        probabilities
    }

    /// The probability that `node`, with the log-sum `all` over its parent sets in `above`, has `parent`; `above` is left as
    /// it was.
    fn edge_probability(&self, node: usize, parent: Parent, all: f64, above: &mut NodeSet) -> f64 {
        if !above.contains(parent.node) {
            return 0.0;
        }
        if let Some(term) = parent.only_term {
            return (term - all).exp();
        }
        above.remove(parent.node);
        let without = self.tables.log_sum(node, above);
        above.insert(parent.node);
        -(without - all).min(0.0).exp_m1()
    }
}
