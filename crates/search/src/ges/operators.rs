//! Steps between neighbouring equivalence classes: which there are, how they change the score, what they lead to.

use std::collections::BTreeMap;

use gflowcausal_graph::{Constraints, Edge, NodeSet, Pdag};
use gflowcausal_score::LocalScore;

/// A gain below this many log-units is rounding.
pub(super) const MINIMUM_GAIN: f64 = 1e-7;

/// What a step does to the edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Insert,
    Delete,
    Turn,
}

/// A step to another class and by how much the score rises.
///
/// `clique` are the variables joined to the effect without direction that are its causes in the members of the two
/// classes between which the step is taken: `NA ∪ T` of an insertion, `NA ∖ H` of a deletion (Chickering 2002), `C` of a
/// turn (Hauser and Bühlmann 2012).
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Operator {
    pub(super) kind: Kind,
    pub(super) edge: Edge,
    pub(super) clique: NodeSet,
    pub(super) gain: f64,
}

impl Operator {
    /// Largest gain first; equal gains by edge and clique, so that there is one sequence.
    pub(super) fn rank(&self, other: &Self) -> std::cmp::Ordering {
        let names = |operator: &Self| (operator.edge.to, operator.edge.from);
        let by_name = names(self).cmp(&names(other)).then_with(|| self.clique.cmp(&other.clique));
        other.gain.total_cmp(&self.gain).then(by_name)
    }
}

/// An equivalence class with its skeleton.
#[derive(Debug, Clone)]
pub(super) struct Class {
    pub(super) graph: Pdag,
    pub(super) skeleton: Vec<NodeSet>,
}

impl Class {
    pub(super) fn new(graph: Pdag) -> Self {
        let skeleton = (0..graph.nodes()).map(|node| graph.adjacent(node)).collect();
        Self { graph, skeleton }
    }

    fn is_clique(&self, set: &NodeSet) -> bool {
        set.iter().all(|node| set.without(node).is_subset(&self.skeleton[node]))
    }

    /// The neighbours of `node` that are joined to `other`.
    fn shared_neighbours(&self, node: usize, other: usize) -> NodeSet {
        intersection(self.graph.neighbours(node), &self.skeleton[other])
    }

    /// Every clique made of `start`, which is one, and some of `more`.
    fn cliques(&self, start: &NodeSet, more: &NodeSet) -> Vec<NodeSet> {
        let mut found = vec![start.clone()];
        let joined_to_all = |&node: &usize| start.is_subset(&self.skeleton[node]);
        for node in more.iter().filter(joined_to_all) {
            let grown: Vec<NodeSet> = found
                .iter()
                .filter(|clique| clique.is_subset(&self.skeleton[node]))
                .map(|clique| clique.with(node))
                .collect();
            found.extend(grown);
        }
        found
    }

    /// Whether a path along arrows and undirected edges leads from `from` to `to`, other than the edge between the two,
    /// that avoids `blocked`.
    fn is_open(&self, Edge { from, to }: Edge, blocked: &NodeSet) -> bool {
        let mut seen = blocked.with(from);
        let mut stack = vec![from];
        while let Some(node) = stack.pop() {
            let mut next = self.graph.children(node).clone();
            next.union_with(self.graph.neighbours(node));
            next.subtract(&seen);
            if node == from {
                next.remove(to);
            }
            if next.contains(to) {
                return true;
            }
            seen.union_with(&next);
            stack.extend(next.iter());
        }
        false
    }

    /// Whether every path that would close a cycle with the step's new arrow is cut.
    pub(super) fn admits(&self, operator: &Operator) -> bool {
        let Operator { kind, edge, clique, .. } = operator;
        match kind {
            Kind::Delete => true,
            Kind::Insert => !self.is_open(edge.reversed(), clique),
            Kind::Turn if self.graph.has_undirected(*edge) => true,
            Kind::Turn => {
                let mut blocked = clique.clone();
                blocked.union_with(self.graph.neighbours(edge.from));
                !self.is_open(edge.reversed(), &blocked)
            }
        }
    }

