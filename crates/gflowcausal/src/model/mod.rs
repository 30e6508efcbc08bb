//! The scoring model: the score of orders and graphs on the user's data, and how an order becomes a graph.

mod bdeu_sample_size;
mod cyclic_graph_reward;
mod family_choice;
mod interventional_score;
mod pruning;
mod rewards;
mod score_choice;
mod score_kind;
mod scores;
mod table_score;

use gflowcausal_data::{Finding, Interventions, Moments, Severity, Table};
use gflowcausal_graph::{Advice, Constraints, Dag, NodeSet, Order};
use gflowcausal_score::{
    Bic, GrowShrinkTrees, LocalScore, OrderModularScore, OrderScore, Penalty, Selected, prune_order,
};

use gflowcausal_search::{ConstrainedOrderScore, hill_climb};

pub(crate) use self::cyclic_graph_reward::{CyclicGraphReward, nearest_order};
pub use self::family_choice::{FamilyEvidence, FamilyTotal, VariableEvidence};
use self::pruning::Pruning;
pub(crate) use self::rewards::{GraphReward, LayerReward, ModularReward, OrderReward};
pub(crate) use self::score_choice::{Chosen, chosen, fingerprint_suffix};
pub(crate) use self::score_kind::{OrderEvaluator, ScoreKind};
pub(crate) use self::scores::Mechanism;
use self::scores::ScoreInput;
pub use self::scores::ScoreName;
pub(crate) use self::table_score::TableScore;
use crate::Error;
use crate::options::{Config, PruneName, option};
use crate::problem_size::Size;

/// The structure prior unless the user chooses one: chosen by calibration, see `docs/benchmarks.md`.
const DEFAULT_EDGE_LOG_ODDS: f64 = 0.0;

/// The chosen score, the chosen pruning, and the constraints that both satisfy.
pub struct ScoringModel {
    name: ScoreName,
    pruning: Pruning,
    kind: ScoreKind,
    temperature: f64,
    edge_log_odds: f64,
    constraints: Constraints,
    /// Which variables were set in which rows, where some were.
    interventions: Option<Interventions>,
    is_score_equivalent: bool,
    /// The most rows that score and pruning use, where they do not use all.
    max_rows: Option<usize>,
    /// Selects parents where there is no time for the pruning.
    quick: Option<GrowShrinkTrees<Bic>>,
    /// Why the score was chosen, where evidence chose it.
    evidence: Option<FamilyEvidence>,
    /// Why evidence did not choose it, where it was left to the data.
    not_compared: Option<String>,
}

/// Up to how many variables parents are selected in a moment.
const MOST_QUICK: usize = 200;

impl ScoringModel {
    /// Builds the score that `config` names.
    ///
    /// # Errors
    /// Data that the score cannot be made of, or a combination of options without sense.
    pub(crate) fn new(
        table: &Table,
        moments: Option<&Moments>,
        interventions: Option<&Interventions>,
        constraints: Constraints,
        config: &Config,
    ) -> Result<Self, Error> {
        let name = config.score.resolve(table);
        let data = (table, moments);
        let (kind, is_score_equivalent) = match interventions {
            None => {
                let kind = name.build(&ScoreInput::new(name, data, config, &constraints)?)?;
                let is_equivalent = is_score_equivalent(&kind);
                (kind, is_equivalent)
            }
            Some(interventions) => build_in_parts(name, table, interventions, config, &constraints)?,
        };
        let pruning = Pruning::new(config, name, &kind, data, &constraints)?;
        let edge_log_odds = config.edge_prior.unwrap_or(DEFAULT_EDGE_LOG_ODDS);
        let max_rows = max_rows(name, &pruning, config)?;
        let quick = moments.and_then(|moments| quick_trees(moments, &constraints));
        let temperature = config.temperature;
        let interventions = interventions.cloned();
        if interventions.is_some() && !matches!(pruning.name(), PruneName::Selected | PruneName::Score) {
            let (value, with) = (pruning.name().name(), "interventions".to_owned());
            return Err(Error::Combination { option: option::prune, value, with });
        }
        Ok(Self {
            name,
            pruning,
            kind,
            temperature,
            edge_log_odds,
            constraints,
            interventions,
            is_score_equivalent,
            max_rows,
            quick,
            evidence: None,
            not_compared: None,
        })
    }

    /// Whether graphs that the rows cannot tell apart, with or without interventions, get the same score.
    pub(crate) fn is_score_equivalent(&self) -> bool {
        self.is_score_equivalent
    }

    /// Which variables were set in which rows, where some were.
    #[must_use]
    pub fn interventions(&self) -> Option<&Interventions> {
        self.interventions.as_ref()
    }

    /// The same, with the evidence that chose its score, or the reason why none did.
    pub(crate) fn chosen_by(self, evidence: Option<FamilyEvidence>, not_compared: Option<String>) -> Self {
        Self { evidence, not_compared, ..self }
    }

