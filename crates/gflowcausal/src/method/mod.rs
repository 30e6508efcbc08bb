//! The trait of methods of discovery, and their registry.

mod boss;
mod continuous;
mod corl;
mod dag_gflownet;
mod dag_gnn;
mod dags;
mod exact;
mod ges;
mod gflowcausal;
mod gflownets_score;
mod gran_dag;
mod lingam;
mod mcmc;
mod option_groups;
mod pc;
mod policy;
mod policy_training;
mod published;
mod reinforcement;
mod rl_bic;
mod sac;
mod search_phase;
mod sortnregress;
mod training;

use std::cell::Cell;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use gflowcausal_data::{Moments, Table};
use gflowcausal_determinism::{StopFlag, interruptible};
use gflowcausal_flow::Progress;
use gflowcausal_graph::{Dag, Order, Pdag};

use crate::checkpoints::Checkpoints;
use crate::dag_posterior::Inferred;
use crate::posterior::{GraphSample, Posterior, RunnerUp};
use crate::{Config, Error, PruneName, ScoreName, ScoringModel, Training};

pub(crate) use dags::rebuild;
pub use option_groups::OptionGroups;
pub(crate) use policy::PolicyTarget;
pub(crate) use sac::NAME as SAC;

/// A method of causal discovery.
pub trait Discover: Send + Sync {
    /// The name users type.
    fn name(&self) -> &'static str;

    /// What it does, in one line.
    fn about(&self) -> &'static str;

    /// The options that it reads beside those that every method reads. Any other that is set is refused.
    fn options(&self) -> OptionGroups;

    /// Whether it reads `option`, which not every method reads.
    fn reads(&self, option: &str) -> bool {
        self.options().iter().any(|group| group.contains(&option))
    }

    /// How orders become graphs where the user does not choose; `auto`: what goes with `score`.
    fn pruning(&self, _score: ScoreName) -> PruneName {
        PruneName::Auto
    }

    /// Up to how many variables it works with any score that is a sum over variables, cheap or not, so that evidence may
    /// choose the score; 0 if the score is always that of the columns' types.
    fn family_limit(&self) -> usize {
        0
    }

    /// Whether it needs complete rows of numbers, and not only means, covariances and what the model makes of them.
    fn needs_rows(&self) -> bool {
        false
    }

    /// Whether this method can do with these data what is asked for, found out before anything is done.
    ///
    /// # Errors
    /// When it cannot.
    fn check(&self, input: &MethodInput<'_>) -> Result<(), Error> {
        if self.needs_rows() { input.complete_columns(self.name()).map(|_| ()) } else { Ok(()) }
    }

    /// Finds graphs.
    ///
    /// # Errors
    /// When the system refuses, or nothing was found in time.
    fn discover(&self, input: &MethodInput<'_>, context: &mut RunContext<'_>) -> Result<MethodOutput, Error>;
}

/// What a method finds a graph for.
pub struct MethodInput<'a> {
    /// The rows, complete unless the moments were estimated from incomplete ones.
    pub table: &'a Table,
    /// Means and covariance, if all columns are numbers.
    pub moments: Option<&'a Moments>,
    /// The score of graphs, and the constraints on them.
    pub model: &'a ScoringModel,
    /// What the user asked for.
    pub config: &'a Config,
}

