//! ICA-LiNGAM and DirectLiNGAM: the order of linear, non-Gaussian variables, then a pruned graph.

use gflowcausal_search::{direct_lingam, ica_lingam};

use super::option_groups::{OptionGroups, PRUNING, SCORE};
use super::{Discover, MethodInput, MethodOutput, Phase, RunContext};
use crate::{Error, PruneName, ScoreName};

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

    fn options(&self) -> OptionGroups {
        &[SCORE, PRUNING]
    }

    /// The authors' own: adaptive LASSO, its penalty by BIC.
    fn pruning(&self, score: ScoreName) -> PruneName {
        if score == ScoreName::Bic { PruneName::Lasso } else { PruneName::Auto }
    }

    fn needs_rows(&self) -> bool {
        true
    }

    fn discover(&self, input: &MethodInput<'_>, context: &mut RunContext<'_>) -> Result<MethodOutput, Error> {
        context.report(Phase::Searching);
        let columns = input.complete_columns(self.name())?;
        let constraints = input.model.constraints();
        let (stop, seed) = (&context.deadlines.stop, input.config.seed);
        let found = context.finish(|| match self {
            Self::Ica => ica_lingam(&columns, constraints, seed, stop),
            Self::Direct => Ok(direct_lingam(&columns, constraints, stop)),
        });
        let Some(order) = found.transpose()? else {
            return Ok(MethodOutput::nothing_yet(context, input.model));
        };
        let graph = context.graph_of(input.model, &order);
        Ok(MethodOutput::single(context, input.model, order, graph))
    }
}
