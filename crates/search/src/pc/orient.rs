//! Orientation of edges: knowledge, colliders, and Meek's rules.

use gflowcausal_graph::{Constraints, Dag, Edge, MeekRules, NodeSet, Pdag};

use super::skeleton::Skeleton;

/// Arrows put on a skeleton one after the other; what contradicts an earlier one is not put on.
pub(super) struct Orientation<'a> {
    graph: Pdag,
    skeleton: &'a Skeleton,
    constraints: &'a Constraints,
}

impl<'a> Orientation<'a> {
    /// The skeleton with the directions that the constraints leave no choice about.
    pub(super) fn known(skeleton: &'a Skeleton, constraints: &'a Constraints) -> Self {
        let mut graph = Pdag::empty(constraints.nodes());
        for (a, around) in skeleton.adjacent.iter().enumerate() {
            for b in around.iter().filter(|&b| a < b) {
                let edge = Edge::new(a, b);
                let inserted = match (constraints.allows(edge), constraints.allows(edge.reversed())) {
                    (true, true) => graph.insert_undirected(edge),
                    (true, false) => graph.insert_directed(edge),
                    _ => graph.insert_directed(edge.reversed()),
                };
                inserted.expect("each pair once");
            }
        }
        Self { graph, skeleton, constraints }
    }

    /// Points `left → middle ← right` wherever `middle` is in no set that separated the two, in the order of the
    /// variables; a collider that turns an arrow that is there already, or closes a cycle, is passed over.
    pub(super) fn colliders(mut self) -> Self {
        for [left, middle, right] in self.unshielded().into_iter().filter(|[left, _, right]| left < right) {
            let separated = self.skeleton.separators(left, right);
            let is_collider = separated.is_some_and(|separators| !separators.contains(middle));
            let arms = [Edge::new(left, middle), Edge::new(right, middle)];
            if is_collider && arms.iter().all(|&arm| self.can_point(arm)) {
                arms.iter().for_each(|&arm| _ = self.graph.orient(arm));
            }
        }
        self
    }

    /// `left — middle — right` with the two ends apart, each from both ends, sorted by the middle, then the ends.
    fn unshielded(&self) -> Vec<[usize; 3]> {
        let adjacent = &self.skeleton.adjacent;
        let mut found = Vec::new();
        for (middle, around) in adjacent.iter().enumerate() {
            for left in around.iter() {
                let apart = |&right: &usize| left != right && !adjacent[left].contains(right);
                found.extend(around.iter().filter(apart).map(|right| [left, middle, right]));
            }
        }
        found
    }

    fn can_point(&self, edge: Edge) -> bool {
        self.constraints.allows(edge)
            && !self.graph.has_directed(edge.reversed())
            && (self.graph.has_directed(edge) || !self.closes_a_cycle(edge))
    }

    /// Meek's rules until none applies, one after the other, each in the order of the variables; none closes a cycle.
    pub(super) fn follow(mut self) -> Pdag {
        let rules = MeekRules::of(&self.graph);
        loop {
            let mut is_changed = false;
            for rule in MeekRules::ALL {
                for edge in self.both_ways() {
                    is_changed |= self.graph.has_undirected(edge)
                        && rule(&rules, &self.graph, edge)
                        && self.point(edge);
                }
            }
            if !is_changed {
                return self.graph;
            }
        }
    }

    /// Gives an undirected edge its direction unless that closes a cycle; says whether it did.
    fn point(&mut self, edge: Edge) -> bool {
        !self.closes_a_cycle(edge) && self.graph.orient(edge)
    }

    fn both_ways(&self) -> Vec<Edge> {
        let mut edges: Vec<Edge> = self.graph.undirected().flat_map(|edge| [edge, edge.reversed()]).collect();
        edges.sort_unstable();
        edges
    }

    fn closes_a_cycle(&self, edge: Edge) -> bool {
        let mut seen = NodeSet::of(self.constraints.nodes(), [edge.to]);
        let mut stack = vec![edge.to];
        while let Some(node) = stack.pop() {
            let mut next = self.graph.children(node).clone();
            next.subtract(&seen);
            seen.union_with(&next);
            stack.extend(next.iter());
        }
        seen.contains(edge.from)
    }
}

/// A DAG that stands for `class`: a member where it has one that satisfies the constraints; else one with the same edges, as many of them as
/// can be in the direction they have there.
///
/// Finite samples can contradict themselves, so that no DAG has all the arrows and only the v-structures found. The
/// second value is `class` without the edges that no DAG within the constraints can have beside the others.
pub(super) fn stand_in(class: Pdag, constraints: &Constraints) -> (Dag, Pdag) {
    let member = class.consistent_extension().filter(|member| constraints.permits(member));
    if let Some(member) = member {
        return (member, class);
    }
    let mut dag = Dag::from_edges(constraints.nodes(), constraints.required_edges())
        .expect("constraints are satisfiable");
    let mut rest = class.clone();
    let is_forced = |edge: &Edge| !constraints.allows(edge.reversed());
    let (forced, free): (Vec<Edge>, Vec<Edge>) = class.directed().partition(is_forced);
    for edge in forced.into_iter().chain(free).chain(class.undirected()) {
        let fits = |dag: &mut Dag, edge: Edge| {
            dag.contains(edge) || (constraints.allows(edge) && dag.insert(edge).is_ok())
        };
        if ![edge, edge.reversed()].into_iter().any(|edge| fits(&mut dag, edge)) {
            rest.remove(edge);
        }
    }
    (dag, rest)
}
