//! Why statements cannot all hold: a smallest set of them that contradict each other.

use std::collections::BTreeMap;

use super::Resolved;
use crate::{Edge, NodeSet, path};

/// How many choices the search for the fewest groups that give a variable too many parents may try.
///
/// Choosing groups is set cover, so a hostile file could make it last for ever; single edges never come near this.
const COVER_STEPS: usize = 100_000;

/// A smallest set of statements that no graph satisfies together.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("these constraints cannot all hold: {}", statements.join("; "))]
pub struct Conflict {
    /// The statements, as the user made them.
    pub statements: Vec<String>,
}

/// The indices of a smallest set of contradicting rules, ascending; none if some graph satisfies all.
///
/// There are five kinds of contradiction, each found at its smallest. Only where overlapping groups give
/// a variable too many parents is the smallest given up for an irreducible one, after [`COVER_STEPS`].
pub(super) fn smallest(rules: &[Resolved], nodes: usize) -> Option<Vec<usize>> {
    let stated = Stated::new(rules, nodes);
    [two_tiers(rules, nodes), stated.forbidden(), stated.against_tiers(), stated.cycle(), stated.parents()]
        .into_iter()
        .flatten()
        .map(|mut conflict| {
            conflict.sort_unstable();
            conflict
        })
        .min_by_key(Vec::len)
}

/// A variable in two tiers.
fn two_tiers(rules: &[Resolved], nodes: usize) -> Option<Vec<usize>> {
    let mut first = vec![None; nodes];
    for (index, rule) in rules.iter().enumerate() {
        let Resolved::Tier(tier, node) = *rule else { continue };
        let (other, before) = *first[node].get_or_insert((tier, index));
        if other != tier {
            return Some(vec![before, index]);
        }
    }
    None
}

/// What is stated, each thing with the first rule that states it.
struct Stated<'a> {
    rules: &'a [Resolved],
    nodes: usize,
    required: BTreeMap<Edge, usize>,
    forbidden: BTreeMap<Edge, usize>,
    tiers: Vec<Option<(usize, usize)>>,
    forbidden_within: BTreeMap<usize, usize>,
    max_parents: Option<(usize, usize)>,
}

impl<'a> Stated<'a> {
    fn new(rules: &'a [Resolved], nodes: usize) -> Self {
        let mut stated = Self {
            rules,
            nodes,
            required: BTreeMap::new(),
            forbidden: BTreeMap::new(),
            tiers: vec![None; nodes],
            forbidden_within: BTreeMap::new(),
            max_parents: None,
        };
        for (index, rule) in rules.iter().enumerate() {
            stated.add(index, rule);
        }
        stated
    }

    fn add(&mut self, index: usize, rule: &Resolved) {
        match *rule {
            Resolved::Require(ref edges) => first(&mut self.required, edges, index),
            Resolved::Forbid(ref edges) => first(&mut self.forbidden, edges, index),
            Resolved::Tier(tier, node) => _ = self.tiers[node].get_or_insert((tier, index)),
            Resolved::ForbidWithinTier(tier) => _ = self.forbidden_within.entry(tier).or_insert(index),
            Resolved::MaxParents(most) => {
                if self.max_parents.is_none_or(|(least, _)| most < least) {
                    self.max_parents = Some((most, index));
                }
            }
        }
    }

    /// An edge both required and forbidden.
    fn forbidden(&self) -> Option<Vec<usize>> {
        self.required.iter().find_map(|(edge, &rule)| Some(vec![rule, *self.forbidden.get(edge)?]))
    }

    /// A required edge from a later tier to an earlier one, or inside a tier without edges.
    fn against_tiers(&self) -> Option<Vec<usize>> {
        let clash = |(edge, &rule): (&Edge, &usize)| {
            let (from, from_rule) = self.tiers[edge.from]?;
            let (to, to_rule) = self.tiers[edge.to]?;
            let within = || self.forbidden_within.get(&to).filter(|_| from == to);
            if from > to {
                return Some(vec![rule, from_rule, to_rule]);
            }
            within().map(|&within| vec![rule, from_rule, to_rule, within])
        };
        self.required.iter().filter_map(clash).min_by_key(Vec::len)
    }

    /// A cycle of required edges.
    ///
    /// A shortest cycle needs the fewest rules: where a group stands behind two of its edges, the group also has the
    /// short cut between them, unless the cycle is a pair of edges that one group requires in both directions.
    fn cycle(&self) -> Option<Vec<usize>> {
        if let Some(group) = self.rules.iter().position(both_ways) {
            return Some(vec![group]);
        }
        let mut children = vec![NodeSet::empty(self.nodes); self.nodes];
        for edge in self.required.keys() {
            children[edge.from].insert(edge.to);
        }
        let cycle = path::shortest_cycle(&children)?;
        Some(cycle.windows(2).map(|pair| self.required[&Edge::new(pair[0], pair[1])]).collect())
    }

