//! The rewards of RL-BIC2: a score scaled to 0…5, cycles that cost more and more.

use gflowcausal_graph::{Constraints, NodeSet};
use gflowcausal_search::acyclicity_h;

use crate::memo::Memo;

/// The scaled score of the graph with the required arrows alone.
const SPAN: f64 = 5.0;

/// More than this of `h` is a cycle.
const CYCLE: f64 = 1e-5;

/// The largest `λ₂`.
const MAX_LAMBDA_2: f64 = 0.01;

/// By how much the graded penalty is raised.
const GRADE: f64 = 0.1;

/// What a graph costs, and how far it is from having no cycle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Evaluated {
    /// From 0 with all arrows to 5 with none; lower is better.
    pub(super) score: f64,
    /// `tr e^A − d`.
    h: f64,
}

impl Evaluated {
    pub(super) fn is_cyclic(self) -> bool {
        self.h > CYCLE
    }

    /// The cost with the largest penalties: any graph without cycles is better than all others.
    pub(super) fn final_cost(self) -> f64 {
        Penalties::Graded { lambda: SPAN }.cost(self)
    }
}

/// What cycles cost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Penalties {
    /// As published: `λ₁ · 1(h > 0) + λ₂ h`.
    Published { lambda_1: f64, upper: f64, lambda_2: f64 },
    /// `λ (1(h > 0) + ln(1 + h))`: each of few cycles counts as much as one of many.
    Graded { lambda: f64 },
}

impl Penalties {
    /// `λ₁ = 0`, `λ₂ = 10^{−round(d/3)}`.
    pub(super) fn published(nodes: usize) -> Self {
        let lambda_2 = 10.0_f64.powf(-(nodes as f64 / 3.0).round());
        Self::Published { lambda_1: 0.0, upper: SPAN, lambda_2 }
    }

    /// `λ = 0`.
    pub(super) fn graded() -> Self {
        Self::Graded { lambda: 0.0 }
    }

    /// Raises them; `λ₁` needs to be no larger than the score of the best graph without cycles.
    pub(super) fn raise(&mut self, best: Option<Evaluated>) {
        match self {
            Self::Published { lambda_1, upper, lambda_2 } => {
                if let Some(best) = best.filter(|best| !best.is_cyclic()) {
                    *upper = best.score;
                }
                *lambda_1 = (*lambda_1 + 1.0).min(*upper);
                *lambda_2 = (*lambda_2 * 10.0).min(MAX_LAMBDA_2);
            }
            Self::Graded { lambda } => *lambda = (*lambda + GRADE).min(SPAN),
        }
    }

    pub(super) fn cost(self, found: Evaluated) -> f64 {
        let is_cyclic = f64::from(u8::from(found.is_cyclic()));
        found.score
            + match self {
                Self::Published { lambda_1, lambda_2, .. } => lambda_1 * is_cyclic + lambda_2 * found.h,
                Self::Graded { lambda } => lambda * (is_cyclic + found.h.ln_1p()),
            }
    }
}

/// The score of graphs, computed once for each.
pub(super) struct Evaluator<'a> {
    scale: Scale<'a>,
    known: Memo<Vec<NodeSet>, Evaluated>,
}

/// A score and what it is with all arrows and with the required ones.
struct Scale<'a> {
    score: &'a (dyn Fn(&[NodeSet]) -> f64 + Sync),
    full: f64,
    empty: f64,
}

impl<'a> Evaluator<'a> {
    pub(super) fn new(constraints: &Constraints, score: &'a (dyn Fn(&[NodeSet]) -> f64 + Sync)) -> Self {
        let sets = |of: &dyn Fn(usize) -> NodeSet| (0..constraints.nodes()).map(of).collect::<Vec<_>>();
        let full = score(&sets(&|node| constraints.allowed_parents(node).clone()));
        let empty = score(&sets(&|node| constraints.required(node).clone()));
        Self { scale: Scale { score, full, empty }, known: Memo::new() }
    }

    /// What each of `graphs`, given by parents, costs.
    pub(super) fn evaluate(&mut self, graphs: &[Vec<NodeSet>]) -> Vec<Evaluated> {
        self.known.evaluate(graphs, |parents| self.scale.evaluate(parents))
    }
}

impl Scale<'_> {
    fn evaluate(&self, parents: &[NodeSet]) -> Evaluated {
        // A score with many parents may lie below that of none: the scale keeps its direction.
        let span = (self.full - self.empty).abs();
        let span = if span > 0.0 { span } else { 1.0 };
        let score = SPAN * (self.full.max(self.empty) - (self.score)(parents)) / span;
        Evaluated { score, h: h(parents) }
    }
}

/// `tr e^A − d`, exactly zero without cycles.
fn h(parents: &[NodeSet]) -> f64 {
    let nodes = parents.len();
    let mut left: Vec<usize> = (0..nodes).collect();
    let mut placed = NodeSet::empty(nodes);
    loop {
        let before = left.len();
        left.retain(|&node| {
            let is_free = parents[node].is_subset(&placed);
            if is_free {
                placed.insert(node);
            }
            !is_free
        });
        if left.is_empty() {
            return 0.0;
        }
        if left.len() == before {
            break;
        }
    }
    // Only what is left over can be part of a cycle.
    let size = left.len();
    let mut adjacency = vec![0.0; size * size];
    for (column, &node) in left.iter().enumerate() {
        for (row, &from) in left.iter().enumerate() {
            adjacency[row * size + column] = f64::from(u8::from(parents[node].contains(from)));
        }
    }
    acyclicity_h(size, &adjacency)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(nodes: usize, edges: &[(usize, usize)]) -> Vec<NodeSet> {
        let mut parents = vec![NodeSet::empty(nodes); nodes];
        edges.iter().for_each(|&(from, to)| _ = parents[to].insert(from));
        parents
    }

    #[test]
    fn h_is_zero_without_cycles_and_known_for_one() {
        assert_eq!(h(&graph(4, &[(0, 1), (1, 2), (0, 2), (2, 3)])), 0.0);
        // tr e^A of a cycle of two: 2 cosh 1; what hangs on it adds nothing.
        let found = h(&graph(4, &[(0, 1), (1, 0), (1, 2), (3, 0)]));
        assert!((found - 2.0 * (1.0_f64.cosh() - 1.0)).abs() < 1e-12, "{found}");
    }

    /// The schedule of the authors for 12 variables: `λ₂` from 1e-4 to 0.01, `λ₁` by 1 up to the best score.
    #[test]
    fn penalties_rise_as_published() {
        let mut penalties = Penalties::published(12);
        let cyclic = Evaluated { score: 1.0, h: 2.0 };
        assert!((penalties.cost(cyclic) - 1.0002).abs() < 1e-12);
        penalties.raise(None);
        penalties.raise(None);
        assert!((penalties.cost(cyclic) - 3.02).abs() < 1e-12);
        penalties.raise(Some(Evaluated { score: 2.5, h: 0.0 }));
        assert!((penalties.cost(cyclic) - 3.52).abs() < 1e-12);
        assert_eq!(penalties.cost(Evaluated { score: 1.0, h: 0.0 }), 1.0);
    }
}