    /// A graph of arrows and undirected edges whose class the step leads to.
    pub(super) fn after(&self, operator: &Operator) -> Pdag {
        let Operator { kind, edge, clique, .. } = operator;
        let mut graph = self.graph.clone();
        match kind {
            Kind::Insert | Kind::Turn => {
                graph.remove(*edge);
                for cause in clique.iter() {
                    graph.orient(Edge::new(cause, edge.to));
                }
                graph.insert_directed(*edge).expect("the pair is apart");
            }
            Kind::Delete => {
                let mut freed = self.shared_neighbours(edge.to, edge.from);
                freed.subtract(clique);
                graph.remove(*edge);
                for effect in freed.iter() {
                    graph.orient(Edge::new(edge.to, effect));
                    graph.orient(Edge::new(edge.from, effect));
                }
            }
        }
        graph
    }
}

fn intersection(a: &NodeSet, b: &NodeSet) -> NodeSet {
    let mut both = a.clone();
    both.intersect_with(b);
    both
}

fn union(a: &NodeSet, b: &NodeSet) -> NodeSet {
    let mut all = a.clone();
    all.union_with(b);
    all
}

/// The score that evaluates steps and the constraints that they satisfy.
pub(super) struct Evaluator<'a> {
    pub(super) score: &'a dyn LocalScore,
    pub(super) constraints: &'a Constraints,
}

/// The local terms of one variable computed so far.
type Terms = BTreeMap<NodeSet, f64>;

