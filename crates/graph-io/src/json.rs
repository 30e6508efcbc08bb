//! JSON: our own graph files, the results of a discovery, and what networkx calls node-link data.

use gflowcausal_graph::{Edge, GraphError, NamedGraph, Names};
use serde_json::{Map, Value, json};

use crate::builder::{Builder, Link};
use crate::format::{FormatReader, Registration};
use crate::{FormatError, Orientation, ReadOptions, attribute, matrix};

const LISTS_OF_NODES: [&str; 3] = ["nodes", "variables", "names"];

pub(crate) const FORMAT: Registration = Registration {
    extensions: &["json"],
    read: FormatReader::Text { detects: |text| text.starts_with(['{', '[']), read },
    write: Some(|named| Ok(write(named).into_bytes())),
};

fn read(text: &str, options: &ReadOptions) -> Result<NamedGraph, FormatError> {
    let value: Value = serde_json::from_str(text)
        .map_err(|error| FormatError::Json { line: error.line(), column: error.column() })?;
    match &value {
        Value::Object(file) => read_object(file, options),
        Value::Array(rows) if rows.iter().all(Value::is_array) => {
            read_matrix(rows, "matrix", None, options.orientation, options)
        }
        _ => Err(shape("the file", "an object with \"edges\", or a matrix")),
    }
}

fn shape(path: impl Into<String>, expected: &'static str) -> FormatError {
    FormatError::JsonShape { path: path.into(), expected }
}

fn read_object(file: &Map<String, Value>, options: &ReadOptions) -> Result<NamedGraph, FormatError> {
    // A result keeps its graph one level down and its variables beside the data.
    let result = file.get("graph").and_then(Value::as_object).filter(|graph| graph.contains_key("edges"));
    let (graph, path) = result.map_or((file, ""), |graph| (graph, "graph."));
    let places = [Some(graph), Some(file), file.get("data").and_then(Value::as_object)];
    let nodes = places.into_iter().flatten().find_map(node_list).transpose()?;
    let nodes = nodes.as_deref();
    if let Some((key, edges)) =
        ["edges", "links"].iter().find_map(|key| graph.get(*key).map(|list| (key, list)))
    {
        let edges = edges.as_array().ok_or_else(|| shape(format!("{path}{key}"), "a list of edges"))?;
        let directed = flag(file.get("directed"), "directed", "true or false")?.unwrap_or(true);
        return read_edges(edges, &format!("{path}{key}"), nodes, directed, options);
    }
    let rows = graph.get("adjacency").and_then(Value::as_array);
    let rows = rows.ok_or_else(|| shape("the file", "\"edges\" or \"adjacency\""))?;
    read_matrix(rows, "adjacency", nodes, orientation(graph, options)?, options)
}

fn orientation(graph: &Map<String, Value>, options: &ReadOptions) -> Result<Orientation, FormatError> {
    let Some(value) = graph.get("orientation") else { return Ok(options.orientation) };
    let named = value.as_str().and_then(|name| name.parse().ok());
    named.ok_or_else(|| shape("orientation", "\"row-to-column\" or \"column-to-row\""))
}

/// The variables, if the object lists them: names, or objects with an id.
fn node_list(object: &Map<String, Value>) -> Option<Result<Vec<String>, FormatError>> {
    let (key, list) = LISTS_OF_NODES.iter().find_map(|key| Some((*key, object.get(*key)?.as_array()?)))?;
    let name = |(at, node): (usize, &Value)| {
        let node = ["id", "name"].iter().find_map(|key| node.get(key)).unwrap_or(node);
        text(node).ok_or_else(|| shape(format!("{key}[{at}]"), "a name"))
    };
    Some(list.iter().enumerate().map(name).collect())
}

/// A name; a number is one too.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(name) => Some(name.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Yes or no: `true`, `"true"` or 1, and their opposites.
fn flag(value: Option<&Value>, path: &str, expected: &'static str) -> Result<Option<bool>, FormatError> {
    let truth = |value: &Value| value.as_bool().or_else(|| attribute::truth(&text(value)?));
    match value {
        None | Some(Value::Null) => Ok(None),
        Some(value) => truth(value).map(Some).ok_or_else(|| shape(path, expected)),
    }
}

