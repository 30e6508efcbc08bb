//! DAG-GFlowNet: edges added to a DAG until the policy stops, drawn in proportion to the posterior.

use gflowcausal_flow::{ObjectiveName, Problem, Sampler, TrainConfig, Walk};

use super::option_groups::{DRAWS, NETWORK, OptionGroups, SCORE};
use super::policy::Estimate;
use super::policy_training::verdict;
use super::training::{check_walk, network, train, trainer};
use super::{Discover, MethodInput, MethodOutput, Phase, PolicyTarget, RunContext};
use crate::dag_posterior::DagPosterior;
use crate::model::GraphReward;
use crate::options::option;
use crate::posterior::{Coverage, Objects};
use crate::structure_mcmc::StructureMoves;
use crate::{Config, Error, ScoringModel, Training};

/// A trajectory that is out of balance by more nats than this does not count more: an edge may change the reward by hundreds.
const RESIDUAL_LIMIT: f64 = 3.0;

/// Up to how many variables the policy is held against the exact posterior.
const MOST_COMPARED: usize = 12;

/// Deleu et al. (2022): walk `graph`, no search and no pruning.
///
/// Trajectory balance in place of their modified detailed balance, Huber's loss, and structure MCMC to supply graphs from
/// other modes: with modified detailed balance one edge of a five-variable chain is off by 0.17 after as many iterations.
pub(super) struct DagGFlowNet;

impl Discover for DagGFlowNet {
    fn name(&self) -> &'static str {
        "dag-gflownet"
    }

    fn about(&self) -> &'static str {
        "a GFlowNet that grows DAGs edge by edge and draws them by their posterior"
    }

    fn options(&self) -> OptionGroups {
        &[SCORE, &[option::interventions, option::edge_prior, option::walk, option::network], NETWORK, DRAWS]
    }

    fn check(&self, input: &MethodInput<'_>) -> Result<(), Error> {
        let MethodInput { model, config, .. } = *input;
        let nodes = model.constraints().nodes();
        check_walk(config, self.name(), &[Walk::Graph])?;
        settings(config, nodes).validate()?;
        reward(model).map(|_| ())
    }

    fn discover(&self, input: &MethodInput<'_>, context: &mut RunContext<'_>) -> Result<MethodOutput, Error> {
        let MethodInput { model, config, .. } = *input;
        let reward = reward(model)?;
        let moves = StructureMoves { reward: &reward, constraints: model.constraints() };
        let problem =
            Problem { constraints: model.constraints(), reward: &reward, local_search: Some(&moves) };
        let settings = settings(config, model.constraints().nodes()).validate()?;
        let Some((mut trainer, mut history)) = trainer(settings, context, problem)? else {
            return Ok(MethodOutput::nothing_yet(context, model));
        };
        let stopped = train(&mut trainer, &mut history, context)?;
        context.report(Phase::Sampling);
        let Some(best) = trainer.best().and_then(|best| best.terminal.as_dag()).cloned() else {
            return Ok(MethodOutput::nothing_yet(context, model));
        };
        let aim = PolicyTarget { model, tables: None, objects: Objects::Dags, is_weighted: true };
        let sampler = trainer.sampler();
        let mut estimate = aim.estimate(&sampler, config.samples, config.seed, context.deadlines);
        if let Some(estimate) = &mut estimate {
            estimate.inferred.posterior.coverage = coverage(input, context, &sampler, estimate)?;
        }
        let drawn = estimate.map(|estimate| estimate.inferred);
        let coverage = drawn.as_ref().and_then(|drawn| drawn.posterior.coverage);
        let stopped = verdict(stopped, &history, coverage.as_ref());
        let training = Training::new(&trainer, stopped, history);
        Ok(MethodOutput::of_policy(context, model, (best.topological_order(), best), drawn, training))
    }
}

/// The policy held against the exact posterior, where that is at hand: with few variables and a score that is a sum over
/// them. The policy's probabilities are shown whatever comes of it.
fn coverage(
    input: &MethodInput<'_>,
    context: &RunContext<'_>,
    sampler: &Sampler<'_>,
    estimate: &Estimate,
) -> Result<Option<Coverage>, Error> {
    let MethodInput { model, config, .. } = *input;
    let (nodes, score) = (model.constraints().nodes(), model.dag_score());
    let Some(score) = score.filter(|_| nodes <= MOST_COMPARED) else { return Ok(None) };
    let build = || DagPosterior::new((model, score), Vec::new(), nodes - 1, context.stop());
    let Some(exact) = context.finish(build).unwrap_or(Ok(None))? else { return Ok(None) };
    let Some(reference) = exact.exact(config, context.stop())? else { return Ok(None) };
    let aim = PolicyTarget { model, tables: Some(exact.tables()), objects: Objects::Dags, is_weighted: true };
    Ok(context.finish(|| aim.coverage(sampler, estimate, &reference, config.seed)))
}

fn reward(model: &ScoringModel) -> Result<GraphReward<'_>, Error> {
    GraphReward::new(model).ok_or(Error::OrdersOnly { score: model.score_name().name() })
}

/// Training settings where the user leaves them open: the authors' batches and enough to learn the posterior up to
/// 20 variables, beyond that some 70 CPU seconds by the cost of the first iterations.
///
/// An untrained policy adds edges until hardly any is left, and every graph on the way is evaluated: an iteration costs
/// about `d⁴`.
fn by_size(nodes: usize) -> (usize, usize) {
    match nodes {
        0..=8 => (8000, 32),
        9..=12 => (4000, 32),
        13..=20 => (2500, 32),
        21..=30 => (1200, 16),
        _ => (300, 8),
    }
}

/// Training settings by the number of variables.
fn settings(config: &Config, nodes: usize) -> TrainConfig {
    let (walk, objective) = (Walk::Graph, ObjectiveName::Tb);
    let mut settings = TrainConfig { walk, objective, seed: config.seed, ..TrainConfig::default() };
    let (iterations, batch_size) = by_size(nodes);
    settings.iterations = config.iterations.unwrap_or(iterations);
    settings.batch_size = config.batch_size.unwrap_or(batch_size);
    settings.optimizer.learning_rate = config.learning_rate.unwrap_or(3e-3);
    settings.optimizer.final_learning_rate = Some(settings.optimizer.learning_rate / 100.0);
    settings.network = network(config, 128);
    settings.temperature.target = config.temperature;
    settings.temperature.iterations = settings.iterations / 2;
    settings.exploration.start = 0.3;
    settings.exploration.end = 0.1;
    settings.exploration.iterations = settings.iterations / 2;
    settings.residual_limit = Some(RESIDUAL_LIMIT);
    settings.improvements = batch_size / 4;
    settings.replay.share = 0.5;
    settings
}
