//! The default method: searches, then the posterior over DAGs, exactly, by chains or by a trained GFlowNet.

use std::time::Duration;

use gflowcausal_flow::{TerminalKind, Walk};
use gflowcausal_graph::Order;
use gflowcausal_posterior::{Objects, Source};
use gflowcausal_score::LocalScore;

use super::option_groups::{DRAWS, NETWORK, OptionGroups, POLICY, PRUNING, SCORE};
use super::policy::PolicyTarget;
use super::policy_training::{settings, train_policy, walk};
use super::search_phase::{self, SearchResult};
use super::training::check_walk;
use super::{Discover, MethodInput, MethodOutput, RunContext, dags, published};
use crate::dag_posterior::Inferred;
use crate::model::GraphReward;
use crate::options::{PosteriorName, option};
use crate::{Checkpoints, Config, Error, Training};

/// The walks of this method.
const WALKS: &[Walk] = &[Walk::Layers, Walk::Order, Walk::Edges, Walk::Chain, Walk::Complete, Walk::Graph];

/// The options that only training reads.
const TRAINING: OptionGroups = &[&[option::paper], POLICY, NETWORK];

/// Searches, and a posterior around what they find; a policy is trained where the user asks for one.
pub(super) struct GFlowCausal;

impl Discover for GFlowCausal {
    fn name(&self) -> &'static str {
        "gflowcausal"
    }

    fn about(&self) -> &'static str {
        "the best graph by several searches and the posterior over DAGs: exact, by chains, or by a trained GFlowNet"
    }

    fn family_limit(&self) -> usize {
        usize::MAX
    }

    fn options(&self) -> OptionGroups {
        &[
            SCORE,
            &[option::interventions, option::posterior, option::edge_prior, option::paper],
            PRUNING,
            POLICY,
            NETWORK,
            DRAWS,
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
        let edge_prior = [(option::edge_prior, config.edge_prior.is_some())];
        if config.paper {
            Error::if_without_effect(&edge_prior, option::paper)?;
        }
        if model.dag_score().is_none() {
            Error::if_without_effect(&edge_prior, &score())?;
        }
        if let Some(option) = training_option(config) {
            let is_trained = matches!(posterior, PosteriorName::Auto | PosteriorName::Policy);
            Error::if_without_effect(&[(option, !is_trained)], &format!("posterior {}", posterior.name()))?;
        }
        check_walk(config, self.name(), WALKS)?;
        settings(config, walk(config, model), model.constraints().nodes()).validate()?;
        if config.walk.terminal_kind() == TerminalKind::Dag && GraphReward::new(model).is_none() {
            let score = format!("score '{}'", model.score_name().name());
            return refuse(option::walk, config.walk.name(), score);
        }
        Ok(())
    }

    fn discover(&self, input: &MethodInput<'_>, context: &mut RunContext<'_>) -> Result<MethodOutput, Error> {
        let MethodInput { model, config, .. } = *input;
        if config.paper {
            return published::discover(input, context);
        }
        let found = search_phase::run(input, context)?;
        match model.dag_score() {
            _ if config.posterior == PosteriorName::None => {
                Ok(dags::without_probabilities(context, model, found))
            }
            Some(score) => {
                let mut output = if is_asked_to_train(config) || has_time_to_train(input, context) {
                    with_policy(input, context, score, found)?
                } else {
                    dags::discover(input, context, (score, config.posterior), found)?
                };
                if output.posterior.reason.is_none() {
                    output.posterior.reason = reason(input, context, output.posterior.source);
                }
                Ok(output)
            }
            None => over_orders(input, context, found),
        }
    }
}

/// An option of training that is given.
fn training_option(config: &Config) -> Option<&'static str> {
    config.changed_options().find(|option| TRAINING.iter().any(|group| group.contains(option)))
}

/// Whether a policy is trained by request, or because an option of training is given.
fn is_asked_to_train(config: &Config) -> bool {
    config.posterior == PosteriorName::Policy || training_option(config).is_some()
}

