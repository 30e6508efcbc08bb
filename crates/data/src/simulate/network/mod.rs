//! Published networks with their own parameters: graphs that people drew or fitted, and data drawn from them.

mod cpds;
mod parse;

use gflowcausal_graph::choices;
use serde::{Deserialize, Serialize};

use super::{Simulated, SimulationError};
pub use cpds::{BayesNetwork, Cpds, LinearGaussianCpd, TabularCpd};

choices! {
    /// A network of the literature; where each comes from stands in the `README.md` beside this file.
    #[non_exhaustive]
    pub enum KnownNetwork: "network" {
        /// Monitoring of patients: 37 discrete variables, 46 edges.
        Alarm = "alarm",
        /// Car insurance: 27 discrete variables, 52 edges.
        Insurance = "insurance",
        /// Severe weather: 56 discrete variables, 66 edges.
        Hailfinder = "hailfinder",
        /// Gene expression of E. coli: 46 Gaussian variables, 70 edges.
        Ecoli70 = "ecoli70",
        /// Traits and genes of rice: 64 Gaussian variables, 102 edges.
        MagicIrri = "magic-irri",
        /// Gene expression of Arabidopsis thaliana: 107 Gaussian variables, 150 edges.
        Arth150 = "arth150",
    }
}

impl KnownNetwork {
    fn text(self) -> &'static str {
        match self {
            Self::Alarm => include_str!("files/alarm.txt"),
            Self::Insurance => include_str!("files/insurance.txt"),
            Self::Hailfinder => include_str!("files/hailfinder.txt"),
            Self::Ecoli70 => include_str!("files/ecoli70.txt"),
            Self::MagicIrri => include_str!("files/magic-irri.txt"),
            Self::Arth150 => include_str!("files/arth150.txt"),
        }
    }

    /// The graph and the parameters.
    ///
    /// ```
    /// use gflowcausal_data::KnownNetwork;
    /// let alarm = KnownNetwork::Alarm.load();
    /// assert_eq!((alarm.dag().nodes(), alarm.dag().edge_count()), (37, 46));
    /// ```
    #[must_use]
    pub fn load(self) -> BayesNetwork {
        parse::network(self.text()).expect("a test reads every network that comes with the program")
    }
}

/// Data of a known network: the options of `gflowcausal simulate --network`.
///
/// ```
/// use gflowcausal_data::{KnownNetwork, NetworkSimulation, simulate_network};
/// let data = simulate_network(&NetworkSimulation { rows: 50, ..NetworkSimulation::of(KnownNetwork::Ecoli70) })?;
/// assert_eq!((data.table.rows(), data.dag.edge_count()), (50, 70));
/// # Ok::<(), gflowcausal_data::SimulationError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetworkSimulation {
    /// Which network.
    pub name: KnownNetwork,
    /// How many observations there are.
    #[serde(default = "thousand")]
    pub rows: usize,
    /// The same seed gives the same bytes.
    #[serde(default)]
    pub seed: u64,
    /// Whether each column is scaled to mean 0 and standard deviation 1.
    #[serde(default)]
    pub standardize: bool,
    /// The probability that a cell is missing, independent of everything.
    #[serde(default)]
    pub missing_rate: f64,
}

fn thousand() -> usize {
    1000
}

impl NetworkSimulation {
    /// A thousand rows of `name`, seed 0, as they come.
    #[must_use]
    pub fn of(name: KnownNetwork) -> Self {
        Self { name, rows: thousand(), seed: 0, standardize: false, missing_rate: 0.0 }
    }
}

/// Draws data from a known network.
///
/// # Errors
/// No rows, more than fit in memory, or an option that is out of range or without effect.
pub fn simulate_network(config: &NetworkSimulation) -> Result<Simulated, SimulationError> {
    config.name.load().simulate(config.rows, config.seed, config.standardize, config.missing_rate)
}
