//! A scoring model as the log-reward of a GFlowNet: of orders, and of graphs.

use std::borrow::Borrow;

use gflowcausal_flow::{LayerLogReward, LocalLogReward, LogReward, Terminal};
use gflowcausal_graph::NodeSet;
use gflowcausal_score::{GraphScore, LocalScore, OrderModularScore, OrderScore, ParentSetTables};

use super::{OrderEvaluator, ScoreKind, ScoringModel, TableScore};

/// The log-reward of environments that end in an order.
pub(crate) enum OrderReward<'a> {
    /// A sum over variables given the set before them.
    Modular(ModularReward<'a>),
    /// Any score of orders.
    Whole(OrderEvaluator<'a>),
}

impl<'a> OrderReward<'a> {
    /// The reward that `model` trains with.
    pub(crate) fn new(model: &'a ScoringModel) -> Self {
        match model.order_modular_score() {
            Some(score) => Self::Modular(ModularReward { score, temperature: 1.0 }),
            None => Self::Whole(model.training_score()),
        }
    }

    /// Sums over the DAGs that an order allows.
    pub(crate) fn of_tables(score: &'a TableScore<'a>) -> Self {
        Self::Modular(ModularReward { score, temperature: 1.0 })
    }
}

impl LogReward for OrderReward<'_> {
    fn log_reward(&self, terminal: &Terminal) -> f64 {
        let order = terminal.as_order().expect("an environment of orders ends in an order");
        match self {
            Self::Modular(reward) => reward.score.score(order),
            Self::Whole(score) => score.score(order),
        }
    }

    fn local(&self) -> Option<&dyn LocalLogReward> {
        match self {
            Self::Modular(reward) => Some(reward),
            Self::Whole(_) => None,
        }
    }
}

/// The terms of an order-modular score, over a temperature.
pub(crate) struct ModularReward<'a> {
    pub(crate) score: &'a dyn OrderModularScore,
    pub(crate) temperature: f64,
}

impl LocalLogReward for ModularReward<'_> {
    fn log_local(&self, node: usize, given: &NodeSet) -> f64 {
        self.score.local(node, given) / self.temperature
    }
}

/// The log-reward of environments that end in a DAG.
pub(crate) enum GraphReward<'a> {
    /// A sum over variables given their parents.
    Decomposable(DecomposableReward<'a>),
    /// Any score of graphs, and what the structure prior adds for an edge.
    GraphWide(&'a dyn GraphScore, f64),
}

impl<'a> GraphReward<'a> {
    /// The reward of `model`; none if its score has no value for graphs.
    pub(crate) fn new(model: &'a ScoringModel) -> Option<Self> {
        // Rewards are divided by the temperature later on, and the prior is not.
        let per_edge = model.edge_log_odds() * model.temperature();
        match model.kind() {
            ScoreKind::Decomposable(score) => {
                Some(Self::Decomposable(DecomposableReward { score: score.local_score(), per_edge }))
            }
            ScoreKind::GraphWide(score) => Some(Self::GraphWide(score, per_edge)),
            ScoreKind::OrderOnly(_) => None,
        }
    }
}

impl LogReward for GraphReward<'_> {
    fn log_reward(&self, terminal: &Terminal) -> f64 {
        let dag = terminal.as_dag().expect("an environment of DAGs ends in a DAG");
        match self {
            Self::Decomposable(reward) => reward.score.graph(dag) + reward.per_edge * dag.edge_count() as f64,
            Self::GraphWide(score, per_edge) => score.graph(dag) + per_edge * dag.edge_count() as f64,
        }
    }

    fn local(&self) -> Option<&dyn LocalLogReward> {
        match self {
            Self::Decomposable(reward) => Some(reward),
            Self::GraphWide(..) => None,
        }
    }
}

/// The terms of a decomposable score, and what the structure prior adds for a parent.
pub(crate) struct DecomposableReward<'a> {
    score: &'a dyn LocalScore,
    per_edge: f64,
}

impl LocalLogReward for DecomposableReward<'_> {
    fn log_local(&self, node: usize, given: &NodeSet) -> f64 {
        self.score.local(node, given) + self.per_edge * given.len() as f64
    }
}

/// The log-reward of the environment that ends in a layering: the sum over its DAGs, at the temperature of the tables.
pub(crate) struct LayerReward<T>(pub(crate) T);

impl<T: Borrow<ParentSetTables> + Sync> LogReward for LayerReward<T> {
    fn log_reward(&self, terminal: &Terminal) -> f64 {
        self.log_layering(terminal.as_layering().expect("an environment of layerings ends in a layering"))
    }

    fn layers(&self) -> Option<&dyn LayerLogReward> {
        Some(self)
    }
}

impl<T: Borrow<ParentSetTables> + Sync> LayerLogReward for LayerReward<T> {
    fn log_sum(&self, node: usize, within: &NodeSet, touching: Option<&NodeSet>) -> f64 {
        match touching {
            Some(touching) => self.0.borrow().log_sum_touching(node, within, touching),
            None => self.0.borrow().log_sum(node, within),
        }
    }

    fn log_total(&self, node: usize, _: usize) -> f64 {
        self.0.borrow().log_total(node)
    }
}
