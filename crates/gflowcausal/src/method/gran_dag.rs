//! GraN-DAG: a network for each variable, then pruned.

use gflowcausal_neural::GranDag;

use super::option_groups::{NETWORK, OptionGroups, PRUNING, SCORE};
use super::{Discover, MethodInput, MethodOutput, Phase, RunContext};
use crate::model::Mechanism;
use crate::{Config, Error, PruneName, ScoreName};

/// Lachapelle et al. (2020), always in the published size: a run takes seconds.
pub(super) struct GradientNetworks;

impl Discover for GradientNetworks {
    fn name(&self) -> &'static str {
        "gran-dag"
    }

    fn about(&self) -> &'static str {
        "GraN-DAG: a network for each variable, without cycles among their weights, then pruned"
    }

    fn options(&self) -> OptionGroups {
        &[SCORE, PRUNING, NETWORK]
    }

    /// The authors' own.
    fn pruning(&self, score: ScoreName) -> PruneName {
        // Scores of categories: the method refuses the table, not the pruning.
        match score.mechanism() {
            Mechanism::Categories | Mechanism::Mixed => PruneName::Auto,
            Mechanism::Linear | Mechanism::Nonlinear(_) => PruneName::Cam,
        }
    }

    fn needs_rows(&self) -> bool {
        true
    }

    fn discover(&self, input: &MethodInput<'_>, context: &mut RunContext<'_>) -> Result<MethodOutput, Error> {
        context.report(Phase::Searching);
        let columns = input.complete_columns(self.name())?;
        let (config, constraints) = (input.config, input.model.constraints());
        let weights = settings(config).fit(&columns, constraints, config.seed, &context.deadlines.stop);
        let dense = weights.dag(0.0, constraints);
        let graph = context.pruned(input.model, &dense);
        Ok(MethodOutput::single(context, input.model, graph.topological_order(), graph))
    }
}

fn settings(config: &Config) -> GranDag {
    let published = GranDag::default();
    GranDag {
        hidden: config.hidden.unwrap_or(published.hidden),
        batch_size: config.batch_size.unwrap_or(published.batch_size),
        learning_rate: config.learning_rate.unwrap_or(published.learning_rate),
        iterations: config.iterations.unwrap_or(published.iterations),
        ..published
    }
}
