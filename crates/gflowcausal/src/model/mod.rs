//! What orders and graphs are worth on the user's data: one door to every score and every pruning.

mod around;
mod free;
mod parent_sets;
mod pruning;
mod scores;

use gflowcausal_data::{Moments, Table};
use gflowcausal_determinism::StreamRng;
use gflowcausal_flow::{LocalLogReward, LogReward, Terminal};
use gflowcausal_graph::{Constraints, Dag, NodeSet, Order};
use gflowcausal_score::{LocalScore, OrderScore, ParentTable, PlacementScore};

use self::around::Around;
pub(crate) use self::free::{FreeReward, order_near};
use self::parent_sets::Neighbourhood;
use self::pruning::Pruning;
pub(crate) use self::scores::{OrderModel, resolve};
use crate::Error;
use crate::config::{Config, PruneName, ScoreName};
use crate::size::Size;

/// The chosen score, the chosen pruning, and the constraints that both obey.
pub struct Model {
    name: ScoreName,
    pruning: Pruning,
    scores: Box<dyn OrderModel>,
    sums: Option<ParentTable>,
    temperature: f64,
    constraints: Constraints,
}

/// A graph drawn for an order.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DrawnGraph {
    pub(crate) dag: Dag,
    /// What the order is worth, over the temperature: of all graphs that could have been drawn together.
    pub(crate) log_reward: f64,
}

