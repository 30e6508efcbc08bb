//! CORL: an actor learns by reinforcement to put variables in order.

use gflowcausal_flow::Progress;
use gflowcausal_neural::{Corl, EncoderSize, OrderRewards};

use super::{Discover, MethodInput, MethodOutput, Phase, RunContext};
use crate::options::option;
use crate::{Config, Error, ScoringModel};

/// Wang et al. (2021): the best order that was visited, pruned.
pub(super) struct OrderingRl;

impl Discover for OrderingRl {
    fn name(&self) -> &'static str {
        "corl"
    }

    fn about(&self) -> &'static str {
        "CORL: reinforcement learning of an order, by a transformer and a pointer network, then pruned"
    }

    fn options(&self) -> &'static [&'static str] {
        &[
            option::score,
            option::penalty,
            option::rows_used,
            option::prune,
            option::threshold,
            option::alpha,
            option::iterations,
            option::batch_size,
            option::learning_rate,
            option::hidden,
            option::published,
        ]
    }

    fn needs_rows(&self) -> bool {
        true
    }

    fn check(&self, input: &MethodInput<'_>) -> Result<(), Error> {
        input.complete_columns(self.name()).map(|_| ())
    }

    fn discover(&self, input: &MethodInput<'_>, context: &mut RunContext<'_>) -> Result<MethodOutput, Error> {
        let MethodInput { model, config, .. } = *input;
        let columns = input.complete_columns(self.name())?;
        let settings = settings(config);
        context.report(Phase::Training { done: 0, iterations: settings.iterations });
        let stop = &context.deadlines.stop;
        let best = settings.search(
            &columns,
            model.constraints(),
            rewards(model, config),
            config.seed,
            stop,
            &mut |done| {
                (context.observe)(Phase::Iteration(Progress {
                    iteration: done.iteration,
                    loss: done.loss,
                    mean_log_reward: done.mean,
                    best_log_reward: done.best,
                    temperature: 1.0,
                    exploration: 0.0,
                    log_partition: 0.0,
                }));
            },
        );
        let Some((order, _)) = best else { return Ok(MethodOutput::nothing_yet(context, model)) };
        let graph = context.graph_of(model, &order);
        Ok(MethodOutput::single(context, model, order, graph))
    }
}

/// As published, each step is rewarded by the term of its variable, where the score is a sum of such terms. Discounted
/// sums of terms are another aim than their sum, so an order is rewarded as a whole unless that is asked for.
fn rewards<'a>(model: &'a ScoringModel, config: &Config) -> OrderRewards<'a> {
    match model.order_modular_score().filter(|_| config.published) {
        Some(score) => OrderRewards::Dense(score),
        None => OrderRewards::Episodic(model.order_score()),
    }
}

fn settings(config: &Config) -> Corl {
    let usual = if config.published { Corl::published() } else { Corl::default() };
    let EncoderSize { width, inner, heads, .. } = usual.encoder;
    let hidden = config.hidden.unwrap_or(width);
    let inner = if hidden == width { inner } else { 4 * hidden };
    let heads = (1..=heads).rev().find(|heads| hidden.is_multiple_of(*heads)).unwrap_or(1);
    Corl {
        encoder: EncoderSize { width: hidden, inner, heads, ..usual.encoder },
        batch_size: config.batch_size.unwrap_or(usual.batch_size),
        iterations: config.iterations.unwrap_or(usual.iterations),
        actor_rate: config.learning_rate.unwrap_or(usual.actor_rate),
        ..usual
    }
}
