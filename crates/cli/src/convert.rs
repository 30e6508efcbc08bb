//! `convert`: a graph from one file format to another.

use std::path::{Path, PathBuf};

use clap::Args;
use gflowcausal::graph::{Edge, NamedGraph, pluralize};
use gflowcausal::graph_io::{Format, FormatError, Orientation, ReadOptions};
use gflowcausal::{Error, graph_bytes};
use serde::Serialize;

use crate::failure::Failure;
use crate::input::{GraphFile, choice, one_of};
use crate::output::{Common, Shape, print_bytes, print_json, print_stderr, print_text, write_file};

/// Convert a graph between file formats.
#[derive(Debug, Args)]
#[command(after_help = "An edge-list is a CSV of from,to. Matrices are written as row causes column.

Examples:
  gflowcausal convert asia.bif asia.dot
  gflowcausal convert lingam.npy graph.json --orientation column-to-row \\
    --names smoke,tar,cancer
  gflowcausal convert graph.json - --to edge-list
  zcat asia.bif.gz | gflowcausal convert - asia.json")]
pub(crate) struct Arguments {
    /// The file to read, or `-` for standard input.
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// The file to write, or `-` for standard output.
    #[arg(value_name = "OUT")]
    output: PathBuf,
    /// The format to read, where neither name nor content tells.
    #[arg(long, value_name = "FORMAT", value_parser = one_of::<Format>())]
    from: Option<Format>,
    /// The format to write, where the name does not tell.
    #[arg(long, value_name = "FORMAT", value_parser = choice(Format::written(), Format::name))]
    to: Option<Format>,
    /// How to read a bare matrix.
    #[arg(long, default_value_t, value_parser = one_of::<Orientation>())]
    orientation: Orientation,
    /// The variables of a file that does not name them.
    #[arg(long, value_name = "A,B,…", value_delimiter = ',')]
    names: Option<Vec<String>>,
    /// The shape of the message that it is done; with OUT `-` there is none.
    #[arg(long, value_enum, default_value_t = Shape::Text)]
    format: Shape,
    #[command(flatten)]
    pub(crate) common: Common,
}

/// What was converted.
#[derive(Serialize)]
struct Summary<'a> {
    version: &'static str,
    input: &'a Path,
    from: Format,
    output: &'a Path,
    to: Format,
    variables: usize,
    edges: usize,
    /// What the format has no place for.
    left_out: Vec<&'static str>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let options = ReadOptions { orientation: arguments.orientation, names: arguments.names.clone() };
    let file = GraphFile::open(&arguments.input, arguments.from)?;
    let (graph, from) = (file.read(&options)?, file.format);
    let output = &arguments.output;
    let to = arguments.to.or_else(|| Format::from_path(output));
    let to = to.ok_or_else(|| Error::UnknownFormat(output.clone()))?;
    let bytes = graph_bytes(output, Some(to), &graph)?;
    let to_stdout = output == Path::new("-");
    if to_stdout && arguments.format == Shape::Json {
        return Err(no_effect());
    }
    let left_out = left_out(&graph, to, &bytes);
    if !left_out.is_empty() && !arguments.common.quiet {
        print_stderr(format_args!("\x1b[36mnote\x1b[0m: {to} has no place for {}", left_out.join(" and ")));
    }
    if to_stdout {
        return print_bytes(&bytes);
    }
    write_file(output, &bytes)?;
    let (variables, edges) = (graph.names().len(), graph.graph().edge_count());
    let (version, input) = (env!("CARGO_PKG_VERSION"), &arguments.input);
    report(arguments, &Summary { version, input, from, output, to, variables, edges, left_out })
}

fn report(arguments: &Arguments, done: &Summary<'_>) -> Result<(), Failure> {
    match arguments.format {
        Shape::Json => print_json(done),
        Shape::Text if arguments.common.quiet => Ok(()),
        Shape::Text => {
            let counts = [pluralize(done.variables, "variable"), pluralize(done.edges, "edge")].join(", ");
            print_text(&format!("{}: {counts}, from {} to {}\n", done.output.display(), done.from, done.to))
        }
    }
}

fn no_effect() -> Failure {
    let message = "--format has no effect where the graph itself goes to standard output";
    Failure::input("option-without-effect", message).with_help("name the format of the graph with --to")
}

/// What is lost in `bytes`, found by reading them again.
fn left_out(graph: &NamedGraph, to: Format, bytes: &[u8]) -> Vec<&'static str> {
    let names = graph.names();
    let read = |given| -> Result<NamedGraph, FormatError> {
        Ok(to.read(bytes, &ReadOptions { names: given, ..ReadOptions::default() })?.align(names)?)
    };
    let Ok(kept) = read(Some(names.to_vec())) else { return Vec::new() };
    // In a matrix one stands for an edge as well as for its weight.
    let loses = |value: fn(&NamedGraph, Edge) -> Option<f64>| {
        let mut edges = graph.graph().directed().chain(graph.graph().undirected());
        edges.any(|edge| value(graph, edge).is_some_and(|had| had != value(&kept, edge).unwrap_or(1.0)))
    };
    let lost = [
        ("names", read(None).is_err()),
        ("weights", loses(NamedGraph::weight)),
        ("probabilities", loses(NamedGraph::probability)),
    ];
    lost.into_iter().filter(|(_, is_lost)| *is_lost).map(|(what, _)| what).collect()
}
