//! GIES: greedy equivalence search on rows from experiments.

use gflowcausal_graph::{Constraints, Cpdag, Dag, Edge, Pdag};
use gflowcausal_score::LocalScore;

use super::Ges;

/// Whether interventions decide the direction of an edge: they set one of its ends and not the other.
pub type Decides<'a> = dyn Fn(Edge) -> bool + Sync + 'a;

impl<'a> Ges<'a> {
    /// GIES (Hauser and Bühlmann 2012): a class is that of graphs which interventions cannot distinguish either, so some of its edges have a
    /// direction that observation alone would leave open.
    ///
    /// `score` is the same for graphs that differ only in edges between variables that were always set together or not at all, and
    /// `decides` is true for the other edges.
    ///
    /// # Panics
    /// If score and constraints have different numbers of variables.
    #[must_use]
    pub fn with_interventions(
        score: &'a dyn LocalScore,
        constraints: &'a Constraints,
        turning: bool,
        decides: &'a Decides<'a>,
    ) -> Self {
        Self::between_classes(score, constraints, turning, Some(decides))
    }

    /// The graphs that data cannot distinguish from `dag`: its Markov equivalence class, or the part of it that interventions leave.
    pub(super) fn class_of(&self, dag: &Dag) -> Pdag {
        let mut class = Cpdag::of(dag).into_pdag();
        if let Some(decides) = self.decides {
            let decided = dag.edges().filter(|&edge| decides(edge));
            class.orient_with(decided).expect("a graph's own directions agree with its class");
        }
        class
    }
}
