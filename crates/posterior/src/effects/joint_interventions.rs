//! Several interventions at once among categories: the truncated factorisation of each graph, with drawn tables, summed exactly.

use std::collections::BTreeMap;

use gflowcausal_determinism::{Stream, StreamRng, cancellation_point, stream};
use gflowcausal_graph::{Dag, NodeSet};

use super::discrete::{Categories, DiscreteEffects, dirichlet};
use super::mixture::EffectDistribution;
use super::{Outcome, WeightedDag};

/// More cells than this in one table, and the sum takes too long.
const MOST_CELLS: usize = 1 << 18;

/// Numbers for each joint value of some variables, the last changing fastest.
#[derive(Debug, Clone)]
struct Factor {
    nodes: Vec<usize>,
    cells: Vec<f64>,
}

/// The rows of each joint value of a variable and its parents.
struct Counts {
    parents: Vec<usize>,
    cells: Vec<f64>,
}

impl DiscreteEffects<'_> {
    /// The probability of each level of `effect` when each of `interventions` is set to a level, and how far it is from its share of
    /// the rows. None where a table would be too large.
    ///
    /// Variables that are set have no table; every other has one row of a Dirichlet posterior for each configuration of its parents, with a
    /// prior of one row's weight. The sum over all variables but `effect` is exact, by variable elimination.
    #[must_use]
    pub fn under(&self, interventions: &[(usize, usize)], effect: usize) -> Option<Vec<Outcome>> {
        let (levels, data) = (self.data.levels[effect].max(1), &self.data);
        let set = NodeSet::of(data.levels.len(), interventions.iter().map(|(node, _)| *node));
        let frequencies = self.frequencies(effect);
        let mut tables: BTreeMap<(usize, NodeSet), Counts> = BTreeMap::new();
        let mut values: Vec<Vec<(f64, f64)>> = vec![Vec::new(); levels];
        let (mut changes, mut none) = (values.clone(), 0.0);
        for (g, WeightedDag { dag, weight }) in self.graphs.iter().enumerate() {
            let is_moved = interventions.iter().any(|(node, _)| reaches_around(dag, *node, effect, &set));
            let relevant = relevant(dag, effect, &set);
            for &node in &relevant {
                let parents = dag.parents(node);
                if cells(data, parents.iter().chain([node]))? > MOST_CELLS {
                    return None;
                }
                let key = (node, parents.clone());
                tables.entry(key).or_insert_with(|| Counts::new(data, node, parents));
            }
            let count = self.graphs[g].parameter_draws(self.settings.draws);
            let purpose = Stream::EffectProbabilities { cause: u64::MAX - effect as u64, graph: g as u64 };
            let mut rng = stream(self.settings.seed, purpose);
            for _ in 0..count {
                cancellation_point();
                let tables = relevant.iter().map(|&node| &tables[&(node, dag.parents(node).clone())]);
                let factors = relevant
                    .iter()
                    .zip(tables)
                    .map(|(&node, counts)| counts.draw(data, node, &mut rng).restricted(data, interventions));
                let drawn = eliminated(data, factors.collect(), effect)?;
                for (level, probability) in drawn.into_iter().enumerate() {
                    let share = weight / count as f64;
                    values[level].push((probability, share));
                    if is_moved {
                        changes[level].push((probability - frequencies[level], share));
                    }
                }
            }
            none += if is_moved { 0.0 } else { *weight };
        }
        let outcomes = values.into_iter().zip(changes).map(|(value, change)| Outcome {
            value: EffectDistribution::new(value, 0.0),
            change: EffectDistribution::new(change, none),
        });
        Some(outcomes.collect())
    }
}

/// Whether a directed path leads from `from` to `to` that passes no other variable of `set`.
pub(super) fn reaches_around(dag: &Dag, from: usize, to: usize, set: &NodeSet) -> bool {
    let mut reached = NodeSet::of(dag.nodes(), [from]);
    for node in dag.topological_order().iter().filter(|&node| !set.contains(node)) {
        if dag.parents(node).iter().any(|parent| reached.contains(parent)) {
            reached.insert(node);
        }
    }
    reached.contains(to)
}

/// `effect` and its ancestors when nothing leads into `set`, without `set` itself.
fn relevant(dag: &Dag, effect: usize, set: &NodeSet) -> Vec<usize> {
    let mut found = vec![effect];
    let mut next = 0;
    while next < found.len() {
        for parent in dag.parents(found[next]).iter() {
            if !set.contains(parent) && !found.contains(&parent) {
                found.push(parent);
            }
        }
        next += 1;
    }
    found
}

