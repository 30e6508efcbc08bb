//! Discovery: a table in, graphs and their probabilities out.

use std::borrow::Cow;
use std::sync::atomic::AtomicBool;

use gflowcausal_data::{Column, Finding, Interventions, Missing, Moments, Severity, Table, rarely_free};
use gflowcausal_determinism::StopFlag;
use gflowcausal_flow::{LogReward, TerminalKind, Walk};
use gflowcausal_graph::{Advice, Constraints, Dag, Order, Pdag};
use gflowcausal_score::ScoreError;

use crate::dag_posterior::{DagPosterior, candidate_limit};
use crate::experiments::{complete_with, observational_moments, without_interventions};
use crate::method::{Control, Deadlines, Discover, MethodInput, Omission, Phase, RunContext, method};
use crate::model::{
    Chosen, CyclicGraphReward, FamilyEvidence, GraphReward, LayerReward, OrderReward, ScoreName,
    ScoringModel, chosen,
};
use crate::options::{Config, PruneName, option};
use crate::posterior::{GraphSample, Posterior, RunnerUp};
use crate::prepare::{constraints, examine, moments, without_excluded};
use crate::training_record::Training;
use crate::{Design, Error};

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
    pub(crate) result_stop: StopFlag,
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
        let constraints = self::constraints(config, &names)?;
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
        let constraints = self::constraints(config, &names)?;
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
        let scoring = config.for_model(method, score).with_chosen_score(score, evidence.as_ref());
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
            result_stop: context.deadlines.result.clone(),
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
