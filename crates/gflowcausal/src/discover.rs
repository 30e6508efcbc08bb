//! Discovery: a table in, graphs and their probabilities out.

use std::borrow::Cow;
use std::sync::atomic::AtomicBool;

use gflowcausal_data::{
    Column, Finding, Interventions, Missing, Moments, Severity, Table, doctor, rarely_free,
};
use gflowcausal_determinism::StopFlag;
use gflowcausal_flow::{LogReward, Progress, Stopped, TerminalKind, Trainer, Walk};
use gflowcausal_graph::{Advice, Constraints, Dag, Knowledge, Order, Pdag};
use gflowcausal_graph_io::read_knowledge;
use gflowcausal_score::ScoreError;
use serde::{Deserialize, Serialize};

use crate::dag_posterior::{DagPosterior, candidate_limit};
use crate::experiments::{complete_with, observational_moments, without_interventions};
use crate::method::{Control, Deadlines, Discover, MethodInput, Omission, Phase, RunContext, method};
use crate::model::{
    Chosen, CyclicGraphReward, FamilyEvidence, GraphReward, LayerReward, OrderReward, ScoreName,
    ScoringModel, chosen,
};
use crate::options::{Config, PruneName, option};
use crate::posterior::{GraphSample, Posterior, RunnerUp};
use crate::training_log::write_log;
use crate::{Design, Error, fingerprint};

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
    pub final_loss: Option<f64>,
    /// How graphs were grown.
    pub walk: String,
    /// Which balance of flows was learned.
    pub objective: String,
    /// The most iterations there could have been.
    pub most_iterations: usize,
    /// Trajectories an iteration.
    pub batch_size: usize,
    /// Adam's step.
    pub learning_rate: f64,
    /// The network that was trained.
    pub network: String,
    /// Its width: units of each hidden layer.
    pub hidden: usize,
    /// What each iteration brought.
    #[serde(skip)]
    pub history: Vec<Progress>,
    /// The trained policy, in the bytes that `Policy::parse` reads.
    #[serde(skip)]
    pub policy: Vec<u8>,
}

impl Training {
    /// What each iteration brought, as the bytes of `training.csv`.
    ///
    /// # Errors
    /// None that a list in memory can have.
    pub fn log(&self) -> std::io::Result<Vec<u8>> {
        let mut log = Vec::new();
        write_log(&mut log, &self.history)?;
        Ok(log)
    }

    pub(crate) fn new(trainer: &Trainer<'_>, stopped: Stopped, history: Vec<Progress>) -> Self {
        let config = trainer.config();
        Self {
            iterations: trainer.iteration(),
            stopped,
            log_partition: trainer.log_partition(),
            final_loss: history.last().map(|progress| progress.loss),
            walk: config.walk.to_string(),
            objective: config.objective.to_string(),
            most_iterations: config.iterations,
            batch_size: config.batch_size,
            learning_rate: config.optimizer.learning_rate,
            network: config.network.name.to_string(),
            hidden: config.network.width,
            history,
            policy: trainer.policy_bytes(""),
        }
    }
}

/// What was found.
pub struct Discovery {
    /// The variables, by index.
    pub names: Vec<String>,
    /// The best graph.
    pub graph: Dag,
    /// An order of it.
    pub order: Order,
    /// Arrows and undirected edges, where the method finds a class of graphs and `graph` only stands for it.
    pub class: Option<Pdag>,
    /// Its score.
    pub score: f64,
    /// The best graph and the runners-up, one for each equivalence class; none where orders are drawn.
    pub ranked: Vec<RunnerUp>,
    /// The graphs drawn.
    pub draws: Vec<GraphSample>,
    /// What the draws say of each edge.
    pub posterior: Posterior,
    /// How training went, if there was any.
    pub training: Option<Training>,
    /// The score, the pruning and the constraints.
    pub model: ScoringModel,
    /// Means and covariance, if all columns are numbers.
    pub moments: Option<Moments>,
    /// The columns as numbers, if some are categories.
    pub design: Option<Design>,
    /// What is odd about the data, and about the run.
    pub findings: Vec<Finding>,
    /// Ends what takes too long to compute for the result.
    pub(crate) grace: StopFlag,
}

/// Finds causal graphs in `table`.
///
/// ```
/// use gflowcausal::{Config, discover};
/// let sachs = gflowcausal::data::builtin("sachs").unwrap();
/// let config = Config { samples: 100, ..Config::default() };
/// let found = discover(&sachs.table, &config)?;
/// assert_eq!(found.graph.nodes(), 11);
/// # Ok::<(), gflowcausal::Error>(())
/// ```
///
/// # Errors
/// Data, options or constraints that cannot be used.
pub fn discover(table: &Table, config: &Config) -> Result<Discovery, Error> {
    let mut observe = |_: Phase| Control::Continue;
    let deadlines = Deadlines::default();
    Problem::new(table, config)?.discover(&mut RunContext::new(&mut observe, &deadlines, None))
}

