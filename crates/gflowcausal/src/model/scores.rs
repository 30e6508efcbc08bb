//! The registry of scores: every score by its name, with what it reads and how it is built.

use gflowcausal_data::{Moments, Table};
use gflowcausal_graph::{Constraints, choices};
use gflowcausal_score::{
    Bdeu, Bge, BgePrior, Bic, BicEqual, DegenerateGaussian, GpMarginal, LocationScale, NonGaussian, Penalty,
    Quadratic, Regressor, Spline, Varsort,
};

use super::score_kind::ScoreKind;
use crate::Error;
use crate::options::{Config, PruneName, option};

/// What the facade has to know of a score.
struct Registration {
    reads: Reads,
    mechanism: Mechanism,
    /// Whether it takes directions from the scales of the columns.
    reads_scale: bool,
    /// Whether the option `penalty` has an effect.
    has_penalty: bool,
    /// Whether a local term takes microseconds.
    is_cheap: bool,
    /// The most rows it uses, where it does not use all.
    max_rows: Option<usize>,
    /// The pruning that goes with it.
    prune: PruneName,
    build: fn(&ScoreInput<'_>) -> Result<ScoreKind, Error>,
}

/// What a score is computed from.
#[derive(PartialEq, Eq)]
enum Reads {
    /// Means, covariances and the number of rows.
    Moments,
    /// The rows of the table.
    Rows,
}

/// How a score describes a variable given its parents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mechanism {
    /// A linear equation.
    Linear,
    /// A table of probabilities.
    Categories,
    /// A curve or surface, which effects are estimated by.
    Nonlinear(Regressor),
    /// Numbers and categories together.
    Mixed,
}

impl Mechanism {
    /// That of the score called `score`.
    pub(crate) fn of(score: &str) -> Self {
        let name: Option<ScoreName> = score.parse().ok();
        name.map_or(Self::Linear, ScoreName::mechanism)
    }
}

