//! The models of structural equations, and the noise families that each takes.

use gflowcausal_graph::choices;

use super::{NoiseModel, SimulationError};

choices! {
    /// How a variable follows from its causes.
    #[derive(Default)]
    #[non_exhaustive]
    pub enum Model: "model" {
        /// Weighted sum of the parents plus noise.
        #[default]
        Linear = "linear",
        /// A draw of a Gaussian process over all parents jointly, plus noise.
        Gp = "gp",
        /// The same with the quiet Gaussian noise of GraN-DAG's data sets.
        GpQuiet = "gp-quiet",
        /// A sum of one-dimensional Gaussian processes, one for each parent, plus noise.
        GpAdditive = "gp-additive",
        /// The same, and the noise's variance follows the parents too.
        LocationScale = "location-scale",
        /// Linear, square and cross terms of the parents plus non-Gaussian noise.
        Quadratic = "quadratic",
        /// A random network with one hidden layer of 100 sigmoids, plus noise.
        Mlp = "mlp",
        /// `tanh + cos + sin` of three linear projections, plus noise.
        Mim = "mim",
        /// Categories drawn from a random table for each joint value of the parents.
        Discrete = "discrete",
        /// Numbers and categories in turn: effects add up, with normal noise or to the log-odds of levels.
        Mixed = "mixed",
    }
}

/// A model with the noise it takes: only combinations in which every part has an effect can be written down.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Equations {
    /// See [`Model::Linear`].
    Linear(NoiseModel),
    /// See [`Model::Gp`].
    Gp(NoiseModel),
    /// See [`Model::GpQuiet`]; the noise is part of the model.
    GpQuiet,
    /// See [`Model::GpAdditive`].
    GpAdditive(NoiseModel),
    /// See [`Model::LocationScale`].
    LocationScale(NoiseModel),
    /// See [`Model::Quadratic`]; the noise is part of the model.
    Quadratic,
    /// See [`Model::Mlp`].
    Mlp(NoiseModel),
    /// See [`Model::Mim`].
    Mim(NoiseModel),
    /// See [`Model::Discrete`]; there is no noise but the table's.
    Discrete,
    /// See [`Model::Mixed`]; the noise is part of the model.
    Mixed,
}

impl Equations {
    /// The equations of `model` with `noise`, which a model with its own noise ignores.
    pub(super) const fn of(model: Model, noise: NoiseModel) -> Self {
        match model {
            Model::Linear => Self::Linear(noise),
            Model::Gp => Self::Gp(noise),
            Model::GpQuiet => Self::GpQuiet,
            Model::GpAdditive => Self::GpAdditive(noise),
            Model::LocationScale => Self::LocationScale(noise),
            Model::Quadratic => Self::Quadratic,
            Model::Mlp => Self::Mlp(noise),
            Model::Mim => Self::Mim(noise),
            Model::Discrete => Self::Discrete,
            Model::Mixed => Self::Mixed,
        }
    }

    /// The model's name.
    #[must_use]
    pub const fn model(&self) -> Model {
        match self {
            Self::Linear(_) => Model::Linear,
            Self::Gp(_) => Model::Gp,
            Self::GpQuiet => Model::GpQuiet,
            Self::GpAdditive(_) => Model::GpAdditive,
            Self::LocationScale(_) => Model::LocationScale,
            Self::Quadratic => Model::Quadratic,
            Self::Mlp(_) => Model::Mlp,
            Self::Mim(_) => Model::Mim,
            Self::Discrete => Model::Discrete,
            Self::Mixed => Model::Mixed,
        }
    }

    /// The noise, unless it is part of the model.
    #[must_use]
    pub const fn noise(&self) -> Option<&NoiseModel> {
        match self {
            Self::Linear(noise)
            | Self::Gp(noise)
            | Self::GpAdditive(noise)
            | Self::LocationScale(noise)
            | Self::Mlp(noise)
            | Self::Mim(noise) => Some(noise),
            Self::GpQuiet | Self::Quadratic | Self::Discrete | Self::Mixed => None,
        }
    }

    pub(super) fn check(&self, rows: usize) -> Result<(), SimulationError> {
        let model = self.model();
        if model.is_gaussian_process() && rows > super::gp::MOST_ROWS {
            return Err(SimulationError::TooManyRows { model, rows, most: super::gp::MOST_ROWS });
        }
        self.noise().map_or(Ok(()), |noise| noise.scale.check())
    }
}

impl Model {
    const fn is_gaussian_process(self) -> bool {
        matches!(self, Self::Gp | Self::GpQuiet | Self::GpAdditive | Self::LocationScale)
    }
}
