//! Soft actor–critic on the paper's walks: its first ablation, which maximises the reward instead of drawing in proportion to it.

use gflowcausal_flow::{
    EntropyWeight, Problem, Progress, RewardForm, SacConfig, SoftActorCritic, Stopped, TrainError, Walk,
};

use super::option_groups::{NETWORK, OptionGroups, PRUNING, SCORE};
use super::training::{Iterative, check_walk, network, train};
use super::{Discover, MethodInput, MethodOutput, Phase, PolicyTarget, RunContext};
use crate::model::OrderReward;
use crate::options::option;
use crate::posterior::Objects;
use crate::{Config, Error, ScoreName, Training};

/// The name users type.
pub(crate) const NAME: &str = "sac";

/// The walks whose states are matrices of edges and whose ends are orders.
const WALKS: &[Walk] = &[Walk::Edges, Walk::Chain, Walk::Complete];

/// Haarnoja et al. (2018), Christodoulou (2019), on the states, actions, mask and reward of the paper.
pub(super) struct SoftActor;

impl Discover for SoftActor {
    fn name(&self) -> &'static str {
        NAME
    }

    fn about(&self) -> &'static str {
        "soft actor-critic on the paper's walks: its ablation, which maximises the reward instead of drawing by it"
    }

    fn options(&self) -> OptionGroups {
        &[SCORE, PRUNING, &[option::walk, option::network], NETWORK, &[option::entropy, option::samples]]
    }

    fn check(&self, input: &MethodInput<'_>) -> Result<(), Error> {
        check_walk(input.config, self.name(), WALKS)?;
        settings(input).validate()?;
        Ok(())
    }

    fn discover(&self, input: &MethodInput<'_>, context: &mut RunContext<'_>) -> Result<MethodOutput, Error> {
        let MethodInput { model, config, .. } = *input;
        let reward = OrderReward::new(model);
        let problem = Problem { constraints: model.constraints(), reward: &reward, local_search: None };
        let settings = settings(input).validate()?;
        let actor = context.finish(|| SoftActorCritic::new(settings, problem)).transpose()?;
        let Some(mut actor) = actor else { return Ok(MethodOutput::nothing_yet(context, model)) };
        let mut history = Vec::new();
        let stopped = train(&mut actor, &mut history, context)?;
        context.report(Phase::Sampling);
        let Some(order) = actor.best().and_then(|best| best.terminal.as_order()).cloned() else {
            return Ok(MethodOutput::nothing_yet(context, model));
        };
        let graph = context.graph_of(model, &order);
        let aim = PolicyTarget { model, tables: None, objects: Objects::Orders, is_weighted: false };
        let drawn = aim.draw(&actor.sampler(), config.samples, config.seed, context.deadlines);
        let training = training(&actor, stopped, history);
        Ok(MethodOutput::of_policy(context, model, (order, graph), drawn, training))
    }
}

/// Nothing is saved on the way: a run that is resumed starts again, to the same result.
impl Iterative for SoftActorCritic<'_> {
    fn step(&mut self, observer: &mut dyn gflowcausal_flow::Observer) -> Result<Option<Stopped>, TrainError> {
        self.step(observer)
    }

    fn iterations(&self) -> (usize, usize) {
        (self.iteration(), self.config().iterations)
    }

    fn policy_bytes(&self, fingerprint: &str) -> Vec<u8> {
        self.policy_bytes(fingerprint)
    }
}

/// Training settings by the number of variables, where the user leaves them open.
fn settings(input: &MethodInput<'_>) -> SacConfig {
    let (config, nodes): (&Config, usize) = (input.config, input.model.constraints().nodes());
    let usual = SacConfig::default();
    SacConfig {
        walk: if config.walk == Config::default().walk { Walk::Edges } else { config.walk },
        iterations: config.iterations.unwrap_or(500 + 25 * nodes),
        batch_size: config.batch_size.unwrap_or(usual.batch_size),
        seed: config.seed,
        network: network(config, if nodes <= 16 { 128 } else { 256 }),
        learning_rate: config.learning_rate.unwrap_or(1e-3),
        entropy: config.entropy.map_or(usual.entropy, EntropyWeight::Fixed),
        reward: if input.model.score_name() == ScoreName::Varsort {
            RewardForm::Plain
        } else {
            RewardForm::Log
        },
        ..usual
    }
}

fn training(actor: &SoftActorCritic<'_>, stopped: Stopped, history: Vec<Progress>) -> Training {
    let config = actor.config();
    Training {
        iterations: actor.iteration(),
        stopped,
        log_partition: None,
        final_loss: history.last().map(|progress| progress.loss),
        walk: config.walk.to_string(),
        objective: NAME.to_owned(),
        most_iterations: config.iterations,
        batch_size: config.batch_size,
        learning_rate: config.learning_rate,
        network: config.network.name.to_string(),
        hidden: config.network.width,
        history,
        policy: actor.policy_bytes(""),
        tables_around: Vec::new(),
    }
}
