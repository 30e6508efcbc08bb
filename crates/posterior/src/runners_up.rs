//! The best graphs by their own score, one for each equivalence class.

use std::collections::{BTreeMap, BTreeSet};

use gflowcausal_determinism::cancellation_point;
use gflowcausal_graph::{Constraints, Cpdag, Dag, Edge, NodeSet};
use gflowcausal_score::ParentSetTables;
use rustc_hash::FxHashMap;

/// How many graphs have their neighbours examined at most.
const MOST_EXPANSIONS: usize = 60;

/// How many members of a class are enumerated, where knowledge rules some of them out.
const MOST_MEMBERS: usize = 2000;

/// A graph that scores nearly as high as the best.
#[derive(Debug, Clone, PartialEq)]
pub struct RunnerUp {
    /// A member of the class.
    pub graph: Dag,
    /// `score / T` with the structure prior: the logarithm of its weight.
    pub log_weight: f64,
    /// How many DAGs the class holds that the knowledge permits; none where they are too many to count.
    pub class_size: Option<f64>,
}

impl RunnerUp {
    /// The posterior probability of the class: its size times the weight of a member, over `Z`.
    #[must_use]
    pub fn share(&self, log_z: f64) -> Option<f64> {
        self.class_size.map(|size| (size * (self.log_weight - log_z).exp()).min(1.0))
    }
}

/// What a graph is ranked by.
#[derive(Clone, Copy)]
pub struct Ranking<'a> {
    /// The weights of graphs.
    pub tables: &'a ParentSetTables,
    /// What every graph satisfies.
    pub constraints: &'a Constraints,
    /// Whether equivalent graphs have equal weights; if not, every graph is a class of its own.
    pub is_score_equivalent: bool,
}

impl Ranking<'_> {
    /// The `count` best classes among `graphs` and what single edges added, removed or reversed make of the best, in
    /// the order of their weights.
    ///
    /// The neighbours of the best graphs are examined until the list no longer changes. Can be cancelled.
    #[must_use]
    pub fn best<'g>(&self, graphs: impl IntoIterator<Item = &'g Dag>, count: usize) -> Vec<RunnerUp> {
        let mut pool = Pool { ranking: *self, classes: BTreeMap::new() };
        for (graph, log_weight) in self.heaviest_first(graphs) {
            pool.add_if_among(graph.clone(), log_weight, count);
        }
        let mut toggles = Toggles { tables: self.tables, known: FxHashMap::default() };
        let mut expanded: BTreeSet<Vec<Edge>> = BTreeSet::new();
        for _ in 0..MOST_EXPANSIONS {
            let top = pool.top(count);
            let next = top.into_iter().find(|(key, ..)| !expanded.contains(key));
            let Some((key, graph, log_weight)) = next else { break };
            for (change, delta) in toggles.changes(&graph, pool.least(count) - log_weight) {
                if let Some(neighbour) = change.applied_to(&graph) {
                    pool.add_if_among(neighbour, log_weight + delta, count);
                }
            }
            expanded.insert(key);
        }
        pool.top(count).into_iter().map(|(_, graph, log_weight)| self.runner_up(graph, log_weight)).collect()
    }

    /// The heaviest of `graphs` alone, and nothing about its class: what needs no time.
    #[must_use]
    pub fn heaviest<'g>(&self, graphs: impl IntoIterator<Item = &'g Dag>) -> Option<RunnerUp> {
        let (graph, log_weight) = self.heaviest_first(graphs).into_iter().next()?;
        Some(RunnerUp { graph: graph.clone(), log_weight, class_size: None })
    }

    /// Distinct graphs, heaviest first.
    fn heaviest_first<'g>(&self, graphs: impl IntoIterator<Item = &'g Dag>) -> Vec<(&'g Dag, f64)> {
        let mut weighted: Vec<_> =
            graphs.into_iter().map(|graph| (graph, self.tables.log_dag(graph))).collect();
        weighted.sort_by(|a, b| b.1.total_cmp(&a.1));
        weighted.dedup_by(|a, b| a.0 == b.0);
        weighted
    }

    fn runner_up(&self, graph: Dag, log_weight: f64) -> RunnerUp {
        let class_size = if self.is_score_equivalent { self.class_size(&graph) } else { Some(1.0) };
        RunnerUp { graph, log_weight, class_size }
    }

    /// How many equivalent graphs the knowledge permits.
    fn class_size(&self, graph: &Dag) -> Option<f64> {
        let class = Cpdag::of(graph);
        let constraints = self.constraints;
        let is_free = *constraints == Constraints::none(constraints.nodes());
        if is_free {
            return class.size();
        }
        let mut seen = 0;
        let mut permitted = 0;
        for member in class.members().take(MOST_MEMBERS + 1) {
            seen += 1;
            permitted += usize::from(constraints.permits(&member));
        }
        (seen <= MOST_MEMBERS).then_some(permitted as f64)
    }
}

