//! The only module that knows about threads: maps that return results in index order, whatever the pool's size.

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
    let scope = current();
    let each = |index: usize| {
        within(&scope, || {
            cancellation_point();
            f(index)
        })
    };
    (0..count).into_par_iter().map(each).collect()
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
    let scope = current();
    let each = |(index, slice): (usize, &mut [T])| {
        within(&scope, || {
            cancellation_point();
            f(index, slice)
        })
    };
    values.par_chunks_mut(length).enumerate().map(each).collect()
}

/// Both results, computed side by side when a thread is free.
///
/// ```
/// assert_eq!(gflowcausal_determinism::both(|| 1 + 1, || "two"), (2, "two"));
/// ```
pub fn both<A: Send, B: Send>(a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B + Send) -> (A, B) {
    let scope = current();
    rayon::join(|| within(&scope, a), || within(&scope, b))
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