impl Model {
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
        let name = resolve(config.score, table);
        let scores = scores::build(name, table, moments, config, &constraints)?;
        let pruning = Pruning::new(config, name, &*scores, (table, moments), &constraints)?;
        let temperature = config.temperature;
        if !(temperature.is_finite() && temperature > 0.0) {
            return Err(Error::Value { option: "temperature", value: temperature, range: "above zero" });
        }
        Ok(Self { name, pruning, scores, sums: None, temperature, constraints })
    }

    /// Makes an order worth the sum over all graphs it allows, where graphs are what the score chooses.
    ///
    /// # Errors
    /// With too many variables.
    pub(crate) fn sum_over_graphs(&mut self) -> Result<(), Error> {
        if let (Pruning::Selected, None, Some(score)) = (&self.pruning, &self.sums, self.scores.local_score())
        {
            self.sums = Some(ParentTable::new(score, &self.constraints, self.temperature)?);
        }
        Ok(())
    }

    /// Whether a local term takes microseconds, so that thousands of them are nothing.
    pub(crate) fn is_quick(&self) -> bool {
        matches!(self.name, ScoreName::Bic | ScoreName::Bge | ScoreName::Bdeu | ScoreName::Dg)
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

    /// What every graph has to obey.
    #[must_use]
    pub fn constraints(&self) -> &Constraints {
        &self.constraints
    }

    /// The temperature of the distribution that is wanted.
    #[must_use]
    pub fn temperature(&self) -> f64 {
        self.temperature
    }

    pub(crate) fn scores(&self) -> &dyn OrderModel {
        &*self.scores
    }

    /// The score of orders by their best graph.
    #[must_use]
    pub fn order_score(&self) -> &dyn OrderScore {
        self.scores.order_score()
    }

    /// A judge of orders that looks for no pairs of parents, where the score's own does: an order that nobody has seen
    /// before costs a hundredth.
    pub(crate) fn rough(&self) -> &dyn OrderModel {
        self.scores.rough().unwrap_or(&*self.scores)
    }

    /// Whether there are so many variables that training and its draws look at orders roughly.
    pub(crate) fn is_large(&self) -> bool {
        Size::of(self.constraints.nodes()) == Size::Large
    }

    /// What judges orders in training, and those that the policy draws.
    pub(crate) fn trainer(&self) -> &dyn OrderModel {
        if self.is_large() { self.rough() } else { &*self.scores }
    }

    /// What judges orders near `graph` where training looks roughly; none where it looks closely.
    pub(crate) fn around(&self, graph: &Dag) -> Option<Around<'_>> {
        let rough = self.scores.rough().filter(|_| self.is_large())?;
        Some(Around::new(rough.placements()?, rough.best_parents()?, self.scores.local_score()?, graph))
    }

    /// The score's term for a variable and its parents, if it is a sum of such terms.
    #[must_use]
    pub fn local_score(&self) -> Option<&dyn LocalScore> {
        self.scores.local_score()
    }

    /// The score of `dag`, where the score has one for graphs.
    #[must_use]
    pub fn graph_score(&self, dag: &Dag) -> Option<f64> {
        use gflowcausal_score::GraphScore;
        match self.scores.local_score() {
            Some(score) => Some(score.graph(dag)),
            None => self.scores.graph_score().map(|score| score.graph(dag)),
        }
    }

    /// How much more `after` is worth than `before`, where the score has a value for graphs. Terms of variables that
    /// keep their parents are not computed.
    pub(crate) fn gain(&self, before: &Dag, after: &Dag) -> Option<f64> {
        let Some(score) = self.scores.local_score() else {
            return Some(self.graph_score(after)? - self.graph_score(before)?);
        };
        let changed = (0..after.nodes()).filter(|&node| after.parents(node) != before.parents(node));
        let term = |dag: &Dag, node| score.local(node, dag.parents(node));
        Some(changed.map(|node| term(after, node) - term(before, node)).sum())
    }

    /// What a graph found along `order` is worth: its own score where the score chose its parents, else the order's.
    #[must_use]
    pub fn value(&self, order: &Order, graph: &Dag) -> f64 {
        match (&self.pruning, self.graph_score(graph)) {
            (Pruning::Selected, Some(score)) => score,
            _ => self.order_score().score(order),
        }
    }

    /// The graph that pruning leaves of `order`.
    #[must_use]
    pub fn graph_of(&self, order: &Order) -> Dag {
        self.pruning.apply(&*self.scores, order, &self.constraints)
    }

    /// What an order is worth to training: a sum over placements, if it is one.
    pub(crate) fn placements(&self) -> Option<&dyn PlacementScore> {
        match &self.sums {
            Some(sums) => Some(sums),
            None => self.trainer().placements(),
        }
    }

    /// What an order is worth to `judge` when graphs are drawn.
    pub(crate) fn reward<'a>(&'a self, judge: &'a dyn OrderModel) -> &'a dyn OrderScore {
        match &self.sums {
            Some(sums) => sums,
            None => judge.order_score(),
        }
    }

    /// The sums over all graphs, where orders are worth them.
    pub(crate) fn sums(&self) -> Option<&ParentTable> {
        self.sums.as_ref()
    }

    /// Draws a graph for `order`: parents ∝ exp(score / temperature) around the best that `judge` finds where the score
    /// chooses them, else the pruned graph.
    pub(crate) fn draw_graph(
        &self,
        order: &Order,
        judge: &dyn OrderModel,
        rng: &mut StreamRng,
    ) -> DrawnGraph {
        let mut log_reward = 0.0;
        let mut before = NodeSet::empty(order.nodes());
        let mut parents = vec![before.clone(); order.nodes()];
        for node in order.iter() {
            let Some((drawn, log_sum)) = self.draw_parents(node, &before, judge, rng) else {
                let log_reward = self.reward(judge).score(order) / self.temperature;
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
        judge: &dyn OrderModel,
        rng: &mut StreamRng,
    ) -> Option<(NodeSet, f64)> {
        if let Some(sums) = &self.sums {
            return Some((sums.draw(node, before, rng), sums.log_sum(node, before)));
        }
        let Pruning::Selected = self.pruning else { return None };
        let (search, score) = (judge.best_parents()?, self.scores.local_score()?);
        let around = Neighbourhood::new(search, score, &self.constraints, self.temperature, (node, before))?;
        Some((around.draw(rng), around.log_sum()))
    }

    /// Writes how likely each variable is a parent of `node` when exactly `before` come before it.
    pub(crate) fn write_inclusion(&self, node: usize, before: &NodeSet, probabilities: &mut [f64]) {
        match &self.sums {
            Some(sums) => sums.write_inclusion(node, before, probabilities),
            None => {
                let kept = self.pruning.keep(&*self.scores, node, before);
                kept.into_iter().for_each(|parent| probabilities[parent] = 1.0);
            }
        }
    }
}

/// What a model gives for orders: the log-reward of walks that end in one.
pub(crate) struct OrderReward<'a>(pub(crate) &'a Model);

impl LogReward for OrderReward<'_> {
    fn log_reward(&self, terminal: &Terminal) -> f64 {
        let score = self.0.reward(self.0.trainer());
        terminal.as_order().map_or(f64::NAN, |order| score.score(order))
    }

    fn local(&self) -> Option<&dyn LocalLogReward> {
        self.0.placements().is_some().then_some(self)
    }
}

impl LocalLogReward for OrderReward<'_> {
    fn log_local(&self, node: usize, given: &NodeSet) -> f64 {
        self.0.placements().map_or(f64::NAN, |score| score.placement(node, given))
    }
}

/// What a model gives for graphs: the log-reward of walks that end in one.
pub(crate) struct GraphReward<'a>(pub(crate) &'a Model);

impl LogReward for GraphReward<'_> {
    fn log_reward(&self, terminal: &Terminal) -> f64 {
        terminal.as_dag().and_then(|dag| self.0.graph_score(dag)).unwrap_or(f64::NAN)
    }

    fn local(&self) -> Option<&dyn LocalLogReward> {
        self.0.local_score().is_some().then_some(self)
    }
}

impl LocalLogReward for GraphReward<'_> {
    fn log_local(&self, node: usize, given: &NodeSet) -> f64 {
        self.0.local_score().map_or(f64::NAN, |score| score.local(node, given))
    }
}
