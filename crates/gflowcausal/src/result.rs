//! What a run found, as the one object that JSON, the run directory and other languages show.

use gflowcausal_data::Finding;
use gflowcausal_graph::{
    Cpdag, Dag, Edge, Metrics, NamedGraph, Pdag, auprc, auroc, evaluate, expected_shd, shd,
};
use gflowcausal_score::{Correlation, Ols, Sortability};
use serde::Serialize;

use crate::discover::{Discovery, Training};
use crate::method::method;
use crate::posterior::{Candidate, Distance, Weighting};
use crate::{Config, Error};

/// How many of the likeliest graphs are listed.
const TOP_GRAPHS: usize = 10;

/// Everything about a run that can be said in JSON.
#[derive(Debug, Clone, Serialize)]
pub struct ResultObject {
    /// The program's version.
    pub version: &'static str,
    /// The method by its registered name.
    pub method: String,
    /// The seed.
    pub seed: u64,
    /// What was looked at.
    pub data: DataObject,
    /// The best graph.
    pub graph: GraphObject,
    /// The graphs that data and knowledge cannot tell from it: its compelled and its reversible edges.
    pub cpdag: CpdagObject,
    /// Its causal order.
    pub order: Vec<String>,
    /// What it is worth.
    pub score: ScoreObject,
    /// What the draws say.
    pub posterior: PosteriorObject,
    /// Whether scale gives the directions away; for continuous data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sortability: Option<SortabilityObject>,
    /// The best graph against the truth, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metrics: Option<MetricsObject>,
    /// The true graph's edges, if they are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truth: Option<Vec<(String, String)>>,
    /// How training went, if there was any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub training: Option<Training>,
    /// What is odd about the data.
    pub findings: Vec<Finding>,
    /// How long each part took.
    pub seconds: Seconds,
}

/// How long each part took. The library has no clock: whoever runs it fills this in.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Seconds {
    /// Everything.
    pub total: f64,
    /// Building the score.
    pub score: f64,
    /// Local search before training.
    pub search: f64,
    /// Training.
    pub train: f64,
    /// Drawing graphs.
    pub sample: f64,
    /// Of all processors together.
    pub cpu: f64,
}

/// What was looked at.
#[derive(Debug, Clone, Serialize)]
pub struct DataObject {
    /// What the user calls it.
    pub name: String,
    /// How many rows it has.
    pub rows: usize,
    /// The variables.
    pub variables: Vec<String>,
    /// A fingerprint of names and values.
    pub sha256: String,
}

/// A graph as a list of edges.
#[derive(Debug, Clone, Serialize)]
pub struct GraphObject {
    /// The edges, likeliest first.
    pub edges: Vec<EdgeObject>,
}

/// A class of equivalent graphs, as pairs of names.
#[derive(Debug, Clone, Serialize)]
pub struct CpdagObject {
    /// Edges with the same direction in all of them.
    pub directed: Vec<(String, String)>,
    /// Edges whose direction differs among them.
    pub undirected: Vec<(String, String)>,
}

/// One edge and why it is there.
#[derive(Debug, Clone, Serialize)]
pub struct EdgeObject {
    /// The cause.
    pub from: String,
    /// The effect.
    pub to: String,
    /// The least-squares slope given the effect's other parents, in the data's units; for continuous data.
    pub weight: Option<f64>,
    /// How likely this edge is.
    pub probability: f64,
    /// How likely the reversed edge is.
    pub reversed_probability: f64,
    /// Whether every equivalent graph has the edge in this direction.
    pub compelled: bool,
    /// By how much the score falls without the edge.
    pub delta_score: Option<f64>,
    /// By how much the score falls when the edge is reversed; none if that closes a cycle.
    pub delta_reversed: Option<f64>,
}

/// What the best graph is worth.
#[derive(Debug, Clone, Serialize)]
pub struct ScoreObject {
    /// The score's name.
    pub name: &'static str,
    /// Its value for the best order.
    pub value: f64,
    /// Its value for the best graph, where it has one for graphs; what [`EdgeObject::delta_score`] is taken from.
    pub graph: Option<f64>,
    /// The temperature of the policy.
    pub temperature: f64,
    /// How orders become graphs, where the method finds an order first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prune: Option<&'static str>,
}