/// Whether chains leave so much of the time that a policy can be trained on their draws; or whether the run that goes on
/// had begun to.
fn has_time_to_train(input: &MethodInput<'_>, context: &RunContext<'_>) -> bool {
    let MethodInput { model, config, .. } = *input;
    let is_open = config.posterior == PosteriorName::Auto
        && dags::resolve(config.posterior, model) == PosteriorName::Chains;
    let has_begun = || context.checkpoints.as_ref().is_some_and(Checkpoints::has_training);
    is_open && (has_begun() || is_long(context.deadlines.budget, model.constraints().nodes()))
}

/// Whether a time budget has room for training: several times what it takes on one thread.
fn is_long(budget: Option<Duration>, nodes: usize) -> bool {
    let least = match nodes {
        ..=40 => 240,
        41..=100 => 600,
        // No policy was ever trained to cover the posterior of so many variables.
        _ => return false,
    };
    budget.is_some_and(|budget| budget >= Duration::from_secs(least))
}

/// Why the probabilities come from `source`, where that was left open.
fn reason(input: &MethodInput<'_>, context: &RunContext<'_>, source: Source) -> Option<String> {
    let MethodInput { model, config, .. } = *input;
    if config.posterior != PosteriorName::Auto || is_asked_to_train(config) {
        return None;
    }
    let nodes = model.constraints().nodes();
    match source {
        Source::Exact => Some(format!("{nodes} variables are few enough for exact sums")),
        Source::Policy => Some("the time budget has room for training a policy, and it agrees".to_owned()),
        Source::Chains => {
            let many = format!("{nodes} variables are too many for exact sums");
            let untrained = match context.deadlines.budget {
                _ if has_time_to_train(input, context) => "",
                Some(_) => ", and the time budget has no room for training a policy",
                None => ", and chains answer in a fraction of the time that training a policy takes",
            };
            Some(many + untrained)
        }
        Source::None => None,
    }
}

/// The posterior by a reference and by a policy, and the policy's where both agree or it was asked for.
fn with_policy(
    input: &MethodInput<'_>,
    context: &mut RunContext<'_>,
    score: &dyn LocalScore,
    found: SearchResult,
) -> Result<MethodOutput, Error> {
    let MethodInput { model, config, .. } = *input;
    let Some(mut target) = dags::target(input, context, score, &found)? else {
        return Ok(dags::without_probabilities(context, model, found));
    };
    let Some(mut reference) = dags::infer(&mut target, input, context, config.posterior)? else {
        return Ok(dags::without_probabilities(context, model, found));
    };
    let aim =
        PolicyTarget { model, tables: Some(target.tables()), objects: Objects::Dags, is_weighted: true };
    let (drawn, training) = train_policy(input, context, (&aim, Some(&target)), &found, Some(&reference))?;
    let training = training.map(|training| Training { tables_around: target.graphs().to_vec(), ..training });
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
    found: SearchResult,
) -> Result<MethodOutput, Error> {
    let model = input.model;
    let aim = PolicyTarget { model, tables: None, objects: Objects::Orders, is_weighted: true };
    let (drawn, training) = train_policy(input, context, (&aim, None), &found, None)?;
    let Some(Inferred { posterior, draws }) = drawn else {
        return Ok(MethodOutput { training, ..dags::without_probabilities(context, model, found) });
    };
    let SearchResult { order, mut graphs, .. } = found;
    let score = |order: &Order| context.finish(|| model.order_score().score(order));
    let (order, graph) = match draws.iter().max_by(|a, b| a.log_reward.total_cmp(&b.log_reward)) {
        Some(best) if score(&best.order) > score(&order) => (best.order.clone(), best.dag.clone()),
        _ => (order, graphs.swap_remove(0)),
    };
    Ok(MethodOutput { graph, order, class: None, ranked: vec![], draws, posterior, training })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_trains_if_it_is_long_for_so_many_variables() {
        let seconds = |seconds| Some(Duration::from_secs(seconds));
        assert!(is_long(seconds(240), 30) && !is_long(seconds(239), 30));
        assert!(is_long(seconds(600), 60) && !is_long(seconds(599), 60));
        assert!(!is_long(None, 30) && !is_long(seconds(100_000), 101));
    }
}
