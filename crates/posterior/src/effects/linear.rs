//! Effects in linear models: coefficients drawn for each graph, and what a change of one variable does along directed paths.

use std::collections::BTreeMap;

use gflowcausal_determinism::{Stream, map, stream};
use gflowcausal_graph::{Dag, NodeSet};
use gflowcausal_score::Correlation;

use super::mixture::EffectDistribution;
use super::regression::Regression;
use super::{EffectSettings, WeightedDag};

/// What a linear model is made of.
#[derive(Debug, Clone, Copy)]
pub struct LinearData<'a> {
    /// Correlations and scales.
    pub correlation: &'a Correlation,
    /// The mean of each column.
    pub means: &'a [f64],
    /// How many rows there are.
    pub rows: u64,
}

/// The scale of an effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Units of the effect for one unit of the cause.
    Units,
    /// Standard deviations of the effect for one of the cause.
    Standardized,
}

/// What becomes of one variable under interventions on others.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// Its expected value.
    pub value: EffectDistribution,
    /// Its expected value less that without interventions; a mass at zero where no directed path leads to it.
    pub change: EffectDistribution,
}

/// Parameters of linear models, drawn from the posterior of each graph: `x = B x + noise`, every column at unit variance.
pub struct LinearEffects {
    graphs: Vec<Graph>,
    means: Vec<f64>,
    deviations: Vec<f64>,
}

/// One graph with its parameter draws, each of the weight `weight`.
struct Graph {
    dag: Dag,
    order: Vec<usize>,
    weight: f64,
    draws: Vec<Parameters>,
}

/// Slopes on the parents of each variable, in ascending order of the parents, and the shift of its mean.
struct Parameters {
    slopes: Vec<Vec<f64>>,
    shifts: Vec<f64>,
}

impl LinearEffects {
    /// Draws parameters for each of `graphs`, on all threads.
    ///
    /// # Panics
    /// If a graph has another number of variables than the data.
    #[must_use]
    pub fn new(graphs: &[WeightedDag], data: LinearData<'_>, settings: EffectSettings) -> Self {
        let nodes = data.correlation.nodes();
        assert!(graphs.iter().all(|graph| graph.dag.nodes() == nodes), "graphs of other variables");
        let families = families(graphs);
        let keys: Vec<&(usize, NodeSet)> = families.keys().collect();
        let fitted = map(keys.len(), |k| Regression::new(data.correlation, data.rows, keys[k].0, &keys[k].1));
        let graphs = map(graphs.len(), |g| {
            let WeightedDag { dag, weight } = &graphs[g];
            let count = graphs[g].parameter_draws(settings.draws);
            let family = |node: usize| &fitted[families[&(node, dag.parents(node).clone())]];
            let regressions: Vec<&Regression> = (0..nodes).map(family).collect();
            let mut rng = stream(settings.seed, Stream::EffectParameters { graph: g as u64 });
            let mut draw = || {
                let drawn = regressions.iter().map(|regression| regression.draw(&mut rng));
                let (slopes, shifts) = drawn.map(|drawn| (drawn.slopes, drawn.shift)).unzip();
                Parameters { slopes, shifts }
            };
            Graph {
                dag: dag.clone(),
                order: dag.topological_order().iter().collect(),
                weight: weight / count as f64,
                draws: (0..count).map(|_| draw()).collect(),
            }
        });
        let deviations = (0..nodes).map(|node| data.correlation.log_scale(node).exp()).collect();
        Self { graphs, means: data.means.to_vec(), deviations }
    }