impl Evaluator<'_> {
    fn most_parents(&self) -> usize {
        self.score.parent_limit().min(self.constraints.max_parents())
    }

    fn is_pair_allowed(&self, edge: Edge) -> bool {
        self.constraints.allows(edge) || self.constraints.allows(edge.reversed())
    }

    fn term(&self, terms: &mut Terms, node: usize, parents: &NodeSet) -> f64 {
        if let Some(&known) = terms.get(parents) {
            return known;
        }
        let term = self.score.local(node, parents);
        terms.insert(parents.clone(), term);
        term
    }

    /// The insertions of an arrow from each of `causes` into `effect` that raise the score.
    ///
    /// `Insert(X, Y, T)` changes the score by `s(Y, Pa ∪ NA ∪ T ∪ X) − s(Y, Pa ∪ NA ∪ T)`; Chickering (2002), corollary 16.
    pub(super) fn insertions(
        &self,
        class: &Class,
        effect: usize,
        causes: impl Iterator<Item = usize>,
    ) -> Vec<Operator> {
        let mut found = Vec::new();
        let mut terms = Terms::new();
        let apart = |&cause: &usize| cause != effect && !class.skeleton[effect].contains(cause);
        for cause in causes.filter(apart) {
            let edge = Edge::new(cause, effect);
            let shared = class.shared_neighbours(effect, cause);
            if !self.is_pair_allowed(edge) || !class.is_clique(&shared) {
                continue;
            }
            let mut free = class.graph.neighbours(effect).clone();
            free.subtract(&class.skeleton[cause]);
            for clique in class.cliques(&shared, &free) {
                let parents = union(class.graph.parents(effect), &clique);
                if parents.len() < self.most_parents() {
                    let gain = self.score.local(effect, &parents.with(cause))
                        - self.term(&mut terms, effect, &parents);
                    found.push(Operator { kind: Kind::Insert, edge, clique, gain });
                }
            }
        }
        found.retain(|operator| operator.gain > MINIMUM_GAIN);
        found
    }

    /// The deletions of an edge into `effect` that raise the score.
    ///
    /// `Delete(X, Y, H)` changes the score by `s(Y, Pa ∪ NA∖H ∖ X) − s(Y, Pa ∪ NA∖H ∪ X)`; Chickering (2002), corollary 18.
    pub(super) fn deletions(&self, class: &Class, effect: usize) -> Vec<Operator> {
        let mut found = Vec::new();
        let mut terms = Terms::new();
        let none = NodeSet::empty(class.skeleton.len());
        let causes = union(class.graph.parents(effect), class.graph.neighbours(effect));
        for cause in causes.iter() {
            let shared = class.shared_neighbours(effect, cause);
            for clique in class.cliques(&none, &shared) {
                let without = union(class.graph.parents(effect), &clique).without(cause);
                let gain = self.term(&mut terms, effect, &without)
                    - self.term(&mut terms, effect, &without.with(cause));
                let edge = Edge::new(cause, effect);
                found.push(Operator { kind: Kind::Delete, edge, clique, gain });
            }
        }
        found.retain(|operator| operator.gain > MINIMUM_GAIN);
        found
    }

    /// The turns of an edge so that it points into `effect`, where that raises the score.
    pub(super) fn turns(&self, class: &Class, effect: usize) -> Vec<Operator> {
        let mut found = self.turned_arrows(class, effect);
        found.extend(self.turned_ties(class, effect));
        found.retain(|operator| operator.gain > MINIMUM_GAIN);
        found
    }

    /// Turns of arrows out of `effect`; Hauser and Bühlmann (2012), proposition 34.
    fn turned_arrows(&self, class: &Class, effect: usize) -> Vec<Operator> {
        let mut found = Vec::new();
        let (graph, mut terms) = (&class.graph, Terms::new());
        for cause in graph.children(effect).iter() {
            let shared = class.shared_neighbours(effect, cause);
            if !class.is_clique(&shared) {
                continue;
            }
            let mut free = graph.neighbours(effect).clone();
            free.subtract(&shared);
            let before = graph.parents(cause);
            let loss = self.score.local(cause, before) - self.score.local(cause, &before.without(effect));
            for clique in class.cliques(&shared, &free) {
                let parents = union(graph.parents(effect), &clique);
                if parents.len() < self.most_parents() {
                    let won = self.score.local(effect, &parents.with(cause))
                        - self.term(&mut terms, effect, &parents);
                    let edge = Edge::new(cause, effect);
                    found.push(Operator { kind: Kind::Turn, edge, clique, gain: won - loss });
                }
            }
        }
        found
    }

    /// Turns of undirected edges, which make a new v-structure; Hauser and Bühlmann (2012), proposition 31.
    fn turned_ties(&self, class: &Class, effect: usize) -> Vec<Operator> {
        let mut found = Vec::new();
        let graph = &class.graph;
        let none = NodeSet::empty(class.skeleton.len());
        for cause in graph.neighbours(effect).iter() {
            let shared = class.shared_neighbours(effect, cause);
            let others = graph.neighbours(effect).without(cause);
            for clique in class.cliques(&none, &others) {
                if clique.is_subset(&shared) || !separates(class, effect, &clique, &shared) {
                    continue;
                }
                let parents = union(graph.parents(effect), &clique);
                let before = union(graph.parents(cause), &intersection(&clique, &shared));
                if parents.len() < self.most_parents() {
                    let won =
                        self.score.local(effect, &parents.with(cause)) - self.score.local(effect, &parents);
                    let loss =
                        self.score.local(cause, &before.with(effect)) - self.score.local(cause, &before);
                    let edge = Edge::new(cause, effect);
                    found.push(Operator { kind: Kind::Turn, edge, clique, gain: won - loss });
                }
            }
        }
        found
    }
}

/// Whether, among the neighbours of `effect`, `clique ∩ shared` separates `clique ∖ shared` from `shared ∖ clique`.
fn separates(class: &Class, effect: usize, clique: &NodeSet, shared: &NodeSet) -> bool {
    let mut unseen = class.graph.neighbours(effect).clone();
    unseen.subtract(&intersection(clique, shared));
    let mut start = clique.clone();
    start.subtract(shared);
    let mut target = shared.clone();
    target.subtract(clique);
    unseen.subtract(&start);
    let mut stack: Vec<usize> = start.iter().collect();
    while let Some(node) = stack.pop() {
        let next = intersection(&unseen, class.graph.neighbours(node));
        unseen.subtract(&next);
        stack.extend(next.iter());
    }
    target.is_subset(&unseen)
}
