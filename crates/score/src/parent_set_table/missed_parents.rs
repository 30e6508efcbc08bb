//! Parents that the tables leave out although graphs drawn from them ask for such parents.

use std::collections::BTreeMap;

use gflowcausal_determinism::map;
use gflowcausal_graph::{Constraints, Dag, Edge, NodeSet};

use super::{ParentSetTables, TableSettings};
use crate::LocalScore;
use crate::best_parents::parent_limit;

/// How many parent sets of a variable are inspected, the most frequent first.
const MOST_SETS: usize = 24;

/// How many missed parents of a variable are returned, the weightiest first.
const MOST_MISSED: usize = 4;

/// What the tables were made from, and graphs drawn from them.
#[derive(Clone, Copy)]
pub struct MissedParentSearch<'a> {
    /// The tables.
    pub tables: &'a ParentSetTables,
    /// Their score.
    pub score: &'a dyn LocalScore,
    /// What every graph satisfies.
    pub constraints: &'a Constraints,
    /// The target of the tables.
    pub settings: TableSettings,
    /// Draws from the tables.
    pub draws: &'a [Dag],
}

/// A parent set next to drawn ones: its weight as a share of all graphs, and a draw that stays acyclic with it.
struct Neighbour {
    parents: NodeSet,
    share: f64,
    draw: usize,
}

impl MissedParentSearch<'_> {
    /// Graphs in which a variable has a parent that is none of its candidates, one for each such edge whose probability is
    /// at least `least` as far as neighbours of the draws tell: a drawn parent set with one more variable, or with one
    /// in the place of another.
    ///
    /// Tables built around these graphs too have such parents among the candidates.
    #[must_use]
    pub fn graphs(&self, least: f64) -> Vec<Dag> {
        let graphs_of = |node: usize| -> Vec<Dag> {
            let missed = self.missed(node, least).into_iter();
            missed.filter_map(|(_, _, neighbour)| self.graph(node, &neighbour)).collect()
        };
        map(self.tables.nodes(), graphs_of).into_iter().flatten().collect()
    }

    /// The same edges, each with the probability that it would have if the tables held those parent sets.
    #[must_use]
    pub fn edges(&self, least: f64) -> Vec<(Edge, f64)> {
        let edges_into = |to: usize| -> Vec<(Edge, f64)> {
            let missed = self.missed(to, least).into_iter();
            missed.map(|(from, weight, _)| (Edge { from, to }, weight / (1.0 + weight))).collect()
        };
        map(self.tables.nodes(), edges_into).into_iter().flatten().collect()
    }

    /// Variables that are no candidates of `node` though graphs with them as parents weigh at least `least` times as much as
    /// all graphs of the tables; each with that weight and the likeliest such parent set.
    fn missed(&self, node: usize, least: f64) -> Vec<(usize, f64, Neighbour)> {
        let mut outside = self.constraints.allowed_parents(node).clone();
        outside.subtract(self.tables.required(node));
        self.tables.candidates(node).iter().for_each(|&candidate| _ = outside.remove(candidate));
        if outside.is_empty() {
            return Vec::new();
        }
        let mut missed: Vec<(usize, f64, Neighbour)> = self
            .neighbours(node, &outside)
            .into_iter()
            .filter_map(|(parent, neighbours)| {
                let total = neighbours.iter().map(|neighbour| neighbour.share).sum::<f64>();
                let best = neighbours.into_iter().max_by(|a, b| a.share.total_cmp(&b.share))?;
                (total >= least).then_some((parent, total, best))
            })
            .collect();
        missed.sort_by(|a, b| b.1.total_cmp(&a.1));
        missed.truncate(MOST_MISSED);
        missed
    }

    /// For each missed parent the parent sets that have it, each once.
    fn neighbours(&self, node: usize, outside: &NodeSet) -> BTreeMap<usize, Vec<Neighbour>> {
        let mut found: BTreeMap<usize, Vec<Neighbour>> = BTreeMap::new();
        for (parents, draws) in self.drawn_sets(node) {
            let term = self.tables.log_score(node, &parents);
            let descendants: Vec<NodeSet> = draws.iter().map(|&k| self.draws[k].descendants(node)).collect();
            for base in self.bases(node, &parents) {
                let terms = self.score.with_each(node, &base, outside);
                for (parent, score) in outside.iter().zip(terms) {
                    let ratio = (self.settings.temper(score, base.len() + 1) - term).exp();
                    let neighbour = base.with(parent);
                    // A missed parent alone is in the tables already.
                    if self.tables.log_score(node, &neighbour) > f64::NEG_INFINITY {
                        continue;
                    }
                    let free = || (0..draws.len()).filter(|&k| !descendants[k].contains(parent));
                    let Some(first) = free().next() else { continue };
                    let share = (ratio * free().count() as f64 / self.draws.len() as f64).min(1.0);
                    let neighbours = found.entry(parent).or_default();
                    match neighbours.iter_mut().find(|known| known.parents == neighbour) {
                        Some(known) if known.share >= share => {}
                        Some(known) => *known = Neighbour { parents: neighbour, share, draw: draws[first] },
                        None => {
                            neighbours.push(Neighbour { parents: neighbour, share, draw: draws[first] });
                        }
                    }
                }
            }
        }
        found
    }

    /// The most frequent parent sets of `node`, each with the draws that have it.
    fn drawn_sets(&self, node: usize) -> Vec<(NodeSet, Vec<usize>)> {
        let mut sets: BTreeMap<NodeSet, Vec<usize>> = BTreeMap::new();
        for (k, draw) in self.draws.iter().enumerate() {
            sets.entry(draw.parents(node).clone()).or_default().push(k);
        }
        let mut sets: Vec<_> = sets.into_iter().collect();
        // Stable: equally frequent ones stay in their order.
        sets.sort_by_key(|(_, draws)| std::cmp::Reverse(draws.len()));
        sets.truncate(MOST_SETS);
        sets
    }

    /// The set itself, where one more parent is allowed, and the set without each of its members.
    fn bases(&self, node: usize, parents: &NodeSet) -> Vec<NodeSet> {
        let required = self.tables.required(node);
        let has_room = parents.len() < parent_limit(&self.score, self.constraints, node);
        let dropped = parents.iter().filter(|&parent| !required.contains(parent));
        has_room.then(|| parents.clone()).into_iter().chain(dropped.map(|p| parents.without(p))).collect()
    }

    fn graph(&self, node: usize, neighbour: &Neighbour) -> Option<Dag> {
        let draw = &self.draws[neighbour.draw];
        let parents: Vec<NodeSet> = (0..draw.nodes())
            .map(|other| if other == node { neighbour.parents.clone() } else { draw.parents(other).clone() })
            .collect();
        Dag::from_parents(&parents).ok()
    }
}
