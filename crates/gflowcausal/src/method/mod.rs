//! One trait for "a way to find a graph", and the one list of all ways.

mod boss;
mod continuous;
mod dag_gflownet;
mod exact;
mod flow;
mod ges;
mod gflownets_score;
mod lingam;
mod pc;
mod sorted;
mod training;

use std::sync::atomic::{AtomicBool, Ordering};

use gflowcausal_data::{Moments, Table};
use gflowcausal_flow::Progress;
use gflowcausal_graph::{Dag, Order, Pdag};

use crate::checkpoints::Checkpoints;
use crate::posterior::{ExactDifference, GraphSample, Posterior};
use crate::{Config, Error, PruneName, ScoreName, ScoringModel, Training};

pub(crate) use flow::policy_draws;

/// A way to find a causal graph.
pub trait Discover: Send + Sync {
    /// The name users type.
    fn name(&self) -> &'static str;

    /// What it does, in one line.
    fn about(&self) -> &'static str;

    /// The keys of [`Config`] that it reads beside those that every method reads. Any other that is set is refused.
    fn settings(&self) -> &'static [&'static str];

    /// How orders become graphs where the user does not choose; `auto`: what goes with `score`.
    fn pruning(&self, _score: ScoreName) -> PruneName {
        PruneName::Auto
    }

    /// Whether an order is to be worth the sum over all graphs it allows: for methods that draw graphs.
    fn sums_over_graphs(&self, _model: &ScoringModel) -> bool {
        false
    }

    /// Whether it looks at the rows of the table, and not only at means, covariances and what the model makes of them.
    fn needs_rows(&self) -> bool {
        false
    }

    /// Whether this method can do what `config` asks for, found out before anything is done.
    ///
    /// # Errors
    /// When it cannot.
    fn check(&self, model: &ScoringModel, config: &Config) -> Result<(), Error>;

    /// Whether the columns are what this method needs, found out before anything is done.
    ///
    /// # Errors
    /// When they are not.
    fn check_data(&self, _task: &Task<'_>) -> Result<(), Error> {
        Ok(())
    }

    /// Finds graphs.
    ///
    /// # Errors
    /// When the system refuses, or nothing was found in time.
    fn discover(&self, task: &Task<'_>, run: &mut Run<'_>) -> Result<Found, Error>;
}

/// What there is to find a graph for.
pub struct Task<'a> {
    /// The rows, complete unless the moments were estimated from incomplete ones.
    pub table: &'a Table,
    /// Means and covariance, if all columns are numbers.
    pub moments: Option<&'a Moments>,
    /// What graphs are worth, and what they have to obey.
    pub model: &'a ScoringModel,
    /// What the user asked for.
    pub config: &'a Config,
}

/// What a method found.
pub struct Found {
    /// The best graph.
    pub graph: Dag,
    /// An order of it.
    pub order: Order,
    /// Arrows and undirected edges, where the method finds a class of graphs and `graph` only stands for it.
    pub class: Option<Pdag>,
    /// Graphs drawn.
    pub draws: Vec<GraphSample>,
    /// What the draws say of each edge.
    pub posterior: Posterior,
    /// How training went, if there was any.
    pub training: Option<Training>,
    /// How far the draws are from the exact distribution, where that is known.
    pub distance: Option<ExactDifference>,
}

impl Found {
    /// The one graph of a method that draws none.
    #[must_use]
    pub fn single(model: &ScoringModel, order: Order, graph: Dag) -> Self {
        let log_reward = model.value(&order, &graph) / model.temperature();
        let draw =
            GraphSample { order: order.clone(), dag: graph.clone(), log_reward, log_prob: 0.0, count: 1 };
        let posterior = Posterior::single(&draw);
        Self { graph, order, class: None, draws: vec![draw], posterior, training: None, distance: None }
    }

    /// The one class of graphs of a method that draws none, and the member of it to show.
    #[must_use]
    pub fn class(model: &ScoringModel, class: Pdag, member: Dag) -> Self {
        Self { class: Some(class), ..Self::single(model, member.topological_order(), member) }
    }
}

/// What a run is doing.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Step {
    /// Local search before training.
    Searching,
    /// Training is about to begin.
    Training {
        /// How many iterations are done already.
        done: usize,
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

/// What whoever watches wants after an iteration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Wish {
    /// Go on.
    #[default]
    GoOn,
    /// Save what the rest of the run depends on, then go on.
    Save,
}

/// The surroundings of a run: who watches it, when it is to stop, where it saves.
pub struct Run<'a> {
    /// Is told of each step.
    pub watch: &'a mut dyn FnMut(Step) -> Wish,
    /// Once true, the run ends with the best so far.
    pub stop: &'a AtomicBool,
    /// Where training is saved and resumed.
    pub checkpoints: Option<Checkpoints<'a>>,
}

impl Run<'_> {
    pub(crate) fn tell(&mut self, step: Step) -> Wish {
        (self.watch)(step)
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// All methods, in the order users see them.
static METHODS: &[&dyn Discover] = &[
    &flow::GFlowCausal,
    &exact::Exact,
    &boss::Boss,
    &ges::Equivalence,
    &pc::PeterClark,
    &sorted::Sorted::Residual,
    &sorted::Sorted::Variance,
    &sorted::Sorted::R2,
    &sorted::Sorted::Random,
    &lingam::Lingam::Ica,
    &lingam::Lingam::Direct,
    &continuous::Continuous::Notears,
    &continuous::Continuous::Dagma,
    &dag_gflownet::DagGFlowNet,
    &gflownets_score::GFlowNetsScore,
];

/// All methods, the default first.
#[must_use]
pub fn methods() -> &'static [&'static dyn Discover] {
    METHODS
}

/// The method called `name`.
///
/// # Errors
/// When there is none.
pub(crate) fn method(name: &str) -> Result<&'static dyn Discover, Error> {
    let found = METHODS.iter().find(|method| method.name() == name);
    found.copied().ok_or_else(|| Error::UnknownMethod(name.to_owned()))
}
