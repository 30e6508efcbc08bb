//! Every pruning by its name: how an order becomes a graph.

use gflowcausal_data::{Moments, Table};
use gflowcausal_graph::{Constraints, Dag, NodeSet, Order};
use gflowcausal_score::{
    Bic, ByScore, Cam, Lasso, LinearModel, NoPruning, ParentForest, Prune, Selected, TTest, Threshold,
    prune_order,
};

use super::scores::{OrderModel, penalty};
use crate::Error;
use crate::config::{Config, PruneName, ScoreName};

/// The customary slope below which an edge goes.
const THRESHOLD: f64 = 0.3;

/// The customary p-value above which an edge goes.
const ALPHA: f64 = 0.001;

/// The chosen rule with what it needs beside the score.
pub(super) enum Pruning {
    Selected,
    /// By `bic`, for scores of complete graphs, which choose no parents themselves.
    SelectedByBic(Box<ParentForest<Bic>>),
    TTest {
        model: LinearModel,
        alpha: f64,
    },
    Threshold {
        model: LinearModel,
        threshold: f64,
    },
    Lasso {
        model: LinearModel,
    },
    Score,
    Cam(Cam),
    None,
}

impl Pruning {
    /// Builds the rule that `config` asks for, or the one that goes with the score.
    pub(super) fn new(
        config: &Config,
        score: ScoreName,
        scores: &dyn OrderModel,
        (table, moments): (&Table, Option<&Moments>),
        constraints: &Constraints,
    ) -> Result<Self, Error> {
        let name = resolve(config.prune, score);
        check_effect(config, name)?;
        let combination = || Error::Combination { option: "prune", value: name.name(), with: score.name() };
        let linear = || LinearModel::new(moments.ok_or_else(combination)?).map_err(Error::from);
        let alpha = config.alpha.unwrap_or(ALPHA);
        Ok(match name {
            PruneName::Selected | PruneName::Auto if scores.best_parents().is_some() => Self::Selected,
            PruneName::Selected if matches!(score, ScoreName::BicEqual | ScoreName::Varsort) => {
                let bic = Bic::new(moments.ok_or_else(combination)?, penalty(config))?;
                Self::SelectedByBic(Box::new(ParentForest::new(bic, constraints.clone())))
            }
            PruneName::Score if scores.local_score().is_some() => Self::Score,
            PruneName::Selected | PruneName::Auto | PruneName::Score => return Err(combination()),
            PruneName::TTest => Self::TTest { model: linear()?, alpha },
            PruneName::Threshold => {
                Self::Threshold { model: linear()?, threshold: config.threshold.unwrap_or(THRESHOLD) }
            }
            PruneName::Lasso => Self::Lasso { model: linear()? },
            PruneName::Cam => Self::Cam(Cam::new(table, alpha)?),
            PruneName::None => Self::None,
        })
    }

    /// What users call it.
    pub(super) fn name(&self) -> PruneName {
        match self {
            Self::Selected | Self::SelectedByBic(_) => PruneName::Selected,
            Self::TTest { .. } => PruneName::TTest,
            Self::Threshold { .. } => PruneName::Threshold,
            Self::Lasso { .. } => PruneName::Lasso,
            Self::Score => PruneName::Score,
            Self::Cam(_) => PruneName::Cam,
            Self::None => PruneName::None,
        }
    }

    /// What is left of the fully connected graph of `order`.
    pub(super) fn apply(&self, scores: &dyn OrderModel, order: &Order, constraints: &Constraints) -> Dag {
        prune_order(&*self.rule(scores), order, constraints)
    }

    /// Those of `candidates` that stay parents of `node`.
    pub(super) fn keep(&self, scores: &dyn OrderModel, node: usize, candidates: &NodeSet) -> Vec<usize> {
        self.rule(scores).keep(node, candidates)
    }

    fn rule<'a>(&'a self, scores: &'a dyn OrderModel) -> Box<dyn Prune + 'a> {
        match self {
            Self::Selected => Box::new(Selected(scores.best_parents().expect("checked when it was built"))),
            Self::SelectedByBic(forest) => Box::new(Selected(&**forest)),
            Self::Score => Box::new(ByScore(scores.local_score().expect("checked when it was built"))),
            Self::TTest { model, alpha } => Box::new(TTest { model, alpha: *alpha }),
            Self::Threshold { model, threshold } => Box::new(Threshold { model, threshold: *threshold }),
            Self::Lasso { model } => Box::new(Lasso { model }),
            Self::Cam(cam) => Box::new(cam),
            Self::None => Box::new(NoPruning),
        }
    }
}

/// `auto`: what goes with the score.
fn resolve(prune: PruneName, score: ScoreName) -> PruneName {
    match (prune, score) {
        (PruneName::Auto, ScoreName::Varsort) => PruneName::TTest,
        (PruneName::Auto, ScoreName::Gp | ScoreName::Quadratic | ScoreName::QuadraticEqual) => {
            PruneName::Score
        }
        (PruneName::Auto, _) => PruneName::Selected,
        (chosen, _) => chosen,
    }
}

fn check_effect(config: &Config, name: PruneName) -> Result<(), Error> {
    let unread = |option| Err(Error::NoEffect { option, with: format!("pruning {}", name.name()) });
    if config.threshold.is_some() && name != PruneName::Threshold {
        return unread("threshold");
    }
    if config.alpha.is_some() && !matches!(name, PruneName::TTest | PruneName::Cam) {
        return unread("alpha");
    }
    Ok(())
}