    /// How many variables there are.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.means.len()
    }

    /// The total effect of `cause` on every variable: the column of `(I − B)⁻¹` that belongs to it.
    ///
    /// Costs one pass over the edges for each parameter draw.
    #[must_use]
    pub fn total(&self, cause: usize, scale: Scale) -> Vec<EffectDistribution> {
        let mut mixtures = Mixtures::new(self.nodes());
        for graph in &self.graphs {
            let reached = graph.dag.descendants(cause).without(cause);
            let mut responses = vec![0.0; self.nodes()];
            responses[cause] = 1.0;
            for draw in &graph.draws {
                graph.propagate(draw, &reached, &mut responses);
                mixtures.add(&reached, &responses, graph.weight);
            }
            mixtures.add_zeros(&reached, graph.weight * graph.draws.len() as f64);
        }
        self.finish(mixtures, cause, scale)
    }

    /// The direct effect of `cause` on every variable: its slope in their equations.
    #[must_use]
    pub fn direct(&self, cause: usize, scale: Scale) -> Vec<EffectDistribution> {
        let mut mixtures = Mixtures::new(self.nodes());
        for graph in &self.graphs {
            let children = graph.dag.children(cause);
            let mut slopes = vec![0.0; self.nodes()];
            for draw in &graph.draws {
                for child in children.iter() {
                    let at = graph.dag.parents(child).iter().take_while(|&parent| parent < cause).count();
                    slopes[child] = draw.slopes[child][at];
                }
                mixtures.add(children, &slopes, graph.weight);
            }
            mixtures.add_zeros(children, graph.weight * graph.draws.len() as f64);
        }
        self.finish(mixtures, cause, scale)
    }

    /// What becomes of every variable when all of `changes` are made at once, in the data's units; the changed variables no longer
    /// depend on their parents. Along all directed paths, or along edges alone.
    ///
    /// So the levels of a category are compared: one of its indicators falls by one and another rises by one.
    #[must_use]
    pub fn contrast(&self, changes: &[(usize, f64)], is_direct: bool) -> Vec<EffectDistribution> {
        let nodes = self.nodes();
        let set = NodeSet::of(nodes, changes.iter().map(|(node, _)| *node));
        let mut start = vec![0.0; nodes];
        changes.iter().for_each(|&(node, change)| start[node] = change / self.deviations[node]);
        let mut mixtures = Mixtures::new(nodes);
        for graph in &self.graphs {
            let reached = if is_direct { graph.children(&set) } else { graph.reached(&set) };
            for draw in &graph.draws {
                let mut responses = start.clone();
                if is_direct {
                    reached.iter().for_each(|node| responses[node] = graph.response(draw, node, &start));
                } else {
                    graph.propagate(draw, &reached, &mut responses);
                }
                mixtures.add(&reached, &responses, graph.weight);
            }
            mixtures.add_zeros(&reached, graph.weight * graph.draws.len() as f64);
        }
        let scaled = |(node, mixture): (usize, EffectDistribution)| mixture.scaled(self.deviations[node]);
        mixtures.finish().into_iter().enumerate().map(scaled).collect()
    }

    fn finish(&self, mixtures: Mixtures, cause: usize, scale: Scale) -> Vec<EffectDistribution> {
        let unit = |effect: usize| match scale {
            Scale::Units => self.deviations[effect] / self.deviations[cause],
            Scale::Standardized => 1.0,
        };
        mixtures
            .finish()
            .into_iter()
            .enumerate()
            .map(|(effect, mixture)| mixture.scaled(unit(effect)))
            .collect()
    }

    /// What becomes of every variable when each of `interventions` is set to a value, in the data's units.
    ///
    /// An intervened variable no longer listens to its parents. Beside the slopes, the means of the others are uncertain.
    #[must_use]
    pub fn under(&self, interventions: &[(usize, f64)]) -> Vec<Outcome> {
        let nodes = self.nodes();
        let set = NodeSet::of(nodes, interventions.iter().map(|(node, _)| *node));
        let mut start = vec![0.0; nodes];
        for &(node, value) in interventions {
            start[node] = (value - self.means[node]) / self.deviations[node];
        }
        let (mut values, mut changes) = (Mixtures::new(nodes), Mixtures::new(nodes));
        let mut all = NodeSet::full(nodes);
        all.subtract(&set);
        for graph in &self.graphs {
            let reached = graph.reached(&set);
            for draw in &graph.draws {
                let mut change = start.clone();
                graph.propagate(draw, &reached, &mut change);
                changes.add(&reached, &change, graph.weight);
                let mut value = start.clone();
                graph.shift(draw, &set, &mut value);
                values.add(&all, &value, graph.weight);
            }
            changes.add_zeros(&reached, graph.weight * graph.draws.len() as f64);
        }
        let outcome = |node: usize, value: EffectDistribution, change: EffectDistribution| Outcome {
            value: value.scaled(self.deviations[node]).shifted(self.means[node]),
            change: change.scaled(self.deviations[node]),
        };
        let pairs = values.finish().into_iter().zip(changes.finish());
        pairs.enumerate().map(|(node, (value, change))| outcome(node, value, change)).collect()
    }
}

