//! Simulated data with a known graph: every family of graphs, equations and noise of the published benchmarks.

mod config;
mod discrete;
mod equations;
mod error;
mod experiments;
mod gp;
mod graphs;
mod linear;
mod mixed;
mod network;
mod neural;
mod noise;
mod observe;
mod quadratic;

use gflowcausal_graph::Dag;

pub use config::{Simulation, ValidSimulation};
pub use equations::{Equations, Model};
pub use error::SimulationError;
pub use experiments::{Experiments, simulate_experiments};
pub use graphs::{GraphFamily, GraphSize, RandomGraph};
pub use linear::{Weights, simulate_linear};
pub use network::{
    BayesNetwork, Cpds, KnownNetwork, LinearGaussianCpd, NetworkSimulation, TabularCpd, simulate_network,
};
pub use noise::{NoiseFamily, NoiseModel, NoiseScale, NoiseScaleSyntax};

use crate::{Column, Table, Values};

/// A graph of so many nodes takes 100 MB.
const MOST_NODES: usize = 20_000;

/// So many numbers take 32 GB.
const MOST_CELLS: usize = 4_000_000_000;

/// Data and what generated it.
#[derive(Debug, Clone, PartialEq)]
pub struct Simulated {
    /// The observations; columns `X1, X2, …`, or as a known network calls them.
    pub table: Table,
    /// The graph that really generated them, without edges that turned out to have no term.
    pub dag: Dag,
    /// The coefficients of the equations between the columns of `table`, if they are linear.
    pub weights: Option<Weights>,
}

/// Draws a graph, then data from it.
///
/// Everything comes from named streams of the seed, one for each node: the number of threads changes nothing.
///
/// # Errors
/// An option that is out of range, impossible or without effect, or values too large for floating point.
pub fn simulate(config: &Simulation) -> Result<Simulated, SimulationError> {
    config.validate()?.run()
}

impl ValidSimulation {
    /// Draws the graph, then data from it.
    ///
    /// # Errors
    /// Values too large for floating point, or a discrete variable with too many parents.
    pub fn run(&self) -> Result<Simulated, SimulationError> {
        let dag = self.graph.draw(self.seed);
        let data = simulate_from(dag, &self.equations, self.rows, self.seed)?;
        Ok(observe::observed(data, self.standardize, self.missing_rate, self.seed))
    }
}

/// Draws data from a given graph, with random coefficients.
///
/// # Errors
/// No rows, a bad noise scale, too many rows for the model, or values too large for floating point.
pub fn simulate_from(
    dag: Dag,
    equations: &Equations,
    rows: usize,
    seed: u64,
) -> Result<Simulated, SimulationError> {
    check_size(rows, dag.nodes())?;
    equations.check(rows)?;
    let columns = match equations {
        Equations::Linear(noise) => return linear_data(dag, noise, rows, seed),
        Equations::Discrete => return discrete_data(dag, rows, seed),
        Equations::Mixed => {
            let table = named_table(mixed::simulate(&dag, rows, seed));
            return Ok(Simulated { table, dag, weights: None });
        }
        Equations::Quadratic => return quadratic_data(&dag, rows, seed),
        Equations::Gp(noise) => gp::joint(&dag, noise, rows, seed),
        Equations::GpQuiet => gp::quiet(&dag, rows, seed),
        Equations::GpAdditive(noise) => gp::additive(&dag, noise, rows, seed),
        Equations::LocationScale(noise) => gp::location_scale(&dag, noise, rows, seed),
        Equations::Mlp(noise) => neural::mlp(&dag, noise, rows, seed),
        Equations::Mim(noise) => neural::mim(&dag, noise, rows, seed),
    };
    Ok(Simulated { table: continuous_table(columns, equations.model())?, dag, weights: None })
}

fn linear_data(dag: Dag, noise: &NoiseModel, rows: usize, seed: u64) -> Result<Simulated, SimulationError> {
    let weights = Weights::random(dag, seed);
    let table = simulate_linear(&weights, noise, rows, seed)?;
    Ok(Simulated { table, dag: weights.dag().clone(), weights: Some(weights) })
}

fn quadratic_data(dag: &Dag, rows: usize, seed: u64) -> Result<Simulated, SimulationError> {
    let (columns, dag) = quadratic::simulate(dag, rows, seed);
    Ok(Simulated { table: continuous_table(columns, Model::Quadratic)?, dag, weights: None })
}

fn discrete_data(dag: Dag, rows: usize, seed: u64) -> Result<Simulated, SimulationError> {
    let table = named_table(discrete::simulate(&dag, rows, seed)?);
    Ok(Simulated { table, dag, weights: None })
}

fn check_missing_rate(rate: f64) -> Result<(), SimulationError> {
    if (0.0..1.0).contains(&rate) { Ok(()) } else { Err(SimulationError::MissingRate(rate)) }
}

fn check_size(rows: usize, nodes: usize) -> Result<(), SimulationError> {
    if rows == 0 {
        return Err(SimulationError::NoRows);
    }
    let fits = rows.checked_mul(nodes).is_some_and(|cells| cells <= MOST_CELLS);
    if fits && nodes <= MOST_NODES {
        return Ok(());
    }
    Err(SimulationError::TooLarge { rows, nodes, most_nodes: MOST_NODES, most_cells: MOST_CELLS })
}

/// The value of every node, causes first: `equation(node, parents' columns)`, parents by ascending index.
fn along_graph(dag: &Dag, equation: impl Fn(usize, &[&[f64]]) -> Vec<f64>) -> Vec<Vec<f64>> {
    let mut columns: Vec<Vec<f64>> = vec![Vec::new(); dag.nodes()];
    for node in dag.topological_order().iter() {
        let parents: Vec<&[f64]> =
            dag.parents(node).iter().map(|parent| columns[parent].as_slice()).collect();
        columns[node] = equation(node, &parents);
    }
    columns
}

fn variable_name(node: usize) -> String {
    format!("X{}", node + 1)
}

fn continuous_table(columns: Vec<Vec<f64>>, model: Model) -> Result<Table, SimulationError> {
    match columns.iter().position(|column| column.iter().any(|value| !value.is_finite())) {
        Some(node) => Err(SimulationError::Overflow { column: variable_name(node), model }),
        None => Ok(named_table(columns.into_iter().map(Values::Continuous).collect())),
    }
}

fn named_table(columns: Vec<Values>) -> Table {
    let named = |(node, values)| Column { name: variable_name(node), values };
    Table::new(columns.into_iter().enumerate().map(named).collect())
        .expect("numbered names, columns of equal length")
}
