//! The policy of `gflowcausal`: which walk is trained, on what, and how long.

use gflowcausal_flow::{
    ExplorationConfig, LogReward, ObjectiveName, Problem, Progress, ReferenceConfig, ReplayConfig, Sampler,
    Stopped, TemperatureConfig, Terminal, TerminalKind, TrainConfig, Trainer, Walk,
};
use gflowcausal_posterior::Coverage;
use gflowcausal_score::OrderScore;

use super::policy::PolicyTarget;
use super::published;
use super::search_phase::{SearchResult, target};
use super::training::{network, resumed, train};
use super::{MethodInput, Phase, RunContext};
use crate::dag_posterior::{DagPosterior, Inferred};
use crate::local_search::LocalSearch;
use crate::model::{GraphReward, LayerReward, OrderReward, TableScore};
use crate::problem_size::Size;
use crate::{Config, Error, ScoringModel, Training};

/// The share of each batch that draws of the reference have after the warm start.
const REFERENCE_SHARE: f64 = 0.5;

/// How much of the averaged parameters each iteration keeps.
const AVERAGING: f64 = 0.99;

/// A trajectory that is out of balance by more nats than this does not count more: the reward of a random layering is off
/// by hundreds.
const RESIDUAL_LIMIT: f64 = 3.0;

/// By what factor the mean loss of the last tenth of the iterations must be below that of the tenth before to count as
/// still decreasing.
const PROGRESS_FACTOR: f64 = 0.95;

/// Trains a policy on what the searches found, draws from it, and holds it against the `reference`. None of both, or no
/// draws, if the run is stopped before there are any.
pub(super) fn train_policy(
    input: &MethodInput<'_>,
    context: &mut RunContext<'_>,
    (aim, dags): (&PolicyTarget<'_>, Option<&DagPosterior<'_>>),
    found: &SearchResult,
    reference: Option<&Inferred>,
) -> Result<(Option<Inferred>, Option<Training>), Error> {
    let MethodInput { model, config, .. } = *input;
    let walk = walk(config, model);
    let layerings = dags.map(|dags| LayerReward(dags.tables()));
    let tables = dags.map(|dags| TableScore::new(dags.tables(), model));
    let graphs = GraphReward::new(model);
    let orders = match &tables {
        Some(tables) => OrderReward::of_tables(tables),
        None => OrderReward::new(model),
    };
    let reward: &dyn LogReward = match (walk.terminal_kind(), &graphs, &layerings) {
        (TerminalKind::Layering, _, Some(layerings)) => layerings,
        (TerminalKind::Dag, Some(graphs), _) => graphs,
        _ => &orders,
    };
    let score: &dyn OrderScore = match &tables {
        Some(tables) => tables,
        None => model.order_score(),
    };
    let search = LocalSearch::new(score, model.constraints(), target(config), &context.deadlines.stop);
    let local_search = walk.ends_in_orders().then_some(&search as _);
    let problem = Problem { constraints: model.constraints(), reward, local_search };
    let settings = settings(config, walk, model.constraints().nodes()).validate()?;
    let (mut trainer, mut history) = match resumed(&settings, context, problem)? {
        Some(resumed) => resumed,
        None => {
            let first =
                || prepared(Trainer::new(settings, problem)?, config, found, dags.zip(reference), context);
            // Draws to learn from may take longer than there is time for after a stop.
            let built =
                if walk.ends_in_layerings() { context.until_stop(first) } else { context.finish(first) };
            match built.transpose()? {
                Some(trainer) => (trainer, vec![]),
                None => return Ok((None, None)),
            }
        }
    };
    let stopped = train(&mut trainer, &mut history, context)?;
    context.report(Phase::Sampling);
    let drawn = draw(&trainer.sampler(), config, aim, reference, context);
    let coverage = drawn.as_ref().and_then(|drawn| drawn.posterior.coverage);
    let stopped = verdict(stopped, &history, coverage.as_ref());
    Ok((drawn, Some(Training::new(&trainer, stopped, history))))
}

/// The trainer, with the orders that searches found or draws of the reference to learn from.
fn prepared<'a>(
    mut trainer: Trainer<'a>,
    config: &Config,
    found: &SearchResult,
    reference: Option<(&DagPosterior<'_>, &Inferred)>,
    context: &RunContext<'_>,
) -> Result<Trainer<'a>, Error> {
    let walk = trainer.config().walk;
    if walk.ends_in_orders() {
        trainer.remember(found.orders.iter().cloned().map(Terminal::Order).collect())?;
    }
    if let Some(reference) = reference.filter(|_| walk.ends_in_layerings()) {
        learn_from(&mut trainer, config, reference, context)?;
    }
    Ok(trainer)
}