    /// Why evidence did not choose the score, where it was left to the data and they are numbers.
    #[must_use]
    pub fn not_compared(&self) -> Option<&str> {
        self.not_compared.as_deref()
    }

    /// The evidence that chose the score, where it was left to the data.
    #[must_use]
    pub fn evidence(&self) -> Option<&FamilyEvidence> {
        self.evidence.as_ref()
    }

    /// What evidence adds to the fingerprint of a problem.
    pub(crate) fn fingerprint_suffix(&self) -> String {
        fingerprint_suffix(self.name.name(), self.evidence())
    }

    /// How many of `rows` rows the score or the pruning uses, if that is not all.
    pub(crate) fn rows_used(&self, rows: usize) -> Option<usize> {
        self.max_rows.filter(|&most| most < rows)
    }

    /// What there is to say of rows that are not used.
    pub(crate) fn thinning(&self, rows: usize) -> Option<Finding> {
        let used = self.rows_used(rows)?;
        let who = match self.name.max_rows() {
            Some(_) => format!("score '{}'", self.name.name()),
            None => format!("pruning '{}'", self.prune_name().name()),
        };
        let what = format!("{who} uses {used} of the {rows} rows, evenly spaced");
        let fix = Advice::new("say how many with ").option("rows-used").then("; time grows with them");
        Some(Finding { code: "rows-not-used", severity: Severity::Note, columns: vec![], what, fix })
    }

    /// The parents that linear regression selects along `order`, in a moment; where it cannot, those that knowledge requires.
    pub(crate) fn quick_graph_of(&self, order: &Order) -> Dag {
        match &self.quick {
            Some(trees) => prune_order(&Selected(trees), order, &self.constraints),
            None => self.required_graph(),
        }
    }

    /// `order` after insertions that raise its score under linear regression, in a moment; itself where that cannot be.
    pub(crate) fn quick_order(&self, order: Order) -> Order {
        match &self.quick {
            Some(trees) => {
                hill_climb(&ConstrainedOrderScore { score: trees, constraints: &self.constraints }, order)
            }
            None => order,
        }
    }

    /// The edges that knowledge requires, and no others.
    pub(crate) fn required_graph(&self) -> Dag {
        let required = self.constraints.required_edges();
        Dag::from_edges(self.constraints.nodes(), required).expect("constraints require no cycle")
    }

    /// Whether a local term takes microseconds, so that thousands of them cost nothing.
    pub(crate) fn is_cheap(&self) -> bool {
        self.name.is_cheap()
    }

    /// The score in use; never `auto`.
    #[must_use]
    pub fn score_name(&self) -> ScoreName {
        self.name
    }

    /// The pruning in use; never `auto`.
    #[must_use]
    pub fn prune_name(&self) -> PruneName {
        self.pruning.name()
    }

    /// What every graph has to satisfy.
    #[must_use]
    pub fn constraints(&self) -> &Constraints {
        &self.constraints
    }

    /// The temperature of the distribution that is wanted.
    #[must_use]
    pub fn temperature(&self) -> f64 {
        self.temperature
    }

    /// The log-odds of an edge in the structure prior.
    #[must_use]
    pub fn edge_log_odds(&self) -> f64 {
        self.edge_log_odds
    }

    /// The score as a sum over variables, where the posterior is over DAGs: no pruning stands between score and graph.
    pub(crate) fn dag_score(&self) -> Option<&dyn LocalScore> {
        let is_direct = matches!(self.prune_name(), PruneName::Selected | PruneName::Score);
        self.local_score().filter(|_| is_direct)
    }

    /// `score/T + γ·edges`, the logarithm of the posterior weight of `dag`, where the score has a value for graphs.
    pub(crate) fn log_dag(&self, dag: &Dag) -> Option<f64> {
        let prior = self.edge_log_odds * dag.edge_count() as f64;
        Some(self.graph_score(dag)? / self.temperature + prior)
    }

    /// The score by what it is a function of.
    pub(crate) fn kind(&self) -> &ScoreKind {
        &self.kind
    }

    /// The score of orders by their best graph.
    #[must_use]
    pub fn order_score(&self) -> &dyn OrderScore {
        self.kind.order_score()
    }

