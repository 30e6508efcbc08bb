//! Graphs over named variables: their files, their equivalence classes, and how far one is from another.

use std::path::PathBuf;

use gflowcausal::Error;
use gflowcausal::graph::{self, Cpdag, Edge, GraphError, NamedGraph, Pdag, evaluate};
use gflowcausal::graph_io::{Format, Orientation, ReadOptions};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::error::{Failure, guarded};

/// An edge as Python has it: both ends by number, and what is known of it.
type Line = (usize, usize, Option<f64>, Option<f64>);

/// A partly directed graph over named variables.
#[pyclass(frozen, module = "gflowcausal._native")]
pub(crate) struct Graph {
    pub(crate) graph: NamedGraph,
}

impl Graph {
    /// The graph over `names`, in their order, as a DAG.
    pub(crate) fn dag_over(&self, names: &[String]) -> Result<graph::Dag, Failure> {
        self.graph.align(names).and_then(|graph| graph.to_dag()).map_err(Failure::Graph)
    }
}

fn build(names: Vec<String>, directed: &[Line], undirected: &[Line]) -> Result<NamedGraph, Failure> {
    let mut pdag = Pdag::empty(names.len());
    let ends = |&(from, to, ..): &Line| Edge { from, to };
    for edge in directed {
        pdag.insert_directed(ends(edge)).map_err(|error| wrong(&error, &names))?;
    }
    for edge in undirected {
        pdag.insert_undirected(ends(edge)).map_err(|error| wrong(&error, &names))?;
    }
    let mut named = NamedGraph::new(names, pdag).map_err(Failure::Graph)?;
    for edge in directed.iter().chain(undirected) {
        if let Some(weight) = edge.2 {
            named.set_weight(ends(edge), weight).map_err(Failure::Graph)?;
        }
        if let Some(probability) = edge.3 {
            if !(0.0..=1.0).contains(&probability) {
                let text = format!("{probability} is no probability: it must be between 0 and 1");
                return Err(Failure::Argument(text));
            }
            named.set_probability(ends(edge), probability).map_err(Failure::Graph)?;
        }
    }
    Ok(named)
}

/// Why an edge has no place, in the user's words.
fn wrong(error: &graph::EdgeError, names: &[String]) -> Failure {
    let Edge { from, to } = error.edge();
    match (names.get(from), names.get(to)) {
        (Some(from), Some(to)) if from == to => Failure::Graph(GraphError::Loop(from.clone())),
        (Some(from), Some(to)) => Failure::Graph(GraphError::Joined { from: from.clone(), to: to.clone() }),
        _ => Failure::Argument(error.to_string()),
    }
}

#[pymethods]
impl Graph {
    #[new]
    fn new(names: Vec<String>, directed: Vec<Line>, undirected: Vec<Line>) -> PyResult<Self> {
        Ok(Self { graph: guarded(|| build(names, &directed, &undirected))? })
    }

    /// Reads the bytes of a file.
    #[staticmethod]
    fn parse(
        bytes: &[u8],
        path: PathBuf,
        format: Option<&str>,
        orientation: &str,
        names: Option<Vec<String>>,
    ) -> PyResult<Self> {
        let graph = guarded(|| {
            let orientation = self::orientation(orientation)?;
            let format = format.map(self::format).transpose()?.map_or_else(|| Format::of(&path, bytes), Ok);
            let read = format.and_then(|format| format.read(bytes, &ReadOptions { orientation, names }));
            read.map_err(|source| Error::GraphFile { path: path.clone(), source }.into())
        });
        Ok(Self { graph: graph? })
    }

    /// The bytes of a file in `format`, or in the one that the name of `path` tells.
    fn write<'py>(
        &self,
        py: Python<'py>,
        path: PathBuf,
        format: Option<&str>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = guarded(|| {
            let format = format.map(self::format).transpose()?;
            Ok(gflowcausal::graph_bytes(&path, format, &self.graph)?)
        });
        Ok(PyBytes::new(py, &bytes?))
    }

    #[getter]
    fn names(&self) -> Vec<String> {
        self.graph.names().to_vec()
    }

    /// The arrows, each with its weight and its probability.
    #[getter]
    fn directed(&self) -> Vec<Line> {
        self.graph.graph().directed().map(|edge| self.line(edge)).collect()
    }

    /// The edges without direction, each once.
    #[getter]
    fn undirected(&self) -> Vec<Line> {
        self.graph.graph().undirected().map(|edge| self.line(edge)).collect()
    }

    /// A drawing.
    fn to_svg(&self) -> PyResult<String> {
        Ok(guarded(|| Ok(gflowcausal_report::graph_svg(&self.graph)))?)
    }

    /// Refuses a graph with a cycle or an edge without direction.
    fn check_dag(&self) -> PyResult<()> {
        Ok(guarded(|| self.graph.to_dag().map(drop).map_err(Failure::Graph))?)
    }

    /// The variables, causes first.
    fn order(&self) -> PyResult<Vec<usize>> {
        let dag = guarded(|| self.graph.to_dag().map_err(Failure::Graph))?;
        Ok(dag.topological_order().as_slice().to_vec())
    }

    /// The class of graphs that explain the same correlations.
    fn cpdag(&self) -> PyResult<Self> {
        let graph = guarded(|| {
            let class = Cpdag::of(&self.graph.to_dag().map_err(Failure::Graph)?);
            NamedGraph::new(self.names(), class.into_pdag()).map_err(Failure::Graph)
        });
        Ok(Self { graph: graph? })
    }

    /// The same graph with its variables in the order of `names`.
    fn align(&self, names: Vec<String>) -> PyResult<Self> {
        Ok(Self { graph: guarded(|| self.graph.align(&names).map_err(Failure::Graph))? })
    }

    /// How far this graph is from `truth`, in JSON.
    fn evaluate(&self, truth: &Self) -> PyResult<String> {
        let metrics = guarded(|| {
            let dag = truth.graph.to_dag().map_err(Failure::Graph)?;
            let mine = self.graph.align(truth.graph.names()).map_err(Failure::Graph)?;
            crate::json(&evaluate(mine.graph(), &dag))
        });
        Ok(metrics?)
    }
}

impl Graph {
    fn line(&self, edge: Edge) -> Line {
        (edge.from, edge.to, self.graph.weight(edge), self.graph.probability(edge))
    }
}

fn format(name: &str) -> Result<Format, Failure> {
    name.parse().map_err(|error: graph::UnknownChoice| Failure::Argument(error.to_string()))
}

fn orientation(name: &str) -> Result<Orientation, Failure> {
    name.parse().map_err(|error: graph::UnknownChoice| Failure::Argument(error.to_string()))
}
