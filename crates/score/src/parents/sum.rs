//! The sum over all small parent sets among predecessors, for posteriors over orders.

use gflowcausal_graph::{Constraints, NodeSet};

use super::optional_parents;
use crate::{LocalScore, OrderModularScore, ScoreError};

/// The most parent sets kept for one variable (32 bytes each up to 128 variables).
const SET_LIMIT: usize = 1 << 20;

/// What is this much smaller than a sum does not change its last bit.
const NEGLIGIBLE: f64 = 1e-17;

/// `ln Σ exp(local score)` over all parent sets of bounded size among the predecessors.
///
/// The sum that order samplers use (Friedman and Koller 2003): an order is worth the sum over all graphs it allows. Every
/// local term is computed once, at the start; a question adds up from the largest term down until the rest cannot
/// change the sum.
#[derive(Debug)]
pub struct ParentSums {
    name: &'static str,
    /// For each variable its parent sets, best first.
    tables: Vec<Vec<(f64, NodeSet)>>,
}

impl ParentSums {
    /// Evaluates `score` on every parent set with at most `max_size` members that obeys `constraints`.
    ///
    /// # Errors
    /// When a variable has more than a million such sets.
    pub fn new(
        score: &impl LocalScore,
        constraints: &Constraints,
        max_size: usize,
    ) -> Result<Self, ScoreError> {
        let size = max_size.min(constraints.max_parents());
        for node in 0..score.nodes() {
            check_count(node, optional_parents(constraints, node).len(), size)?;
        }
        let table = |node: usize| {
            let mut table: Vec<(f64, NodeSet)> = small_sets(constraints, node, size)
                .into_iter()
                .map(|parents| (score.local(node, &parents), parents))
                .collect();
            table.sort_unstable_by(|(a, s), (b, t)| b.total_cmp(a).then_with(|| s.cmp(t)));
            table
        };
        Ok(Self { name: score.name(), tables: gflowcausal_determinism::map(score.nodes(), table) })
    }
}

impl OrderModularScore for ParentSums {
    fn name(&self) -> &'static str {
        self.name
    }

    fn nodes(&self) -> usize {
        self.tables.len()
    }

    fn local(&self, node: usize, before: &NodeSet) -> f64 {
        let table = &self.tables[node];
        let mut terms = table.iter().enumerate().filter(|(_, (_, parents))| parents.is_subset(before));
        let Some((_, &(largest, _))) = terms.next() else { return f64::NEG_INFINITY };
        let mut sum = 1.0;
        for (index, (value, _)) in terms {
            let share = (value - largest).exp();
            sum += share;
            if share * ((table.len() - index) as f64) < NEGLIGIBLE {
                break;
            }
        }
        largest + sum.ln()
    }
}

fn check_count(node: usize, candidates: usize, size: usize) -> Result<(), ScoreError> {
    let sets = count_subsets(candidates as u128, size as u128);
    if sets > SET_LIMIT as u128 {
        return Err(ScoreError::TooManyParentSets { node, sets, limit: SET_LIMIT });
    }
    Ok(())
}

/// `Σ_{k ≤ size} C(n, k)`, saturating.
fn count_subsets(n: u128, size: u128) -> u128 {
    let mut total: u128 = 1;
    let mut choose: u128 = 1;
    for k in 1..=size.min(n) {
        let Some(product) = choose.checked_mul(n - k + 1) else { return u128::MAX };
        choose = product / k;
        total = total.saturating_add(choose);
    }
    total
}

/// The required parents with every set of optional ones that keeps the total within `size`.
fn small_sets(constraints: &Constraints, node: usize, size: usize) -> Vec<NodeSet> {
    let optional: Vec<usize> = optional_parents(constraints, node).iter().collect();
    let required = constraints.required(node).clone();
    let room = size.saturating_sub(required.len());
    let mut sets = vec![required];
    let mut widest = vec![(0, 0)];
    for _ in 0..room {
        let mut wider = Vec::new();
        for &(set, first) in &widest {
            for (at, &parent) in optional.iter().enumerate().skip(first) {
                wider.push((sets.len(), at + 1));
                let next = sets[set].with(parent);
                sets.push(next);
            }
        }
        widest = wider;
    }
    sets
}
