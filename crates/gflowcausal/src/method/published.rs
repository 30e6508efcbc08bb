//! Algorithm 1 as the paper has it: a policy trained on its own draws, the best graph among them, draws as they come.

use gflowcausal_flow::{
    ExplorationConfig, LogReward, ObjectiveName, Problem, ReplayConfig, TemperatureConfig, Terminal,
    TerminalKind, TrainConfig,
};
use gflowcausal_graph::Order;

use super::policy_training::verdict;
use super::training::{network, train, trainer};
use super::{MethodInput, MethodOutput, Phase, PolicyTarget, RunContext};
use crate::model::{GraphReward, OrderReward};
use crate::posterior::Objects;
use crate::{Config, Error, Training};

/// Trains as `config`, which leaves nothing open, says.
pub(super) fn discover(input: &MethodInput<'_>, context: &mut RunContext<'_>) -> Result<MethodOutput, Error> {
    let MethodInput { model, config, .. } = *input;
    let (graphs, orders) = (GraphReward::new(model), OrderReward::new(model));
    let ends_in_graphs = config.walk.terminal_kind() == TerminalKind::Dag;
    let reward: &dyn LogReward = match &graphs {
        Some(graphs) if ends_in_graphs => graphs,
        _ => &orders,
    };
    let problem = Problem { constraints: model.constraints(), reward, local_search: None };
    let settings = settings(config).validate()?;
    let Some((mut trainer, mut history)) = trainer(settings, context, problem)? else {
        return Ok(MethodOutput::nothing_yet(context, model));
    };
    // The paper's flows are what the network gives, without a constant beside it.
    if trainer.iteration() == 0
        && !matches!(trainer.config().objective, ObjectiveName::Tb | ObjectiveName::Mdb)
    {
        trainer.hold_log_partition(0.0);
    }
    let stopped = train(&mut trainer, &mut history, context)?;
    context.report(Phase::Sampling);
    let (order, graph) = match trainer.best().map(|best| &best.terminal) {
        Some(Terminal::Order(order)) => (Order::clone(order), context.graph_of(model, order)),
        Some(Terminal::Dag(dag)) => (dag.topological_order(), dag.clone()),
        _ => return Ok(MethodOutput::nothing_yet(context, model)),
    };
    let objects = if ends_in_graphs { Objects::Dags } else { Objects::Orders };
    let aim = PolicyTarget { model, tables: None, objects, is_weighted: false };
    let drawn = aim.draw(&trainer.sampler(), config.samples, config.seed, context.deadlines);
    let stopped = verdict(stopped, &history, None);
    let training = Training::new(&trainer, stopped, history);
    Ok(MethodOutput::of_policy(context, model, (order, graph), drawn, training))
}

/// What Algorithm 1 has, and nothing beside it.
pub(super) fn settings(config: &Config) -> TrainConfig {
    let usual = TrainConfig::default();
    let mut settings = TrainConfig {
        walk: config.walk,
        objective: config.objective.unwrap_or(ObjectiveName::Fm),
        flow_scale: config.flow_scale,
        iterations: config.iterations.unwrap_or(usual.iterations),
        batch_size: config.batch_size.unwrap_or(usual.batch_size),
        seed: config.seed,
        temperature: TemperatureConfig { target: config.temperature, start: None, iterations: 0 },
        exploration: ExplorationConfig { start: 0.0, end: 0.0, iterations: 0 },
        replay: ReplayConfig { capacity: 0, share: 0.0 },
        ..usual
    };
    settings.optimizer.learning_rate = config.learning_rate.unwrap_or(settings.optimizer.learning_rate);
    settings.network = network(config, settings.network.width);
    settings
}