/// Declares [`ScoreName`] and what is registered for each of its values.
macro_rules! scores {
    ($($(#[$doc:meta])* $Variant:ident = $name:literal => $registration:expr,)+) => {
        choices! {
            /// What graphs are scored by.
            pub enum ScoreName: "score" {
                /// By evidence for numbers: `bic`, `non-gaussian`, `spline`, `location-scale` or `gp`; `bdeu` for categories,
                /// `dg` for both.
                Auto = "auto",
                $($(#[$doc])* $Variant = $name,)+
            }
        }

        impl ScoreName {
            /// `auto` counts as the score of numbers until a table resolves it.
            fn registration(self) -> &'static Registration {
                match self {
                    Self::Auto => Self::Bic.registration(),
                    $(Self::$Variant => {
                        static REGISTRATION: Registration = $registration;
                        &REGISTRATION
                    })+
                }
            }
        }
    };
}

use Mechanism::{Categories, Linear, Mixed, Nonlinear};
use PruneName::{Score, Selected, TTest};
use Reads::{Moments as OfMoments, Rows as OfRows};

scores! {
    /// Gaussian, a noise variance for each variable.
    Bic = "bic" => Registration { reads: OfMoments, mechanism: Linear, reads_scale: false, has_penalty: true, is_cheap: true, max_rows: None, prune: Selected, build: |input| {
        Ok(ScoreKind::with_trees(Bic::new(input.moments()?, input.penalty)?, input.constraints))
    }},
    /// Linear with noise of any shape, whose directions the data distinguish.
    NonGaussian = "non-gaussian" => Registration { reads: OfRows, mechanism: Linear, reads_scale: false, has_penalty: true, is_cheap: false, max_rows: None, prune: Selected, build: |input| {
        let score = NonGaussian::new(input.table, input.moments()?, input.penalty)?;
        Ok(ScoreKind::by_best_parents(score, input.constraints))
    }},
    /// Gaussian, one noise variance for all.
    BicEqual = "bic-equal" => Registration { reads: OfMoments, mechanism: Linear, reads_scale: true, has_penalty: true, is_cheap: false, max_rows: None, prune: Selected, build: |input| {
        Ok(ScoreKind::GraphWide(BicEqual::new(input.moments()?, input.penalty)?))
    }},
    /// Bayesian Gaussian equivalent.
    Bge = "bge" => Registration { reads: OfMoments, mechanism: Linear, reads_scale: false, has_penalty: false, is_cheap: true, max_rows: None, prune: Selected, build: |input| {
        Ok(ScoreKind::with_trees(Bge::new(input.moments()?, BgePrior::default())?, input.constraints))
    }},
    /// Dirichlet, for categories.
    Bdeu = "bdeu" => Registration { reads: OfRows, mechanism: Categories, reads_scale: false, has_penalty: false, is_cheap: true, max_rows: None, prune: Selected, build: |input| {
        Ok(ScoreKind::by_best_parents(Bdeu::new(input.table, input.sample_size.unwrap_or(Bdeu::SAMPLE_SIZE))?, input.constraints))
    }},
    /// Degenerate Gaussian, for numbers and categories together.
    Dg = "dg" => Registration { reads: OfRows, mechanism: Mixed, reads_scale: false, has_penalty: true, is_cheap: true, max_rows: None, prune: Selected, build: |input| {
        Ok(ScoreKind::by_best_parents(DegenerateGaussian::new(input.table, input.penalty)?, input.constraints))
    }},
    /// Least squares on squares and products.
    Quadratic = "quadratic" => Registration { reads: OfRows, mechanism: Nonlinear(Regressor::Quadratic), reads_scale: false, has_penalty: true, is_cheap: false, max_rows: None, prune: Score, build: |input| {
        Ok(ScoreKind::by_all_predecessors(Quadratic::new(input.table, input.penalty)?, input.constraints))
    }},
    /// The same with one noise variance for all variables.
    QuadraticEqual = "quadratic-equal" => Registration { reads: OfRows, mechanism: Nonlinear(Regressor::Quadratic), reads_scale: true, has_penalty: true, is_cheap: false, max_rows: None, prune: Score, build: |input| {
        let score = Quadratic::with_equal_noise(input.table, input.penalty)?;
        Ok(ScoreKind::by_all_predecessors(score, input.constraints))
    }},
    /// Gaussian-process regression.
    Gp = "gp" => Registration { reads: OfRows, mechanism: Nonlinear(Regressor::Joint), reads_scale: false, has_penalty: false, is_cheap: false, max_rows: Some(GpMarginal::MAX_ROWS), prune: Score, build: |input| {
        Ok(ScoreKind::by_all_predecessors(GpMarginal::of_rows(input.table, input.max_rows())?, input.constraints))
    }},
    /// Additive splines.
    Spline = "spline" => Registration { reads: OfRows, mechanism: Nonlinear(Regressor::Additive), reads_scale: false, has_penalty: true, is_cheap: false, max_rows: Some(Spline::MAX_ROWS), prune: Selected, build: |input| {
        Ok(ScoreKind::by_best_parents(Spline::of_rows(input.table, input.penalty, input.max_rows())?, input.constraints))
    }},
    /// Additive splines, and noise whose variance follows the parents.
    LocationScale = "location-scale" => Registration { reads: OfRows, mechanism: Nonlinear(Regressor::Additive), reads_scale: false, has_penalty: true, is_cheap: false, max_rows: Some(LocationScale::MAX_ROWS), prune: Selected, build: |input| {
        Ok(ScoreKind::by_best_parents(LocationScale::of_rows(input.table, input.penalty, input.max_rows())?, input.constraints))
    }},
    /// Varsortability, the paper's reward for linear data.
    Varsort = "varsort" => Registration { reads: OfMoments, mechanism: Linear, reads_scale: true, has_penalty: false, is_cheap: false, max_rows: None, prune: TTest, build: |input| {
        Ok(ScoreKind::OrderOnly(Varsort::new(input.moments()?)?))
    }},
}

impl ScoreName {
    /// The score for the types of the columns of `table`, where it is `auto`.
    pub(crate) fn resolve(self, table: &Table) -> Self {
        if self != Self::Auto {
            return self;
        }
        let continuous = table.columns().iter().filter(|column| column.as_continuous().is_some()).count();
        match continuous {
            0 => Self::Bdeu,
            all if all == table.columns().len() => Self::Bic,
            _ => Self::Dg,
        }
    }

    /// Whether it is computed from the rows, and not from means and covariances alone.
    #[must_use]
    pub fn needs_rows(self) -> bool {
        self.registration().reads == Reads::Rows
    }

    /// How it describes a variable given its parents.
    pub(crate) fn mechanism(self) -> Mechanism {
        self.registration().mechanism
    }

    /// Whether it takes directions from the scales of the columns.
    pub(crate) fn reads_scale(self) -> bool {
        self.registration().reads_scale
    }

    /// Whether a local term takes microseconds, so that thousands of them cost nothing.
    pub(super) fn is_cheap(self) -> bool {
        self.registration().is_cheap
    }

    /// The most rows it uses unless something else is asked for, where it does not use all.
    pub(super) fn max_rows(self) -> Option<usize> {
        self.registration().max_rows
    }

    /// The pruning that goes with it.
    pub(crate) fn default_prune(self) -> PruneName {
        self.registration().prune
    }

    /// Builds the score.
    pub(super) fn build(self, input: &ScoreInput<'_>) -> Result<ScoreKind, Error> {
        (self.registration().build)(input)
    }
}

/// What scores are built from.
pub(super) struct ScoreInput<'a> {
    name: ScoreName,
    table: &'a Table,
    moments: Option<&'a Moments>,
    penalty: Penalty,
    sample_size: Option<f64>,
    rows_used: Option<usize>,
    constraints: &'a Constraints,
}

impl<'a> ScoreInput<'a> {
    /// Checks that `config` sets nothing that the score does not read.
    pub(super) fn new(
        name: ScoreName,
        (table, moments): (&'a Table, Option<&'a Moments>),
        config: &Config,
        constraints: &'a Constraints,
    ) -> Result<Self, Error> {
        let unused = [
            (option::penalty, config.penalty.is_some() && !name.registration().has_penalty),
            (option::sample_size, config.sample_size.is_some() && name.mechanism() != Categories),
        ];
        Error::if_without_effect(&unused, &format!("score {}", name.name()))?;
        let (penalty, sample_size, rows_used) = (penalty(config), config.sample_size, config.rows_used);
        Ok(Self { name, table, moments, penalty, sample_size, rows_used, constraints })
    }

    /// The most rows to use.
    fn max_rows(&self) -> usize {
        self.rows_used.or(self.name.max_rows()).unwrap_or(usize::MAX)
    }

    fn moments(&self) -> Result<&'a Moments, Error> {
        self.moments.ok_or(Error::NeedsNumbers { score: self.name.name() })
    }
}

/// What a parent costs.
pub(super) fn penalty(config: &Config) -> Penalty {
    config.penalty.map_or(Penalty::Auto, Penalty::Factor)
}
