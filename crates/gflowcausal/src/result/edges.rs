//! The best graph, its class and its edges, each with its slope, its probabilities and what the score loses without it.

use gflowcausal_graph::{Cpdag, Dag, Edge, Pdag};
use gflowcausal_score::{Correlation, Ols};
use serde::{Deserialize, Serialize};

use super::InterventionsResult;
use crate::discover::Discovery;
use crate::posterior::Source;

/// From this share of both directions on, a direction is possible.
const OPEN: f64 = 0.1;

/// A graph as a list of edges.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GraphResult {
    /// The edges, likeliest first.
    pub edges: Vec<EdgeResult>,
}

/// A class of equivalent graphs, as pairs of names.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CpdagResult {
    /// Edges with the same direction in all of them.
    pub directed: Vec<(String, String)>,
    /// Edges whose direction differs among them.
    pub undirected: Vec<(String, String)>,
}

/// One edge and why it is there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EdgeResult {
    /// The cause.
    pub from: String,
    /// The effect.
    pub to: String,
    /// The least-squares slope given the effect's other parents, in the data's units; for continuous data.
    pub weight: Option<f64>,
    /// The standard error of that slope.
    #[serde(default)]
    pub standard_error: Option<f64>,
    /// The slope when both columns have standard deviation 1.
    #[serde(default)]
    pub standardized_weight: Option<f64>,
    /// How likely this edge is.
    pub probability: f64,
    /// How likely the reversed edge is.
    pub reverse_probability: f64,
    /// How likely neither is there.
    pub absent_probability: f64,
    /// Whether every graph that the data cannot tell from this one has the edge in this direction: every equivalent graph, or, with a
    /// score that distinguishes these, whatever else is probable.
    pub compelled: bool,
    /// The score of the graph less its score without the edge.
    pub delta_score: Option<f64>,
    /// The score of the graph less its score with the edge reversed; none if that closes a cycle.
    pub delta_reversed: Option<f64>,
}

impl Discovery {
    /// The class that the method found, or that of its graph: an arrow has the same direction in all members that satisfy
    /// the knowledge.
    #[must_use]
    pub fn class(&self) -> Pdag {
        self.class.clone().unwrap_or_else(|| self.class_of(&self.graph))
    }

    /// Whether the score prefers one of two equivalent graphs, by the shape of functions or of noise.
    pub(super) fn tells_equivalents_apart(&self) -> bool {
        self.model.local_score().is_some() && !self.model.is_score_equivalent()
    }

    pub(super) fn class_of(&self, dag: &Dag) -> Pdag {
        if self.tells_equivalents_apart() {
            return self.open_directions_of(dag);
        }
        self.equivalents_of(dag)
    }

    /// The Markov equivalence class of `dag`, less what knowledge and interventions exclude.
    pub(super) fn equivalents_of(&self, dag: &Dag) -> Pdag {
        let mut class = Cpdag::of(dag).into_pdag();
        let constraints = self.model.constraints();
        let interventions = self.model.interventions();
        let is_decided = |edge: &Edge| interventions.is_some_and(|rows| rows.decides(*edge));
        let is_known = |edge: &Edge| constraints.allows(*edge) && !constraints.allows(edge.reversed());
        let known = dag.edges().filter(|edge| is_known(edge) || is_decided(edge));
        class.orient_with(known).expect("a graph's own directions agree with its class");
        class
    }

    pub(super) fn interventions_result(&self) -> Option<InterventionsResult> {
        let interventions = self.model.interventions()?;
        let decided = self.graph.edges().filter(|&edge| interventions.decides(edge));
        Some(InterventionsResult {
            rows: interventions.rows_set(),
            targets: interventions.targets().iter().map(|node| self.names[node].clone()).collect(),
            decided: decided.map(|edge| self.pair(edge)).collect(),
        })
    }

    /// The graph with the edges undirected that the data could as well have reversed, where the score tells equivalent
    /// graphs apart: the reverse has a probability of 0.1 or more given that one of both is there, or, where there are no
    /// probabilities, as little is lost by turning the edge alone.
    fn open_directions_of(&self, dag: &Dag) -> Pdag {
        let mut graph = Pdag::empty(dag.nodes());
        for edge in dag.edges() {
            let is_open = self.model.constraints().allows(edge.reversed()) && self.is_open(edge, dag);
            let inserted = if is_open { graph.insert_undirected(edge) } else { graph.insert_directed(edge) };
            inserted.expect("the edges of a graph are distinct");
        }
        graph
    }

