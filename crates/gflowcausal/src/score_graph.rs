//! The score of a given graph on a table, variable by variable and edge by edge.

use std::borrow::Cow;

use gflowcausal_data::{Moments, Table};
use gflowcausal_determinism::StopFlag;
use gflowcausal_graph::{Constraints, Dag, Edge};
use gflowcausal_score::{GraphScore, LocalScore};
use serde::Serialize;

use crate::experiments::{complete_with, observational_moments, without_interventions};
use crate::method::method;
use crate::model::{Chosen, ScoreKind, ScoreName, ScoringModel, chosen};
use crate::options::{Config, PruneName};
use crate::prepare::moments;
use crate::{Error, score};

/// The score of a graph, taken apart.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GraphReport {
    /// How many rows there are.
    pub rows: usize,
    /// How many of them the score uses, if that is not all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows_used: Option<usize>,
    /// The score's name; never `auto`.
    pub score: &'static str,
    /// The score of the graph.
    pub value: f64,
    /// The variables, in the order of the columns.
    pub nodes: Vec<NodeReport>,
    /// The edges, the one that is missed most first.
    pub edges: Vec<EdgeReport>,
}

/// One variable's part in the score of a graph.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NodeReport {
    /// The variable.
    pub name: String,
    /// Its term; none where the score is no sum over variables.
    pub score: Option<f64>,
    /// Its direct causes.
    pub parents: Vec<String>,
}

/// One edge's part in the score of a graph.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EdgeReport {
    /// The cause.
    pub from: String,
    /// The effect.
    pub to: String,
    /// The score of the graph less its score without the edge.
    pub delta_score: f64,
}

/// Scores `dag` on `table` with the score, penalty, standardisation, interventions and rule for missing values of `config`.
///
/// ```
/// use gflowcausal::{Config, score_graph};
/// let sachs = gflowcausal::data::builtin("sachs").unwrap();
/// let report = score_graph(&sachs.table, &sachs.truth, &Config::default())?;
/// let sum: f64 = report.nodes.iter().filter_map(|node| node.score).sum();
/// assert!((report.value - sum).abs() < 1e-6);
/// # Ok::<(), gflowcausal::Error>(())
/// ```
///
/// # Errors
/// Data or options that the score cannot be made of, or a score of orders alone.
///
/// # Panics
/// If `dag` has not as many variables as `table` has columns, less that of interventions.
pub fn score_graph(table: &Table, dag: &Dag, config: &Config) -> Result<GraphReport, Error> {
    let (table, interventions) = without_interventions(Cow::Borrowed(table), config)?;
    let names: Vec<String> = table.names().map(str::to_owned).collect();
    assert_eq!(dag.nodes(), names.len(), "a graph of other variables");
    let (prepared, interventions) = complete_with(table, interventions, config)?;
    let moments = match &interventions {
        Some(interventions) => observational_moments(&prepared, interventions, config.missing)?,
        None => moments(&prepared, config.missing)?,
    };
    // Nothing is pruned here; a score in parts knows its own pruning alone.
    let prune = if interventions.is_some() { PruneName::Auto } else { PruneName::None };
    let none = Constraints::none(dag.nodes());
    let config = match interventions {
        Some(_) => config.clone(),
        None => with_score_of_a_run((&prepared, moments.as_ref()), &none, config)?,
    };
    let unpruned = Config { prune, threshold: None, alpha: None, ..config };
    let model = ScoringModel::new(&prepared, moments.as_ref(), interventions.as_ref(), none, &unpruned)?;
    let parts = match model.kind() {
        ScoreKind::Decomposable(score) => by_variable(score.local_score(), dag),
        ScoreKind::GraphWide(score) => as_a_whole(score, dag),
        ScoreKind::OrderOnly(_) => return Err(Error::OrdersOnly { score: model.score_name().name() }),
    };
    let rows_used = model.rows_used(prepared.rows());
    let report = parts.report(prepared.rows(), model.score_name(), dag, &names);
    Ok(GraphReport { rows_used, ..report })
}

/// The options with the score that a run of them would choose, where that is left to the data.
fn with_score_of_a_run(
    data: (&Table, Option<&Moments>),
    constraints: &Constraints,
    config: &Config,
) -> Result<Config, Error> {
    let most = method(&config.method)?.family_limit();
    Ok(match chosen(data, constraints, (config, most), &StopFlag::new())? {
        Chosen::ByEvidence(choice) => config.with_chosen_score(choice.score, Some(&choice.evidence)),
        Chosen::ByTypes(_) => config.clone(),
    })
}

/// A graph's score by index, before anything has a name.
struct ScoreParts {
    value: f64,
    terms: Vec<Option<f64>>,
    edges: Vec<(Edge, f64)>,
}

fn by_variable(local: &dyn LocalScore, dag: &Dag) -> ScoreParts {
    let scored = score::score_graph(local, dag);
    let edges = scored.nodes.iter().enumerate().flat_map(|(to, node)| {
        node.edges.iter().map(move |edge| (Edge::new(edge.from, to), -edge.delta_without))
    });
    ScoreParts {
        value: scored.total,
        terms: scored.nodes.iter().map(|node| Some(node.score)).collect(),
        edges: edges.collect(),
    }
}

fn as_a_whole(whole: &dyn GraphScore, dag: &Dag) -> ScoreParts {
    let value = whole.graph(dag);
    let loss = |edge: Edge| {
        let mut without = dag.clone();
        without.remove(edge);
        (edge, value - whole.graph(&without))
    };
    ScoreParts { value, terms: vec![None; dag.nodes()], edges: dag.edges().map(loss).collect() }
}

impl ScoreParts {
    fn report(mut self, rows: usize, score: ScoreName, dag: &Dag, names: &[String]) -> GraphReport {
        self.edges.sort_by(|(e, a), (f, b)| b.total_cmp(a).then(e.cmp(f)));
        let name = |node: usize| names[node].clone();
        let node = |(at, &score): (usize, &Option<f64>)| NodeReport {
            name: name(at),
            score,
            parents: dag.parents(at).iter().map(name).collect(),
        };
        let edge = |&(edge, delta_score): &(Edge, f64)| EdgeReport {
            from: name(edge.from),
            to: name(edge.to),
            delta_score,
        };
        GraphReport {
            rows,
            rows_used: None,
            score: score.name(),
            value: self.value,
            nodes: self.terms.iter().enumerate().map(node).collect(),
            edges: self.edges.iter().map(edge).collect(),
        }
    }
}
