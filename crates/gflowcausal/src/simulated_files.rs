//! The files of simulated data: the table, and the graph and weights behind it.

use std::borrow::Cow;
use std::fs;
use std::path::{Path, PathBuf};

use gflowcausal_data::{Column, Simulated, Table, write_csv, write_parquet};
use gflowcausal_graph::{NamedGraph, Pdag};
use gflowcausal_graph_io::Format;

use crate::{Error, FileError, RunDir, graph_bytes};

/// Writes all files to `out`, the `targets` of experiments as a further column of the data, or changes nothing: they take their places when the last one is complete.
///
/// # Errors
/// When the system refuses, or a name has no place in one of the formats.
pub fn write_simulated(
    out: &Path,
    data: &'static str,
    simulated: &Simulated,
    targets: Option<&Column>,
) -> Result<Vec<PathBuf>, Error> {
    let is_new = !out.exists();
    let dir = RunDir::create(out)?;
    let drafts = format!("{DRAFTS}.{}.part", std::process::id());
    let drafts = RunDir::create(dir.file(&drafts))?;
    let written =
        write_drafts(data, simulated, targets, &drafts).and_then(|names| move_all(&names, &drafts, &dir));
    // That drafts cannot be removed is no failure, and would hide one that is.
    drop(fs::remove_dir_all(drafts.path()));
    if written.is_err() && is_new {
        drop(fs::remove_dir(dir.path()));
    }
    written
}

/// Where the files of a process lie until all are complete.
const DRAFTS: &str = ".simulation";

fn write_drafts(
    data: &'static str,
    simulated: &Simulated,
    targets: Option<&Column>,
    drafts: &RunDir,
) -> Result<Vec<&'static str>, Error> {
    let graph = named_graph(simulated)?;
    let columns = simulated.table.columns().iter().chain(targets).cloned().collect();
    let table = match targets {
        Some(_) => Cow::Owned(Table::new(columns).map_err(|error| Error::Table(error.to_string()))?),
        None => Cow::Borrowed(&simulated.table),
    };
    let written = drafts.write(data, |out| match data {
        "data.csv" => write_csv(&table, out),
        _ => write_parquet(&table, out),
    });
    written?;
    let weights = weighted(simulated, &graph)?;
    let graphs = [
        ("truth.csv", Format::Csv, Some(&graph)),
        ("truth.json", Format::Json, Some(&graph)),
        ("weights.csv", Format::Csv, weights.as_ref()),
    ];
    let mut names = vec![data];
    for (name, format, graph) in graphs {
        let Some(graph) = graph else { continue };
        let bytes = graph_bytes(name.as_ref(), Some(format), graph)?;
        drafts.write(name, |out| out.write_all(&bytes))?;
        names.push(name);
    }
    Ok(names)
}

/// The data come last: whoever waits for them finds the truth beside them.
fn move_all(names: &[&'static str], drafts: &RunDir, dir: &RunDir) -> Result<Vec<PathBuf>, Error> {
    for name in names.iter().rev() {
        let refused = |source| FileError { action: "write", path: dir.file(name), source };
        fs::rename(drafts.file(name), dir.file(name)).map_err(refused)?;
    }
    Ok(names.iter().map(|name| dir.file(name)).collect())
}

fn named_graph(simulated: &Simulated) -> Result<NamedGraph, Error> {
    let names = simulated.table.names().map(str::to_owned).collect();
    NamedGraph::new(names, Pdag::from(&simulated.dag))
        .map_err(|source| Error::Graph { path: "truth".into(), source })
}

fn weighted(simulated: &Simulated, graph: &NamedGraph) -> Result<Option<NamedGraph>, Error> {
    let Some(weights) = &simulated.weights else { return Ok(None) };
    let mut graph = graph.clone();
    for edge in simulated.dag.edges() {
        graph
            .set_weight(edge, weights.get(edge))
            .map_err(|source| Error::Graph { path: "weights.csv".into(), source })?;
    }
    Ok(Some(graph))
}
