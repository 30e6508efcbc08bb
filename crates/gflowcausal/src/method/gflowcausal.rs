//! The default method: searches, then the posterior over DAGs, exactly, by chains or by a trained GFlowNet.

use gflowcausal_flow::{LogReward, ObjectiveName, Problem, Sampler, Terminal, TrainConfig, Trainer, Walk};
use gflowcausal_graph::Order;
use gflowcausal_posterior::Objects;
use gflowcausal_score::{LocalScore, OrderScore};

use super::policy::PolicyTarget;
use super::search_phase::{self, Found, target};
use super::training::{check_walk, resumed, train};
use super::{Discover, MethodInput, MethodOutput, Phase, RunContext, dags};
use crate::config::{PosteriorName, option};
use crate::dag_posterior::{DagPosterior, Inferred};
use crate::local_search::LocalSearch;
use crate::model::{GraphReward, OrderReward, TableScore};
use crate::size::Size;
use crate::{Config, Error, Training};

/// The walks of this method.
const WALKS: &[Walk] = &[Walk::Order, Walk::Edges, Walk::Chain, Walk::Complete, Walk::Graph];

/// The options that only training reads.
const TRAINING: [&str; 7] = [
    option::walk,
    option::objective,
    option::network,
    option::iterations,
    option::batch_size,
    option::learning_rate,
    option::hidden,
];

/// Searches, and a posterior around what they find; a policy is trained where the user asks for one.
pub(super) struct GFlowCausal;

impl Discover for GFlowCausal {
    fn name(&self) -> &'static str {
        "gflowcausal"
    }

    fn about(&self) -> &'static str {
        "the best graph by several searches and the posterior over DAGs: exact, by chains, or by a trained GFlowNet"
    }

    fn takes_any_family(&self) -> bool {
        true
    }

    fn options(&self) -> &'static [&'static str] {
        &[
            option::score,
            option::penalty,
            option::rows_used,
            option::interventions,
            option::posterior,
            option::edge_prior,
            option::prune,
            option::threshold,
            option::alpha,
            option::walk,
            option::objective,
            option::network,
            option::iterations,
            option::batch_size,
            option::learning_rate,
            option::hidden,
            option::temperature,
            option::samples,
        ]
    }

    fn check(&self, input: &MethodInput<'_>) -> Result<(), Error> {
        let MethodInput { model, config, .. } = *input;
        let refuse = |option, value, with| Err(Error::Combination { option, value, with });
        let score =
            || format!("score '{}' and pruning '{}'", model.score_name().name(), model.prune_name().name());
        let posterior = config.posterior;
        if matches!(posterior, PosteriorName::Exact | PosteriorName::Chains) && model.dag_score().is_none() {
            return refuse(option::posterior, posterior.name(), score());
        }
        if config.edge_prior.is_some() && model.dag_score().is_none() {
            return Err(Error::NoEffect { option: option::edge_prior, with: score() });
        }
        if let Some(option) = config.changed_options().find(|option| TRAINING.contains(option))
            && !matches!(posterior, PosteriorName::Auto | PosteriorName::Policy)
        {
            return Err(Error::NoEffect { option, with: format!("posterior {}", posterior.name()) });
        }
        check_walk(config, self.name(), WALKS)?;
        settings(config, model.constraints().nodes()).validate()?;
        match config.walk {
            Walk::Graph if GraphReward::new(model).is_none() => {
                refuse(option::walk, "graph", format!("score '{}'", model.score_name().name()))
            }
            _ => Ok(()),
        }
    }

    fn discover(&self, input: &MethodInput<'_>, context: &mut RunContext<'_>) -> Result<MethodOutput, Error> {
        let MethodInput { model, config, .. } = *input;
        let found = search_phase::run(input, context)?;
        match model.dag_score() {
            _ if config.posterior == PosteriorName::None => {
                Ok(dags::without_probabilities(context, model, found))
            }
            Some(score) if trains(config) => with_policy(input, context, score, found),
            Some(score) => dags::discover(input, context, (score, config.posterior), found),
            None => over_orders(input, context, found),
        }
    }
}

/// Whether a policy is trained: by request, or because an option of training is given.
fn trains(config: &Config) -> bool {
    config.posterior == PosteriorName::Policy
        || config.changed_options().any(|option| TRAINING.contains(&option))
}

/// The posterior by a reference and by a policy, and the policy's where both agree or it was asked for.
fn with_policy(
    input: &MethodInput<'_>,
    context: &mut RunContext<'_>,
    score: &dyn LocalScore,
    found: Found,
) -> Result<MethodOutput, Error> {
    let MethodInput { model, config, .. } = *input;
    let Some(mut target) = dags::target(input, context, score, &found)? else {
        return Ok(dags::without_probabilities(context, model, found));
    };
    let Some(mut reference) = dags::infer(&mut target, input, context, config.posterior)? else {
        return Ok(dags::without_probabilities(context, model, found));
    };
    let aim = PolicyTarget { model, tables: Some(target.tables()), objects: Objects::Dags };
    let (drawn, training) = train_policy(input, context, (&aim, Some(&target)), &found, Some(&reference))?;
    let coverage = drawn.as_ref().and_then(|drawn| drawn.posterior.coverage);
    let agrees = coverage.is_some_and(|coverage| coverage.agrees());
    reference.posterior.coverage = coverage;
    let is_policys = agrees || config.posterior == PosteriorName::Policy;
    let chosen = drawn.filter(|_| is_policys).unwrap_or(reference);
    Ok(MethodOutput { training, ..dags::output(context, model, &target, chosen) })
}

