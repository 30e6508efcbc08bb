//! Parent-set tables: the score of every parent set out of a variable's candidates, and sums of them, by look-up.

mod best_dag;
mod bit_gather;
mod candidates;
mod extra_parent_sets;
mod known_terms;
mod missed_parents;
mod node_table;
mod sampling;
#[cfg(test)]
mod tests;
mod zeta;

use std::sync::atomic::{AtomicBool, Ordering};

use gflowcausal_determinism::{StreamRng, map};
use gflowcausal_graph::{Constraints, Dag, NodeSet};

pub use candidates::candidate_parents;
pub use known_terms::{KnownTerms, evaluate_by_size};
pub use missed_parents::MissedParentSearch;
use node_table::NodeTable;

use crate::best_parents::parent_limit;
use crate::{LocalScore, ScoreError};

/// The distribution that tables stand for, and how large they may become.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TableSettings {
    /// Local scores are divided by it.
    pub temperature: f64,
    /// Added for every parent, after the division.
    pub edge_log_odds: f64,
    /// The most candidates of a variable besides its required parents (K).
    pub max_candidates: usize,
}

impl TableSettings {
    /// How many bytes the tables of all variables may take (256 MB), and as much again for what is made when needed.
    pub const MEMORY: usize = 256 << 20;

    /// Whether the sums over the sets that have each of `candidates` variables, which take more than the tables
    /// themselves, fit in memory for all of `nodes` variables.
    const fn sums_with_each_fit(nodes: usize, candidates: usize) -> bool {
        nodes * candidates * (size_of::<f64>() << candidates) / 2 <= Self::MEMORY
    }

    /// `score / T + edge_log_odds · parents`.
    fn temper(&self, score: f64, parents: usize) -> f64 {
        score / self.temperature + self.edge_log_odds * parents as f64
    }

    fn validate(&self) -> Result<(), ScoreError> {
        if !(self.temperature > 0.0 && self.temperature.is_finite()) {
            return Err(ScoreError::Target { name: "temperature", value: self.temperature });
        }
        if !self.edge_log_odds.is_finite() {
            return Err(ScoreError::Target { name: "edge_log_odds", value: self.edge_log_odds });
        }
        Ok(())
    }
}

/// What the tables are made from.
#[derive(Clone, Copy)]
struct TableProblem<'a> {
    score: &'a dyn LocalScore,
    constraints: &'a Constraints,
    graphs: &'a [Dag],
    settings: &'a TableSettings,
    stop: &'a AtomicBool,
}

impl TableProblem<'_> {
    fn limit(&self, node: usize) -> usize {
        parent_limit(&self.score, self.constraints, node)
    }

    fn term(&self, node: usize, parents: &NodeSet) -> f64 {
        self.settings.temper(self.score.local(node, parents), parents.len())
    }

    /// The terms of `required` with each subset of `optional`.
    fn terms(&self, node: usize, required: &NodeSet, optional: &[usize]) -> Result<Vec<f64>, ScoreError> {
        let mut terms = vec![f64::NEG_INFINITY; 1 << optional.len()];
        self.score.fill_subsets(node, required, optional, self.limit(node), &mut terms, self.stop);
        if self.stop.load(Ordering::Relaxed) {
            return Err(ScoreError::Stopped);
        }
        for (set, term) in terms.iter_mut().enumerate() {
            *term = self.settings.temper(*term, required.len() + set.count_ones() as usize);
        }
        Ok(terms)
    }
}

/// Sums `Σ exp(term − log_reference)` over the parent sets within four sets of variables.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SumsAround {
    /// What the terms are divided by, as a logarithm.
    pub log_reference: f64,
    /// Within `before` and `other`.
    pub all: f64,
    /// Within `before`.
    pub without_other: f64,
    /// Within `before` and `other`, but not `last`.
    pub without_last: f64,
    /// Within `before`, but not `last`.
    pub without_both: f64,
}

/// For every variable the tempered score of each allowed parent set, and the sums over all sets within any set.
///
/// A set is allowed if the knowledge permits it and it either consists of candidates, or is the required parents and
/// one variable more, or is the parent set of one of the given graphs. The term of a set P is
/// `score(P) / T + edge_log_odds · |P|`. Takes `16·2^K` bytes a variable, and up to `4·K·2^K` more where sums over
/// touching sets would cancel.
#[derive(Debug)]
pub struct ParentSetTables {
    tables: Vec<NodeTable>,
}