impl<'a> MethodInput<'a> {
    /// The columns, all of them numbers and complete, for `method`.
    ///
    /// # Errors
    /// When one is not.
    pub(crate) fn complete_columns(&self, method: &'static str) -> Result<Vec<&'a [f64]>, Error> {
        let columns: Option<Vec<&[f64]>> =
            self.table.columns().iter().map(gflowcausal_data::Column::as_continuous).collect();
        match columns {
            None => Err(Error::MethodNeedsNumbers { method }),
            Some(_) if self.table.missing() > 0 => Err(Error::NeedsCompleteRows { method }),
            Some(columns) => Ok(columns),
        }
    }
}

/// What a method found.
pub struct MethodOutput {
    /// The best graph.
    pub graph: Dag,
    /// An order of it.
    pub order: Order,
    /// Arrows and undirected edges, where the method finds a class of graphs and `graph` only stands for it.
    pub class: Option<Pdag>,
    /// The best graph and the runners-up, one for each equivalence class; none where orders are drawn.
    pub ranked: Vec<RunnerUp>,
    /// Graphs drawn.
    pub draws: Vec<GraphSample>,
    /// What the draws say of each edge.
    pub posterior: Posterior,
    /// How training went, if there was any.
    pub training: Option<Training>,
}

impl MethodOutput {
    /// The one graph of a method that draws none. Its score is unknown if there is no time to compute it.
    #[must_use]
    pub fn single(context: &RunContext<'_>, model: &ScoringModel, order: Order, graph: Dag) -> Self {
        let value = context.finish(|| model.value(&order, &graph));
        let log_reward = value.unwrap_or(f64::NAN) / model.temperature();
        let draw = GraphSample::of_target(order.clone(), graph.clone(), log_reward);
        let posterior = Posterior::single(&draw);
        Self { graph, order, class: None, ranked: vec![], draws: vec![draw], posterior, training: None }
    }

    /// The one class of graphs of a method that draws none, and the member of it to show.
    #[must_use]
    pub fn class(context: &RunContext<'_>, model: &ScoringModel, class: Pdag, member: Dag) -> Self {
        Self { class: Some(class), ..Self::single(context, model, member.topological_order(), member) }
    }

    /// The best graph and what a policy's draws say of it; a single graph if nothing was drawn.
    fn of_policy(
        context: &RunContext<'_>,
        model: &ScoringModel,
        (order, graph): (Order, Dag),
        drawn: Option<Inferred>,
        training: Training,
    ) -> Self {
        let training = Some(training);
        match drawn {
            Some(Inferred { posterior, draws }) => {
                Self { graph, order, class: None, ranked: vec![], draws, posterior, training }
            }
            None => Self { training, ..Self::single(context, model, order, graph) },
        }
    }

    /// What a run has that was stopped before it found anything: an order and the edges that knowledge requires.
    pub(crate) fn nothing_yet(context: &RunContext<'_>, model: &ScoringModel) -> Self {
        context.omission.set(Some(Omission::Search));
        let graph = model.required_graph();
        Self::single(context, model, graph.topological_order(), graph)
    }
}

/// What a run is doing.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Phase {
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
    /// Rounds of chains are done.
    Chains {
        /// How many.
        done: u64,
        /// The most there can be.
        most: u64,
    },
    /// All is found.
    Done,
}

/// What the observer of a run asks for after an iteration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Control {
    /// Go on.
    #[default]
    Continue,
    /// Save what the rest of the run depends on, then go on.
    Save,
}

/// When a run is to end: flags, set one after the other by whoever keeps the time.
#[derive(Debug, Clone)]
pub struct Deadlines {
    /// Searches end: what is left of the time is for probabilities. Set with `stop` at the latest.
    pub search: StopFlag,
    /// Tables and exact sums end: chains make what they can of the parent sets that were evaluated. Set with `stop` at the latest.
    pub exact: StopFlag,
    /// The run ends with the best so far.
    pub stop: StopFlag,
    /// Chains end that began after `stop`, because there were no probabilities yet.
    pub chains: StopFlag,
    /// Making a result of that ends too: what takes longer is left out.
    pub result: StopFlag,
    /// The time that was given, where it was.
    pub budget: Option<Duration>,
}

impl Deadlines {
    /// The deadlines of a run that ends once `stop` is set.
    #[must_use]
    pub fn new(stop: &StopFlag) -> Self {
        Self {
            search: stop.child(),
            exact: stop.child(),
            stop: stop.clone(),
            chains: StopFlag::new(),
            result: StopFlag::new(),
            budget: None,
        }
    }
}

impl Default for Deadlines {
    fn default() -> Self {
        Self::new(&StopFlag::new())
    }
}

/// The context of a run: who observes it, when it is to stop, where it saves.
pub struct RunContext<'a> {
    /// Is called at each phase.
    pub observe: &'a mut dyn FnMut(Phase) -> Control,
    /// When it is to stop.
    pub deadlines: &'a Deadlines,
    /// Where training is saved and resumed.
    pub checkpoints: Option<Checkpoints<'a>>,
    /// What was left out for want of time.
    omission: Cell<Option<Omission>>,
}

