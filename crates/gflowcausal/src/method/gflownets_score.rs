//! GFlowNets-Score: the paper's ablation, where nothing but the reward keeps cycles out.

use gflowcausal_flow::{ObjectiveName, Problem, Terminal, TrainConfig, Walk};

use super::option_groups::{DRAWS, NETWORK, OptionGroups, POLICY, PRUNING, SCORE};
use super::training::{check_walk, network, train, trainer};
use super::{Discover, MethodInput, MethodOutput, Phase, PolicyTarget, RunContext};
use crate::model::{CyclicGraphReward, nearest_order};
use crate::posterior::Objects;
use crate::{Config, Error, ScoringModel, Training};

/// Walk `free`: a direction for each pair. A graph with cycles is read as the order that it comes nearest to.
pub(super) struct GFlowNetsScore;

impl Discover for GFlowNetsScore {
    fn name(&self) -> &'static str {
        "gflownets-score"
    }

    fn about(&self) -> &'static str {
        "the paper's ablation: a GFlowNet that learns from a penalty alone to avoid cycles"
    }

    fn options(&self) -> OptionGroups {
        &[SCORE, PRUNING, POLICY, NETWORK, DRAWS]
    }

    fn check(&self, input: &MethodInput<'_>) -> Result<(), Error> {
        check_walk(input.config, self.name(), &[Walk::Free])?;
        settings(input.config, input.model.constraints().nodes()).validate()?;
        if CyclicGraphReward::exists(input.model) { Ok(()) } else { Err(self.without_reward(input.model)) }
    }

    fn discover(&self, input: &MethodInput<'_>, context: &mut RunContext<'_>) -> Result<MethodOutput, Error> {
        let MethodInput { model, config, .. } = *input;
        let Some(reward) = context.until_stop(|| CyclicGraphReward::new(model)) else {
            return Ok(MethodOutput::nothing_yet(context, model));
        };
        let reward = reward.ok_or_else(|| self.without_reward(model))?;
        let problem = Problem { constraints: model.constraints(), reward: &reward, local_search: None };
        let settings = settings(config, model.constraints().nodes()).validate()?;
        let Some((mut trainer, mut history)) = trainer(settings, context, problem)? else {
            return Ok(MethodOutput::nothing_yet(context, model));
        };
        let stopped = train(&mut trainer, &mut history, context)?;
        context.report(Phase::Sampling);
        let order = match trainer.best().map(|best| &best.terminal) {
            Some(Terminal::Digraph(graph)) => nearest_order(graph, model.constraints()),
            _ => return Ok(MethodOutput::nothing_yet(context, model)),
        };
        let aim = PolicyTarget { model, tables: None, objects: Objects::Orders, is_weighted: true };
        let drawn = aim.draw(&trainer.sampler(), config.samples, config.seed, context.deadlines);
        let training = Training::new(&trainer, stopped, history);
        let graph = context.graph_of(model, &order);
        Ok(MethodOutput::of_policy(context, model, (order, graph), drawn, training))
    }
}

impl GFlowNetsScore {
    fn without_reward(&self, model: &ScoringModel) -> Error {
        Error::NeedsDecomposable { method: self.name(), score: model.score_name().name() }
    }
}

/// Training settings by the number of variables, where the user leaves them open.
fn settings(config: &Config, nodes: usize) -> TrainConfig {
    let mut settings = TrainConfig { walk: Walk::Free, seed: config.seed, ..TrainConfig::default() };
    settings.objective = config.objective.unwrap_or(ObjectiveName::Tb);
    settings.flow_scale = config.flow_scale;
    settings.iterations = config.iterations.unwrap_or(500 + 15 * nodes);
    settings.batch_size = config.batch_size.unwrap_or(64);
    settings.optimizer.learning_rate = config.learning_rate.unwrap_or(1e-3);
    settings.network = network(config, if nodes <= 16 { 128 } else { 256 });
    settings.temperature.target = config.temperature;
    settings.temperature.iterations = settings.iterations * 6 / 10;
    settings.exploration.iterations = settings.temperature.iterations;
    settings
}
