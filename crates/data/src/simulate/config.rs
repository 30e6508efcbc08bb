//! The configuration of a simulation, and the check that every part of it has an effect.

use serde::{Deserialize, Serialize};

use super::{
    Equations, GraphFamily, GraphSize, Model, NoiseFamily, NoiseModel, NoiseScale, RandomGraph,
    SimulationError, check_missing_rate, check_size,
};

/// Edges per node when nothing is said.
const DEFAULT_DEGREE: usize = 2;

/// What to simulate: the options of `gflowcausal simulate`.
///
/// ```
/// use gflowcausal_data::{Model, Simulation, simulate};
/// let config = Simulation { nodes: 5, edges: Some(6), rows: 50, model: Model::Mim, ..Simulation::default() };
/// let data = simulate(&config)?;
/// assert_eq!((data.table.rows(), data.dag.edge_count()), (50, 6));
/// # Ok::<(), gflowcausal_data::SimulationError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Simulation {
    /// How edges are chosen.
    pub graph: GraphFamily,
    /// How many variables there are.
    pub nodes: usize,
    /// Edges per node; 2 if `edges` is not given either.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub degree: Option<usize>,
    /// Edges in all, instead of `degree`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edges: Option<usize>,
    /// How a variable follows from its causes.
    pub model: Model,
    /// The family of the noise, `gauss` if not given; only for models that do not fix it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub noise: Option<NoiseFamily>,
    /// What the noise is multiplied by, 1 if not given; only for models that do not fix it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub noise_scale: Option<NoiseScale>,
    /// How many observations there are.
    pub rows: usize,
    /// The same seed gives the same bytes.
    pub seed: u64,
    /// Whether each column is scaled to mean 0 and standard deviation 1.
    pub standardize: bool,
    /// The probability that a cell is missing, independent of everything.
    pub missing_rate: f64,
}

impl Default for Simulation {
    fn default() -> Self {
        Self {
            graph: GraphFamily::default(),
            nodes: 30,
            degree: None,
            edges: None,
            model: Model::default(),
            noise: None,
            noise_scale: None,
            rows: 1000,
            seed: 0,
            standardize: false,
            missing_rate: 0.0,
        }
    }
}

/// A simulation that can run and in which no option is without effect.
#[derive(Debug, Clone, PartialEq)]
pub struct ValidSimulation {
    pub(super) graph: RandomGraph,
    pub(super) equations: Equations,
    pub(super) rows: usize,
    pub(super) seed: u64,
    pub(super) standardize: bool,
    pub(super) missing_rate: f64,
}

impl Simulation {
    /// Checks every value and every combination.
    ///
    /// # Errors
    /// The first option that is out of range, impossible or without effect.
    pub fn validate(&self) -> Result<ValidSimulation, SimulationError> {
        check_size(self.rows, self.nodes)?;
        self.check_effect()?;
        check_missing_rate(self.missing_rate)?;
        let graph = RandomGraph::new(self.graph, self.nodes, self.size()?)?;
        let equations = self.equations();
        equations.check(self.rows)?;
        let Self { rows, seed, standardize, missing_rate, .. } = *self;
        Ok(ValidSimulation { graph, equations, rows, seed, standardize, missing_rate })
    }

    fn equations(&self) -> Equations {
        let noise = NoiseModel {
            family: self.noise.unwrap_or_default(),
            scale: self.noise_scale.unwrap_or_default(),
        };
        Equations::of(self.model, noise)
    }

    fn size(&self) -> Result<GraphSize, SimulationError> {
        match (self.degree, self.edges) {
            (Some(degree), Some(edges)) => Err(SimulationError::DegreeAndEdges { degree, edges }),
            (None, Some(edges)) => Ok(GraphSize::Edges(edges)),
            (Some(degree), None) => Ok(GraphSize::Degree(degree)),
            (None, None) => Ok(self.default_size()),
        }
    }

    /// Two edges a node; with few nodes as many as there is room for.
    fn default_size(&self) -> GraphSize {
        let pairs = self.nodes * self.nodes.saturating_sub(1) / 2;
        match self.graph {
            GraphFamily::ErdosRenyi | GraphFamily::ErdosRenyiGnp if DEFAULT_DEGREE * self.nodes > pairs => {
                GraphSize::Edges(pairs)
            }
            GraphFamily::ErdosRenyi | GraphFamily::ErdosRenyiGnp => GraphSize::Degree(DEFAULT_DEGREE),
            _ => GraphSize::Degree(DEFAULT_DEGREE.min(self.nodes.saturating_sub(1)).max(1)),
        }
    }

    fn check_effect(&self) -> Result<(), SimulationError> {
        let fixes_noise = self.equations().noise().is_none();
        let without_effect = [
            ("noise", self.noise.is_some() && fixes_noise),
            ("noise_scale", self.noise_scale.is_some() && fixes_noise),
            ("standardize", self.standardize && self.model == Model::Discrete),
        ];
        match without_effect.into_iter().find(|&(_, idle)| idle) {
            Some((option, _)) => Err(SimulationError::NoEffect { option, model: self.model }),
            None => Ok(()),
        }
    }
}
