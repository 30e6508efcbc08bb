//! Everything that a simulation can be refused for, with the offending value.

use gflowcausal_graph::{Advice, Edge, EdgeError, pluralize};

use super::{GraphFamily, Model};

/// Why nothing was simulated.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "a variant's sentence names its fields")]
pub enum SimulationError {
    /// A table needs a variable.
    #[error("a graph needs at least 1 node")]
    NoNodes,
    /// A table needs a row.
    #[error("a table needs at least 1 row")]
    NoRows,
    /// More cells, or a larger graph, than fits in memory.
    #[error("{rows} rows of {nodes} nodes do not fit: at most {most_nodes} nodes and {most_cells} cells")]
    TooLarge { rows: usize, nodes: usize, most_nodes: usize, most_cells: usize },
    /// The number of edges is given twice.
    #[error("degree {degree} and edges {edges} both say how many edges there are")]
    DegreeAndEdges { degree: usize, edges: usize },
    /// More edges than pairs.
    #[error(
        "{} do not fit into the {} of {}",
        pluralize(*edges, "edge"), pluralize(*most, "pair"), pluralize(*nodes, "node")
    )]
    TooManyEdges { edges: usize, nodes: usize, most: usize },
    /// Each node that joins a scale-free graph needs that many others to attach to.
    #[error("graph '{family}' of {nodes} nodes needs a degree from 1 to {}, not {degree}", nodes - 1)]
    ScaleFreeDegree { family: GraphFamily, degree: usize, nodes: usize },
    /// A number of edges that no scale-free graph of this size has.
    #[error("graph '{family}' of {nodes} nodes has m·({nodes}−m) edges, never {edges}")]
    ScaleFreeEdges { family: GraphFamily, edges: usize, nodes: usize },
    /// An option that this model would ignore.
    #[error("option '{option}' has no effect on model '{model}'")]
    NoEffect { option: &'static str, model: Model },
    /// More variables to set than there are.
    #[error("{targets} of {} cannot be set", pluralize(*nodes, "variable"))]
    Targets { targets: usize, nodes: usize },
    /// Categories have no scale.
    #[error("option 'standardize' has no effect on a network whose variables are categories")]
    Categories,
    /// Not a positive number, or not an interval of positive numbers.
    #[error("noise scale {0} is not a positive number or an interval of positive numbers")]
    NoiseScale(super::NoiseScale),
    /// Not a probability below one.
    #[error("missing rate {0} is not in [0, 1)")]
    MissingRate(f64),
    /// The model's cost grows too fast with the rows.
    #[error("model '{model}' takes at most {most} rows, not {rows}: it factors a rows × rows matrix")]
    TooManyRows { model: Model, rows: usize, most: usize },
    /// Parents of a discrete variable with more joint values than can be counted.
    #[error("the {parents} parents of '{column}' have more than 2^64 joint values")]
    TooManyParents { column: String, parents: usize },
    /// Values grew beyond what a floating-point number holds.
    #[error("column '{column}' of model '{model}' overflows")]
    Overflow { column: String, model: Model },
    /// A matrix of another size than the graph's.
    #[error("{values} weights for {nodes} nodes, not {nodes} × {nodes}")]
    WeightCount { values: usize, nodes: usize },
    /// NaN or infinity as a weight.
    #[error("the weight of edge {0} is not a finite number")]
    WeightNotFinite(Edge),
    /// The non-zero weights are not an acyclic graph.
    #[error(transparent)]
    Graph(#[from] EdgeError),
}

impl SimulationError {
    /// The kind of problem, as a stable word.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::NoEffect { .. } | Self::Categories => "option-without-effect",
            _ => "impossible-simulation",
        }
    }

    /// What helps.
    #[must_use]
    pub fn advice(&self) -> Advice {
        match self {
            Self::NoEffect { .. } | Self::Categories => "leave the option out".into(),
            Self::DegreeAndEdges { .. } => "leave one of them out".into(),
            Self::TooManyEdges { .. } => "ask for fewer edges, or more nodes".into(),
            Self::ScaleFreeEdges { .. } => "give the degree m instead".into(),
            Self::TooManyRows { .. } => "ask for fewer rows, or another model".into(),
            Self::Overflow { .. } | Self::TooLarge { .. } | Self::TooManyParents { .. } => {
                "ask for fewer nodes or edges".into()
            }
            _ => "correct the value".into(),
        }
    }
}
