//! Our method: local search, a trained GFlowNet, and draws from it that are weighed by what they are worth.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use gflowcausal_determinism::{Stream, map, stream};
use gflowcausal_flow::{
    LogReward, ObjectiveName, Problem, SampleMode, Sampler, Terminal, TrainConfig, Trainer, Walk,
};
use gflowcausal_graph::{Dag, Order};
use gflowcausal_score::OrderScore;
use gflowcausal_search::best_order;

use super::training::{Trained, check_walk, resumed, train};
use super::{Discover, MethodInput, MethodOutput, Phase, RunContext, boss, exact, ges};
use crate::config::option;
use crate::local_search::{Effort, LocalSearch};
use crate::model::{CyclicGraphReward, GraphReward, OrderEvaluator, OrderReward, nearest_order};
use crate::posterior::{ExactDifference, GraphSample, Posterior, Weighting};
use crate::representative::representative;
use crate::size::Size;
use crate::{Config, Error, ScoringModel, Training};

/// By how many nats the best order may be above all draws.
const FAR: f64 = 5.0;

/// How many graphs are drawn between two looks at whether the run is to stop.
const BLOCK: usize = 64;

/// Up to how many variables an order is worth the sum over all graphs it allows, and not the best alone.
const MOST_NODES_OF_SUMS: usize = 12;

/// How many orders of many variables are searched before training.
const STARTS: usize = 2;

/// How many of the remembered orders of many variables are looked at closely in the end: what the searches
/// before training found, and one more.
const CLOSE_LOOKS: usize = STARTS + 2;

/// What the first few draws of many variables have to be worth for more of them.
const LEAST_EFFECTIVE: f64 = 5.0;

/// The walks of this method.
const WALKS: &[Walk] = &[Walk::Order, Walk::Edges, Walk::Chain, Walk::Complete, Walk::Graph];

/// The GFlowNet of the paper, on the walk the user chooses.
pub(super) struct GFlowCausal;

impl Discover for GFlowCausal {
    fn name(&self) -> &'static str {
        "gflowcausal"
    }

    fn about(&self) -> &'static str {
        "a GFlowNet trained to draw graphs in proportion to what the data say, helped by local search"
    }

    fn options(&self) -> &'static [&'static str] {
        &[
            option::score,
            option::penalty,
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

    fn sums_over_graphs(&self, model: &ScoringModel) -> bool {
        model.is_cheap() && model.constraints().nodes() <= MOST_NODES_OF_SUMS
    }

    fn check(&self, input: &MethodInput<'_>) -> Result<(), Error> {
        let MethodInput { model, config, .. } = *input;
        let refuse = |value, with| Err(Error::Combination { option: option::walk, value, with });
        check_walk(config, self.name(), WALKS)?;
        settings(config, model.constraints().nodes()).validate()?;
        match config.walk {
            Walk::Graph if GraphReward::new(model).is_none() => {
                refuse("graph", format!("score '{}'", model.score_name().name()))
            }
            _ => Ok(()),
        }
    }

    fn discover(&self, input: &MethodInput<'_>, context: &mut RunContext<'_>) -> Result<MethodOutput, Error> {
        let MethodInput { model, config, .. } = *input;
        let (orders, graphs) = (OrderReward::new(model), GraphReward::new(model));
        let reward: &dyn LogReward = match &graphs {
            Some(graphs) if !config.walk.ends_in_orders() => graphs,
            _ => &orders,
        };
        let score = model.drawing_score(model.evaluator());
        let search = LocalSearch::new(&score, model.constraints(), target(config), context.stop);
        let local_search = config.walk.ends_in_orders().then_some(&search as _);
        let problem = Problem { constraints: model.constraints(), reward, local_search };
        let (mut trainer, mut history) = ready(input, context, problem)?;
        let stopped = train(&mut trainer, &mut history, context)?;
        context.report(Phase::Sampling);
        let (order, graph) = best(input, &trainer, context)?;
        let (draws, posterior) = weigh(input, &trainer, (&order, &graph), context);
        let distance = distance(input, &trainer, &posterior);
        let (order, graph) = representative(order, graph, model, &posterior);
        let training = Training::new(&trainer, stopped, history);
        Ok(MethodOutput { graph, order, class: None, draws, posterior, training: Some(training), distance })
    }
}

/// A trainer where the last one stopped, or a new one that knows what local search finds.
fn ready<'a>(
    input: &MethodInput<'a>,
    context: &mut RunContext<'_>,
    problem: Problem<'a>,
) -> Result<Trained<'a>, Error> {
    let settings = settings(input.config, input.model.constraints().nodes()).validate()?;
    if let Some(resumed) = resumed(&settings, context, problem)? {
        return Ok(resumed);
    }
    let mut trainer = Trainer::new(settings, problem)?;
    if input.config.walk.ends_in_orders() {
        context.report(Phase::Searching);
        trainer.remember(search(input, context).into_iter().map(Terminal::Order).collect())?;
    }
    Ok((trainer, vec![]))
}

