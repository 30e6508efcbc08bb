//! `evaluate`: how far one graph is from another.

use std::path::PathBuf;

use clap::Args;
use gflowcausal::Error;
use gflowcausal::graph::{Dag, Metrics, NamedGraph, Pdag, evaluate};
use gflowcausal::graph_io::{Orientation, ReadOptions};

use crate::failure::Failure;
use crate::input::{GraphFile, one_of};
use crate::output::{Common, Shape, print_json, print_text};

/// Compare an estimated graph with the true one.
#[derive(Debug, Args)]
#[command(
    after_help = "The format of a graph file is known by its extension or content; `convert --help` lists the formats. \
A bare matrix is read as row causes column.

An undirected edge of the estimate counts as right if the truth joins the pair. SHD counts a reversed edge once, \
SHD-2 twice. CPDAG-SHD compares the equivalence classes.

Examples:
  gflowcausal evaluate d/truth.json --truth d/truth.csv
  gflowcausal evaluate run --truth truth.dot --format json
  gflowcausal evaluate lingam.csv --orientation column-to-row --truth truth.csv"
)]
pub(crate) struct Arguments {
    /// The graph to evaluate: a file, a run for its best graph, or `-` for standard input.
    estimate: PathBuf,
    /// The graph that is right.
    #[arg(long, value_name = "FILE")]
    truth: PathBuf,
    /// How to read the estimate if it is a bare matrix.
    #[arg(long, default_value_t, value_parser = one_of::<Orientation>())]
    orientation: Orientation,
    /// How to read the truth if it is a bare matrix.
    #[arg(long, default_value_t, value_parser = one_of::<Orientation>())]
    truth_orientation: Orientation,
    /// The shape of the result.
    #[arg(long, value_enum, default_value_t = Shape::Text)]
    format: Shape,
    #[command(flatten)]
    pub(crate) common: Common,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let (estimate, truth) = aligned(arguments)?;
    let metrics = evaluate(&estimate, &truth);
    match arguments.format {
        Shape::Json => print_json(&metrics),
        Shape::Text => print_text(&text(&metrics)),
    }
}

/// Both graphs over the same variables in the same order.
///
/// A file without names takes those of the other, so each is tried as the one that names.
fn aligned(arguments: &Arguments) -> Result<(Pdag, Dag), Failure> {
    let estimate_file = GraphFile::open(&arguments.estimate, None)?;
    let truth_file = GraphFile::open(&arguments.truth, None)?;
    let estimate = |names| estimate_file.read(&options(arguments.orientation, names));
    let truth = |names| truth_file.read(&options(arguments.truth_orientation, names));
    let (estimated, true_graph) = (estimate(None)?, truth(None)?);
    if let Ok(renamed) = estimate(Some(true_graph.names()))
        && let Ok(both) = pair(arguments, &renamed, &true_graph)
    {
        return Ok(both);
    }
    if let Ok(renamed) = truth(Some(estimated.names()))
        && let Ok(both) = pair(arguments, &estimated, &renamed)
    {
        return Ok(both);
    }
    pair(arguments, &estimated, &true_graph)
}

fn pair(arguments: &Arguments, estimate: &NamedGraph, truth: &NamedGraph) -> Result<(Pdag, Dag), Failure> {
    let in_truth = |source| Error::Graph { path: arguments.truth.clone(), source };
    let in_estimate = |source| Error::Graph { path: arguments.estimate.clone(), source };
    let dag = truth.to_dag().map_err(in_truth)?;
    let estimate = estimate.align(truth.names()).map_err(in_estimate)?;
    Ok((estimate.graph().clone(), dag))
}

fn options(orientation: Orientation, names: Option<&[String]>) -> ReadOptions {
    ReadOptions { orientation, names: names.map(<[String]>::to_vec) }
}

fn text(m: &Metrics) -> String {
    format!(
        "SHD {}  (missing {}, extra {}, reversed {}; {} true edges, {} predicted)
  TPR {:.3}  FDR {:.3}  FPR {:.3}  precision {:.3}  recall {:.3}  F1 {:.3}
  SHD-2 {}  CPDAG-SHD {}  SID {}
",
        m.shd,
        m.missing,
        m.extra,
        m.reversed,
        m.true_edges,
        m.predicted_edges,
        m.tpr,
        m.fdr,
        m.fpr,
        m.precision,
        m.recall,
        m.f1,
        m.shd2,
        m.cpdag_shd,
        m.sid
    )
}