fn read_edges(
    edges: &[Value],
    path: &str,
    nodes: Option<&[String]>,
    directed: bool,
    options: &ReadOptions,
) -> Result<NamedGraph, FormatError> {
    let mut builder = Builder::default();
    let listed = nodes.is_some();
    for name in nodes.unwrap_or_default() {
        builder.declare(name)?;
    }
    for (at, edge) in edges.iter().enumerate() {
        let path = format!("{path}[{at}]");
        let edge = if listed {
            link(edge, &path, directed, |name| known(&builder, name))?
        } else {
            link(edge, &path, directed, |name| Ok(builder.node(name)))?
        };
        builder.link(edge);
    }
    let named = builder.finish()?;
    match &options.names {
        Some(names) if !listed => Ok(named.extend_to(names)?),
        _ => Ok(named),
    }
}

fn known(builder: &Builder, name: &str) -> Result<usize, GraphError> {
    builder.find(name).ok_or_else(|| Names::new(builder.names()).unknown(name).into())
}

/// One edge: an object with its ends, or a list of the two.
fn link(
    edge: &Value,
    path: &str,
    directed: bool,
    mut node: impl FnMut(&str) -> Result<usize, GraphError>,
) -> Result<Link, FormatError> {
    let mut end = |keys: [&str; 3], at: usize, expected: &'static str| {
        let value = keys.iter().find_map(|key| edge.get(key)).or_else(|| edge.get(at));
        let name = value.and_then(text).ok_or_else(|| shape(path, expected))?;
        node(&name).map_err(FormatError::from)
    };
    let from = end(["from", "source", "cause"], 0, "a name under \"from\"")?;
    let to = end(["to", "target", "effect"], 1, "a name under \"to\"")?;
    let number = |key: &str, expected: &'static str| match edge.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => value.as_f64().map(Some).ok_or_else(|| shape(path, expected)),
    };
    Ok(Link {
        edge: Edge { from, to },
        directed: flag(edge.get("directed"), path, "true or false under \"directed\"")?.unwrap_or(directed),
        weight: number("weight", "a number under \"weight\"")?,
        probability: number("probability", "a number under \"probability\"")?,
        line: None,
    })
}

fn read_matrix(
    rows: &[Value],
    path: &str,
    nodes: Option<&[String]>,
    orientation: Orientation,
    options: &ReadOptions,
) -> Result<NamedGraph, FormatError> {
    let mut values = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let row = row.as_array().ok_or_else(|| shape(format!("{path}[{at}]"), "a list of numbers"))?;
        if row.len() != rows.len() {
            return Err(FormatError::NotSquare { rows: rows.len(), columns: row.len() });
        }
        for (column, value) in row.iter().enumerate() {
            let value = value.as_f64().or_else(|| value.as_bool().map(f64::from));
            values.push(value.ok_or_else(|| shape(format!("{path}[{at}][{column}]"), "a number"))?);
        }
    }
    let names = matrix::names(nodes.or(options.names.as_deref()), rows.len())?;
    matrix::to_graph(names, &values, orientation)
}

/// The names and the edges; an undirected edge says so.
fn write(named: &NamedGraph) -> String {
    let edge = |(edge, directed): (Edge, bool)| {
        let mut object = json!({ "from": named.name(edge.from), "to": named.name(edge.to) });
        if !directed {
            object["directed"] = false.into();
        }
        if let Some(weight) = named.weight(edge) {
            object["weight"] = weight.into();
        }
        if let Some(probability) = named.probability(edge) {
            object["probability"] = probability.into();
        }
        object
    };
    let edges: Vec<Value> = named.edges().map(edge).collect();
    let file = json!({ "orientation": "from causes to", "nodes": named.names(), "edges": edges });
    format!("{file:#}\n")
}