/// Good orders to begin with: annealed, or of many variables those that insertions lead to from random ones; and from
/// the end of a search over classes, which gets where orders do not where variables nearly copy each other.
fn search(input: &MethodInput<'_>, context: &RunContext<'_>) -> Vec<Order> {
    let MethodInput { model, config, .. } = *input;
    let search = LocalSearch::new(model.order_score(), model.constraints(), target(config), context.stop);
    let mut orders = if model.is_large() {
        boss::starts(input, context, 0..STARTS)
    } else {
        search.anneal(Effort::by_size(model.constraints().nodes()))
    };
    orders.extend(ges::order(input, context).map(|order| search.climb(order)));
    orders
}

/// The temperature that local search cools down to, and its seed.
fn target(config: &Config) -> (f64, u64) {
    (config.temperature, config.seed)
}

/// The best order seen, led uphill once more, and its graph.
///
/// Where training looks roughly, the best few by its own look are looked at closely.
fn best(
    input: &MethodInput<'_>,
    trainer: &Trainer<'_>,
    context: &RunContext<'_>,
) -> Result<(Order, Dag), Error> {
    let MethodInput { model, config, .. } = *input;
    let best = trainer.best().ok_or(Error::NothingFound)?;
    match &best.terminal {
        Terminal::Order(order) => {
            let few = if model.is_large() { trainer.remembered(CLOSE_LOOKS) } else { Vec::new() };
            let few = few.into_iter().filter_map(Terminal::as_order).chain([order]).cloned();
            let (order, _) = best_order(model.order_score(), few).ok_or(Error::NothingFound)?;
            let search =
                LocalSearch::new(model.order_score(), model.constraints(), target(config), context.stop);
            let order = search.climb(order);
            let graph = model.graph_of(&order);
            Ok((order, graph))
        }
        Terminal::Dag(dag) => Ok((dag.topological_order(), dag.clone())),
        _ => Err(Error::NothingFound),
    }
}

/// Draws from the policy, weighed; or, where the weights would rest on a handful of draws, from chains of Gibbs steps.
fn weigh(
    input: &MethodInput<'_>,
    trainer: &Trainer<'_>,
    (best, graph): (&Order, &Dag),
    context: &RunContext<'_>,
) -> (Vec<GraphSample>, Posterior) {
    let MethodInput { model, config, .. } = *input;
    let nodes = model.constraints().nodes();
    let is_graph = !config.walk.ends_in_orders();
    let draw = |count| {
        let draws = policy_draws(model, &trainer.sampler(), count, config.seed, context.stop);
        let posterior = Posterior::of(nodes, &draws);
        let is_trusted = posterior.weighting == Weighting::Importance && !misses(model, best, &draws);
        (draws, posterior, is_trusted)
    };
    // A few draws of many variables cost as much as the chains, and tell whether more of them are worth it.
    let first = if model.is_large() && !is_graph { BLOCK.min(config.samples) } else { config.samples };
    let (mut draws, mut posterior, mut is_trusted) = draw(first);
    if first < config.samples {
        is_trusted &= posterior.effective_sample_size > LEAST_EFFECTIVE;
        if is_trusted {
            (draws, posterior, is_trusted) = draw(config.samples);
        }
    }
    if is_trusted || is_graph || context.is_stopped() {
        return (draws, posterior);
    }
    let warm_started = model.warm_started_score(graph);
    let evaluator = match &warm_started {
        Some(score) => OrderEvaluator::BestParents(score),
        None => model.evaluator(),
    };
    let score = model.drawing_score(evaluator);
    let search = LocalSearch::new(&score, model.constraints(), target(config), context.stop);
    let orders = search.draw_by_chains(best, config.samples);
    let draws = GraphSample::merged(map(orders.len(), |k| {
        let mut rng = stream(config.seed, Stream::Graph { k: k as u64 });
        let drawn = model.draw_graph(&orders[k], evaluator, &mut rng);
        GraphSample {
            order: orders[k].clone(),
            dag: drawn.dag,
            log_reward: drawn.log_reward,
            log_prob: drawn.log_reward,
            count: 1,
        }
    }));
    let mut by_chains = Posterior::equal(nodes, &draws);
    by_chains.weighting = Weighting::Chains;
    by_chains.effective_sample_size = posterior.effective_sample_size;
    (draws, by_chains)
}

