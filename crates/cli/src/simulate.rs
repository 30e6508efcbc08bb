//! `simulate`: data with a known graph, written to a directory.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use gflowcausal::data::{
    Experiments, GraphFamily, KnownNetwork, Model, NetworkSimulation, NoiseFamily, NoiseScale, Simulated,
    Simulation, simulate, simulate_experiments, simulate_network,
};
use gflowcausal::graph::pluralize;
use gflowcausal::{Error, read_network, write_simulated};
use serde::Serialize;

use crate::failure::Failure;
use crate::input::one_of;
use crate::output::{Common, print_json, print_text};

/// Make data with a known graph.
#[derive(Debug, Args)]
#[command(
    after_help = "Files: data.csv (or data.parquet), truth.csv (0/1 adjacency, row causes column), truth.json, \
weights.csv where the model is linear. All appear together, or none.

Examples:
  gflowcausal simulate --graph er --nodes 30 --degree 2 --seed 1 --out d
  gflowcausal simulate --graph sf --nodes 100 --degree 5 --standardize --out d
  gflowcausal simulate --model gp --nodes 10 --edges 40 --out gp
  gflowcausal simulate --rows 100000 --format parquet --out big
  gflowcausal simulate --network alarm --rows 5000 --out alarm
  gflowcausal simulate --nodes 12 --rows 300 --interventions 8x60 --out e
  gflowcausal simulate --network asia.bif.gz --rows 5000 --out asia",
    before_long_help = "Random graphs:
  er           exactly degree x nodes edges, any set of pairs equally likely,
               a random order (NOTEARS)
  er-gnp       each pair with the same probability, a random order (gcastle)
  sf           Barabasi-Albert, each node joins with degree edges, a random
               order (gcastle)
  sf-directed  the same, each edge from the newer node to the older: hubs are
               sinks (NOTEARS)

Models:
  linear       weighted sum of the parents plus noise; weights +-[0.5, 2]
  gp           a draw of a Gaussian process over all parents jointly, plus noise
  gp-quiet     the same with the quiet noise of GraN-DAG's data sets
  gp-additive  one Gaussian process for each parent, plus noise
  location-scale
               the same, and the noise's variance follows the parents too
  quadratic    linear, square and cross terms plus non-Gaussian noise
               (RL-BIC); weak parents leave the truth
  mlp          a random network with 100 hidden sigmoids, plus noise
  mim          tanh + cos + sin of linear projections, plus noise
  discrete     categories drawn from a random table for each joint value of
               the parents
  mixed        numbers and categories in turn: effects add up, with normal
               noise or to log-odds of levels

Networks of the literature, with their own parameters (variables, edges):
  discrete         alarm (37, 46)  insurance (27, 52)  hailfinder (56, 66)
  linear Gaussian  ecoli70 (46, 70)  magic-irri (64, 102)  arth150 (107, 150)
  or a file in BIF, as bnlearn and pgmpy write it, packed by gzip or not"
)]
pub(crate) struct Arguments {
    /// How edges are chosen.
    #[arg(long, default_value_t, value_parser = one_of::<GraphFamily>())]
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
    #[arg(long, default_value_t, value_parser = one_of::<Model>())]
    model: Model,
    /// The family of the noise, where the model leaves it open [default: gauss].
    #[arg(long, value_parser = one_of::<NoiseFamily>())]
    noise: Option<NoiseFamily>,
    /// What the noise is multiplied by: a number, or `LOW..HIGH` to draw one for each variable [default: 1].
    #[arg(long, value_name = "SCALE")]
    noise_scale: Option<NoiseScale>,
    /// Data of a published network, or of a discrete one in a .bif file, with its own parameters.
    #[arg(long, value_name = "NAME|FILE.bif", value_parser = NetworkSource::parse,
        conflicts_with_all = ["graph", "nodes", "degree", "edges", "model", "noise", "noise_scale"])]
    network: Option<NetworkSource>,
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
    /// After the rows, more in which variables drawn at random are set from outside, one at a time: targets and rows for each, such
    /// as 8x60. The column `intervention` names them; for model linear.
    #[arg(long, value_name = "KxN", conflicts_with = "network")]
    interventions: Option<Experiments>,
    /// Where the files go.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Of the data (csv unless said otherwise) or of the summary (text unless said otherwise); may be given twice.
    #[arg(long, value_name = "FORMAT")]
    format: Vec<Choice>,
    #[command(flatten)]
    pub(crate) common: Common,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Choice {
    /// The summary as a text for people.
    Text,
    /// The summary as one object for programs.
    Json,
    /// The data as data.csv.
    Csv,
    /// The data as data.parquet.
    Parquet,
}

#[derive(Serialize)]
struct Summary<'a> {
    version: &'static str,
    simulation: &'a Asked,
    #[serde(skip_serializing_if = "Option::is_none")]
    interventions: Option<Experiments>,
    rows: usize,
    nodes: usize,
    edges: usize,
    files: &'a [PathBuf],
}

