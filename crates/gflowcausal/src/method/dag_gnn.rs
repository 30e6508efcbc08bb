//! DAG-GNN: an autoencoder around a linear structural equation.

use gflowcausal_neural::DagGnn;

use super::option_groups::{NETWORK, OptionGroups};
use super::{Discover, MethodInput, MethodOutput, Phase, RunContext};
use crate::options::option;
use crate::{Config, Error};

/// The authors' weight below which an edge goes.
const THRESHOLD: f64 = 0.3;

/// Yu et al. (2019), always in the published size: a run takes seconds.
pub(super) struct GraphNeuralNetwork;

impl Discover for GraphNeuralNetwork {
    fn name(&self) -> &'static str {
        "dag-gnn"
    }

    fn about(&self) -> &'static str {
        "DAG-GNN: an autoencoder around a linear structural equation, by an augmented Lagrangian"
    }

    fn options(&self) -> OptionGroups {
        &[&[option::threshold], NETWORK]
    }

    fn needs_rows(&self) -> bool {
        true
    }

    fn discover(&self, input: &MethodInput<'_>, context: &mut RunContext<'_>) -> Result<MethodOutput, Error> {
        context.report(Phase::Searching);
        let columns = input.complete_columns(self.name())?;
        let (config, constraints) = (input.config, input.model.constraints());
        let weights = settings(config).fit(&columns, constraints, config.seed, &context.deadlines.stop);
        let graph = weights.dag(config.threshold.unwrap_or(THRESHOLD), constraints);
        Ok(MethodOutput::single(context, input.model, graph.topological_order(), graph))
    }
}

fn settings(config: &Config) -> DagGnn {
    let published = DagGnn::default();
    DagGnn {
        hidden: config.hidden.unwrap_or(published.hidden),
        epochs: config.iterations.unwrap_or(published.epochs),
        batch_size: config.batch_size.unwrap_or(published.batch_size),
        learning_rate: config.learning_rate.unwrap_or(published.learning_rate),
    }
}