/// Whether no draw comes near the best order: even weights then say nothing, for they know only what was drawn.
fn misses(model: &ScoringModel, best: &Order, draws: &[GraphSample]) -> bool {
    let drawn = draws.iter().map(|draw| draw.log_reward).fold(f64::NEG_INFINITY, f64::max);
    model.drawing_score(model.evaluator()).score(best) / model.temperature() > drawn + FAR
}

/// `count` draws from a policy: orders with a graph for each, or graphs. At least one block of them, and no more once
/// `stop` is true.
pub(crate) fn policy_draws(
    model: &ScoringModel,
    sampler: &Sampler<'_>,
    count: usize,
    seed: u64,
    stop: &AtomicBool,
) -> Vec<GraphSample> {
    let mut drawn = Vec::new();
    for start in (0..count).step_by(BLOCK) {
        drawn.extend(draw_block(model, sampler, start..count.min(start + BLOCK), seed));
        if stop.load(Ordering::Relaxed) {
            break;
        }
    }
    GraphSample::merged(drawn)
}

fn draw_block(
    model: &ScoringModel,
    sampler: &Sampler<'_>,
    numbers: Range<usize>,
    seed: u64,
) -> Vec<GraphSample> {
    let samples = sampler.sample_range(numbers.clone(), seed, SampleMode::Policy);
    let is_free = samples.iter().any(|sample| matches!(sample.terminal, Terminal::Digraph(_)));
    let free = if is_free { CyclicGraphReward::new(model) } else { None };
    let drawn = map(samples.len(), |k| {
        let log_prob = samples[k].log_forward - samples[k].log_backward;
        match &samples[k].terminal {
            Terminal::Order(order) => {
                let number = (numbers.start + k) as u64;
                let mut rng = stream(seed, Stream::Graph { k: number });
                let drawn = model.draw_graph(order, model.training_score(), &mut rng);
                let (dag, log_reward) = (drawn.dag, drawn.log_reward);
                Some(GraphSample { order: order.clone(), dag, log_reward, log_prob, count: 1 })
            }
            Terminal::Dag(dag) => {
                let log_reward = model.graph_score(dag)? / model.temperature();
                let order = dag.topological_order();
                Some(GraphSample { order, dag: dag.clone(), log_reward, log_prob, count: 1 })
            }
            Terminal::Digraph(graph) => {
                let log_reward = free.as_ref()?.log_reward(graph) / model.temperature();
                let order = nearest_order(graph, model.constraints());
                let dag = model.graph_of(&order);
                Some(GraphSample { order, dag, log_reward, log_prob, count: 1 })
            }
            _ => None,
        }
    });
    drawn.into_iter().flatten().collect()
}

/// How far the drawn edge probabilities and the policy are from the exact ones, where these are had for nothing.
fn distance(
    input: &MethodInput<'_>,
    trainer: &Trainer<'_>,
    posterior: &Posterior,
) -> Option<ExactDifference> {
    if input.model.sums().is_none() || !input.config.walk.ends_in_orders() {
        return None;
    }
    let lattice = exact::lattice(input.model).ok()?;
    let mut distance = posterior.difference_from(&exact::edge_probabilities(&lattice, input.model));
    distance.divergence = trainer.sampler().lattice().ok().map(|policy| lattice.divergence(&policy).forward);
    Some(distance)
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
