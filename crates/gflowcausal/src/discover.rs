//! The main job: a table in, a trained sampler of graphs and what it says out.

use std::borrow::Cow;
use std::sync::atomic::AtomicBool;

use gflowcausal_data::{Missing, Moments, Table};
use gflowcausal_flow::{
    Event, ObjectiveName, Progress, SampleMode, Stopped, Terminal, TrainConfig, Trainer, Walk,
};
use gflowcausal_graph::{Constraints, Dag, Knowledge, Order};
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::config::Config;
use crate::local_search::Insertions;
use crate::model::{Model, OrderReward};
use crate::posterior::{Draw, Posterior};

/// What a run is doing.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Step {
    /// The score is built.
    Scoring,
    /// Training is about to begin, of so many iterations at most.
    Training {
        /// The most iterations.
        iterations: usize,
    },
    /// An iteration is done.
    Iteration(Progress),
    /// Graphs are drawn.
    Sampling,
    /// All is found.
    Done,
}

/// How training went.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Training {
    /// How many iterations were done.
    pub iterations: usize,
    /// Why it stopped.
    pub stopped: Stopped,
    /// `ln Z` at the final temperature, where the objective learns it.
    pub log_partition: Option<f64>,
    /// The loss of the last iteration.
    pub final_loss: f64,
    /// What each iteration brought.
    #[serde(skip)]
    pub history: Vec<Progress>,
}

/// What was found.
pub struct Discovery {
    /// The variables, by index.
    pub names: Vec<String>,
    /// The graph of the best order.
    pub graph: Dag,
    /// The best order.
    pub order: Order,
    /// Its score.
    pub score: f64,
    /// The temperature of the policy that the draws come from.
    pub temperature: f64,
    /// The graphs drawn.
    pub draws: Vec<Draw>,
    /// What the draws say of each edge.
    pub posterior: Posterior,
    /// How training went, if there was any.
    pub training: Option<Training>,
    /// The score, the pruning and the constraints.
    pub model: Model,
    /// Means and covariance, if all columns are numbers.
    pub moments: Option<Moments>,
}

/// Finds causal graphs in `table`.
///
/// ```
/// use gflowcausal::{Config, discover};
/// let sachs = gflowcausal::data::builtin("sachs").unwrap();
/// let config = Config { iterations: Some(50), samples: 100, ..Config::default() };
/// let found = discover(&sachs.table, &config)?;
/// assert_eq!(found.graph.nodes(), 11);
/// # Ok::<(), gflowcausal::Error>(())
/// ```
///
/// # Errors
/// Data, options or constraints that cannot be used.
pub fn discover(table: &Table, config: &Config) -> Result<Discovery, Error> {
    discover_with(table, config, &mut |_: Step| {}, &AtomicBool::new(false))
}

/// [`discover`], told of each step, that ends early with the best so far once `stop` is true.
///
/// # Errors
/// Data, options or constraints that cannot be used.
pub fn discover_with(
    table: &Table,
    config: &Config,
    watch: &mut dyn FnMut(Step),
    stop: &AtomicBool,
) -> Result<Discovery, Error> {
    watch(Step::Scoring);
    let names: Vec<String> = table.names().map(str::to_owned).collect();
    let constraints = compile(config, &names)?;
    let (table, moments) = prepare(table, config)?;
    let model = Model::new(&table, moments.as_ref(), constraints, config)?;
    let found = train(&model, config, watch, stop)?;
    watch(Step::Done);
    Ok(Discovery {
        names,
        graph: model.graph_of(&found.order),
        order: found.order,
        score: found.score,
        temperature: config.temperature,
        posterior: Posterior::of(model.constraints().nodes(), &found.draws),
        draws: found.draws,
        training: Some(found.training),
        model,
        moments,
    })
}

/// The user's statements as constraints.
fn compile(config: &Config, names: &[String]) -> Result<Constraints, Error> {
    let mut knowledge = match &config.knowledge {
        Some(text) => Knowledge::from_tetrad(text.as_bytes())
            .map_err(|source| Error::KnowledgeFile { path: "knowledge".into(), source })?,
        None => Knowledge::default(),
    };
    for edge in &config.require {
        knowledge.require(edge.as_str());
    }
    for edge in &config.forbid {
        knowledge.forbid(edge.as_str());
    }
    if let Some(most) = config.max_parents {
        knowledge.max_parents(most);
    }
    Ok(knowledge.compile(names)?)
}