/// The distribution over orders by a policy, where the score has no value for DAGs or a pruning makes graphs of orders.
fn over_orders(
    input: &MethodInput<'_>,
    context: &mut RunContext<'_>,
    found: Found,
) -> Result<MethodOutput, Error> {
    let model = input.model;
    let aim = PolicyTarget { model, tables: None, objects: Objects::Orders };
    let (drawn, training) = train_policy(input, context, (&aim, None), &found, None)?;
    let Some(Inferred { posterior, draws }) = drawn else {
        return Ok(MethodOutput { training, ..dags::without_probabilities(context, model, found) });
    };
    let Found { order, mut graphs, .. } = found;
    let score = |order: &Order| context.finish(|| model.order_score().score(order));
    let (order, graph) = match draws.iter().max_by(|a, b| a.log_reward.total_cmp(&b.log_reward)) {
        Some(best) if score(&best.order) > score(&order) => (best.order.clone(), best.dag.clone()),
        _ => (order, graphs.swap_remove(0)),
    };
    Ok(MethodOutput { graph, order, class: None, ranked: vec![], draws, posterior, training })
}

/// Trains a policy on what the searches found, draws from it, and holds it against the `reference`. None of both, or no
/// draws, if the run is stopped before there are any.
fn train_policy(
    input: &MethodInput<'_>,
    context: &mut RunContext<'_>,
    (aim, dags): (&PolicyTarget<'_>, Option<&DagPosterior<'_>>),
    found: &Found,
    reference: Option<&Inferred>,
) -> Result<(Option<Inferred>, Option<Training>), Error> {
    let MethodInput { model, config, .. } = *input;
    let tables = dags.map(|dags| TableScore::new(dags.tables(), model));
    let graphs = GraphReward::new(model);
    let orders = match &tables {
        Some(tables) => OrderReward::of_tables(tables),
        None => OrderReward::new(model),
    };
    let reward: &dyn LogReward = match &graphs {
        Some(graphs) if !config.walk.ends_in_orders() => graphs,
        _ => &orders,
    };
    let score: &dyn OrderScore = match &tables {
        Some(tables) => tables,
        None => model.order_score(),
    };
    let search = LocalSearch::new(score, model.constraints(), target(config), &context.deadlines.stop);
    let local_search = config.walk.ends_in_orders().then_some(&search as _);
    let problem = Problem { constraints: model.constraints(), reward, local_search };
    let settings = settings(config, model.constraints().nodes()).validate()?;
    let (mut trainer, mut history) = match resumed(&settings, context, problem)? {
        Some(resumed) => resumed,
        None => {
            let first = || {
                let mut trainer = Trainer::new(settings, problem)?;
                if config.walk.ends_in_orders() {
                    trainer.remember(found.orders.iter().cloned().map(Terminal::Order).collect())?;
                }
                Ok::<_, Error>(trainer)
            };
            match context.finish(first).transpose()? {
                Some(trainer) => (trainer, vec![]),
                None => return Ok((None, None)),
            }
        }
    };
    let stopped = train(&mut trainer, &mut history, context)?;
    context.report(Phase::Sampling);
    let sampler: Sampler<'_> = trainer.sampler();
    let mut drawn = aim.draw(&sampler, config.samples, config.seed, context.deadlines);
    if let (Some(drawn), Some(reference)) = (&mut drawn, reference) {
        let coverage = context.finish(|| aim.coverage(&sampler, drawn, reference, config.seed));
        drawn.posterior.coverage = coverage;
    }
    Ok((drawn, Some(Training::new(&trainer, stopped, history))))
}

/// Training settings by the number of variables, where the user leaves them open.
pub(crate) fn settings(config: &Config, nodes: usize) -> TrainConfig {
    let mut settings = TrainConfig { walk: config.walk, seed: config.seed, ..TrainConfig::default() };
    let default = if config.walk.every_state_stops() { ObjectiveName::Mdb } else { ObjectiveName::Tb };
    settings.objective = config.objective.unwrap_or(default);
    let size = match Size::of(nodes) {
        // There are no orders to evaluate.
        Size::VeryLarge if !config.walk.ends_in_orders() => Size::Large,
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
    settings.network.width = config.hidden.unwrap_or(if size == Size::Small { 128 } else { 256 });
    settings.temperature.target = config.temperature;
    settings.temperature.iterations = settings.iterations * 6 / 10;
    settings.exploration.iterations = settings.temperature.iterations;
    settings.improvements = match size {
        _ if !config.walk.ends_in_orders() => 0,
        Size::Small => 4,
        Size::Medium => 1,
        // A sweep over orders that were never seen costs as much as the rest of ten iterations.
        Size::Large | Size::VeryLarge => 0,
    };
    settings.patience = Some((settings.iterations / 10).max(50));
    settings
}