/// What the draws say.
#[derive(Debug, Clone, Serialize)]
pub struct PosteriorObject {
    /// How many graphs were drawn.
    pub samples: u64,
    /// How many different ones.
    pub distinct: usize,
    /// How many equally weighted draws they are worth.
    pub effective_sample_size: f64,
    /// How they are weighted.
    pub weighting: Weighting,
    /// The probability of each edge, row causes column; with weighting `single` whether it is in the one graph.
    pub edge_probabilities: Vec<Vec<f64>>,
    /// The probability of a directed path, row leads to column.
    pub ancestor_probabilities: Vec<Vec<f64>>,
    /// The likeliest graphs.
    pub top: Vec<TopGraph>,
    /// How far the edge probabilities are from the exact ones, where these are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distance_to_exact: Option<Distance>,
}

/// A likely graph.
#[derive(Debug, Clone, Serialize)]
pub struct TopGraph {
    /// Its share of the weight.
    pub weight: f64,
    /// Its log-reward.
    pub log_reward: f64,
    /// Its edges as pairs of names.
    pub edges: Vec<(String, String)>,
    /// For each edge whether its direction is compelled.
    pub compelled: Vec<bool>,
}

/// Whether scale gives the directions away.
#[derive(Debug, Clone, Serialize)]
pub struct SortabilityObject {
    /// By variance.
    pub variance: f64,
    /// By R².
    pub r2: f64,
    /// What that means.
    pub verdict: String,
}

/// The best graph and the draws against the truth.
#[derive(Debug, Clone, Serialize)]
pub struct MetricsObject {
    /// Of the best graph.
    #[serde(flatten)]
    pub graph: Metrics,
    /// The SHD of its equivalence class: a reversible edge counts as right if the truth joins the pair.
    pub class_shd: usize,
    /// Area under the ROC curve of the edge probabilities.
    pub auroc: f64,
    /// Area under the precision–recall curve of the edge probabilities.
    pub auprc: f64,
    /// The mean SHD of the draws.
    pub expected_shd: f64,
}

impl Discovery {
    /// The best graph with its names, weights and probabilities.
    ///
    /// # Errors
    /// When names are empty.
    pub fn named_graph(&self) -> Result<NamedGraph, Error> {
        let in_result = |source| Error::Graph { path: "result".into(), source };
        let mut named = NamedGraph::new(self.names.clone(), Pdag::from(&self.graph)).map_err(in_result)?;
        let weights = self.weights();
        for edge in self.graph.edges() {
            named.set_probability(edge, self.posterior.edge(edge)).map_err(in_result)?;
            if let Some(weight) = weights.of(edge).filter(|weight| *weight != 0.0) {
                named.set_weight(edge, weight).map_err(in_result)?;
            }
        }
        Ok(named)
    }

    /// Everything about the run in one object; with metrics if the `truth` is known.
    #[must_use]
    pub fn to_object(&self, config: &Config, data: DataObject, truth: Option<&Dag>) -> ResultObject {
        ResultObject {
            version: env!("CARGO_PKG_VERSION"),
            method: config.method.clone(),
            seed: config.seed,
            data,
            graph: GraphObject { edges: self.edge_objects() },
            cpdag: self.cpdag_object(),
            order: self.order.iter().map(|node| self.names[node].clone()).collect(),
            score: ScoreObject {
                name: self.model.score_name().name(),
                value: self.score,
                graph: self.model.graph_score(&self.graph),
                temperature: self.model.temperature(),
                prune: prunes(&config.method).then(|| self.model.prune_name().name()),
            },
            posterior: self.posterior_object(),
            sortability: self.sortability(),
            metrics: truth.map(|truth| self.metrics(truth)),
            truth: truth.map(|truth| truth.edges().map(|edge| self.pair(edge)).collect()),
            training: self.training.clone(),
            findings: self.findings.clone(),
            seconds: Seconds::default(),
        }
    }

    /// The class that the method found, or that of its graph: an arrow points the same way in all members that obey
    /// the knowledge.
    #[must_use]
    pub fn class(&self) -> Pdag {
        self.class.clone().unwrap_or_else(|| self.class_of(&self.graph))
    }

    fn class_of(&self, dag: &Dag) -> Pdag {
        let mut class = Cpdag::of(dag).into_pdag();
        let constraints = self.model.constraints();
        let known = dag.edges().filter(|edge| !constraints.allows(edge.reversed()));
        class.orient_with(known).expect("a graph's own directions agree with its class");
        class
    }

    fn edge_objects(&self) -> Vec<EdgeObject> {
        let class = self.class();
        let weights = self.weights();
        let mut edges: Vec<EdgeObject> =
            self.graph.edges().map(|edge| self.edge_object(edge, &class, weights.of(edge))).collect();
        edges.sort_by(|a, b| b.probability.total_cmp(&a.probability));
        edges
    }

