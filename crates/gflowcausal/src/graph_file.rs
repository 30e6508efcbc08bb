//! Graphs from and to files by name.

use std::fs;
use std::path::Path;

use gflowcausal_data::BayesNetwork;
use gflowcausal_graph::{Dag, NamedGraph};
use gflowcausal_graph_io::{Format, ReadOptions};

use crate::{Error, FileError};

/// Reads the graph in the file at `path`, in the format that its name or content tells.
///
/// # Errors
/// When the file cannot be read or holds no graph.
pub fn read_graph(path: &Path, format: Option<Format>, options: &ReadOptions) -> Result<NamedGraph, Error> {
    let file =
        fs::read(path).map_err(|source| FileError { action: "read", path: path.to_owned(), source })?;
    let format = format.map_or_else(|| Format::of(path, &file), Ok);
    format
        .and_then(|format| format.read(&file, options))
        .map_err(|source| Error::GraphFile { path: path.to_owned(), source })
}

/// Reads the discrete Bayesian network in the BIF file at `path`, with its probabilities.
///
/// # Errors
/// When the file cannot be read or holds no complete network.
pub fn read_network(path: &Path) -> Result<BayesNetwork, Error> {
    let file =
        fs::read(path).map_err(|source| FileError { action: "read", path: path.to_owned(), source })?;
    gflowcausal_graph_io::read_network(&file)
        .map_err(|source| Error::GraphFile { path: path.to_owned(), source })
}

/// Reads the graph at `path` over the variables `names`, in their order, and insists that it is a DAG.
///
/// # Errors
/// When the file cannot be read, names other variables, has a cycle or an edge without direction.
pub fn read_truth<S: AsRef<str>>(path: &Path, options: &ReadOptions, names: &[S]) -> Result<Dag, Error> {
    let names: Vec<String> = names.iter().map(|name| name.as_ref().to_owned()).collect();
    let options = ReadOptions { names: Some(names.clone()), ..options.clone() };
    let graph = read_graph(path, None, &options)?;
    graph
        .align(&names)
        .and_then(|graph| graph.to_dag())
        .map_err(|source| Error::Graph { path: path.to_owned(), source })
}

/// The bytes of `graph` in `format`, for the file at `path`.
///
/// # Errors
/// When the format has no place for a name or an edge.
pub fn graph_bytes(path: &Path, format: Option<Format>, graph: &NamedGraph) -> Result<Vec<u8>, Error> {
    let format = format.or_else(|| Format::from_path(path));
    let format = format.ok_or_else(|| Error::UnknownFormat(path.to_owned()))?;
    format.write(graph).map_err(|source| Error::GraphWrite { path: path.to_owned(), source })
}