    /// More required parents than a variable may have.
    fn parents(&self) -> Option<Vec<usize>> {
        let (most, limit) = self.max_parents?;
        let mut counts = vec![0; self.nodes];
        for edge in self.required.keys() {
            counts[edge.to] += 1;
        }
        let crowded = (0..self.nodes).filter(|&node| counts[node] > most);
        let fewest =
            crowded.map(|node| cover(&self.parent_sets(node), most + 1, self.nodes)).min_by_key(Vec::len)?;
        Some(fewest.into_iter().chain([limit]).collect())
    }

    /// Which parents of `node` each rule requires.
    fn parent_sets(&self, node: usize) -> Vec<(usize, NodeSet)> {
        let parents = |rule: &Resolved| match rule {
            Resolved::Require(edges) => {
                NodeSet::of(self.nodes, edges.iter().filter(|edge| edge.to == node).map(|edge| edge.from))
            }
            _ => NodeSet::empty(self.nodes),
        };
        let sets = self.rules.iter().map(parents).enumerate();
        sets.filter(|(_, set)| !set.is_empty()).collect()
    }
}

fn first(into: &mut BTreeMap<Edge, usize>, edges: &[Edge], index: usize) {
    for &edge in edges {
        into.entry(edge).or_insert(index);
    }
}

/// Whether one rule requires an edge and its reverse.
fn both_ways(rule: &Resolved) -> bool {
    let Resolved::Require(edges) = rule else { return false };
    let mut sorted = edges.clone();
    sorted.sort_unstable();
    sorted.iter().any(|edge| sorted.binary_search(&edge.reversed()).is_ok())
}

/// The fewest rules whose sets together have at least `needed` of the `nodes`; all of them together do.
fn cover(sets: &[(usize, NodeSet)], needed: usize, nodes: usize) -> Vec<usize> {
    let greedy = greedy_cover(sets, needed, nodes);
    let mut largest_first: Vec<&(usize, NodeSet)> = sets.iter().collect();
    largest_first.sort_by_key(|(_, set)| std::cmp::Reverse(set.len()));
    let mut search = Cover { sets: largest_first, needed, steps: COVER_STEPS, chosen: Vec::new() };
    for size in 1..greedy.len() {
        if search.extend(0, size, &NodeSet::empty(nodes)) {
            return search.chosen;
        }
    }
    greedy
}

/// Takes the set that adds most until there are enough, then drops what is not needed after all.
fn greedy_cover(sets: &[(usize, NodeSet)], needed: usize, nodes: usize) -> Vec<usize> {
    let mut rest: Vec<&(usize, NodeSet)> = sets.iter().collect();
    let mut taken = Vec::new();
    let mut covered = NodeSet::empty(nodes);
    while covered.len() < needed {
        let gain = |set: &NodeSet| set.iter().filter(|&node| !covered.contains(node)).count();
        let best =
            (0..rest.len()).rev().max_by_key(|&at| gain(&rest[at].1)).expect("all sets together suffice");
        let set = rest.remove(best);
        covered.union_with(&set.1);
        taken.push(set);
    }
    for at in (0..taken.len()).rev() {
        let dropped = taken.remove(at);
        if union(&taken, nodes).len() < needed {
            taken.insert(at, dropped);
        }
    }
    taken.iter().map(|(rule, _)| *rule).collect()
}

fn union(sets: &[&(usize, NodeSet)], nodes: usize) -> NodeSet {
    let mut all = NodeSet::empty(nodes);
    sets.iter().for_each(|(_, set)| all.union_with(set));
    all
}

/// Depth-first choice of sets, largest first, cut off where even disjoint ones would not reach far enough.
struct Cover<'a> {
    sets: Vec<&'a (usize, NodeSet)>,
    needed: usize,
    steps: usize,
    chosen: Vec<usize>,
}

impl Cover<'_> {
    fn extend(&mut self, start: usize, picks: usize, covered: &NodeSet) -> bool {
        if covered.len() >= self.needed {
            return true;
        }
        for at in start..self.sets.len() {
            let reach: usize = self.sets[at..].iter().take(picks).map(|(_, set)| set.len()).sum();
            if picks == 0 || self.steps == 0 || covered.len() + reach < self.needed {
                return false;
            }
            self.steps -= 1;
            let (rule, set) = self.sets[at];
            let mut wider = covered.clone();
            wider.union_with(set);
            self.chosen.push(*rule);
            if self.extend(at + 1, picks - 1, &wider) {
                return true;
            }
            self.chosen.pop();
        }
        false
    }
}
