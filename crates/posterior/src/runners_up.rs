//! The best graphs by their own score, one for each equivalence class.

use std::collections::{BTreeMap, BTreeSet};

use gflowcausal_graph::{Constraints, Cpdag, Dag, Edge};
use gflowcausal_score::ParentSetTables;

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
    /// The neighbours of the best graphs are examined until the list no longer changes.
    #[must_use]
    pub fn best<'g>(&self, graphs: impl IntoIterator<Item = &'g Dag>, count: usize) -> Vec<RunnerUp> {
        let mut pool = Pool { ranking: *self, classes: BTreeMap::new() };
        graphs.into_iter().for_each(|graph| pool.add(graph.clone(), self.tables.log_dag(graph)));
        let mut expanded: BTreeSet<Vec<Edge>> = BTreeSet::new();
        for _ in 0..MOST_EXPANSIONS {
            let top = pool.top(count);
            let Some((key, graph, weight)) = top.iter().find(|(key, ..)| !expanded.contains(key)).cloned()
            else {
                break;
            };
            let least = if top.len() < count { f64::NEG_INFINITY } else { top[top.len() - 1].2 };
            for (neighbour, log_weight) in self.neighbours(&graph, weight) {
                if log_weight > least {
                    pool.add(neighbour, log_weight);
                }
            }
            expanded.insert(key);
        }
        pool.top(count).into_iter().map(|(_, graph, log_weight)| self.runner_up(graph, log_weight)).collect()
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

    /// Every permitted graph that differs in one edge, with its weight.
    fn neighbours(&self, graph: &Dag, log_weight: f64) -> Vec<(Dag, f64)> {
        let nodes = graph.nodes();
        let pairs = (0..nodes)
            .flat_map(|from| (0..nodes).filter(move |&to| to != from).map(move |to| Edge::new(from, to)));
        let mut found = Vec::new();
        for edge in pairs {
            let mut changed = graph.clone();
            if graph.contains(edge) {
                changed.remove(edge);
                let mut reversed = changed.clone();
                if reversed.insert(edge.reversed()).is_ok() {
                    found.push(reversed);
                }
                found.push(changed);
            } else if !graph.contains(edge.reversed()) && changed.insert(edge).is_ok() {
                found.push(changed);
            }
        }
        let weigh = |changed: Dag| {
            let term = |dag: &Dag, node: usize| self.tables.log_score(node, dag.parents(node));
            let delta: f64 = (0..nodes)
                .filter(|&node| changed.parents(node) != graph.parents(node))
                .map(|node| term(&changed, node) - term(graph, node))
                .sum();
            (changed, log_weight + delta)
        };
        found.into_iter().map(weigh).filter(|(_, weight)| *weight > f64::NEG_INFINITY).collect()
    }
}

/// Distinct classes and their best known members.
struct Pool<'a> {
    ranking: Ranking<'a>,
    classes: BTreeMap<Vec<Edge>, (Dag, f64)>,
}

impl Pool<'_> {
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