impl Graph {
    /// The variables with a parent in `set`; none of `set` itself.
    fn children(&self, set: &NodeSet) -> NodeSet {
        let has_parent = |node: &usize| self.dag.parents(*node).iter().any(|parent| set.contains(parent));
        let nodes = (0..self.dag.nodes()).filter(|&node| !set.contains(node)).filter(has_parent);
        NodeSet::of(self.dag.nodes(), nodes)
    }

    /// The variables that a directed path leads to from one of `set` without passing another; none of `set` itself.
    fn reached(&self, set: &NodeSet) -> NodeSet {
        let mut reached = NodeSet::empty(self.dag.nodes());
        for &node in self.order.iter().filter(|&&node| !set.contains(node)) {
            let is_reached = |parent: usize| set.contains(parent) || reached.contains(parent);
            if self.dag.parents(node).iter().any(is_reached) {
                reached.insert(node);
            }
        }
        reached
    }

    /// The responses of the variables `reached` to those of their ancestors that are already in `responses`.
    fn propagate(&self, draw: &Parameters, reached: &NodeSet, responses: &mut [f64]) {
        for &node in self.order.iter().filter(|&&node| reached.contains(node)) {
            responses[node] = self.response(draw, node, responses);
        }
    }

    /// The deviations from the observed means of all variables but `set`.
    fn shift(&self, draw: &Parameters, set: &NodeSet, values: &mut [f64]) {
        for &node in self.order.iter().filter(|&&node| !set.contains(node)) {
            values[node] = draw.shifts[node] + self.response(draw, node, values);
        }
    }

    fn response(&self, draw: &Parameters, node: usize, of: &[f64]) -> f64 {
        self.dag.parents(node).iter().zip(&draw.slopes[node]).map(|(parent, slope)| slope * of[parent]).sum()
    }
}

/// The variables with their parent sets in any of the graphs, each with its number.
fn families(graphs: &[WeightedDag]) -> BTreeMap<(usize, NodeSet), usize> {
    let mut families = BTreeMap::new();
    for WeightedDag { dag, .. } in graphs {
        for node in 0..dag.nodes() {
            families.insert((node, dag.parents(node).clone()), 0);
        }
    }
    families.values_mut().enumerate().for_each(|(place, number)| *number = place);
    families
}

/// The draws of one mixture for each variable.
struct Mixtures {
    values: Vec<Vec<(f64, f64)>>,
    none: Vec<f64>,
}

impl Mixtures {
    fn new(nodes: usize) -> Self {
        Self { values: vec![Vec::new(); nodes], none: vec![0.0; nodes] }
    }

    fn add(&mut self, reached: &NodeSet, responses: &[f64], weight: f64) {
        reached.iter().for_each(|node| self.values[node].push((responses[node], weight)));
    }

    fn add_zeros(&mut self, reached: &NodeSet, weight: f64) {
        let others = (0..self.none.len()).filter(|&node| !reached.contains(node));
        others.for_each(|node| self.none[node] += weight);
    }

    fn finish(self) -> Vec<EffectDistribution> {
        self.values
            .into_iter()
            .zip(self.none)
            .map(|(values, none)| EffectDistribution::new(values, none))
            .collect()
    }
}
