//! `ln Z` by mark and recapture: how often two halves of the draws meet the same graph.

use std::collections::BTreeSet;

use gflowcausal_determinism::log_sum_exp;
use gflowcausal_graph::{Dag, Layering, NodeSet};
use gflowcausal_score::ParentSetTables;

/// How many draws must be caught again: the standard error of `ln Z` is then below 0.1.
const LEAST_CAUGHT: usize = 100;

/// `ln Z` from two independent sets of draws; none if too few of the second have a layering that the first has too.
///
/// The weight of the layerings among the `marked` draws is known, and the share of the `caught` draws that have one of
/// them estimates their probability. The quotient is `Z`.
#[must_use]
pub fn log_z_by_recapture<'a>(
    tables: &ParentSetTables,
    marked: impl IntoIterator<Item = &'a Dag>,
    caught: impl IntoIterator<Item = &'a Dag>,
) -> Option<f64> {
    let marked: BTreeSet<Layering> = marked.into_iter().map(Layering::of).collect();
    let (mut draws, mut again) = (0_usize, 0_usize);
    for dag in caught {
        draws += 1;
        again += usize::from(marked.contains(&Layering::of(dag)));
    }
    if again < LEAST_CAUGHT {
        return None;
    }
    let weights = marked.iter().map(|layering| log_weight(tables, layering));
    Some(log_sum_exp(weights) - (again as f64 / draws as f64).ln())
}

/// `ln` of the weight of all DAGs that have `layering`.
fn log_weight(tables: &ParentSetTables, layering: &Layering) -> f64 {
    let mut earlier = NodeSet::empty(tables.nodes());
    let mut last: Option<&NodeSet> = None;
    let mut log_weight = 0.0;
    for layer in layering.layers() {
        for node in layer.iter() {
            log_weight += match last {
                Some(last) => tables.log_sum_touching(node, &earlier, last),
                None => tables.log_sum(node, &earlier),
            };
        }
        earlier.union_with(layer);
        last = Some(layer);
    }
    log_weight
}
