//! Graphs as square matrices: the row causes the column unless said otherwise, and zero is no edge.

use gflowcausal_graph::{Edge, GraphError, NamedGraph, Pdag};

use crate::builder::MAX_NODES;
use crate::{Format, FormatError, Orientation, WriteError};

/// The graph of `values`, row by row, over `names`.
///
/// A pair with one value is an arrow, a pair with the same value in both directions an undirected edge. Where all values are
/// 0 or 1 they are no weights.
pub(crate) fn to_graph(
    names: Vec<String>,
    values: &[f64],
    orientation: Orientation,
) -> Result<NamedGraph, FormatError> {
    let nodes = names.len();
    check_size(nodes)?;
    let value = |edge: Edge| match orientation {
        Orientation::RowToColumn => values[edge.from * nodes + edge.to],
        Orientation::ColumnToRow => values[edge.to * nodes + edge.from],
    };
    let graph = read_pairs(&names, value)?;
    let mut named = NamedGraph::new(names, graph)?;
    if values.iter().any(|&value| value != 0.0 && value != 1.0) {
        let edges: Vec<Edge> = named.edges().map(|(edge, _)| edge).collect();
        for edge in edges {
            named.set_weight(edge, value(edge))?;
        }
    }
    Ok(named)
}

/// Refuses a number of variables before anything of that size is made.
pub(crate) fn check_size(nodes: usize) -> Result<(), GraphError> {
    match nodes {
        0 => Err(GraphError::NoVariables),
        1..=MAX_NODES => Ok(()),
        _ => Err(GraphError::TooMany { nodes, limit: MAX_NODES }),
    }
}

fn read_pairs(names: &[String], value: impl Fn(Edge) -> f64) -> Result<Pdag, FormatError> {
    let nodes = names.len();
    let mut graph = Pdag::empty(nodes);
    for from in 0..nodes {
        for to in from..nodes {
            let edge = Edge { from, to };
            let (there, back) = (value(edge), value(edge.reversed()));
            if there == 0.0 && back == 0.0 {
                continue;
            }
            check_pair(names, edge, there, back)?;
            match (there != 0.0, back != 0.0) {
                (true, true) => graph.insert_undirected(edge),
                (true, false) => graph.insert_directed(edge),
                _ => graph.insert_directed(edge.reversed()),
            }
            .expect("each pair comes once");
        }
    }
    Ok(graph)
}

fn check_pair(names: &[String], edge: Edge, there: f64, back: f64) -> Result<(), FormatError> {
    let (from, to) = (names[edge.from].clone(), names[edge.to].clone());
    if edge.from == edge.to {
        return Err(GraphError::Loop(from).into());
    }
    if !there.is_finite() {
        return Err(GraphError::NotFinite { from, to, value: there }.into());
    }
    if !back.is_finite() {
        return Err(GraphError::NotFinite { from: to, to: from, value: back }.into());
    }
    if there != 0.0 && back != 0.0 && there != back {
        return Err(FormatError::BothWays { from, to, there, back });
    }
    Ok(())
}

/// The matrix of a graph, row by row, the row causing the column: weights where there are any, else 0 and 1.
pub(crate) fn from_graph(named: &NamedGraph, format: Format) -> Result<Vec<f64>, WriteError> {
    let nodes = named.names().len();
    let mut values = vec![0.0; nodes * nodes];
    for (edge, directed) in named.edges() {
        let weight = named.weight(edge).unwrap_or(1.0);
        if weight == 0.0 {
            let (from, to) = named.ends(edge);
            return Err(WriteError::ZeroWeight { format, from, to });
        }
        values[edge.from * nodes + edge.to] = weight;
        if !directed {
            values[edge.to * nodes + edge.from] = weight;
        }
    }
    Ok(values)
}

/// The names of a bare matrix: those given, else `X1`, `X2`, ….
pub(crate) fn names(given: Option<&[String]>, nodes: usize) -> Result<Vec<String>, GraphError> {
    match given {
        Some(names) if names.len() != nodes => Err(GraphError::NameCount { names: names.len(), nodes }),
        Some(names) => Ok(names.to_vec()),
        None => Ok((1..=nodes).map(|number| format!("X{number}")).collect()),
    }
}
