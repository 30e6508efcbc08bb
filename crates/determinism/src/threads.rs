//! The only module that knows about threads: maps that return results in index order, whatever the pool's size.

use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use crate::cancel::{cancellation_point, current, within};

/// `f(0), f(1), …, f(count − 1)`, computed on all threads, returned in index order.
///
/// `f` must depend on its index alone; then the result does not depend on the number of threads. Before each index there is a
/// [`cancellation_point`].
///
/// ```
/// assert_eq!(gflowcausal_determinism::map(4, |i| i * i), [0, 1, 4, 9]);
/// ```
pub fn map<T: Send>(count: usize, f: impl Fn(usize) -> T + Sync + Send) -> Vec<T> {
    let results: Vec<Mutex<Option<T>>> = (0..count).map(|_| Mutex::new(None)).collect();
    for_each(count, &|index| {
        let result = f(index);
        *results[index].lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
    });
    let taken = |slot: Mutex<Option<T>>| slot.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.into_iter().map(|slot| taken(slot).expect("every index was computed")).collect()
}

/// Runs `task` for each index on all threads. Not generic: the machinery of threads is compiled once, not for every map.
fn for_each(count: usize, task: &(dyn Fn(usize) + Sync)) {
    let scope = current();
    (0..count).into_par_iter().for_each(|index| {
        within(&scope, || {
            cancellation_point();
            task(index);
        });
    });
}

/// Cuts `values` into slices of `length` (the last may be shorter) and hands each, with its number, to `f`.
///
/// The cut does not depend on the number of threads.
///
/// # Panics
/// If `length` is zero.
pub fn map_slices<T: Send, R: Send>(
    values: &mut [T],
    length: usize,
    f: impl Fn(usize, &mut [T]) -> R + Sync + Send,
) -> Vec<R> {
    let slices: Vec<Mutex<&mut [T]>> = values.chunks_mut(length).map(Mutex::new).collect();
    map(slices.len(), |index| f(index, &mut slices[index].lock().unwrap_or_else(PoisonError::into_inner)))
}

/// Both results, computed side by side when a thread is free.
///
/// ```
/// assert_eq!(gflowcausal_determinism::both(|| 1 + 1, || "two"), (2, "two"));
/// ```
pub fn both<A: Send, B: Send>(a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B + Send) -> (A, B) {
    let scope = current();
    let (mut a, mut b) = (Some(a), Some(b));
    let (mut first, mut second) = (None, None);
    let mut work_a = || first = a.take().map(|a| within(&scope, a));
    let mut work_b = || second = b.take().map(|b| within(&scope, b));
    join(&mut work_a, &mut work_b);
    (first.expect("rayon runs both"), second.expect("rayon runs both"))
}

/// Not generic, as [`for_each`].
fn join(a: &mut (dyn FnMut() + Send), b: &mut (dyn FnMut() + Send)) {
    rayon::join(a, b);
}

/// How many threads the current pool has.
#[must_use]
pub fn thread_count() -> usize {
    rayon::current_num_threads()
}

/// Runs `work` on a pool of `threads` threads (zero: one per core).
///
/// Falls back to the current pool when the system refuses to start threads.
pub fn with_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    let scope = current();
    match rayon::ThreadPoolBuilder::new().num_threads(threads).build() {
        Ok(pool) => pool.install(|| within(&scope, work)),
        Err(_) => work(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_threads_does_not_change_a_result() {
        let sums = |threads| {
            with_threads(threads, || {
                let mut values: Vec<f64> = map(10_000, |i| (i as f64).sin());
                map_slices(&mut values, 77, |_, slice| slice.iter().sum::<f64>())
            })
        };
        assert_eq!(sums(1), sums(2));
        assert_eq!(sums(1), sums(5));
    }
}