/// A network that comes with the program, or a file.
#[derive(Debug, Clone, PartialEq)]
enum NetworkSource {
    Known(KnownNetwork),
    File(PathBuf),
}

impl NetworkSource {
    /// A known name; else a path, if it looks like one.
    fn parse(text: &str) -> Result<Self, String> {
        match text.parse() {
            Ok(known) => Ok(Self::Known(known)),
            Err(_) if text.contains(['.', '/', '\\']) => Ok(Self::File(text.into())),
            Err(_) => {
                let names: Vec<&str> = KnownNetwork::ALL.iter().map(|network| network.name()).collect();
                Err(format!("give one of {}, or a file that ends in .bif or .bif.gz", names.join(", ")))
            }
        }
    }
}

/// Data of a network in a file.
#[derive(Debug, Serialize)]
struct FileSimulation {
    network: PathBuf,
    rows: usize,
    seed: u64,
    standardize: bool,
    missing_rate: f64,
}

impl FileSimulation {
    fn draw(&self) -> Result<Simulated, Failure> {
        let network = read_network(&self.network)?;
        let Self { rows, seed, standardize, missing_rate, .. } = *self;
        Ok(network.simulate(rows, seed, standardize, missing_rate).map_err(Error::from)?)
    }
}

/// What data are drawn from.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Asked {
    Random(Simulation),
    Network(NetworkSimulation),
    File(FileSimulation),
}

impl Asked {
    fn draw(&self) -> Result<Simulated, Failure> {
        let drawn = match self {
            Self::File(simulation) => return simulation.draw(),
            Self::Random(simulation) => simulate(simulation),
            Self::Network(simulation) => simulate_network(simulation),
        };
        Ok(drawn.map_err(Error::from)?)
    }

    fn text(&self) -> String {
        match self {
            Self::Random(Simulation { graph, model, seed, .. }) => {
                format!("graph {graph}, model {model}, seed {seed}")
            }
            Self::Network(NetworkSimulation { name, seed, .. }) => format!("network {name}, seed {seed}"),
            Self::File(FileSimulation { network, seed, .. }) => {
                format!("network {}, seed {seed}", network.display())
            }
        }
    }
}

impl Arguments {
    fn asked(&self) -> Asked {
        let Self { rows, seed, standardize, missing_rate, .. } = *self;
        match self.network.clone() {
            Some(NetworkSource::Known(name)) => {
                Asked::Network(NetworkSimulation { name, rows, seed, standardize, missing_rate })
            }
            Some(NetworkSource::File(network)) => {
                Asked::File(FileSimulation { network, rows, seed, standardize, missing_rate })
            }
            None => Asked::Random(self.config()),
        }
    }

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

    /// Refuses two formats of one thing.
    fn check_format(&self) -> Result<(), Failure> {
        let both = |one: Choice, other: Choice| self.wants(one) && self.wants(other);
        if both(Choice::Text, Choice::Json) || both(Choice::Csv, Choice::Parquet) {
            let message = "--format says two things: give one of text and json, and one of csv and parquet";
            return Err(Failure::input("bad-option", message).with_help("leave one of them out"));
        }
        Ok(())
    }
}

/// Refuses to replace data that no simulation wrote: there is no true graph beside them.
fn refuse_real_data(out: &Path, data: &str) -> Result<(), Failure> {
    let file = out.join(data);
    if !file.exists() || out.join("truth.csv").exists() {
        return Ok(());
    }
    let message = format!("'{}' is there already, and no simulation wrote it", file.display());
    Err(Failure::input("holds-data", message).with_help("choose another directory"))
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    arguments.check_format()?;
    let data = if arguments.wants(Choice::Parquet) { "data.parquet" } else { "data.csv" };
    refuse_real_data(&arguments.out, data)?;
    let asked = arguments.asked();
    let (simulated, targets) = match (&asked, arguments.interventions) {
        (Asked::Random(simulation), Some(experiments)) => {
            let (drawn, column) = simulate_experiments(simulation, experiments).map_err(Error::from)?;
            (drawn, Some(column))
        }
        _ => (asked.draw()?, None),
    };
    let files = write_simulated(&arguments.out, data, &simulated, targets.as_ref())?;
    let (rows, nodes) = (simulated.table.rows(), simulated.dag.nodes());
    let edges = simulated.dag.edge_count();
    if arguments.wants(Choice::Json) {
        let (version, interventions) = (env!("CARGO_PKG_VERSION"), arguments.interventions);
        return print_json(&Summary {
            version,
            simulation: &asked,
            interventions,
            rows,
            nodes,
            edges,
            files: &files,
        });
    }
    let [rows, nodes, edges] =
        [(rows, "row"), (nodes, "variable"), (edges, "edge")].map(|(n, of)| pluralize(n, of));
    let mut text = format!("{rows} of {nodes}, {edges} ({})\n", asked.text());
    for file in &files {
        text.push_str(&format!("  {}\n", file.display()));
    }
    print_text(&text)
}
