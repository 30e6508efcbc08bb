//! Every pruning by its name: how an order becomes a graph.

use std::sync::Arc;

use gflowcausal_data::{Moments, Table};
use gflowcausal_graph::{Constraints, Dag, NodeSet, Order};
use gflowcausal_score::{
    Bic, ByScore, Cam, GrowShrinkTrees, Lasso, LinearModel, NoPruning, Prune, Selected, TTest, Threshold,
    prune, prune_order,
};

use super::score_kind::{Decomposable, ScoreKind};
use super::scores::{ScoreName, penalty};
use crate::Error;
use crate::options::{Config, PruneName, option};

/// The customary slope below which an edge goes.
const THRESHOLD: f64 = 0.3;

/// The customary p-value above which an edge goes.
const ALPHA: f64 = 0.001;

/// The chosen rule with what it needs beside the score.
pub(super) enum Pruning {
    /// By the score itself.
    Selected(Arc<Decomposable>),
    /// By `bic`, for scores that select no parents themselves.
    SelectedByBic(Box<GrowShrinkTrees<Bic>>),
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
    Score(Arc<Decomposable>),
    Cam(Cam),
    None,
}

impl Pruning {
    /// Builds the rule that `config` names, or the one that goes with the score.
    pub(super) fn new(
        config: &Config,
        score: ScoreName,
        kind: &ScoreKind,
        (table, moments): (&Table, Option<&Moments>),
        constraints: &Constraints,
    ) -> Result<Self, Error> {
        let name = resolve(config.prune, score);
        check_effect(config, name)?;
        let combination = || {
            let with = format!("score '{}'", score.name());
            Error::Combination { option: option::prune, value: name.name(), with }
        };
        let linear = || LinearModel::new(moments.ok_or_else(combination)?).map_err(Error::from);
        let alpha = config.alpha.unwrap_or(ALPHA);
        Ok(match name {
            PruneName::Selected | PruneName::Auto => match kind {
                ScoreKind::Decomposable(score) => Self::Selected(Arc::clone(score)),
                ScoreKind::GraphWide(_) | ScoreKind::OrderOnly(_) => {
                    let bic = Bic::new(moments.ok_or_else(combination)?, penalty(config))?;
                    Self::SelectedByBic(Box::new(GrowShrinkTrees::new(bic, constraints.clone())))
                }
            },
            PruneName::Score => match kind {
                ScoreKind::Decomposable(score) => Self::Score(Arc::clone(score)),
                ScoreKind::GraphWide(_) | ScoreKind::OrderOnly(_) => return Err(combination()),
            },
            PruneName::TTest => Self::TTest { model: linear()?, alpha },
            PruneName::Threshold => {
                Self::Threshold { model: linear()?, threshold: config.threshold.unwrap_or(THRESHOLD) }
            }
            PruneName::Lasso => Self::Lasso { model: linear()? },
            PruneName::Cam => {
                Self::Cam(Cam::of_rows(table, alpha, config.rows_used.unwrap_or(Cam::MAX_ROWS))?)
            }
            PruneName::None => Self::None,
        })
    }

    /// The most rows it uses unless something else is asked for, where it does not use all.
    pub(super) fn max_rows(&self) -> Option<usize> {
        matches!(self, Self::Cam(_)).then_some(Cam::MAX_ROWS)
    }

    /// What users call it.
    pub(super) fn name(&self) -> PruneName {
        match self {
            Self::Selected(_) | Self::SelectedByBic(_) => PruneName::Selected,
            Self::TTest { .. } => PruneName::TTest,
            Self::Threshold { .. } => PruneName::Threshold,
            Self::Lasso { .. } => PruneName::Lasso,
            Self::Score(_) => PruneName::Score,
            Self::Cam(_) => PruneName::Cam,
            Self::None => PruneName::None,
        }
    }

    /// What is left of the fully connected graph of `order`.
    pub(super) fn apply(&self, order: &Order, constraints: &Constraints) -> Dag {
        prune_order(&*self.rule(), order, constraints)
    }

    /// What is left of `dag`.
    pub(super) fn apply_to_graph(&self, dag: &Dag, constraints: &Constraints) -> Dag {
        prune(&*self.rule(), dag, constraints)
    }

    /// Those of `candidates` that stay parents of `node`.
    pub(super) fn keep(&self, node: usize, candidates: &NodeSet) -> Vec<usize> {
        self.rule().keep(node, candidates)
    }

    fn rule(&self) -> Box<dyn Prune + '_> {
        match self {
            Self::Selected(score) => Box::new(Selected(&**score)),
            Self::SelectedByBic(trees) => Box::new(Selected(&**trees)),
            Self::Score(score) => Box::new(ByScore(score.local_score())),
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
    if prune == PruneName::Auto { score.default_prune() } else { prune }
}

fn check_effect(config: &Config, name: PruneName) -> Result<(), Error> {
    let unused = [
        (option::threshold, config.threshold.is_some() && name != PruneName::Threshold),
        (option::alpha, config.alpha.is_some() && !matches!(name, PruneName::TTest | PruneName::Cam)),
    ];
    Error::if_without_effect(&unused, &format!("pruning {}", name.name()))
}
