//! What orders and graphs are worth on the user's data: one door to every score and every pruning.

use gflowcausal_data::{Moments, Table};
use gflowcausal_flow::{LocalLogReward, LogReward, Terminal};
use gflowcausal_graph::{Constraints, Dag, NodeSet, Order};
use gflowcausal_score::{
    Bdeu, BestParents, Bge, BgePrior, Bic, BicEqual, Cached, Complete, DegenerateGaussian, GaussianScore,
    GpMarginal, GraphScore, GrowShrink, Lasso, LinearModel, LocalScore, NoPruning, OrderScore, ParentForest,
    Penalty, PlacementScore, Prune, Quadratic, Selected, TTest, Threshold, Varsort, prune_order,
};

use crate::Error;
use crate::config::{Config, PruneName, ScoreName};

/// The customary slope below which an edge goes.
const THRESHOLD: f64 = 0.3;

/// The customary p-value above which an edge goes.
const ALPHA: f64 = 0.001;

/// The strength of the Dirichlet prior, in rows.
const EQUIVALENT_SAMPLE_SIZE: f64 = 10.0;

/// A score of orders, with what else it can say.
pub(crate) trait OrderModel: Send + Sync {
    /// The score of an order.
    fn order_score(&self) -> &dyn OrderScore;

    /// The score as a sum over placements, if it is one.
    fn placements(&self) -> Option<&dyn PlacementScore> {
        None
    }

    /// The score of a whole graph, if it has one that is no sum of local terms.
    fn graph_score(&self) -> Option<&dyn GraphScore> {
        None
    }

    /// The parents that the score itself chooses, if it does.
    fn best_parents(&self) -> Option<&dyn BestParents> {
        None
    }

    /// The score's term for one variable and its parents, if it is a sum of such terms.
    fn local_score(&self) -> Option<&dyn LocalScore> {
        None
    }
}

/// A search for best parents that says what it judges them by.
trait Search: BestParents {
    fn judge(&self) -> &dyn LocalScore;
}

impl<S: GaussianScore> Search for ParentForest<S> {
    fn judge(&self) -> &dyn LocalScore {
        self.local_score()
    }
}

impl<S: LocalScore> Search for GrowShrink<S> {
    fn judge(&self) -> &dyn LocalScore {
        self.local_score()
    }
}

/// An order is worth what the best parents among predecessors are worth.
struct Sparse<B>(B);

impl<B: Search> OrderModel for Sparse<B> {
    fn order_score(&self) -> &dyn OrderScore {
        &self.0
    }

    fn placements(&self) -> Option<&dyn PlacementScore> {
        Some(&self.0)
    }

    fn best_parents(&self) -> Option<&dyn BestParents> {
        Some(&self.0)
    }

    fn local_score(&self) -> Option<&dyn LocalScore> {
        Some(self.0.judge())
    }
}

/// An order is worth what its fully connected graph is worth.
struct Full<S>(Complete<S>);

impl<S: LocalScore> OrderModel for Full<S> {
    fn order_score(&self) -> &dyn OrderScore {
        &self.0
    }

    fn placements(&self) -> Option<&dyn PlacementScore> {
        Some(&self.0)
    }

    fn local_score(&self) -> Option<&dyn LocalScore> {
        Some(&self.0.0)
    }
}

impl OrderModel for BicEqual {
    fn order_score(&self) -> &dyn OrderScore {
        self
    }

    fn graph_score(&self) -> Option<&dyn GraphScore> {
        Some(self)
    }
}

impl OrderModel for Varsort {
    fn order_score(&self) -> &dyn OrderScore {
        self
    }
}

