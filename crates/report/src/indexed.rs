//! A run with its variables as indices instead of names, for everything that draws.

use std::collections::BTreeMap;

use gflowcausal::flow::Progress;
use gflowcausal::graph::{Dag, Edge};
use gflowcausal::{EdgeResult, Error, RunResult, SampleSummary, Source};

use crate::layout::{Layout, label, width_of};

/// A finished run and where its variables are.
pub(crate) struct IndexedRun<'a> {
    /// What was found.
    pub(crate) result: &'a RunResult,
    /// The ends of the best graph's edges, in the order of `result.graph.edges`.
    ends: Vec<Edge>,
    /// The consensus graph's edges.
    pub(crate) consensus: Vec<Edge>,
    /// The edges of the runners-up, in the order of `result.posterior.runners_up`.
    pub(crate) runners_up: Vec<Vec<Edge>>,
    /// The true graph's edges, if they are known.
    pub(crate) truth: Option<Vec<Edge>>,
    order: Vec<usize>,
    graph: Dag,
}

impl<'a> IndexedRun<'a> {
    /// # Errors
    /// When the result contradicts itself.
    pub(crate) fn new(result: &'a RunResult) -> Result<Self, Error> {
        Self::index(result).map_err(|reason| Error::DamagedRun { path: "result.json".into(), reason })
    }

    fn index(result: &'a RunResult) -> Result<Self, String> {
        let variables = Variables::of(&result.data.variables)?;
        let ends = result.graph.edges.iter().map(|edge| variables.edge(&edge.from, &edge.to));
        let ends = ends.collect::<Result<Vec<_>, _>>()?;
        let graph = Dag::from_edges(result.data.variables.len(), ends.iter().copied())
            .map_err(|error| error.to_string())?;
        let consensus = result.consensus.iter().flat_map(|consensus| &consensus.edges);
        let consensus =
            consensus.map(|edge| variables.edge(&edge.from, &edge.to)).collect::<Result<Vec<_>, _>>()?;
        let runners_up = result.posterior.runners_up.iter().map(|graph| variables.edges(&graph.edges));
        let runners_up = runners_up.collect::<Result<Vec<_>, _>>()?;
        let truth = result.truth.as_ref().map(|truth| variables.edges(truth)).transpose()?;
        let order = result.order.iter().map(|name| variables.find(name)).collect::<Result<Vec<_>, _>>()?;
        Ok(Self { result, ends, consensus, runners_up, truth, order, graph })
    }

    /// The variables, by index.
    pub(crate) fn names(&self) -> &'a [String] {
        &self.result.data.variables
    }

    /// Whether the method gives one graph and no probabilities.
    pub(crate) fn is_single(&self) -> bool {
        self.result.posterior.by == Source::None
    }

    /// The best graph's causal order.
    pub(crate) fn order(&self) -> &[usize] {
        &self.order
    }

    /// What each iteration of training brought.
    pub(crate) fn history(&self) -> &'a [Progress] {
        self.result.training.as_ref().map_or(&[], |training| &training.history)
    }

    /// The best graph's edges, likeliest first.
    pub(crate) fn edges(&self) -> impl Iterator<Item = (Edge, &'a EdgeResult)> {
        self.ends.iter().copied().zip(&self.result.graph.edges)
    }

    /// How likely `from` causes `to`.
    pub(crate) fn probability(&self, from: usize, to: usize) -> f64 {
        let row = self.result.posterior.edge_probabilities.get(from);
        row.and_then(|row| row.get(to)).copied().filter(|p| !p.is_nan()).unwrap_or(0.0)
    }

    /// Whether `from` causes `to` in the best graph.
    pub(crate) fn has_edge(&self, from: usize, to: usize) -> bool {
        self.graph.contains(Edge::new(from, to))
    }

    /// How likely a directed path leads from `from` to `to`.
    pub(crate) fn ancestor_probability(&self, from: usize, to: usize) -> f64 {
        let row = self.result.posterior.ancestor_probabilities.get(from);
        row.and_then(|row| row.get(to)).copied().filter(|p| !p.is_nan()).unwrap_or(0.0)
    }

    /// Where everything of the consensus graph is drawn, with the best graph's edges in the same direction as far as that
    /// makes no cycle: one drawing serves both.
    pub(crate) fn layout(&self) -> Layout {
        let mut both = Dag::empty(self.names().len());
        for edge in self.consensus.iter().copied().chain(self.ends.iter().copied()) {
            if both.insert(edge).is_err() && !both.contains(edge) {
                // One of both directions is free of cycles.
                let _ = both.insert(edge.reversed());
            }
        }
        self.laid_out(&both)
    }

    /// Where everything of the best graph is drawn.
    pub(crate) fn best_layout(&self) -> Layout {
        self.laid_out(&self.graph)
    }

    /// Where everything of a graph over these variables is drawn.
    pub(crate) fn laid_out(&self, dag: &Dag) -> Layout {
        let widths: Vec<f64> = self.names().iter().map(|name| width_of(&label(name))).collect();
        Layout::new(dag, &widths)
    }

    /// The drawn graphs with their shares of the total importance weight.
    pub(crate) fn samples(&self) -> Vec<(SampleSummary, f64)> {
        let samples = &self.result.samples;
        let largest = samples.iter().map(|sample| sample.log_weight).fold(f64::NEG_INFINITY, f64::max);
        let weight = |sample: &SampleSummary| f64::from(sample.count) * (sample.log_weight - largest).exp();
        let total: f64 = samples.iter().map(weight).sum();
        samples.iter().map(|sample| (*sample, weight(sample) / total)).collect()
    }
}

/// Variables by name.
struct Variables<'a>(BTreeMap<&'a str, usize>);

impl<'a> Variables<'a> {
    fn of(names: &'a [String]) -> Result<Self, String> {
        let by_name: BTreeMap<&str, usize> =
            names.iter().enumerate().map(|(index, name)| (name.as_str(), index)).collect();
        if by_name.len() == names.len() {
            Ok(Self(by_name))
        } else {
            Err("two variables share a name".into())
        }
    }

    fn find(&self, name: &str) -> Result<usize, String> {
        self.0.get(name).copied().ok_or_else(|| format!("there is no variable '{name}'"))
    }

    fn edge(&self, from: &str, to: &str) -> Result<Edge, String> {
        Ok(Edge::new(self.find(from)?, self.find(to)?))
    }

    fn edges(&self, pairs: &[(String, String)]) -> Result<Vec<Edge>, String> {
        pairs.iter().map(|(from, to)| self.edge(from, to)).collect()
    }
}
