//! `simulate`: data with a known graph, written to a directory.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use gflowcausal::data::{
    GraphFamily, Model, NoiseFamily, NoiseScale, Simulated, Simulation, write_csv, write_parquet,
};
use gflowcausal::graph::{Format, NamedGraph, Pdag};
use gflowcausal::{Error, RunDir, graph_bytes};
use serde::Serialize;

use crate::failure::Failure;
use crate::input::named;
use crate::output::{Common, print_json, print_text};

/// Make data with a known graph.
#[derive(Debug, Args)]
#[command(
    after_help = "Files: data.csv (or data.parquet), truth.csv (0/1 adjacency, row causes column), truth.json, \
weights.csv where the model is linear.

Examples:
  gflowcausal simulate --graph er --nodes 30 --degree 2 --seed 1 --out d
  gflowcausal simulate --graph sf --nodes 100 --degree 5 --standardize --out d
  gflowcausal simulate --model gp --nodes 10 --edges 40 --out gp
  gflowcausal simulate --noise-scale 0.5..2 --rows 100000 --format parquet --out big"
)]
pub(crate) struct Arguments {
    /// How edges are chosen.
    #[arg(long, default_value_t, value_parser = named::<GraphFamily>(GraphFamily::ALL.iter().map(|kind| kind.name())))]
    graph: GraphFamily,
    /// How many variables.
    #[arg(long, value_name = "N", default_value_t = Simulation::default().nodes)]
    nodes: usize,
    /// Edges per node [default: 2].
    #[arg(long, value_name = "K", conflicts_with = "edges")]
    degree: Option<usize>,
    /// Edges in all, instead of --degree.
    #[arg(long, value_name = "N")]
    edges: Option<usize>,
    /// How a variable follows from its causes.
    #[arg(long, default_value_t, value_parser = named::<Model>(Model::ALL.iter().map(|kind| kind.name())))]
    model: Model,
    /// The family of the noise, where the model leaves it open [default: gauss].
    #[arg(long, value_parser = named::<NoiseFamily>(NoiseFamily::ALL.iter().map(|kind| kind.name())))]
    noise: Option<NoiseFamily>,
    /// What the noise is multiplied by: a number, or `LOW..HIGH` to draw one for each variable [default: 1].
    #[arg(long, value_name = "SCALE")]
    noise_scale: Option<NoiseScale>,
    /// How many observations.
    #[arg(long, value_name = "N", default_value_t = Simulation::default().rows)]
    rows: usize,
    /// The same seed gives the same bytes.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Scale each column to mean 0 and standard deviation 1.
    #[arg(long)]
    standardize: bool,
    /// The probability that a cell is missing.
    #[arg(long, value_name = "P", default_value_t = 0.0)]
    missing_rate: f64,
    /// Where the files go.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// `parquet` for data.parquet instead of data.csv, `json` for a summary for programs; may be given twice.
    #[arg(long, value_name = "FORMAT")]
    format: Vec<Choice>,
    #[command(flatten)]
    pub(crate) common: Common,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Choice {
    Text,
    Json,
    Csv,
    Parquet,
}

#[derive(Serialize)]
struct Summary<'a> {
    version: &'static str,
    simulation: &'a Simulation,
    rows: usize,
    nodes: usize,
    edges: usize,
    files: &'a [PathBuf],
}

impl Arguments {
    fn config(&self) -> Simulation {
        Simulation {
            graph: self.graph,
            nodes: self.nodes,
            degree: self.degree,
            edges: self.edges,
            model: self.model,
            noise: self.noise,
            noise_scale: self.noise_scale,
            rows: self.rows,
            seed: self.seed,
            standardize: self.standardize,
            missing_rate: self.missing_rate,
        }
    }

    fn wants(&self, choice: Choice) -> bool {
        self.format.contains(&choice)
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let config = arguments.config();
    let simulated = gflowcausal::data::simulate(&config).map_err(Error::from)?;
    let files = write(arguments, &simulated)?;
    let (rows, nodes, edges) = (simulated.table.rows(), config.nodes, simulated.dag.edge_count());
    if arguments.wants(Choice::Json) {
        let version = env!("CARGO_PKG_VERSION");
        return print_json(&Summary { version, simulation: &config, rows, nodes, edges, files: &files });
    }
    let mut text = format!(
        "{rows} rows of {nodes} variables, {edges} edges (graph {}, model {}, seed {})\n",
        config.graph, config.model, config.seed
    );
    for file in &files {
        text.push_str(&format!("  {}\n", file.display()));
    }
    print_text(&text)
}

fn write(arguments: &Arguments, simulated: &Simulated) -> Result<Vec<PathBuf>, Failure> {
    let graph = named_graph(simulated)?;
    let dir = RunDir::create(&arguments.out).map_err(Error::from)?;
    let mut files = Vec::new();
    let mut put = |name: &str, bytes: &[u8]| {
        files.push(dir.file(name));
        dir.write(name, |out| out.write_all(bytes)).map_err(Error::from)
    };
    put("truth.csv", &graph_bytes("truth.csv".as_ref(), Some(Format::Csv), &graph)?)?;
    put("truth.json", &graph_bytes("truth.json".as_ref(), Some(Format::Json), &graph)?)?;
    if let Some(weights) = weighted(simulated, &graph)? {
        put("weights.csv", &graph_bytes("weights.csv".as_ref(), Some(Format::Csv), &weights)?)?;
    }
    // The data come last: whoever waits for them finds the truth beside them.
    let name = if arguments.wants(Choice::Parquet) { "data.parquet" } else { "data.csv" };
    let written = dir.write(name, |out| match name {
        "data.csv" => write_csv(&simulated.table, out),
        _ => write_parquet(&simulated.table, out),
    });
    written.map_err(Error::from)?;
    files.insert(0, dir.file(name));
    Ok(files)
}

fn named_graph(simulated: &Simulated) -> Result<NamedGraph, Failure> {
    let names = simulated.table.names().map(str::to_owned).collect();
    NamedGraph::new(names, Pdag::from(&simulated.dag))
        .map_err(|source| Error::Graph { path: "truth".into(), source }.into())
}

fn weighted(simulated: &Simulated, graph: &NamedGraph) -> Result<Option<NamedGraph>, Failure> {
    let Some(weights) = &simulated.weights else { return Ok(None) };
    let mut graph = graph.clone();
    for edge in simulated.dag.edges() {
        graph
            .set_weight(edge, weights.get(edge))
            .map_err(|source| Error::Graph { path: "weights.csv".into(), source })?;
    }
    Ok(Some(graph))
}
