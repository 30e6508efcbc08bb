//! Meek's rules: the directions that follow from those already known.

use crate::v_structures::VStructure;
use crate::{Dag, Edge, NodeSet, Pdag};

/// Why known directions cannot enter a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OrientationError {
    /// The direction of a pair that is not adjacent.
    #[error("{0} is given a direction, but the pair is not adjacent")]
    Apart(Edge),
    /// The graph, or what follows from the directions before, has the reversed edge.
    #[error("{0} is given a direction, but the graph and the other directions force {reversed}", reversed = .0.reversed())]
    Opposed(Edge),
    /// The directions close a cycle.
    #[error("the directions close a cycle through {0}")]
    Cycle(Edge),
    /// Two arrows that follow meet at a node, from two that are not adjacent: an independence the graph denies.
    #[error("the directions make {0}, which the graph does not have")]
    NewVStructure(VStructure),
}

impl Pdag {
    /// Orients every undirected edge whose direction follows by Meek's rules R1–R4 (Meek 1995), until none does.
    ///
    /// On a CPDAG with some edges oriented the result has exactly the arrows common to all DAGs of the class that
    /// agree with them. Costs `O(k·d/64)` word operations for an undirected edge each time an edge near it gains a
    /// direction, `k` edges at a node.
    pub fn close_under_meek(&mut self) {
        let mut closing = Closing::of(self);
        while let Some(node) = closing.waiting.pop() {
            closing.queued.remove(node);
            closing.visit(self, node);
        }
    }

    /// Gives the edges in `known` their direction and closes the graph under Meek's rules; on error nothing
    /// changed.
    ///
    /// # Errors
    /// The first direction that contradicts the graph and the directions before it.
    pub fn orient_with(&mut self, known: impl IntoIterator<Item = Edge>) -> Result<(), OrientationError> {
        let mut oriented = self.clone();
        oriented.close_under_meek();
        for edge in known {
            oriented.require(edge)?;
            oriented.close_under_meek();
        }
        oriented.check_against(self)?;
        *self = oriented;
        Ok(())
    }

    fn require(&mut self, edge: Edge) -> Result<(), OrientationError> {
        let inside = edge.from < self.nodes() && edge.to < self.nodes();
        if !inside || !self.is_adjacent(edge) {
            Err(OrientationError::Apart(edge))
        } else if self.has_directed(edge) || self.orient(edge) {
            Ok(())
        } else {
            Err(OrientationError::Opposed(edge))
        }
    }

    /// Whether the arrows close no cycle and form no v-structure that `before` did not have.
    fn check_against(&self, before: &Self) -> Result<(), OrientationError> {
        Dag::from_edges(self.nodes(), self.directed())
            .map_err(|error| OrientationError::Cycle(error.edge()))?;
        let allowed = before.v_structures();
        match self.v_structures().into_iter().find(|found| allowed.binary_search(found).is_err()) {
            Some(found) => Err(OrientationError::NewVStructure(found)),
            None => Ok(()),
        }
    }

    /// All variables adjacent to each node.
    pub(crate) fn skeleton(&self) -> Vec<NodeSet> {
        (0..self.nodes()).map(|node| self.adjacent(node)).collect()
    }
}

/// Meek's rules for graphs of one skeleton, which no direction changes.
#[derive(Debug, Clone)]
pub struct MeekRules {
    skeleton: Vec<NodeSet>,
}

impl MeekRules {
    /// The rules R1–R4, each of which may turn an undirected edge `a — b` into `a → b`.
    pub const ALL: [fn(&Self, &Pdag, Edge) -> bool; 4] = [Self::r1, Self::r2, Self::r3, Self::r4];

    /// The rules for `graph` and any other with the same pairs adjacent.
    #[must_use]
    pub fn of(graph: &Pdag) -> Self {
        Self { skeleton: graph.skeleton() }
    }

    /// R1: `p → a` with `p` and `b` not adjacent; `b → a` would be a new v-structure.
    fn r1(&self, graph: &Pdag, Edge { from: a, to: b }: Edge) -> bool {
        !graph.parents(a).is_subset(&self.skeleton[b])
    }

    /// R2: `a → c → b`; `b → a` would close a cycle.
    fn r2(&self, graph: &Pdag, Edge { from: a, to: b }: Edge) -> bool {
        !graph.children(a).is_disjoint(graph.parents(b))
    }

    /// R3: `a — c → b` and `a — e → b` with `c` and `e` not adjacent: `b → a` would need a new v-structure at `a`.
    fn r3(&self, graph: &Pdag, Edge { from: a, to: b }: Edge) -> bool {
        let mut between = graph.neighbours(a).clone();
        between.intersect_with(graph.parents(b));
        between.iter().any(|c| !between.without(c).is_subset(&self.skeleton[c]))
    }

    /// R4: `a — e → c → b` with `a` and `c` adjacent, `e` and `b` not: applies only where knowledge gave directions.
    fn r4(&self, graph: &Pdag, Edge { from: a, to: b }: Edge) -> bool {
        let mut middle = graph.parents(b).clone();
        middle.intersect_with(&self.skeleton[a]);
        middle.iter().any(|c| {
            let mut first = graph.parents(c).clone();
            first.intersect_with(graph.neighbours(a));
            !first.is_subset(&self.skeleton[b])
        })
    }
}

/// The nodes whose undirected edges may have gained a direction.
struct Closing {
    rules: MeekRules,
    waiting: Vec<usize>,
    queued: NodeSet,
}

impl Closing {
    fn of(graph: &Pdag) -> Self {
        let nodes = graph.nodes();
        Self {
            rules: MeekRules::of(graph),
            waiting: (0..nodes).rev().collect(),
            queued: NodeSet::full(nodes),
        }
    }

    /// Orients the undirected edges of `node` that a rule decides.
    fn visit(&mut self, graph: &mut Pdag, node: usize) {
        for other in graph.neighbours(node).clone().iter() {
            let edge = Edge::new(node, other);
            for direction in [edge, edge.reversed()] {
                let follows = |rule: fn(&MeekRules, &Pdag, Edge) -> bool| rule(&self.rules, graph, direction);
                if graph.has_undirected(direction) && MeekRules::ALL.into_iter().any(follows) {
                    graph.orient(direction);
                    self.wake_around(graph, direction);
                }
            }
        }
    }

    /// Queues a node of every undirected edge that has the new arrow among a rule's premises: the edge ends where
    /// the arrow does or, in R2 and R4, at a neighbour of its start that is adjacent to its end.
    fn wake_around(&mut self, graph: &Pdag, arrow: Edge) {
        let mut nodes = graph.neighbours(arrow.from).clone();
        nodes.intersect_with(&self.rules.skeleton[arrow.to]);
        for node in nodes.iter().chain([arrow.to]) {
            if self.queued.insert(node) {
                self.waiting.push(node);
            }
        }
    }
}
