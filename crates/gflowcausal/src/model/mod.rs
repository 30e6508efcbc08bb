//! The scoring model: the score of orders and graphs on the user's data, and how an order becomes a graph.

mod cyclic_graph_reward;
mod neighbourhood;
mod pruning;
mod rewards;
mod score_kind;
mod scores;
mod warm_started_score;

use gflowcausal_data::{Moments, Table};
use gflowcausal_determinism::StreamRng;
use gflowcausal_graph::{Constraints, Dag, NodeSet, Order};
use gflowcausal_score::{LocalScore, OrderModularScore, OrderScore, ParentTable};

pub(crate) use self::cyclic_graph_reward::{CyclicGraphReward, nearest_order};
use self::neighbourhood::Neighbourhood;
use self::pruning::Pruning;
pub(crate) use self::rewards::{GraphReward, ModularReward, OrderReward};
pub(crate) use self::score_kind::{OrderEvaluator, ScoreKind};
use self::scores::ScoreInput;
pub use self::scores::ScoreName;
use self::warm_started_score::WarmStartedScore;
use crate::Error;
use crate::config::{Config, PruneName};
use crate::size::Size;

/// The chosen score, the chosen pruning, and the constraints that both satisfy.
pub struct ScoringModel {
    name: ScoreName,
    pruning: Pruning,
    kind: ScoreKind,
    sums: Option<ParentTable>,
    temperature: f64,
    constraints: Constraints,
}

/// A graph drawn for an order.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DrawnGraph {
    pub(crate) dag: Dag,
    /// The log-reward of the order at the temperature: of all graphs that could have been drawn together.
    pub(crate) log_reward: f64,
}

impl ScoringModel {
    /// Builds the score that `config` asks for.
    ///
    /// # Errors
    /// Data that the score cannot be made of, or a combination of options without sense.
    pub(crate) fn new(
        table: &Table,
        moments: Option<&Moments>,
        constraints: Constraints,
        config: &Config,
    ) -> Result<Self, Error> {
        let name = config.score.resolve(table);
        let data = (table, moments);
        let kind = name.build(&ScoreInput::new(name, data, config, &constraints)?)?;
        let pruning = Pruning::new(config, name, &kind, data, &constraints)?;
        Ok(Self { name, pruning, kind, sums: None, temperature: config.temperature, constraints })
    }

    /// Scores an order by the sum over all graphs it allows from now on, where the score itself selects parents.
    ///
    /// # Errors
    /// With too many variables.
    pub(crate) fn sum_over_graphs(&mut self) -> Result<(), Error> {
        if let (Pruning::Selected(score), None) = (&self.pruning, &self.sums) {
            self.sums = Some(ParentTable::new(score.local_score(), &self.constraints, self.temperature)?);
        }
        Ok(())
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

    /// Evaluates orders near `graph` where training only screens them; none where it does more.
    pub(crate) fn warm_started_score(&self, graph: &Dag) -> Option<WarmStartedScore<'_>> {
        let score = self.kind.as_decomposable().filter(|_| self.is_large())?;
        Some(WarmStartedScore::new(score.screening()?, score.local_score(), graph))
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

    /// The score of orders in training as a sum over variables given the set before them, if it is one.
    pub(crate) fn order_modular_score(&self) -> Option<&dyn OrderModularScore> {
        match (&self.sums, self.training_score()) {
            (Some(sums), _) => Some(sums),
            (None, OrderEvaluator::BestParents(score)) => Some(score),
            (None, OrderEvaluator::Whole(_)) => None,
        }
    }

    /// The score of orders when graphs are drawn for them: the sums over all graphs where these are used, else what
    /// `evaluator` gives.
    pub(crate) fn drawing_score<'a>(&'a self, evaluator: OrderEvaluator<'a>) -> OrderEvaluator<'a> {
        match &self.sums {
            Some(sums) => OrderEvaluator::Whole(sums),
            None => evaluator,
        }
    }

    /// The sums over all graphs, where orders are scored by them.
    pub(crate) fn sums(&self) -> Option<&ParentTable> {
        self.sums.as_ref()
    }

    /// Draws a graph for `order`: parents ∝ exp(score / temperature) around the best that `evaluator` finds where the score
    /// selects them, else the pruned graph.
    pub(crate) fn draw_graph(
        &self,
        order: &Order,
        evaluator: OrderEvaluator<'_>,
        rng: &mut StreamRng,
    ) -> DrawnGraph {
        let mut log_reward = 0.0;
        let mut before = NodeSet::empty(order.nodes());
        let mut parents = vec![before.clone(); order.nodes()];
        for node in order.iter() {
            let Some((drawn, log_sum)) = self.draw_parents(node, &before, evaluator, rng) else {
                let log_reward = self.drawing_score(evaluator).score(order) / self.temperature;
                return DrawnGraph { dag: self.graph_of(order), log_reward };
            };
            log_reward += log_sum;
            parents[node] = drawn;
            before.insert(node);
        }
        DrawnGraph { dag: Dag::from_parents(&parents).expect("parents come before their child"), log_reward }
    }

    /// Parents and `ln Σ exp(score / temperature)` over all that could have been drawn; none where they are not drawn.
    fn draw_parents(
        &self,
        node: usize,
        before: &NodeSet,
        evaluator: OrderEvaluator<'_>,
        rng: &mut StreamRng,
    ) -> Option<(NodeSet, f64)> {
        if let Some(sums) = &self.sums {
            return Some((sums.draw(node, before, rng), sums.log_sum(node, before)));
        }
        let (Pruning::Selected(score), OrderEvaluator::BestParents(search)) = (&self.pruning, evaluator)
        else {
            return None;
        };
        let score = score.local_score();
        let near = Neighbourhood::new(search, score, &self.constraints, self.temperature, (node, before))?;
        Some((near.draw(rng), near.log_sum()))
    }

    /// Writes how likely each variable is a parent of `node` when exactly `before` come before it.
    pub(crate) fn write_inclusion(&self, node: usize, before: &NodeSet, probabilities: &mut [f64]) {
        match &self.sums {
            Some(sums) => sums.write_inclusion(node, before, probabilities),
            None => {
                let kept = self.pruning.keep(node, before);
                kept.into_iter().for_each(|parent| probabilities[parent] = 1.0);
            }
        }
    }
}
