//! Compiled knowledge: which edges a mask may allow, and the partial order that follows.

use super::Resolved;
use crate::{Closure, Dag, Edge, NodeSet, Order};

/// What every graph over `nodes` variables has to satisfy, ready for a mask: at least one graph does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Constraints {
    allowed: Vec<NodeSet>,
    required: Vec<NodeSet>,
    max_parents: usize,
    precedence: Closure,
}

impl Constraints {
    /// No constraints: every graph is allowed.
    #[must_use]
    pub fn none(nodes: usize) -> Self {
        Self::new(&[], nodes)
    }

    /// The constraints of `rules`, which do not contradict each other.
    pub(super) fn new(rules: &[Resolved], nodes: usize) -> Self {
        let required = edge_sets(
            nodes,
            rules.iter().filter_map(|rule| match rule {
                Resolved::Require(edges) => Some(edges.as_slice()),
                _ => None,
            }),
        );
        let max_parents = rules.iter().filter_map(|rule| match *rule {
            Resolved::MaxParents(most) => Some(most),
            _ => None,
        });
        let max_parents = max_parents.min().unwrap_or(nodes).min(nodes.saturating_sub(1));
        let precedence = closure_of(&required);
        let mut constraints = Self { allowed: permitted(rules, nodes), required, max_parents, precedence };
        constraints.tighten();
        constraints
    }

    /// Takes out edges that close a cycle with required ones or find the parents of their effect complete.
    fn tighten(&mut self) {
        for node in 0..self.nodes() {
            if self.required[node].len() == self.max_parents {
                self.allowed[node] = self.required[node].clone();
            }
            self.allowed[node].subtract(&self.precedence.descendants(node));
        }
    }

    /// How many variables there are.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.allowed.len()
    }

    /// Whether some graph that satisfies the constraints has `edge`.
    #[must_use]
    #[inline]
    pub fn allows(&self, edge: Edge) -> bool {
        self.allowed[edge.to].contains(edge.from)
    }

    /// The variables that some graph that satisfies the constraints has among the parents of `node`.
    #[must_use]
    pub fn allowed_parents(&self, node: usize) -> &NodeSet {
        &self.allowed[node]
    }

    /// The variables that are parents of `node` in every graph that satisfies the constraints.
    #[must_use]
    pub fn required(&self, node: usize) -> &NodeSet {
        &self.required[node]
    }

    /// The required edges, sorted by effect, then cause.
    pub fn required_edges(&self) -> impl Iterator<Item = Edge> + '_ {
        self.required.iter().enumerate().flat_map(|(to, set)| set.iter().map(move |from| Edge { from, to }))
    }

    /// How many parents a variable may have; one less than there are variables if nothing was said.
    #[must_use]
    pub fn max_parents(&self) -> usize {
        self.max_parents
    }

    /// Whether `before` comes before `after` in every order of every graph that satisfies the constraints.
    #[must_use]
    pub fn must_precede(&self, before: usize, after: usize) -> bool {
        before != after && self.precedence.reaches(before, after)
    }

    /// The closure of the required edges: the partial order that every order has to extend.
    #[must_use]
    pub fn precedence(&self) -> &Closure {
        &self.precedence
    }

    /// Which variables may follow the set `placed` in an order: all that must come before them are placed.
    ///
    /// As long as something is unplaced and `placed` was built by these steps, there is one: no walk meets a dead end.
    #[must_use]
    pub fn placeable(&self, placed: &NodeSet) -> NodeSet {
        let free = |&node: &usize| !placed.contains(node) && self.required[node].is_subset(placed);
        NodeSet::of(self.nodes(), (0..self.nodes()).filter(free))
    }

    /// Whether `edge` may enter a growing graph in which `parents` are the parents of `edge.to`, such that the graph
    /// can still be completed.
    ///
    /// `closure` is that of the graph's edges *and* the required ones: start from [`Self::precedence`] and insert
    /// each edge that the walk adds. `O(d/64)`.
    #[must_use]
    pub fn admits(&self, edge: Edge, parents: &NodeSet, closure: &Closure) -> bool {
        self.allows(edge) && !closure.reaches(edge.to, edge.from) && self.has_room(edge, parents)
    }

    fn has_room(&self, edge: Edge, parents: &NodeSet) -> bool {
        let mut all = self.required[edge.to].with(edge.from);
        all.union_with(parents);
        all.len() <= self.max_parents
    }

    /// Whether `dag` satisfies the constraints.
    #[must_use]
    pub fn permits(&self, dag: &Dag) -> bool {
        (0..self.nodes()).all(|node| self.permits_parents(node, dag.parents(node)))
    }

    /// Whether `parents` may be all the parents of `node`.
    #[must_use]
    pub fn permits_parents(&self, node: usize, parents: &NodeSet) -> bool {
        self.required[node].is_subset(parents)
            && parents.is_subset(&self.allowed[node])
            && parents.len() <= self.max_parents
    }

    /// Whether some graph that satisfies the constraints has this order.
    #[must_use]
    pub fn permits_order(&self, order: &Order) -> bool {
        let positions = order.positions();
        self.required_edges().all(|edge| positions[edge.from] < positions[edge.to])
    }
}

/// The causes of each variable among `edges`.
fn edge_sets<'a>(nodes: usize, edges: impl Iterator<Item = &'a [Edge]>) -> Vec<NodeSet> {
    let mut sets = vec![NodeSet::empty(nodes); nodes];
    for edge in edges.flatten() {
        sets[edge.to].insert(edge.from);
    }
    sets
}

fn closure_of(parents: &[NodeSet]) -> Closure {
    let mut closure = Closure::empty(parents.len());
    for (to, set) in parents.iter().enumerate() {
        set.iter().for_each(|from| closure.insert(Edge { from, to }));
    }
    closure
}

/// For each variable, the causes that no rule forbids by itself.
fn permitted(rules: &[Resolved], nodes: usize) -> Vec<NodeSet> {
    let mut allowed: Vec<NodeSet> = (0..nodes).map(|node| NodeSet::full(nodes).without(node)).collect();
    let mut tiers = vec![None; nodes];
    let mut closed = Vec::new();
    for rule in rules {
        match *rule {
            Resolved::Forbid(ref edges) => {
                edges.iter().for_each(|edge| _ = allowed[edge.to].remove(edge.from));
            }
            Resolved::Tier(tier, node) => tiers[node] = Some(tier),
            Resolved::ForbidWithinTier(tier) => closed.push(tier),
            Resolved::Require(_) | Resolved::MaxParents(_) => {}
        }
    }
    let backward = |from: usize, to: usize| match (tiers[from], tiers[to]) {
        (Some(from), Some(to)) => from > to || (from == to && closed.contains(&to)),
        _ => false,
    };
    for (to, set) in allowed.iter_mut().enumerate() {
        (0..nodes).filter(|&from| backward(from, to)).for_each(|from| _ = set.remove(from));
    }
    allowed
}
