//! `convert`: a graph from one file format to another.

use std::path::{Path, PathBuf};

use clap::Args;
use gflowcausal::graph::{Format, ReadOptions};
use gflowcausal::{Error, RunDir, graph_bytes, read_graph};

use crate::failure::Failure;
use crate::input::Orientation;
use crate::output::{Common, print_bytes};

/// Convert a graph between file formats.
#[derive(Debug, Args)]
#[command(
    after_help = "Formats: json, csv, dot, graphml, gml, bif, npy, tetrad, and edge-list (a CSV of from,to).
Matrices are written as row causes column.

Examples:
  gflowcausal convert asia.bif asia.dot
  gflowcausal convert lingam.npy graph.json --orientation column-to-row --names smoke,tar,cancer
  gflowcausal convert graph.json - --to edge-list"
)]
pub(crate) struct Arguments {
    /// The file to read.
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// The file to write, or `-` for standard output.
    #[arg(value_name = "OUT")]
    output: PathBuf,
    /// The format to read, where neither name nor content tells.
    #[arg(long, value_name = "FORMAT", value_parser = format)]
    from: Option<Format>,
    /// The format to write, where the name does not tell.
    #[arg(long, value_name = "FORMAT", value_parser = format)]
    to: Option<Format>,
    /// How to read a bare matrix.
    #[arg(long, value_enum, default_value_t)]
    orientation: Orientation,
    /// The variables of a file that does not name them.
    #[arg(long, value_name = "A,B,…", value_delimiter = ',')]
    names: Option<Vec<String>>,
    #[command(flatten)]
    pub(crate) common: Common,
}

fn format(name: &str) -> Result<Format, String> {
    let found = Format::ALL.into_iter().find(|format| format.name().replace(' ', "-") == name);
    found.ok_or_else(|| {
        let known: Vec<String> = Format::ALL.iter().map(|format| format.name().replace(' ', "-")).collect();
        format!("known are {}", known.join(", "))
    })
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let options = ReadOptions { orientation: arguments.orientation.into(), names: arguments.names.clone() };
    let graph = read_graph(&arguments.input, arguments.from, &options)?;
    let bytes = graph_bytes(&arguments.output, arguments.to, &graph)?;
    if arguments.output == Path::new("-") {
        return print_bytes(&bytes);
    }
    write(&arguments.output, &bytes)
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let dir = RunDir::open(parent).map_err(Error::from)?;
    dir.write(&name, |out| out.write_all(bytes)).map_err(Error::from)?;
    Ok(())
}