/// What training and sampling bring.
struct Found {
    order: Order,
    score: f64,
    draws: Vec<Draw>,
    training: Training,
}

fn train(
    model: &Model,
    config: &Config,
    watch: &mut dyn FnMut(Step),
    stop: &AtomicBool,
) -> Result<Found, Error> {
    let reward = OrderReward(model.scores());
    let search = Insertions::new(model.scores().order_score(), config.temperature, config.seed);
    let problem = gflowcausal_flow::Problem {
        constraints: model.constraints(),
        reward: &reward,
        improve: Some(&search),
    };
    let settings = sizes(config, model.constraints().nodes()).validate()?;
    watch(Step::Training { iterations: settings.iterations });
    let mut trainer = Trainer::new(settings, problem)?;
    let mut history = Vec::new();
    let mut record = |event: &Event<'_>| {
        if let Event::Iteration(progress) = event {
            history.push(*progress);
            watch(Step::Iteration(*progress));
        }
    };
    let stopped = trainer.run(&mut record, stop)?;
    watch(Step::Sampling);
    let draws = draws(model, &trainer, config);
    let best = trainer.best().ok_or(Error::NothingFound)?;
    let Terminal::Order(order) = &best.terminal else { return Err(Error::NothingFound) };
    let training = Training {
        iterations: trainer.iteration(),
        stopped,
        log_partition: trainer.log_partition(),
        final_loss: history.last().map_or(f64::NAN, |progress| progress.loss),
        history,
    };
    Ok(Found { order: order.clone(), score: best.log_reward, draws, training })
}

/// Draws orders from the policy and prunes each to its graph.
fn draws(model: &Model, trainer: &Trainer<'_>, config: &Config) -> Vec<Draw> {
    let samples = trainer.sampler().sample(config.samples, config.seed, SampleMode::Policy);
    let drawn = gflowcausal_determinism::map(samples.len(), |k| {
        let order = samples[k].terminal.as_order()?.clone();
        let log_reward = model.order_score(&order) / trainer.temperature();
        let log_prob = samples[k].log_forward - samples[k].log_backward;
        Some(Draw { dag: model.graph_of(&order), order, log_reward, log_prob, count: 1 })
    });
    drawn.into_iter().flatten().collect()
}

/// Training settings by the number of variables, where the user leaves them open.
fn sizes(config: &Config, nodes: usize) -> TrainConfig {
    let mut settings = TrainConfig { walk: config.walk, seed: config.seed, ..TrainConfig::default() };
    settings.objective = config.objective.unwrap_or(if config.walk == Walk::Graph {
        ObjectiveName::Mdb
    } else {
        ObjectiveName::Tb
    });
    settings.iterations = config.iterations.unwrap_or(500 + 25 * nodes);
    settings.batch_size = config.batch_size.unwrap_or(64);
    settings.optimizer.learning_rate = config.learning_rate.unwrap_or(1e-3);
    settings.network.width = config.hidden.unwrap_or(if nodes <= 16 { 128 } else { 256 });
    settings.temperature.target = config.temperature;
    settings.temperature.iterations = settings.iterations * 6 / 10;
    settings.exploration.iterations = settings.temperature.iterations;
    settings.improvements = 4;
    settings.patience = Some((settings.iterations / 10).max(50));
    settings
}

/// The rows to work on and, if all columns are numbers, their moments.
pub(crate) fn prepare<'a>(
    table: &'a Table,
    config: &Config,
) -> Result<(Cow<'a, Table>, Option<Moments>), Error> {
    let mut table = match config.missing {
        Missing::Drop => Cow::Owned(table.drop_incomplete()?.0),
        Missing::Error | Missing::Em => Cow::Borrowed(table),
    };
    if config.missing != Missing::Em {
        table.require_complete()?;
    }
    if config.standardize {
        table = Cow::Owned(table.standardized());
    }
    let moments = match config.missing {
        _ if !table.is_continuous() => None,
        Missing::Em => Some(Moments::of_incomplete(&table)?.moments),
        _ => Some(Moments::of_table(&table)?),
    };
    Ok((table, moments))
}
