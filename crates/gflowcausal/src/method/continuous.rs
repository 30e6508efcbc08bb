//! NOTEARS and DAGMA: one matrix of weights, moved until it has no cycles, then thresholded.

use gflowcausal_data::Moments;
use gflowcausal_search::{Dagma, Notears, Weighted};

use super::option_groups::OptionGroups;
use super::{Discover, MethodInput, MethodOutput, Phase, RunContext};
use crate::Error;
use crate::options::option;

/// The customary weight below which an edge goes.
const THRESHOLD: f64 = 0.3;

/// How cycles are held off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Continuous {
    /// By the trace of an exponential and an augmented Lagrangian.
    Notears,
    /// By a log-determinant and a path of barriers.
    Dagma,
}

impl Continuous {
    fn moments<'a>(self, input: &MethodInput<'a>) -> Result<&'a Moments, Error> {
        input.moments.ok_or(Error::MethodNeedsNumbers { method: self.name() })
    }

    fn fit(self, input: &MethodInput<'_>, context: &RunContext<'_>) -> Result<Weighted, Error> {
        let covariance = self.moments(input)?.covariance();
        let constraints = input.model.constraints();
        Ok(match self {
            Self::Notears => {
                let Notears { l1 } = Notears::default();
                Notears { l1: input.config.l1.unwrap_or(l1) }.fit(
                    &covariance,
                    constraints,
                    &context.deadlines.stop,
                )
            }
            Self::Dagma => {
                let Dagma { l1 } = Dagma::default();
                Dagma { l1: input.config.l1.unwrap_or(l1) }.fit(
                    &covariance,
                    constraints,
                    &context.deadlines.stop,
                )
            }
        })
    }
}

impl Discover for Continuous {
    fn name(&self) -> &'static str {
        match self {
            Self::Notears => "notears",
            Self::Dagma => "dagma",
        }
    }

    fn about(&self) -> &'static str {
        match self {
            Self::Notears => "linear NOTEARS: least squares without cycles, by an augmented Lagrangian",
            Self::Dagma => "linear DAGMA: least squares without cycles, by log-determinants",
        }
    }

    fn options(&self) -> OptionGroups {
        &[&[option::l1, option::threshold]]
    }

    fn check(&self, input: &MethodInput<'_>) -> Result<(), Error> {
        self.moments(input).map(|_| ())
    }

    fn discover(&self, input: &MethodInput<'_>, context: &mut RunContext<'_>) -> Result<MethodOutput, Error> {
        context.report(Phase::Searching);
        let threshold = input.config.threshold.unwrap_or(THRESHOLD);
        let graph = self.fit(input, context)?.dag(threshold, input.model.constraints());
        Ok(MethodOutput::single(context, input.model, graph.topological_order(), graph))
    }
}
