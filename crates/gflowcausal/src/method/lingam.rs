//! LiNGAM by either way: the order of linear, non-Gaussian variables, then a pruned graph.

use gflowcausal_graph::Order;
use gflowcausal_search::{direct_lingam, ica_lingam};

use super::{Discover, Found, Run, Step, Task};
use crate::{Config, Error, PruneName, ScoreName, ScoringModel};

/// How the order is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lingam {
    /// By independent components.
    Ica,
    /// One variable after the other.
    Direct,
}

impl Discover for Lingam {
    fn name(&self) -> &'static str {
        match self {
            Self::Ica => "ica-lingam",
            Self::Direct => "direct-lingam",
        }
    }

    fn about(&self) -> &'static str {
        match self {
            Self::Ica => "linear causes with noise that is not Gaussian, by independent components",
            Self::Direct => {
                "linear causes with noise that is not Gaussian, the most independent variable first"
            }
        }
    }

    fn settings(&self) -> &'static [&'static str] {
        &["score", "penalty", "prune", "threshold", "alpha"]
    }

    /// The authors' own: adaptive LASSO, its penalty by BIC.
    fn pruning(&self, score: ScoreName) -> PruneName {
        if score == ScoreName::Bic { PruneName::Lasso } else { PruneName::Auto }
    }

    fn needs_rows(&self) -> bool {
        true
    }

    fn check(&self, _model: &ScoringModel, _config: &Config) -> Result<(), Error> {
        Ok(())
    }

    fn check_data(&self, task: &Task<'_>) -> Result<(), Error> {
        columns(self.name(), task).map(|_| ())
    }

    fn discover(&self, task: &Task<'_>, run: &mut Run<'_>) -> Result<Found, Error> {
        run.tell(Step::Searching);
        let columns = columns(self.name(), task)?;
        let constraints = task.model.constraints();
        let order: Order = match self {
            Self::Ica => ica_lingam(&columns, constraints, task.config.seed, run.stop)?,
            Self::Direct => direct_lingam(&columns, constraints, run.stop),
        };
        let graph = task.model.graph_of(&order);
        Ok(Found::single(task.model, order, graph))
    }
}

/// The columns, all of them numbers and complete.
fn columns<'a>(method: &'static str, task: &Task<'a>) -> Result<Vec<&'a [f64]>, Error> {
    let columns: Option<Vec<&[f64]>> =
        task.table.columns().iter().map(gflowcausal_data::Column::as_continuous).collect();
    match columns {
        None => Err(Error::MethodNeedsNumbers { method }),
        Some(_) if task.table.missing() > 0 => Err(Error::NeedsCompleteRows { method }),
        Some(columns) => Ok(columns),
    }
}