/// What a run left out for want of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Omission {
    /// The pruning that was asked for.
    Pruning,
    /// Everything.
    Search,
}

impl<'a> RunContext<'a> {
    /// A context in which nothing was left out so far.
    pub fn new(
        observe: &'a mut dyn FnMut(Phase) -> Control,
        deadlines: &'a Deadlines,
        checkpoints: Option<Checkpoints<'a>>,
    ) -> Self {
        Self { observe, deadlines, checkpoints, omission: Cell::new(None) }
    }

    /// What was left out for want of time.
    pub(crate) fn omission(&self) -> Option<Omission> {
        self.omission.get()
    }

    pub(crate) fn report(&mut self, phase: Phase) -> Control {
        (self.observe)(phase)
    }

    /// The flag that ends searches.
    pub(crate) fn search_stop(&self) -> &'a StopFlag {
        &self.deadlines.search
    }

    /// The flag that ends the run, for work that takes a plain one.
    pub(crate) fn stop(&self) -> &'a AtomicBool {
        self.deadlines.stop.as_atomic()
    }

    /// The flag that ends tables and exact sums, for work that takes a plain one.
    pub(crate) fn exact_stop(&self) -> &'a AtomicBool {
        match self.deadlines.budget {
            Some(_) => self.deadlines.exact.as_atomic(),
            None => self.stop(),
        }
    }

    /// The flag that ends what a stopped run still does for its probabilities.
    pub(crate) fn late_chains_stop(&self) -> &'a AtomicBool {
        self.deadlines.chains.as_atomic()
    }

    /// Whether searches were to end early.
    pub(crate) fn is_short_of_time(&self) -> bool {
        self.deadlines.search.is_set()
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.deadlines.stop.is_set()
    }

    /// The result of `work`; none if the run is to stop first.
    pub(crate) fn until_stop<T>(&self, work: impl FnOnce() -> T) -> Option<T> {
        interruptible(&self.deadlines.stop, work)
    }

    /// The result of `work`; none if tables and exact sums are to end first.
    pub(crate) fn until_exact_stop<T>(&self, work: impl FnOnce() -> T) -> Option<T> {
        interruptible(&self.deadlines.exact, work)
    }

    /// The result of `work` that ends a run; none if it takes longer than there is time for after a stop.
    pub(crate) fn finish<T>(&self, work: impl FnOnce() -> T) -> Option<T> {
        interruptible(&self.deadlines.result, work)
    }

    /// What pruning leaves of `dag`; where that takes too long, the parents that a quicker one leaves of its order.
    pub(crate) fn pruned(&self, model: &ScoringModel, dag: &Dag) -> Dag {
        self.finish(|| model.pruned(dag)).unwrap_or_else(|| {
            self.omission.set(Some(Omission::Pruning));
            model.quick_graph_of(&dag.topological_order())
        })
    }

    /// The graph that pruning leaves of `order`; where that takes too long, what a quicker one leaves.
    pub(crate) fn graph_of(&self, model: &ScoringModel, order: &Order) -> Dag {
        self.finish(|| model.graph_of(order)).unwrap_or_else(|| {
            self.omission.set(Some(Omission::Pruning));
            model.quick_graph_of(order)
        })
    }
}

/// All methods, in the order users see them.
static METHODS: &[&dyn Discover] = &[
    &gflowcausal::GFlowCausal,
    &exact::Exact,
    &mcmc::Mcmc,
    &boss::Boss,
    &ges::GesMethod,
    &pc::PcMethod,
    &sortnregress::SortNRegress::Residual,
    &sortnregress::SortNRegress::Variance,
    &sortnregress::SortNRegress::R2,
    &sortnregress::SortNRegress::Random,
    &lingam::Lingam::Ica,
    &lingam::Lingam::Direct,
    &continuous::Continuous::Notears,
    &continuous::Continuous::Dagma,
    &dag_gnn::GraphNeuralNetwork,
    &gran_dag::GradientNetworks,
    &rl_bic::GraphRl,
    &corl::OrderingRl,
    &dag_gflownet::DagGFlowNet,
    &gflownets_score::GFlowNetsScore,
    &sac::SoftActor,
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