/// How many joint values `nodes` have; none if they cannot be counted.
fn cells(data: &Categories<'_>, nodes: impl Iterator<Item = usize>) -> Option<usize> {
    nodes.map(|node| data.levels[node].max(1)).try_fold(1_usize, usize::checked_mul)
}

impl Counts {
    fn new(data: &Categories<'_>, node: usize, parents: &NodeSet) -> Self {
        let parents: Vec<usize> = parents.iter().collect();
        let levels = data.levels[node].max(1);
        let size = cells(data, parents.iter().copied().chain([node])).unwrap_or(0);
        let mut counted = vec![1.0 / levels as f64; size];
        for row in 0..data.codes[node].len() {
            let place = parents.iter().chain([&node]).fold(0, |place, &variable| {
                place * data.levels[variable].max(1) + data.codes[variable][row] as usize
            });
            counted[place] += 1.0;
        }
        Self { parents, cells: counted }
    }

    fn draw(&self, data: &Categories<'_>, node: usize, rng: &mut StreamRng) -> Factor {
        let rows = self.cells.chunks(data.levels[node].max(1));
        let nodes = self.parents.iter().copied().chain([node]).collect();
        Factor { nodes, cells: rows.flat_map(|alpha| dirichlet(alpha, rng)).collect() }
    }
}

impl Factor {
    /// The part in which each variable of `interventions` has its level.
    fn restricted(mut self, data: &Categories<'_>, interventions: &[(usize, usize)]) -> Self {
        for &(node, level) in interventions {
            if let Some(at) = self.nodes.iter().position(|&known| known == node) {
                let inner: usize =
                    self.nodes[at + 1..].iter().map(|&other| data.levels[other].max(1)).product();
                let block = inner * data.levels[node].max(1);
                let part = |cells: &[f64]| cells[level * inner..(level + 1) * inner].to_vec();
                self.cells = self.cells.chunks(block).flat_map(part).collect();
                self.nodes.remove(at);
            }
        }
        self
    }

    /// The number for one joint value of all variables.
    fn at(&self, data: &Categories<'_>, state: &[usize]) -> f64 {
        let place = self.nodes.iter().fold(0, |place, &node| place * data.levels[node].max(1) + state[node]);
        self.cells[place]
    }
}

/// The product of `factors` summed over all variables but `kept`; none where an intermediate table is too large.
fn eliminated(data: &Categories<'_>, mut factors: Vec<Factor>, kept: usize) -> Option<Vec<f64>> {
    loop {
        let mut left: Vec<usize> = factors.iter().flat_map(|factor| factor.nodes.iter().copied()).collect();
        left.sort_unstable();
        left.dedup();
        left.retain(|&node| node != kept);
        let joined = |node: usize| {
            let with = factors.iter().filter(|factor| factor.nodes.contains(&node));
            let mut nodes: Vec<usize> = with.flat_map(|factor| factor.nodes.iter().copied()).collect();
            nodes.sort_unstable();
            nodes.dedup();
            nodes
        };
        let size = |nodes: &[usize]| cells(data, nodes.iter().copied()).unwrap_or(usize::MAX);
        let cheapest = left.iter().map(|&node| (joined(node), node)).min_by_key(|(nodes, _)| size(nodes));
        let Some((mut nodes, node)) = cheapest else { return Some(product(data, &factors, &[kept], None)) };
        if size(&nodes) > MOST_CELLS {
            return None;
        }
        nodes.retain(|&other| other != node);
        let (with, rest): (Vec<Factor>, Vec<Factor>) =
            factors.into_iter().partition(|factor| factor.nodes.contains(&node));
        let cells = product(data, &with, &nodes, Some(node));
        factors = rest;
        factors.push(Factor { nodes, cells });
    }
}

/// The product of `factors` for each joint value of `nodes`, summed over `summed`.
fn product(data: &Categories<'_>, factors: &[Factor], nodes: &[usize], summed: Option<usize>) -> Vec<f64> {
    let mut state = vec![0; data.levels.len()];
    let total = cells(data, nodes.iter().copied()).unwrap_or(0);
    let sums = (0..total).map(|place| {
        let mut rest = place;
        for &node in nodes.iter().rev() {
            state[node] = rest % data.levels[node].max(1);
            rest /= data.levels[node].max(1);
        }
        let levels = summed.map_or(1, |node| data.levels[node].max(1));
        let term = |level: usize| {
            if let Some(node) = summed {
                state[node] = level;
            }
            factors.iter().map(|factor| factor.at(data, &state)).product::<f64>()
        };
        (0..levels).map(term).sum()
    });
    sums.collect()
}
