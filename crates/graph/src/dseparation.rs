//! d-separation: which variables a given set makes independent in every distribution of the graph.

use crate::{Dag, NodeSet};

impl Dag {
    /// Whether `given` d-separates every variable in `a` from every one in `b`.
    ///
    /// A variable in `given` is independent of everything; one in both `a` and `b`, and not given, is never
    /// separated from itself. Costs `O(d²/64 + |E|)`.
    ///
    /// ```
    /// use gflowcausal_graph::{Dag, Edge, NodeSet};
    /// let dag = Dag::from_edges(3, [Edge::new(0, 2), Edge::new(1, 2)])?;
    /// let set = |members: &[usize]| NodeSet::of(3, members.iter().copied());
    /// assert!(dag.d_separates(&set(&[]), &set(&[0]), &set(&[1])));
    /// assert!(!dag.d_separates(&set(&[2]), &set(&[0]), &set(&[1])));
    /// # Ok::<(), gflowcausal_graph::EdgeError>(())
    /// ```
    #[must_use]
    pub fn d_separates(&self, given: &NodeSet, a: &NodeSet, b: &NodeSet) -> bool {
        self.d_connected(a, given).is_disjoint(b)
    }

    /// The variables that `given` does not d-separate from all of `from`; those of `from` that are not given, too.
    #[must_use]
    pub fn d_connected(&self, from: &NodeSet, given: &NodeSet) -> NodeSet {
        self.open_walks(from, given, &NodeSet::empty(self.nodes()))
    }

    /// Where the walks lead that enter `start` against an arrow, are open given `given` and stay off `closed`.
    ///
    /// The Bayes ball (Shachter 1998) on walks: a collider is open when it is given itself, and one with a given
    /// descendant is passed by walking down to that and back up.
    pub(crate) fn open_walks(&self, start: &NodeSet, given: &NodeSet, closed: &NodeSet) -> NodeSet {
        let mut ball = Ball { rising: closed.clone(), falling: closed.clone(), stack: Vec::new() };
        ball.rise_to(start);
        let mut reached = NodeSet::empty(self.nodes());
        while let Some((node, direction)) = ball.stack.pop() {
            let is_given = given.contains(node);
            if !is_given {
                reached.insert(node);
                ball.fall_to(self.children(node));
            }
            if is_given == (direction == Direction::Down) {
                ball.rise_to(self.parents(node));
            }
        }
        reached
    }
}

/// How a walk came to a node.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    /// Along an arrow, from a parent.
    Down,
    /// Against an arrow, from a child.
    Up,
}

/// The nodes seen so far on walks up and on walks down, and where to go on.
struct Ball {
    rising: NodeSet,
    falling: NodeSet,
    stack: Vec<(usize, Direction)>,
}

impl Ball {
    fn rise_to(&mut self, nodes: &NodeSet) {
        self.stack.extend(take_new(&mut self.rising, nodes).iter().map(|node| (node, Direction::Up)));
    }

    fn fall_to(&mut self, nodes: &NodeSet) {
        self.stack.extend(take_new(&mut self.falling, nodes).iter().map(|node| (node, Direction::Down)));
    }
}

/// Adds `nodes` to `seen` and returns those that were not in it.
fn take_new(seen: &mut NodeSet, nodes: &NodeSet) -> NodeSet {
    let mut new = nodes.clone();
    new.subtract(seen);
    seen.union_with(&new);
    new
}