/// A table and a configuration made ready: the score of graphs, and the constraints that they satisfy.
pub struct Problem<'a> {
    /// The variables, by index.
    pub names: Vec<String>,
    /// The rows to work on.
    pub table: Cow<'a, Table>,
    /// Means and covariance, if all columns are numbers.
    pub moments: Option<Moments>,
    /// The score, the pruning and the constraints.
    pub model: ScoringModel,
    /// What is odd about the data.
    pub findings: Vec<Finding>,
    config: Config,
}

impl<'a> Problem<'a> {
    /// Checks options and data, and builds the score. What passes here is not at fault later on.
    ///
    /// # Errors
    /// Data, options or constraints that cannot be used.
    pub fn new(table: &'a Table, config: &Config) -> Result<Self, Error> {
        Self::until(table, config, &StopFlag::new())
    }

    /// The same in limited time: once `stop` is set, the columns' types choose a score that is left to the data.
    pub(crate) fn until(table: &'a Table, config: &Config, stop: &StopFlag) -> Result<Self, Error> {
        config.check()?;
        let table = without_excluded(table, &config.exclude)?;
        let (table, interventions) = without_interventions(table, config)?;
        let names: Vec<String> = table.names().map(str::to_owned).collect();
        let config = &config.as_published(names.len());
        let constraints = compile(config, &names)?;
        let (table, interventions) = complete_with(table, interventions, config)?;
        let mut findings = examine(&table, &config.ignore)?;
        if let Some(interventions) = &interventions {
            findings.extend(rarely_free(interventions, &names)?);
        }
        let moments = match &interventions {
            Some(interventions) => observational_moments(&table, interventions, config.missing)?,
            None => moments(&table, config.missing)?,
        };
        let choice = match interventions {
            Some(_) => Chosen::not("some rows have variables that were set"),
            None => {
                let most = method(&config.method)?.family_limit();
                chosen((&table, moments.as_ref()), &constraints, (config, most), stop)?
            }
        };
        Self::build((names, table, moments), interventions.as_ref(), constraints, (findings, choice), config)
    }

    /// Makes a problem of means and covariances alone, for data whose rows do not fit in memory.
    ///
    /// ```
    /// use gflowcausal::{Config, Problem, ScoreName, data};
    /// let sachs = data::builtin("sachs").unwrap().table;
    /// let names = sachs.names().map(str::to_owned).collect();
    /// let config = Config { score: ScoreName::Bic, ..Config::default() };
    /// let problem = Problem::of_moments(names, data::Moments::of_table(&sachs)?, &config)?;
    /// let by_rows = Problem::new(&sachs, &config)?;
    /// let dag = data::builtin("sachs").unwrap().truth;
    /// assert_eq!(problem.model.graph_score(&dag), by_rows.model.graph_score(&dag));
    /// # Ok::<(), gflowcausal::Error>(())
    /// ```
    ///
    /// # Errors
    /// Options that need the rows, or whatever else cannot be used.
    pub fn of_moments(names: Vec<String>, moments: Moments, config: &Config) -> Result<Self, Error> {
        config.check()?;
        let config = &config.as_published(names.len());
        check_rowless(config, method(&config.method)?)?;
        let empty = names.iter().map(|name| Column::continuous(name, Vec::new())).collect();
        let table = Table::new(empty).map_err(|error| Error::Table(error.to_string()))?;
        if names.len() != moments.columns() {
            let (names, columns) = (names.len(), moments.columns());
            return Err(Error::Table(format!("{names} names for the moments of {columns} columns")));
        }
        let moments = if config.standardize { moments.standardized() } else { moments };
        let constraints = compile(config, &names)?;
        Self::build(
            (names, Cow::Owned(table), Some(moments)),
            None,
            constraints,
            (Vec::new(), Chosen::not("there are moments and no rows")),
            config,
        )
    }