/// What the policy says of the posterior, held against the `reference`; none if there is no time for a draw.
fn draw(
    sampler: &Sampler<'_>,
    config: &Config,
    aim: &PolicyTarget<'_>,
    reference: Option<&Inferred>,
    context: &RunContext<'_>,
) -> Option<Inferred> {
    let mut estimate = aim.estimate(sampler, config.samples, config.seed, context.deadlines)?;
    if let Some(reference) = reference {
        let coverage = context.finish(|| aim.coverage(sampler, &estimate, reference, config.seed));
        estimate.inferred.posterior.coverage = coverage;
    }
    Some(estimate.inferred)
}

/// Training has converged if the loss stands still and the policy agrees with the reference: neither alone says so.
pub(super) fn verdict(stopped: Stopped, history: &[Progress], coverage: Option<&Coverage>) -> Stopped {
    let stands_still = match stopped {
        Stopped::Plateau => true,
        Stopped::Iterations => is_level(history),
        _ => false,
    };
    if stands_still && coverage.is_some_and(Coverage::agrees) { Stopped::Converged } else { stopped }
}

/// Whether the loss of the last tenth of the iterations is about that of the tenth before.
fn is_level(history: &[Progress]) -> bool {
    let length = history.len() / 10;
    let mean = |part: &[Progress]| part.iter().map(|progress| progress.loss).sum::<f64>() / length as f64;
    let (before, last) = history[history.len() - 2 * length..].split_at(length);
    length > 0 && mean(last) >= PROGRESS_FACTOR * mean(before)
}

/// The walk that is trained: where the objects are orders, not DAGs, the default is the walk over them.
pub(super) fn walk(config: &Config, model: &ScoringModel) -> Walk {
    if config.walk.ends_in_layerings() && model.dag_score().is_none() { Walk::Order } else { config.walk }
}