    fn cpdag_object(&self) -> CpdagObject {
        let class = self.class();
        let shown = |edge: Edge| if self.graph.contains(edge) { edge } else { edge.reversed() };
        CpdagObject {
            directed: class.directed().map(|edge| self.pair(edge)).collect(),
            undirected: class.undirected().map(|edge| self.pair(shown(edge))).collect(),
        }
    }

    /// The names of an edge's ends.
    fn pair(&self, edge: Edge) -> (String, String) {
        (self.names[edge.from].clone(), self.names[edge.to].clone())
    }

    fn edge_object(&self, edge: Edge, class: &Pdag, weight: Option<f64>) -> EdgeObject {
        let mut without = self.graph.clone();
        without.remove(edge);
        let mut reversed = without.clone();
        let is_reversible = reversed.insert(edge.reversed()).is_ok();
        let fall = |dag: &Dag| self.model.gain(dag, &self.graph);
        EdgeObject {
            from: self.names[edge.from].clone(),
            to: self.names[edge.to].clone(),
            weight,
            probability: self.posterior.edge(edge),
            reversed_probability: self.posterior.edge(edge.reversed()),
            compelled: class.has_directed(edge),
            delta_score: fall(&without),
            delta_reversed: if is_reversible { fall(&reversed) } else { None },
        }
    }

    fn weights(&self) -> Weights {
        let moments = self.moments.as_ref();
        let Some((rows, correlation)) =
            moments.and_then(|moments| Some((moments.rows(), Correlation::of_moments(moments).ok()?)))
        else {
            return Weights(Vec::new());
        };
        let fit = |node| Ols::new(&correlation, rows, node, self.graph.parents(node));
        Weights((0..self.graph.nodes()).map(fit).collect())
    }

    fn posterior_object(&self) -> PosteriorObject {
        let nodes = self.names.len();
        let rows = |matrix: &[f64]| matrix.chunks(nodes.max(1)).map(<[f64]>::to_vec).collect();
        let top =
            self.posterior.candidates.iter().take(TOP_GRAPHS).map(|candidate| self.top_graph(candidate));
        PosteriorObject {
            samples: self.posterior.samples,
            distinct: self.posterior.candidates.len(),
            effective_sample_size: self.posterior.effective_sample_size,
            weighting: self.posterior.weighting,
            edge_probabilities: rows(self.posterior.edges()),
            ancestor_probabilities: rows(self.posterior.ancestors()),
            top: top.collect(),
            distance_to_exact: self.distance,
        }
    }

    fn top_graph(&self, candidate: &Candidate) -> TopGraph {
        let class = self.class_of(&candidate.dag);
        TopGraph {
            weight: candidate.weight,
            log_reward: candidate.log_reward,
            edges: candidate.dag.edges().map(|edge| self.pair(edge)).collect(),
            compelled: candidate.dag.edges().map(|edge| class.has_directed(edge)).collect(),
        }
    }

    fn sortability(&self) -> Option<SortabilityObject> {
        let sortability = Sortability::new(&self.graph, self.moments.as_ref()?).ok()?;
        let Sortability { variance, r2 } = sortability;
        Some(SortabilityObject { variance, r2, verdict: sortability.verdict() })
    }

    fn metrics(&self, truth: &Dag) -> MetricsObject {
        let samples = self.posterior.candidates.iter().map(|candidate| (&candidate.dag, candidate.weight));
        let estimate = self.class.clone().unwrap_or_else(|| Pdag::from(&self.graph));
        let graph = evaluate(&estimate, truth);
        MetricsObject {
            expected_shd: expected_shd(samples, truth).unwrap_or(graph.shd as f64),
            auroc: auroc(self.posterior.edges(), truth),
            auprc: auprc(self.posterior.edges(), truth),
            class_shd: shd(&self.class(), truth),
            graph,
        }
    }
}

/// The least-squares fits of the variables on their parents; none where columns are not numbers.
struct Weights(Vec<Ols>);

impl Weights {
    /// The slope of the effect on the cause, given its other parents.
    fn of(&self, edge: Edge) -> Option<f64> {
        let fit = self.0.get(edge.to)?;
        let at = fit.parents.iter().position(|&parent| parent == edge.from)?;
        Some(fit.coefficients[at])
    }
}

/// Whether the method called `name` finds orders, and graphs from them.
fn prunes(name: &str) -> bool {
    method(name).is_ok_and(|method| method.settings().contains(&"prune"))
}