    /// Builds the score, and lets the method check the input.
    fn build(
        (names, table, moments): (Vec<String>, Cow<'a, Table>, Option<Moments>),
        interventions: Option<&Interventions>,
        constraints: Constraints,
        (mut findings, choice): (Vec<Finding>, Chosen),
        config: &Config,
    ) -> Result<Self, Error> {
        let method = method(&config.method)?;
        let by_types = config.score.resolve(&table);
        let is_open =
            config.score == ScoreName::Auto && by_types == ScoreName::Bic && method.family_limit() > 0;
        let (score, evidence, not_compared) = match choice {
            Chosen::ByEvidence(choice) => (choice.score, Some(choice.evidence), None),
            Chosen::ByTypes(why) => (by_types, None, why.filter(|_| is_open)),
        };
        let sample_size = config.sample_size.or(evidence.as_ref().and_then(|evidence| evidence.sample_size));
        let scoring = Config { score, sample_size, ..config.for_model(method, score) };
        let model = ScoringModel::new(&table, moments.as_ref(), interventions, constraints, &scoring)
            .map_err(|error| by_name(error, &names))?
            .chosen_by(evidence, not_compared);
        findings.extend(model.thinning(table.rows()));
        findings.extend(moments.as_ref().and_then(|moments| without_scale(model.score_name(), moments)));
        findings.extend(config.published_finding(&model));
        findings.extend(model.evidence().and_then(FamilyEvidence::finding));
        method.check(&MethodInput { table: &table, moments: moments.as_ref(), model: &model, config })?;
        Ok(Self { names, table, moments, model, findings, config: config.clone() })
    }

    /// The log-reward of the terminal states of `walk`, for training.
    ///
    /// # Errors
    /// When the score has no value for them.
    pub fn log_reward(&self, walk: Walk) -> Result<Box<dyn LogReward + '_>, Error> {
        let model = &self.model;
        let score = model.score_name().name();
        match walk.terminal_kind() {
            TerminalKind::Dag => match GraphReward::new(model) {
                Some(reward) => Ok(Box::new(reward)),
                None => Err(Error::OrdersOnly { score }),
            },
            TerminalKind::Digraph => match CyclicGraphReward::new(model) {
                Some(reward) => Ok(Box::new(reward)),
                None => Err(Error::NeedsDecomposable { method: "gflownets-score", score }),
            },
            TerminalKind::Layering => {
                let error = || Error::NeedsDecomposable { method: "gflowcausal", score };
                let decomposable = model.dag_score().ok_or_else(error)?;
                let candidates = candidate_limit(model, false);
                let never = AtomicBool::new(false);
                let target = DagPosterior::new((model, decomposable), Vec::new(), candidates, &never)?;
                Ok(Box::new(LayerReward(target.ok_or_else(error)?.into_tables())))
            }
            _ => Ok(Box::new(OrderReward::new(model))),
        }
    }

    /// What a method is given.
    pub(crate) fn input(&self) -> MethodInput<'_> {
        let Self { table, moments, model, config, .. } = self;
        MethodInput { table, moments: moments.as_ref(), model, config }
    }

    /// What the user asked for.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Finds graphs, in the context of a run: observed, stopped in time, saved.
    ///
    /// # Errors
    /// When a checkpoint does not fit, the system refuses to write, or nothing was found in time.
    pub fn discover(self, context: &mut RunContext<'_>) -> Result<Discovery, Error> {
        let Self { names, table, moments, model, findings, config } = self;
        let input = MethodInput { table: &table, moments: moments.as_ref(), model: &model, config: &config };
        let found = method(&config.method)?.discover(&input, context)?;
        context.report(Phase::Done);
        let mut findings = findings;
        findings.extend(context.omission().map(|omission| unfinished(omission, &model)));
        Ok(Discovery {
            score: context.finish(|| model.value(&found.order, &found.graph)).unwrap_or(f64::NAN),
            graph: found.graph,
            order: found.order,
            class: found.class,
            posterior: found.posterior,
            draws: found.draws,
            training: found.training,
            ranked: found.ranked,
            names,
            model,
            moments,
            design: context.finish(|| Design::of(&table)).flatten(),
            findings,
            grace: context.deadlines.grace.clone(),
        })
    }
}

/// An error about a column, by the column's name.
fn by_name(error: Error, names: &[String]) -> Error {
    match error {
        Error::Score(ScoreError::NotFinite { column }) if column < names.len() => {
            Error::NoVariance { column: names[column].clone() }
        }
        other => other,
    }
}

/// What a run that was stopped early has to say.
fn unfinished(omission: Omission, model: &ScoringModel) -> Finding {
    let what = match omission {
        Omission::Pruning => format!(
            "there was no time for pruning '{}': the parents are those that linear regression selects",
            model.prune_name().name()
        ),
        Omission::Search => {
            "the run was stopped before it found anything: the graph has only the edges that \
                             knowledge requires"
                .to_owned()
        }
    };
    let fix = Advice::new("give it more time, with a larger ").option("time-budget").then(" or none");
    Finding { code: "out-of-time", severity: Severity::Warning, columns: vec![], what, fix }
}

/// Standard deviations whose largest ratio is below this are the same: those of standardised columns, however divided.
const SAME_SCALE: f64 = 1.01;