/// Draws of the reference to learn from, and its `ln Z` where it has one and the objective takes it.
fn learn_from(
    trainer: &mut Trainer<'_>,
    config: &Config,
    (dags, reference): (&DagPosterior<'_>, &Inferred),
    context: &RunContext<'_>,
) -> Result<(), Error> {
    let taken = trainer.config().iterations.saturating_mul(trainer.config().batch_size);
    let count = Schedule::of(dags.tables().nodes()).draws.min(taken);
    let layerings = dags.training_layerings(config, (reference, count), context)?;
    trainer.set_reference(layerings.into_iter().map(Terminal::Layering).collect())?;
    match reference.posterior.log_z {
        Some(log_z) if trainer.config().objective == ObjectiveName::Tb => trainer.hold_log_partition(log_z),
        _ => {}
    }
    Ok(())
}

/// How long a policy over layerings is trained, on how many draws, in what batches and with what steps.
struct Schedule {
    /// Of the reference; no more than training takes up. Of a fifth as many a policy learns accidents: its divergence from draws that
    /// it has not seen is then several times that from its own.
    draws: usize,
    iterations: usize,
    batch_size: usize,
    learning_rate: f64,
    /// By what factor steps are shorter at the end.
    decay: f64,
}

impl Schedule {
    /// Large batches have many states in common, and bear long steps.
    fn of(nodes: usize) -> Self {
        let long = |iterations| Self {
            draws: 50_000,
            iterations,
            batch_size: 256,
            learning_rate: 6e-3,
            decay: 30.0,
        };
        match nodes {
            ..=10 => long(500),
            11..=20 => long(1500),
            21..=60 => long(2000),
            _ => Self { draws: 10_000, iterations: 1000, batch_size: 64, learning_rate: 1e-3, decay: 10.0 },
        }
    }
}

/// Settings of the walk over layerings: half of the iterations by maximum likelihood on draws of the reference, half by
/// the objective on such draws and the policy's own.
///
/// There is no annealing: draws of the reference lie where the mass is from the first iteration on.
fn layers_settings(config: &Config, walk: Walk, nodes: usize) -> TrainConfig {
    let mut settings = TrainConfig { walk, seed: config.seed, ..TrainConfig::default() };
    settings.objective = config.objective.unwrap_or(ObjectiveName::Tb);
    settings.flow_scale = config.flow_scale;
    let Schedule { iterations, batch_size, learning_rate, decay, .. } = Schedule::of(nodes);
    settings.iterations = config.iterations.unwrap_or(iterations);
    settings.batch_size = config.batch_size.unwrap_or(batch_size);
    settings.optimizer.learning_rate = config.learning_rate.unwrap_or(learning_rate);
    settings.optimizer.final_learning_rate = Some(settings.optimizer.learning_rate / decay);
    settings.optimizer.averaging = Some(AVERAGING);
    settings.network = network(config, 256);
    settings.temperature = TemperatureConfig { iterations: 0, ..TemperatureConfig::default() };
    settings.exploration = ExplorationConfig { start: 0.0, end: 0.0, iterations: 0 };
    settings.replay = ReplayConfig { capacity: 0, share: 0.0 };
    settings.reference =
        ReferenceConfig { likelihood_iterations: settings.iterations / 2, share: REFERENCE_SHARE };
    settings.sees_reward = true;
    settings.residual_limit = Some(RESIDUAL_LIMIT);
    settings
}

/// Training settings by the number of variables, where the user leaves them open.
pub(crate) fn settings(config: &Config, walk: Walk, nodes: usize) -> TrainConfig {
    if config.paper {
        return published::settings(config);
    }
    if walk.ends_in_layerings() {
        return layers_settings(config, walk, nodes);
    }
    let mut settings = TrainConfig { walk, seed: config.seed, ..TrainConfig::default() };
    let default = if walk.every_state_stops() { ObjectiveName::Mdb } else { ObjectiveName::Tb };
    settings.objective = config.objective.unwrap_or(default);
    settings.flow_scale = config.flow_scale;
    let size = match Size::of(nodes) {
        // There are no orders to evaluate.
        Size::VeryLarge if !walk.ends_in_orders() => Size::Large,
        size => size,
    };
    settings.iterations = config.iterations.unwrap_or(match size {
        Size::Small | Size::Medium => 500 + 15 * nodes,
        Size::Large => 300,
        Size::VeryLarge => 100,
    });
    // Most of a batch is remembered, for every order of many variables that was never seen takes its time.
    let is_large = size == Size::VeryLarge;
    settings.batch_size = config.batch_size.unwrap_or(if is_large { 16 } else { 64 });
    settings.replay.share = if is_large { 0.75 } else { settings.replay.share };
    settings.optimizer.learning_rate = config.learning_rate.unwrap_or(1e-3);
    settings.network = network(config, if size == Size::Small { 128 } else { 256 });
    settings.temperature.target = config.temperature;
    settings.temperature.iterations = settings.iterations * 6 / 10;
    settings.exploration.iterations = settings.temperature.iterations;
    settings.improvements = match size {
        _ if !walk.ends_in_orders() => 0,
        Size::Small => 4,
        Size::Medium => 1,
        // A sweep over orders that were never seen costs as much as the rest of ten iterations.
        Size::Large | Size::VeryLarge => 0,
    };
    settings.patience = Some((settings.iterations / 10).max(50));
    settings
}

#[cfg(test)]
mod tests {
    use gflowcausal_posterior::Source;

    use super::*;

    fn history(loss: impl Fn(usize) -> f64) -> Vec<Progress> {
        let progress = |iteration| Progress {
            iteration,
            loss: loss(iteration),
            mean_log_reward: 0.0,
            best_log_reward: 0.0,
            temperature: 1.0,
            exploration: 0.0,
            log_partition: 0.0,
        };
        (1..=100).map(progress).collect()
    }

    #[test]
    fn training_has_converged_only_if_loss_and_coverage_say_so() {
        let good = Coverage {
            log_z_policy: -10.0,
            log_z_reference: Some(-10.0),
            reference: Source::Exact,
            median_log_ratio: Some(0.0),
            edges_mean_difference: 0.0,
            edges_largest_difference: 0.0,
            effective_draws: Some(5000.0),
            r_hat: None,
        };
        let bad = Coverage { log_z_policy: -11.0, ..good };
        let (level, falling) = (history(|_| 2.0), history(|iteration| 1.0 / iteration as f64));
        let of = |stopped, history: &[Progress], coverage| verdict(stopped, history, coverage);
        assert_eq!(of(Stopped::Iterations, &level, Some(&good)), Stopped::Converged);
        assert_eq!(of(Stopped::Plateau, &falling, Some(&good)), Stopped::Converged);
        assert_eq!(of(Stopped::Iterations, &falling, Some(&good)), Stopped::Iterations);
        assert_eq!(of(Stopped::Interrupted, &level, Some(&good)), Stopped::Interrupted);
        let few = Coverage { effective_draws: Some(100.0), ..good };
        for coverage in [None, Some(&bad), Some(&few)] {
            assert_eq!(of(Stopped::Iterations, &level, coverage), Stopped::Iterations);
            assert_eq!(of(Stopped::Plateau, &level, coverage), Stopped::Plateau);
        }
        assert_eq!(of(Stopped::Iterations, &level[..5], Some(&good)), Stopped::Iterations);
    }
}