    /// Evaluates orders as the score is meant.
    pub(crate) fn evaluator(&self) -> OrderEvaluator<'_> {
        self.kind.evaluator()
    }

    /// Evaluates orders without pairs of parents, where the score considers them.
    pub(crate) fn screening_score(&self) -> OrderEvaluator<'_> {
        self.kind.screening_evaluator()
    }

    /// Whether there are so many variables that orders are only screened in training and in its draws.
    pub(crate) fn is_large(&self) -> bool {
        Size::of(self.constraints.nodes()) == Size::VeryLarge
    }

    /// Evaluates orders in training, and those that the policy draws.
    pub(crate) fn training_score(&self) -> OrderEvaluator<'_> {
        if self.is_large() { self.screening_score() } else { self.evaluator() }
    }

    /// The score's term for a variable and its parents, if it is a sum of such terms.
    #[must_use]
    pub fn local_score(&self) -> Option<&dyn LocalScore> {
        self.kind.as_decomposable().map(score_kind::Decomposable::local_score)
    }

    /// The score of `dag`, where the score has one for graphs.
    #[must_use]
    pub fn graph_score(&self, dag: &Dag) -> Option<f64> {
        self.kind.graph_score().map(|score| score.graph(dag))
    }

    /// The score of `after` less that of `before`, where the score has a value for graphs. Terms of variables that keep
    /// their parents are not computed.
    pub(crate) fn score_difference(&self, before: &Dag, after: &Dag) -> Option<f64> {
        let Some(score) = self.local_score() else {
            return Some(self.graph_score(after)? - self.graph_score(before)?);
        };
        let changed = (0..after.nodes()).filter(|&node| after.parents(node) != before.parents(node));
        let term = |dag: &Dag, node| score.local(node, dag.parents(node));
        Some(changed.map(|node| term(after, node) - term(before, node)).sum())
    }

    /// The score of a graph found along `order`: its own where the score selected its parents, else the order's.
    #[must_use]
    pub fn value(&self, order: &Order, graph: &Dag) -> f64 {
        match (&self.pruning, self.graph_score(graph)) {
            (Pruning::Selected(_), Some(score)) => score,
            _ => self.order_score().score(order),
        }
    }

    /// The graph that pruning leaves of `order`.
    #[must_use]
    pub fn graph_of(&self, order: &Order) -> Dag {
        self.pruning.apply(order, &self.constraints)
    }

    /// What pruning leaves of `dag`.
    pub(crate) fn pruned(&self, dag: &Dag) -> Dag {
        self.pruning.apply_to_graph(dag, &self.constraints)
    }

    /// The score of orders in training as a sum over variables given the set before them, if it is one.
    pub(crate) fn order_modular_score(&self) -> Option<&dyn OrderModularScore> {
        match self.training_score() {
            OrderEvaluator::BestParents(score) => Some(score),
            OrderEvaluator::Whole(_) => None,
        }
    }

    /// Writes which variables are parents of `node` when exactly `before` come before it.
    pub(crate) fn write_inclusion(&self, node: usize, before: &NodeSet, probabilities: &mut [f64]) {
        let kept = self.pruning.keep(node, before);
        kept.into_iter().for_each(|parent| probabilities[parent] = 1.0);
    }
}

/// How many rows the score and the pruning use at most.
fn max_rows(name: ScoreName, pruning: &Pruning, config: &Config) -> Result<Option<usize>, Error> {
    let limits = [name.max_rows(), pruning.max_rows()];
    let is_unused = config.rows_used.is_some() && limits == [None; 2];
    let with = format!("score {} and pruning {}", name.name(), pruning.name().name());
    Error::if_without_effect(&[(option::rows_used, is_unused)], &with)?;
    Ok(config.rows_used.or(limits.into_iter().flatten().min()))
}

/// What selects parents by linear regression in a moment, where there are not too many variables for that.
fn quick_trees(moments: &Moments, constraints: &Constraints) -> Option<GrowShrinkTrees<Bic>> {
    let moments = Some(moments).filter(|moments| moments.columns() <= MOST_QUICK)?;
    let bic = Bic::new(moments, Penalty::Auto).ok()?;
    Some(GrowShrinkTrees::new(bic, constraints.clone()).without_pairs())
}

/// The score whose term of each variable is that of the rows in which it was not set, and whether its parts are score equivalent.
fn build_in_parts(
    name: ScoreName,
    table: &Table,
    interventions: &Interventions,
    config: &Config,
    constraints: &Constraints,
) -> Result<(ScoreKind, bool), Error> {
    let names: Vec<String> = table.names().map(str::to_owned).collect();
    let free = interventions.free_rows(&names)?;
    let build = |rows: &Vec<usize>| {
        let part = table.select_rows(rows);
        let moments = crate::prepare::moments(&part, config.missing)?;
        name.build(&ScoreInput::new(name, (&part, moments.as_ref()), config, constraints)?)
    };
    let parts = free.rows.iter().map(build).collect::<Result<Vec<_>, Error>>()?;
    let refused = Error::NoEffect { option: option::interventions, with: format!("score {}", name.name()) };
    let is_equivalent = parts.iter().all(is_score_equivalent);
    let kind = ScoreKind::in_parts(parts, free.part_of, constraints).ok_or(refused)?;
    Ok((kind, is_equivalent))
}

fn is_score_equivalent(kind: &ScoreKind) -> bool {
    kind.as_decomposable().is_some_and(|score| score.local_score().is_score_equivalent())
}