/// The warning that a score takes directions from variances that are all the same.
fn without_scale(score: ScoreName, moments: &Moments) -> Option<Finding> {
    let deviations = moments.deviations();
    let [least, most] = [f64::min, f64::max].map(|pick| deviations.iter().copied().reduce(pick));
    if !score.reads_scale() || most? >= SAME_SCALE * least? {
        return None;
    }
    let what = format!(
        "score '{}' takes directions from the variances of the columns, and these are all the same: the columns were \
         standardised",
        score.name()
    );
    let fix = Advice::new("give the columns in their own units, or use ").set("score", "bic");
    Some(Finding { code: "no-scale", severity: Severity::Warning, columns: vec![], what, fix })
}

/// A fingerprint of what rewards depend on: the data and every option that changes the reward of a graph.
pub(crate) fn problem_fingerprint(table: &Table, config: &Config, model: &ScoringModel) -> String {
    format!("{}:{}{}", fingerprint(table), config.reward_fingerprint(), model.chosen_score())
}

/// Refuses what cannot be done with means and covariances alone.
fn check_rowless(config: &Config, method: &dyn Discover) -> Result<(), Error> {
    let refuse = |option, value: &str| Err(Error::NeedsRows { option, value: value.to_owned() });
    match config {
        _ if method.needs_rows() => refuse(option::method, method.name()),
        _ if config.score.needs_rows() => refuse(option::score, config.score.name()),
        Config { prune: PruneName::Cam, .. } => refuse(option::prune, "cam"),
        Config { missing: Missing::Drop | Missing::Em, .. } => refuse(option::missing, config.missing.name()),
        Config { exclude, .. } if !exclude.is_empty() => refuse(option::exclude, &exclude[0]),
        Config { interventions: Some(column), .. } => refuse(option::interventions, column),
        Config { transform, .. } if !transform.is_empty() => refuse(option::transform, &transform[0]),
        _ => Ok(()),
    }
}

pub(crate) fn without_excluded<'a>(table: &'a Table, exclude: &[String]) -> Result<Cow<'a, Table>, Error> {
    if exclude.is_empty() {
        return Ok(Cow::Borrowed(table));
    }
    if let Some(name) = exclude.iter().find(|name| table.position(name).is_none()) {
        let names: Vec<&str> = table.names().collect();
        return Err(Error::unknown(option::exclude, name, "column", &names));
    }
    let kept: Vec<Column> =
        table.columns().iter().filter(|column| !exclude.contains(&column.name)).cloned().collect();
    let smaller = Table::new(kept).map_err(|error| Error::Table(error.to_string()))?;
    Ok(Cow::Owned(smaller))
}

/// The user's statements as constraints.
fn compile(config: &Config, names: &[String]) -> Result<Constraints, Error> {
    let mut knowledge = match &config.knowledge {
        Some(text) => {
            read_knowledge(text.as_bytes()).map_err(|source| Error::KnowledgeFile { path: None, source })?
        }
        None => Knowledge::default(),
    };
    let mut tier = 1;
    for tiers in &config.tiers {
        tier = knowledge.tiers(tiers, tier, names)?;
    }
    for list in &config.exogenous {
        knowledge.exogenous(list, names)?;
    }
    for list in &config.outcome {
        knowledge.outcome(list, names)?;
    }
    if let Some(environment) = &config.environment {
        if !names.contains(environment) {
            return Err(Error::unknown(option::environment, environment, "column", names));
        }
        knowledge.exogenous(environment, names)?;
    }
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

/// The rows that `missing` leaves, transformed and scaled if that is wanted.
pub(crate) fn complete<'a>(table: Cow<'a, Table>, config: &Config) -> Result<Cow<'a, Table>, Error> {
    let table = match config.missing {
        Missing::Drop => Cow::Owned(table.drop_incomplete()?.0),
        Missing::Error => {
            table.require_complete()?;
            table
        }
        Missing::Em => table,
    };
    let table =
        if config.transform.is_empty() { table } else { Cow::Owned(table.transformed(&config.transform)?) };
    Ok(if config.standardize { Cow::Owned(table.standardized()) } else { table })
}

/// The doctor's findings; the first that makes discovery impossible, and is not to be ignored, is an error.
fn examine(table: &Table, ignore: &[String]) -> Result<Vec<Finding>, Error> {
    let diagnosis = doctor(table);
    let refused = diagnosis.errors().find(|finding| !ignore.iter().any(|code| code == finding.code));
    match refused {
        Some(finding) => Err(Error::Doctor(finding.clone())),
        None => Ok(diagnosis.findings),
    }
}

/// Means and covariance, if all columns are numbers.
pub(crate) fn moments(table: &Table, missing: Missing) -> Result<Option<Moments>, Error> {
    Ok(match missing {
        _ if !table.is_continuous() => None,
        Missing::Em => Some(Moments::of_incomplete(table)?.moments),
        _ => Some(Moments::of_table(table)?),
    })
}