/// The chosen score, the chosen pruning, and the constraints that both obey.
pub struct Model {
    name: ScoreName,
    prune: PruneName,
    threshold: f64,
    alpha: f64,
    scores: Box<dyn OrderModel>,
    linear: Option<LinearModel>,
    constraints: Constraints,
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
        let penalty = config.penalty.map_or(Penalty::Auto, Penalty::Factor);
        let scores = scores(name, table, moments, penalty, &constraints)?;
        let prune = resolve_pruning(config.prune, name);
        let linear = moments.map(LinearModel::new).transpose()?;
        let (threshold, alpha) = (config.threshold.unwrap_or(THRESHOLD), config.alpha.unwrap_or(ALPHA));
        let model = Self { name, prune, threshold, alpha, scores, linear, constraints };
        model.check_pruning()?;
        Ok(model)
    }

    /// The score in use; never `auto`.
    #[must_use]
    pub fn score_name(&self) -> ScoreName {
        self.name
    }

    /// The pruning in use; never `auto`.
    #[must_use]
    pub fn prune_name(&self) -> PruneName {
        self.prune
    }

    /// What every graph has to obey.
    #[must_use]
    pub fn constraints(&self) -> &Constraints {
        &self.constraints
    }

    pub(crate) fn scores(&self) -> &dyn OrderModel {
        &*self.scores
    }

    /// The score of `order`.
    #[must_use]
    pub fn order_score(&self, order: &Order) -> f64 {
        self.scores.order_score().score(order)
    }

    /// The score of `dag`, where the score has one for graphs.
    #[must_use]
    pub fn graph_score(&self, dag: &Dag) -> Option<f64> {
        graph_score(self.scores(), dag)
    }

    /// The graph that pruning leaves of `order`.
    #[must_use]
    pub fn graph_of(&self, order: &Order) -> Dag {
        if let (PruneName::Selected, Some(search)) = (self.prune, self.scores.best_parents()) {
            return prune_order(&Selected(search), order, &self.constraints);
        }
        let linear = self.linear.as_ref();
        let rule: Box<dyn Prune + '_> = match (self.prune, linear) {
            (PruneName::TTest, Some(model)) => Box::new(TTest { model, alpha: self.alpha }),
            (PruneName::Threshold, Some(model)) => Box::new(Threshold { model, threshold: self.threshold }),
            (PruneName::Lasso, Some(model)) => Box::new(Lasso { model }),
            _ => Box::new(NoPruning),
        };
        prune_order(&*rule, order, &self.constraints)
    }

    fn check_pruning(&self) -> Result<(), Error> {
        let possible = match self.prune {
            PruneName::Selected => self.scores.best_parents().is_some(),
            PruneName::TTest | PruneName::Threshold | PruneName::Lasso => self.linear.is_some(),
            // Not joined to this door yet: refused, never ignored.
            PruneName::Score | PruneName::Cam => false,
            _ => true,
        };
        if possible {
            return Ok(());
        }
        Err(Error::Combination { option: "prune", value: self.prune.name(), with: self.name.name() })
    }
}

fn graph_score(scores: &dyn OrderModel, dag: &Dag) -> Option<f64> {
    match scores.local_score() {
        Some(score) => Some(score.graph(dag)),
        None => scores.graph_score().map(|score| score.graph(dag)),
    }
}

/// `auto`: by the columns' types.
fn resolve(score: ScoreName, table: &Table) -> ScoreName {
    if score != ScoreName::Auto {
        return score;
    }
    let continuous = table.columns().iter().filter(|column| column.as_continuous().is_some()).count();
    match continuous {
        0 => ScoreName::Bdeu,
        all if all == table.columns().len() => ScoreName::Bic,
        _ => ScoreName::Dg,
    }
}

fn resolve_pruning(prune: PruneName, score: ScoreName) -> PruneName {
    match (prune, score) {
        (PruneName::Auto, ScoreName::BicEqual | ScoreName::Varsort) => PruneName::TTest,
        (PruneName::Auto, ScoreName::Gp) => PruneName::Score,
        (PruneName::Auto, _) => PruneName::Selected,
        (chosen, _) => chosen,
    }
}

fn scores(
    name: ScoreName,
    table: &Table,
    moments: Option<&Moments>,
    penalty: Penalty,
    constraints: &Constraints,
) -> Result<Box<dyn OrderModel>, Error> {
    let numbers = || moments.ok_or(Error::NeedsNumbers { score: name.name() });
    let limits = || constraints.clone();
    Ok(match name {
        ScoreName::Auto | ScoreName::Bic => {
            Box::new(Sparse(ParentForest::new(Bic::new(numbers()?, penalty)?, limits())))
        }
        ScoreName::Bge => {
            Box::new(Sparse(ParentForest::new(Bge::new(numbers()?, BgePrior::default())?, limits())))
        }
        ScoreName::BicEqual => Box::new(BicEqual::new(numbers()?, penalty)?),
        ScoreName::Varsort => Box::new(Varsort::new(numbers()?)?),
        ScoreName::Bdeu => Box::new(Sparse(GrowShrink::new(
            Cached::new(Bdeu::new(table, EQUIVALENT_SAMPLE_SIZE)?),
            limits(),
        ))),
        ScoreName::Dg => {
            Box::new(Sparse(GrowShrink::new(Cached::new(DegenerateGaussian::new(table, penalty)?), limits())))
        }
        ScoreName::Quadratic => {
            Box::new(Sparse(GrowShrink::new(Cached::new(Quadratic::new(table, penalty)?), limits())))
        }
        ScoreName::Gp => Box::new(Full(Complete(Cached::new(GpMarginal::new(table)?)))),
    })
}

/// A model's order score as the log-reward of walks over orders.
pub(crate) struct OrderReward<'a>(pub(crate) &'a dyn OrderModel);

impl LogReward for OrderReward<'_> {
    fn log_reward(&self, terminal: &Terminal) -> f64 {
        match terminal {
            Terminal::Order(order) => self.0.order_score().score(order),
            Terminal::Dag(dag) => graph_score(self.0, dag).unwrap_or(f64::NAN),
            _ => f64::NAN,
        }
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