    fn is_open(&self, edge: Edge, dag: &Dag) -> bool {
        if self.posterior.source != Source::None {
            let (forth, back) = (self.posterior.edge(edge), self.posterior.edge(edge.reversed()));
            return back >= OPEN * (forth + back);
        }
        let mut reversed = dag.clone();
        reversed.remove(edge);
        if reversed.insert(edge.reversed()).is_err() {
            return false;
        }
        let lost = self.in_time(|| self.model.score_difference(&reversed, dag)).flatten();
        // Where there was no time for the difference, nothing is said to be compelled.
        lost.is_none_or(|lost| lost / self.model.temperature() <= (1.0 / OPEN - 1.0).ln())
    }

    pub(super) fn edge_results(&self) -> Vec<EdgeResult> {
        let class = self.class();
        let weights = self.weights();
        let mut edges: Vec<EdgeResult> =
            self.graph.edges().map(|edge| self.edge_result(edge, &class, &weights)).collect();
        edges.sort_by(|a, b| b.probability.total_cmp(&a.probability));
        edges
    }

    pub(super) fn cpdag_result(&self) -> CpdagResult {
        let class = self.class();
        let shown = |edge: Edge| if self.graph.contains(edge) { edge } else { edge.reversed() };
        CpdagResult {
            directed: class.directed().map(|edge| self.pair(edge)).collect(),
            undirected: class.undirected().map(|edge| self.pair(shown(edge))).collect(),
        }
    }

    /// The names of an edge's ends.
    pub(super) fn pair(&self, edge: Edge) -> (String, String) {
        (self.names[edge.from].clone(), self.names[edge.to].clone())
    }

    /// An edge and its probabilities; of one that the best graph has also what the score loses without it.
    pub(super) fn edge_result(&self, edge: Edge, class: &Pdag, weights: &Weights) -> EdgeResult {
        let (probability, reverse) = (self.posterior.edge(edge), self.posterior.edge(edge.reversed()));
        let (delta_score, delta_reversed) = self.score_differences(edge);
        EdgeResult {
            from: self.names[edge.from].clone(),
            to: self.names[edge.to].clone(),
            weight: weights.of(edge),
            standard_error: weights.error_of(edge),
            standardized_weight: weights.standardized(edge),
            probability,
            reverse_probability: reverse,
            absent_probability: (1.0 - probability - reverse).max(0.0),
            compelled: class.has_directed(edge),
            delta_score,
            delta_reversed,
        }
    }

    /// By how much the best graph scores lower without `edge`, and with it reversed; none where it does not have the
    /// edge, or a reversal closes a cycle.
    fn score_differences(&self, edge: Edge) -> (Option<f64>, Option<f64>) {
        let mut without = self.graph.clone();
        if !without.remove(edge) {
            return (None, None);
        }
        let mut reversed = without.clone();
        let is_reversible = reversed.insert(edge.reversed()).is_ok();
        let difference = |dag: &Dag| self.in_time(|| self.model.score_difference(dag, &self.graph)).flatten();
        (difference(&without), if is_reversible { difference(&reversed) } else { None })
    }

    pub(super) fn weights(&self) -> Weights {
        if let Some(design) = &self.design {
            return Weights(self.in_time(|| design.fits(&self.graph)).unwrap_or_default());
        }
        let moments = self.moments.as_ref();
        let Some((rows, correlation)) =
            moments.and_then(|moments| Some((moments.rows(), Correlation::of_moments(moments).ok()?)))
        else {
            return Weights(Vec::new());
        };
        let fit = |node| Ols::new(&correlation, rows, node, self.graph.parents(node));
        Weights((0..self.graph.nodes()).map(fit).collect())
    }
}

/// The least-squares fits of the variables on their parents; none of a category, and none where all columns are.
pub(super) struct Weights(Vec<Ols>);

impl Weights {
    /// The slope of the effect on the cause, given its other parents.
    pub(super) fn of(&self, edge: Edge) -> Option<f64> {
        self.find(edge).map(|(fit, at)| fit.coefficients[at])
    }

    /// The same where both columns have standard deviation 1.
    fn standardized(&self, edge: Edge) -> Option<f64> {
        self.find(edge).map(|(fit, at)| fit.standardized[at])
    }

    /// The slope over Student's t; none without residual degrees of freedom.
    fn error_of(&self, edge: Edge) -> Option<f64> {
        let (fit, at) = self.find(edge)?;
        let error = (fit.coefficients[at] / fit.t[at]).abs();
        error.is_finite().then_some(error)
    }

    /// The fit of the effect, and the place of the cause in it.
    fn find(&self, edge: Edge) -> Option<(&Ols, usize)> {
        let fit = self.0.get(edge.to)?;
        let at = fit.parents.iter().position(|&parent| parent == edge.from)?;
        Some((fit, at))
    }
}
