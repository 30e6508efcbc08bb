//! Terms that cost the same for one variable as for all: computed once for each parent set, and remembered.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use gflowcausal_graph::NodeSet;

/// How many locks the store is split into.
const SHARDS: usize = 16;

/// The terms of every variable, given one set of parents.
type Terms = Arc<OnceLock<Vec<f64>>>;

/// For some parent sets, the local terms of every variable outside the set.
///
/// Threads that ask for the same set at the same time wait for one of them. When a part of the store is full it is
/// emptied: a value is a function of the parent set, so forgetting changes time, never a result.
#[derive(Debug)]
pub(crate) struct SharedTerms {
    shards: [Mutex<HashMap<NodeSet, Terms>>; SHARDS],
    sets_per_shard: usize,
}

impl SharedTerms {
    /// Room for about `values` terms of `nodes` variables.
    pub(crate) fn with_room_for(values: usize, nodes: usize) -> Self {
        let sets = values / nodes.max(1);
        Self { shards: Default::default(), sets_per_shard: (sets / SHARDS).max(1) }
    }

    /// The term of `node` given `parents`, from `compute` when the set is new. `compute` must not start threads.
    pub(crate) fn term(&self, node: usize, parents: &NodeSet, compute: impl FnOnce() -> Vec<f64>) -> f64 {
        self.entry(parents).get_or_init(compute)[node]
    }

    fn entry(&self, parents: &NodeSet) -> Terms {
        let mut shard = self.shards[shard_of(parents)].lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(terms) = shard.get(parents) {
            return Arc::clone(terms);
        }
        if shard.len() >= self.sets_per_shard {
            shard.clear();
        }
        Arc::clone(shard.entry(parents.clone()).or_default())
    }
}

/// Fibonacci hashing of the words, folded: neighbouring sets go to different locks.
fn shard_of(parents: &NodeSet) -> usize {
    let fold = |hash: u64, word: &u64| (hash ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
    (parents.words().iter().fold(0, fold) >> 7) as usize % SHARDS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_computed_once_until_it_is_forgotten() {
        let store = SharedTerms::with_room_for(0, 3);
        let set = NodeSet::of(3, [1]);
        assert_eq!(store.term(2, &set, || vec![0.0, 0.0, 5.0]), 5.0);
        assert_eq!(store.term(0, &set, || unreachable!("known")), 0.0);
        // One set fits in each shard; enough others push it out.
        let others =
            (64..128).map(|bits: usize| NodeSet::of(64, (0..7).filter(move |bit| bits >> bit & 1 == 1)));
        others.for_each(|other| {
            store.term(0, &other, || vec![1.0; 3]);
        });
        assert_eq!(store.term(2, &set, || vec![0.0, 0.0, 6.0]), 6.0);
    }
}
