//! Values that are computed once for each key, batch after batch.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

use gflowcausal_determinism::map;

/// The most values that are remembered.
const REMEMBERED: usize = 200_000;

/// The values of keys seen before.
pub(crate) struct Memo<K, V> {
    known: HashMap<K, V>,
}

impl<K: Clone + Eq + Hash + Sync, V: Clone + Send> Memo<K, V> {
    pub(crate) fn new() -> Self {
        Self { known: HashMap::new() }
    }

    /// What `value` is for each of `keys`. New keys are evaluated on all threads.
    pub(crate) fn evaluate(&mut self, keys: &[K], value: impl Fn(&K) -> V + Sync + Send) -> Vec<V> {
        let mut seen = HashSet::new();
        let new: Vec<&K> =
            keys.iter().filter(|&key| !self.known.contains_key(key) && seen.insert(key)).collect();
        let fresh: HashMap<&K, V> = new.iter().copied().zip(map(new.len(), |k| value(new[k]))).collect();
        let of = |key: &K| {
            self.known.get(key).or_else(|| fresh.get(key)).expect("each new key was evaluated").clone()
        };
        let values = keys.iter().map(of).collect();
        let room = REMEMBERED.saturating_sub(self.known.len());
        self.known.extend(new.iter().take(room).map(|&key| (key.clone(), fresh[key].clone())));
        values
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn each_key_is_evaluated_once() {
        let calls = AtomicUsize::new(0);
        let square = |key: &usize| {
            calls.fetch_add(1, Ordering::Relaxed);
            key * key
        };
        let mut memo = Memo::new();
        assert_eq!(memo.evaluate(&[3, 1, 3, 2], square), [9, 1, 9, 4]);
        assert_eq!(memo.evaluate(&[2, 5, 5], square), [4, 25, 25]);
        assert_eq!(calls.load(Ordering::Relaxed), 4);
    }
}