/// A change of one edge.
#[derive(Debug, Clone, Copy)]
enum Change {
    Add(Edge),
    Remove(Edge),
    Reverse(Edge),
}

impl Change {
    /// The changed graph; none if it has a cycle.
    fn applied_to(self, graph: &Dag) -> Option<Dag> {
        let mut changed = graph.clone();
        let added = match self {
            Self::Add(edge) => Some(edge),
            Self::Remove(edge) => {
                changed.remove(edge);
                None
            }
            Self::Reverse(edge) => {
                changed.remove(edge);
                Some(edge.reversed())
            }
        };
        added.is_none_or(|edge| changed.insert(edge).is_ok()).then_some(changed)
    }
}

/// What each single edge brings or costs, computed once for each parent set.
struct Toggles<'a> {
    tables: &'a ParentSetTables,
    /// For a node and its parents: the change of its term when another node is added to them or removed.
    known: FxHashMap<(usize, NodeSet), Vec<f64>>,
}

impl Toggles<'_> {
    /// The changes of one edge that move the weight by more than `least`, best first.
    fn changes(&mut self, graph: &Dag, least: f64) -> Vec<(Change, f64)> {
        let nodes = graph.nodes();
        for node in 0..nodes {
            cancellation_point();
            self.learn(node, graph.parents(node));
        }
        let deltas: Vec<&Vec<f64>> =
            (0..nodes).map(|node| &self.known[&(node, graph.parents(node).clone())]).collect();
        let mut changes = Vec::new();
        for (to, into) in deltas.iter().enumerate() {
            for (from, &delta) in into.iter().enumerate().filter(|&(from, _)| from != to) {
                let edge = Edge::new(from, to);
                if graph.contains(edge) {
                    changes.push((Change::Remove(edge), delta));
                    changes.push((Change::Reverse(edge), delta + deltas[from][to]));
                } else if !graph.contains(edge.reversed()) {
                    changes.push((Change::Add(edge), delta));
                }
            }
        }
        changes.retain(|(_, delta)| *delta > least && *delta > f64::NEG_INFINITY);
        changes.sort_by(|a, b| b.1.total_cmp(&a.1));
        changes
    }

    fn learn(&mut self, node: usize, parents: &NodeSet) {
        let tables = self.tables;
        self.known.entry((node, parents.clone())).or_insert_with(|| {
            let term = tables.log_score(node, parents);
            let toggled = |other: usize| {
                if other == node {
                    return f64::NEG_INFINITY;
                }
                let mut changed = parents.clone();
                if !changed.remove(other) {
                    changed.insert(other);
                }
                tables.log_score(node, &changed) - term
            };
            (0..tables.nodes()).map(toggled).collect()
        });
    }
}

/// Distinct classes and their best known members.
struct Pool<'a> {
    ranking: Ranking<'a>,
    classes: BTreeMap<Vec<Edge>, (Dag, f64)>,
}

impl Pool<'_> {
    /// The weight that a class must exceed to be among the best `count`.
    fn least(&self, count: usize) -> f64 {
        let mut weights: Vec<f64> = self.classes.values().map(|(_, weight)| *weight).collect();
        weights.sort_by(|a, b| b.total_cmp(a));
        weights.get(count.saturating_sub(1)).copied().unwrap_or(f64::NEG_INFINITY)
    }

    /// Adds a graph, unless `count` classes weigh at least as much.
    fn add_if_among(&mut self, graph: Dag, log_weight: f64, count: usize) {
        if log_weight > self.least(count) {
            cancellation_point();
            self.add(graph, log_weight);
        }
    }

    fn add(&mut self, graph: Dag, log_weight: f64) {
        let key = self.key(&graph);
        let known = self.classes.entry(key).or_insert_with(|| (graph.clone(), log_weight));
        if log_weight > known.1 {
            *known = (graph, log_weight);
        }
    }

    /// The class as a list of edges, undirected ones both ways; or the graph itself.
    fn key(&self, graph: &Dag) -> Vec<Edge> {
        if !self.ranking.is_score_equivalent {
            return graph.edges().collect();
        }
        let class = Cpdag::of(graph).into_pdag();
        let both = class.undirected().flat_map(|edge| [edge, edge.reversed()]);
        class.directed().chain(both).collect()
    }

    /// The best `count` classes, heaviest first; equal ones in the order of their edges.
    fn top(&self, count: usize) -> Vec<(Vec<Edge>, Dag, f64)> {
        let mut all: Vec<_> =
            self.classes.iter().map(|(key, (graph, weight))| (key, graph, *weight)).collect();
        all.sort_by(|a, b| b.2.total_cmp(&a.2));
        all.into_iter().take(count).map(|(key, graph, weight)| (key.clone(), graph.clone(), weight)).collect()
    }
}
