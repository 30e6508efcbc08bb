//! Which variable may come next in an order, so that no permitted graph is lost.

use gflowcausal_graph::{Constraints, NodeSet};

/// For each variable, those that go before it in an order whenever both are left.
///
/// A variable goes before another when it may act on it along permitted edges and not vice versa: every
/// permitted graph has an order like that. So forbidden edges and tiers say as much about the order as they can.
pub(super) struct Candidates<'a> {
    constraints: &'a Constraints,
    above: Vec<NodeSet>,
}

impl<'a> Candidates<'a> {
    /// `O(d³/64)`.
    pub(super) fn new(constraints: &'a Constraints) -> Self {
        let nodes = constraints.nodes();
        let mut causes: Vec<NodeSet> =
            (0..nodes).map(|node| constraints.allowed_parents(node).with(node)).collect();
        for middle in 0..nodes {
            let through = causes[middle].clone();
            for set in causes.iter_mut().filter(|set| set.contains(middle)) {
                set.union_with(&through);
            }
        }
        let one_way = |node: usize| causes[node].iter().filter(move |&cause| cause != node);
        let above = (0..nodes)
            .map(|node| NodeSet::of(nodes, one_way(node).filter(|&cause| !causes[cause].contains(node))))
            .collect();
        Self { constraints, above }
    }

    /// Those of `left` that may come next. There is one as long as any is left.
    pub(super) fn next(&self, left: &NodeSet) -> Vec<usize> {
        let free = |&node: &usize| {
            self.above[node].is_disjoint(left) && self.constraints.required(node).is_disjoint(left)
        };
        left.iter().filter(free).collect()
    }
}

#[cfg(test)]
mod tests {
    use gflowcausal_graph::Knowledge;

    use super::*;

    fn next(knowledge: &Knowledge, left: &[usize]) -> Vec<usize> {
        let constraints = knowledge.compile(&["a", "b", "c", "d"]).unwrap();
        Candidates::new(&constraints).next(&NodeSet::of(4, left.iter().copied()))
    }

    #[test]
    fn without_knowledge_everything_may_come_next() {
        assert_eq!(next(&Knowledge::default(), &[0, 2, 3]), [0, 2, 3]);
    }

    #[test]
    fn tiers_come_one_after_the_other() {
        let mut knowledge = Knowledge::default();
        knowledge.tier(1, ["c", "d"]).tier(2, ["a", "b"]);
        assert_eq!(next(&knowledge, &[0, 1, 2, 3]), [2, 3]);
        assert_eq!(next(&knowledge, &[0, 1, 3]), [3]);
        assert_eq!(next(&knowledge, &[0, 1]), [0, 1]);
    }

    /// a cannot act on b directly, but it can through c.
    #[test]
    fn a_forbidden_edge_alone_orders_nothing() {
        let mut knowledge = Knowledge::default();
        knowledge.forbid("a->b");
        assert_eq!(next(&knowledge, &[0, 1, 2, 3]), [0, 1, 2, 3]);
    }

    #[test]
    fn a_required_cause_comes_first() {
        let mut knowledge = Knowledge::default();
        knowledge.require("d->a").require("a->b");
        assert_eq!(next(&knowledge, &[0, 1, 2, 3]), [2, 3]);
    }
}
