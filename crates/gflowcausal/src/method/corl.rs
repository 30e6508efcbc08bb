//! CORL: an actor learns by reinforcement to put variables in order.

use gflowcausal_neural::{Corl, OrderRewards};

use super::option_groups::{NETWORK, OptionGroups, PRUNING, SCORE};
use super::reinforcement::{encoder, progress};
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

    fn options(&self) -> OptionGroups {
        &[SCORE, &[option::published], PRUNING, NETWORK]
    }

    fn needs_rows(&self) -> bool {
        true
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
                let progress = progress(done.iteration, done.loss, [done.mean, done.best]);
                (context.observe)(Phase::Iteration(progress));
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
    Corl {
        encoder: encoder(usual.encoder, config),
        batch_size: config.batch_size.unwrap_or(usual.batch_size),
        iterations: config.iterations.unwrap_or(usual.iterations),
        actor_rate: config.learning_rate.unwrap_or(usual.actor_rate),
        ..usual
    }
}
