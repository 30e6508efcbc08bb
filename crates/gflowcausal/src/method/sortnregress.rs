//! sortnregress, by variance, R² or residual variance, and a random order: what every other method has to beat.

use gflowcausal_data::Moments;
use gflowcausal_determinism::{Stream, stream};
use gflowcausal_graph::Order;
use gflowcausal_search::{equal_variance_order, r2_order, random_order, variance_order};

use super::option_groups::{OptionGroups, PRUNING, SCORE};
use super::{Discover, MethodInput, MethodOutput, Phase, RunContext};
use crate::{Error, PruneName, ScoreName};

/// By which rule variables are put in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SortNRegress {
    /// By variance.
    Variance,
    /// By the share of variance that all others explain.
    R2,
    /// By the variance that those before leave.
    Residual,
    /// By chance.
    Random,
}

impl SortNRegress {
    fn moments<'a>(self, input: &MethodInput<'a>) -> Result<&'a Moments, Error> {
        input.moments.ok_or(Error::MethodNeedsNumbers { method: self.name() })
    }

    fn order(self, input: &MethodInput<'_>) -> Result<Order, Error> {
        let constraints = input.model.constraints();
        Ok(match self {
            Self::Variance => variance_order(self.moments(input)?, constraints),
            Self::R2 => r2_order(self.moments(input)?, constraints)?,
            Self::Residual => equal_variance_order(self.moments(input)?, constraints),
            Self::Random => {
                random_order(constraints, &mut stream(input.config.seed, Stream::Restart { k: 0 }))
            }
        })
    }
}

impl Discover for SortNRegress {
    fn name(&self) -> &'static str {
        match self {
            Self::Variance => "sort-var",
            Self::R2 => "sort-r2",
            Self::Residual => "eqvar",
            Self::Random => "random-order",
        }
    }

    fn about(&self) -> &'static str {
        match self {
            Self::Variance => "the order by variance, then pruned: what units alone give (sortnregress)",
            Self::R2 => "the order by R², then pruned: what scale-free sorting gives (R²-sortnregress)",
            Self::Residual => "each next variable the one with the smallest variance given those before",
            Self::Random => "a random order, then pruned: what chance gives",
        }
    }

    fn options(&self) -> OptionGroups {
        &[SCORE, PRUNING]
    }

    /// The published pruning where the score is the default for numbers.
    fn pruning(&self, score: ScoreName) -> PruneName {
        match (self, score) {
            (Self::Residual, ScoreName::Bic) => PruneName::TTest,
            (_, ScoreName::Bic) => PruneName::Lasso,
            _ => PruneName::Auto,
        }
    }

    fn check(&self, input: &MethodInput<'_>) -> Result<(), Error> {
        if *self == Self::Random { Ok(()) } else { self.moments(input).map(|_| ()) }
    }

    fn discover(&self, input: &MethodInput<'_>, context: &mut RunContext<'_>) -> Result<MethodOutput, Error> {
        context.report(Phase::Searching);
        let order = self.order(input)?;
        let graph = context.graph_of(input.model, &order);
        Ok(MethodOutput::single(context, input.model, order, graph))
    }
}
