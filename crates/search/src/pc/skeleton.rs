//! The skeleton: the level-by-level tests of PC-stable.

use gflowcausal_determinism::{StopFlag, cancellation_point, interruptible, map};
use gflowcausal_graph::{Constraints, Edge, NodeSet};

use super::independence::IndependenceTest;

/// The skeleton, and for each pair that is not adjacent the variables in any set that separated it.
#[derive(Debug, Clone)]
pub(super) struct Skeleton {
    pub(super) adjacent: Vec<NodeSet>,
    /// By `smaller index · d + larger`; none where no set separated the pair.
    separators: Vec<Option<NodeSet>>,
}

impl Skeleton {
    /// Every allowed pair joined.
    pub(super) fn full(constraints: &Constraints) -> Self {
        let nodes = constraints.nodes();
        let is_allowed = |a: usize, b: usize| {
            let edge = Edge::new(a, b);
            a != b && (constraints.allows(edge) || constraints.allows(edge.reversed()))
        };
        let around = |a: usize| NodeSet::of(nodes, (0..nodes).filter(|&b| is_allowed(a, b)));
        Self { adjacent: (0..nodes).map(around).collect(), separators: vec![None; nodes * nodes] }
    }

    /// Only required pairs joined.
    pub(super) fn required(constraints: &Constraints) -> Self {
        let nodes = constraints.nodes();
        let mut adjacent = vec![NodeSet::empty(nodes); nodes];
        for Edge { from, to } in constraints.required_edges() {
            adjacent[from].insert(to);
            adjacent[to].insert(from);
        }
        Self { adjacent, separators: vec![None; nodes * nodes] }
    }

    /// How many pairs are joined.
    pub(super) fn edges(&self) -> usize {
        self.adjacent.iter().map(NodeSet::len).sum::<usize>() / 2
    }

    /// The variables in any set that separated `a` and `b`, if one did.
    pub(super) fn separators(&self, a: usize, b: usize) -> Option<&NodeSet> {
        self.separators[a.min(b) * self.adjacent.len() + a.max(b)].as_ref()
    }

    /// Whether sets of `size` can still separate anything.
    pub(super) fn has_level(&self, size: usize) -> bool {
        self.adjacent.iter().any(|around| around.len() > size)
    }

    /// Tests every pair that is joined, or forbidden and not separated so far, given sets of `size` out of those around
    /// either end, then parts those that were separated.
    ///
    /// Adjacencies stay fixed until the level is over, so neither the order of the columns nor the number of
    /// threads matters (Colombo and Maathuis 2014). Once `stop` is set, pairs that were not tested yet stay joined.
    pub(super) fn test_level(
        &mut self,
        test: &dyn IndependenceTest,
        alpha: f64,
        constraints: &Constraints,
        (size, stop): (usize, &StopFlag),
    ) {
        let pairs = self.open_pairs(constraints);
        let found = map(pairs.len(), |at| {
            if stop.is_set() {
                return None;
            }
            interruptible(stop, || self.separate(test, alpha, pairs[at], size)).flatten()
        });
        for ([a, b], separators) in pairs.into_iter().zip(found) {
            if let Some(separators) = separators {
                self.adjacent[a].remove(b);
                self.adjacent[b].remove(a);
                let nodes = self.adjacent.len();
                self.separators[a * nodes + b] = Some(separators);
            }
        }
    }

    fn open_pairs(&self, constraints: &Constraints) -> Vec<[usize; 2]> {
        let nodes = self.adjacent.len();
        let is_required = |a: usize, b: usize| constraints.required(b).contains(a);
        let is_open = |&[a, b]: &[usize; 2]| {
            self.separators(a, b).is_none() && !is_required(a, b) && !is_required(b, a)
        };
        (0..nodes).flat_map(|a| (a + 1..nodes).map(move |b| [a, b])).filter(is_open).collect()
    }

    /// All variables in sets of `size` that separate the pair; none if there is no such set.
    ///
    /// Once one is found, a set that could add nothing is not tested.
    fn separate(
        &self,
        test: &dyn IndependenceTest,
        alpha: f64,
        [a, b]: [usize; 2],
        size: usize,
    ) -> Option<NodeSet> {
        let mut separators: Option<NodeSet> = None;
        for (end, other) in [(a, b), (b, a)] {
            let around: Vec<usize> = self.adjacent[end].iter().filter(|&node| node != other).collect();
            for_each_choice(&around, size, |given| {
                let adds =
                    separators.as_ref().is_none_or(|all| given.iter().any(|&node| !all.contains(node)));
                cancellation_point();
                if adds && test.p_value([a, b], given) > alpha {
                    let all = separators.get_or_insert_with(|| NodeSet::empty(self.adjacent.len()));
                    given.iter().for_each(|&node| _ = all.insert(node));
                }
            });
        }
        separators
    }
}

/// Every choice of `size` out of `items`, in lexicographic order.
fn for_each_choice(items: &[usize], size: usize, mut visit: impl FnMut(&[usize])) {
    if size > items.len() {
        return;
    }
    let mut places: Vec<usize> = (0..size).collect();
    let mut chosen: Vec<usize> = items[..size].to_vec();
    loop {
        visit(&chosen);
        let last = items.len() - size;
        let Some(moving) = (0..size).rev().find(|&at| places[at] < last + at) else { return };
        places[moving] += 1;
        for at in moving + 1..size {
            places[at] = places[at - 1] + 1;
        }
        for at in moving..size {
            chosen[at] = items[places[at]];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_all_subsets_of_their_size() {
        let mut seen = Vec::new();
        for_each_choice(&[2, 5, 7, 9], 2, |chosen| seen.push(chosen.to_vec()));
        assert_eq!(seen, [[2, 5], [2, 7], [2, 9], [5, 7], [5, 9], [7, 9]]);
        let count = |size| {
            let mut count = 0;
            for_each_choice(&[1, 2, 3, 4, 5, 6], size, |_| count += 1);
            count
        };
        assert_eq!([0, 1, 3, 6, 7].map(count), [1, 6, 20, 1, 0]);
    }
}