impl ParentSetTables {
    /// Evaluates `score` on every allowed parent set. `candidates[v]` are those of `v`: forbidden ones are taken out,
    /// required ones put in. The parent sets of all `graphs` are allowed.
    ///
    /// # Errors
    /// With more candidates than the settings allow, settings that give no distribution, or a graph that the
    /// constraints forbid; when `stop` is set.
    ///
    /// # Panics
    /// Unless there is a set of candidates for each variable.
    pub fn new(
        score: &dyn LocalScore,
        constraints: &Constraints,
        candidates: &[NodeSet],
        graphs: &[Dag],
        settings: &TableSettings,
        stop: &AtomicBool,
    ) -> Result<Self, ScoreError> {
        settings.validate()?;
        assert_eq!(candidates.len(), score.nodes(), "a set of candidates for each variable");
        let problem = TableProblem { score, constraints, graphs, settings, stop };
        let tables = map(score.nodes(), |node| NodeTable::new(&problem, node, &candidates[node]));
        Ok(Self { tables: tables.into_iter().collect::<Result<_, _>>()? })
    }

    /// How many variables there are.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.tables.len()
    }

    /// The candidate parents of `node`, ascending.
    #[must_use]
    pub fn candidates(&self, node: usize) -> &[usize] {
        &self.tables[node].candidates
    }

    /// The parents that `node` has in every allowed set.
    #[must_use]
    pub fn required(&self, node: usize) -> &NodeSet {
        &self.tables[node].required
    }

    /// Every variable in some allowed parent set of `node`: its candidates and a few others.
    #[must_use]
    pub fn possible_parents(&self, node: usize) -> NodeSet {
        self.tables[node].possible_parents()
    }

    /// The term of the required parents and `parent`, if that is the only allowed set of `node` that has `parent`.
    #[must_use]
    pub fn only_term_with(&self, node: usize, parent: usize) -> Option<f64> {
        self.tables[node].only_term_with(parent)
    }

    /// `ln Σ exp(term)` over the allowed parent sets of `node` within `within`; −∞ if there is none.
    #[must_use]
    pub fn log_sum(&self, node: usize, within: &NodeSet) -> f64 {
        self.tables[node].log_sum(within)
    }

    /// The same over all allowed parent sets of `node`.
    #[must_use]
    pub fn log_total(&self, node: usize) -> f64 {
        self.tables[node].log_total
    }

    /// The same over the sets that have a member of `touching`, without cancellation.
    #[must_use]
    pub fn log_sum_touching(&self, node: usize, within: &NodeSet, touching: &NodeSet) -> f64 {
        self.tables[node].log_sum_touching(within, touching)
    }

    /// The sums over parent sets of `node` within `before` and one variable `other` more, in all cases that matter for where
    /// `other` is: none if no set within both is made of candidates.
    ///
    /// Four look-ups, where [`log_sum_touching`](Self::log_sum_touching) takes two for each case and cannot cancel.
    #[must_use]
    pub fn sums_around(
        &self,
        node: usize,
        before: &NodeSet,
        last: &NodeSet,
        other: usize,
    ) -> Option<SumsAround> {
        self.tables[node].sums_around(before, last, other)
    }

    /// The term of one parent set; −∞ if it is not allowed.
    #[must_use]
    pub fn log_score(&self, node: usize, parents: &NodeSet) -> f64 {
        self.tables[node].log_score(parents)
    }

    /// The sum of the terms of `dag`; −∞ if one of its parent sets is not allowed.
    #[must_use]
    pub fn log_dag(&self, dag: &Dag) -> f64 {
        (0..dag.nodes()).map(|node| self.log_score(node, dag.parents(node))).sum()
    }

    /// An allowed parent set of `node` within `within`, drawn with probability ∝ exp(term), out of those that have a
    /// member of `touching` if that is given.
    ///
    /// # Panics
    /// If there is no such set.
    #[must_use]
    pub fn sample_parents(
        &self,
        node: usize,
        within: &NodeSet,
        touching: Option<&NodeSet>,
        rng: &mut StreamRng,
    ) -> NodeSet {
        self.tables[node].sample(within, touching, rng).0
    }

    /// The same with `ln Σ exp(term)` over all sets that could have been drawn.
    ///
    /// # Panics
    /// If there is no such set.
    #[must_use]
    pub fn sample_parents_of_sum(
        &self,
        node: usize,
        within: &NodeSet,
        touching: Option<&NodeSet>,
        rng: &mut StreamRng,
    ) -> (NodeSet, f64) {
        self.tables[node].sample(within, touching, rng)
    }

    /// The logarithm of the share that sets with a variable outside the candidates have among all parent sets of
    /// `node`; −∞ if all are candidates.
    ///
    /// Only a few such sets are in the tables. If their share is not small, then neither is what the tables miss.
    #[must_use]
    pub fn log_outside_share(&self, node: usize) -> f64 {
        self.tables[node].log_outside_share()
    }
}
