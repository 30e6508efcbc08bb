//! NOTEARS and DAGMA: one matrix of weights, moved until it has no cycles, then thresholded.

use gflowcausal_data::Moments;
use gflowcausal_search::{Dagma, Notears, Weighted};

use super::{Discover, Found, Run, Step, Task};
use crate::{Config, Error, ScoringModel};

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
    fn moments<'a>(self, task: &Task<'a>) -> Result<&'a Moments, Error> {
        task.moments.ok_or(Error::MethodNeedsNumbers { method: self.name() })
    }

    fn fit(self, task: &Task<'_>, run: &Run<'_>) -> Result<Weighted, Error> {
        let covariance = self.moments(task)?.covariance();
        let constraints = task.model.constraints();
        Ok(match self {
            Self::Notears => {
                let Notears { l1 } = Notears::default();
                Notears { l1: task.config.l1.unwrap_or(l1) }.fit(&covariance, constraints, run.stop)
            }
            Self::Dagma => {
                let Dagma { l1 } = Dagma::default();
                Dagma { l1: task.config.l1.unwrap_or(l1) }.fit(&covariance, constraints, run.stop)
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

    fn settings(&self) -> &'static [&'static str] {
        &["l1", "threshold"]
    }

    fn check(&self, _model: &ScoringModel, config: &Config) -> Result<(), Error> {
        for (option, value) in [("l1", config.l1), ("threshold", config.threshold)] {
            if let Some(value) = value.filter(|value| !(value.is_finite() && *value >= 0.0)) {
                return Err(Error::Value { option, value, range: "zero or more" });
            }
        }
        Ok(())
    }

    fn check_data(&self, task: &Task<'_>) -> Result<(), Error> {
        self.moments(task).map(|_| ())
    }

    fn discover(&self, task: &Task<'_>, run: &mut Run<'_>) -> Result<Found, Error> {
        run.tell(Step::Searching);
        let threshold = task.config.threshold.unwrap_or(THRESHOLD);
        let graph = self.fit(task, run)?.dag(threshold, task.model.constraints());
        Ok(Found::single(task.model, graph.topological_order(), graph))
    }
}
