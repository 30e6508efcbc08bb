//! The zeta transform: sums over subsets, in log space.

use gflowcausal_determinism::log_add;

/// Replaces each entry by the logarithm of the sum over all subsets of its index: the zeta transform, one bit after
/// the other. `k·2^(k−1)` additions for `k` bits.
pub(super) fn sum_subsets(values: &mut [f64]) {
    join_subsets(values, log_add);
}

/// Replaces each entry by the largest over all subsets of its index.
pub(super) fn max_subsets(values: &mut [f64]) {
    join_subsets(values, f64::max);
}

fn join_subsets(values: &mut [f64], join: impl Fn(f64, f64) -> f64) {
    let mut half = 1;
    while half < values.len() {
        for pair in values.chunks_exact_mut(2 * half) {
            let (without, with) = pair.split_at_mut(half);
            with.iter_mut().zip(without).for_each(|(with, without)| *with = join(*with, *without));
        }
        half *= 2;
    }
}

/// All subsets of `set`, the empty one last.
pub(super) fn subsets(set: usize) -> impl Iterator<Item = usize> + Clone {
    std::iter::successors(Some(set), move |&subset| (subset > 0).then(|| (subset - 1) & set))
}

/// Takes bit `bit` out of `set`; the higher bits move down.
#[inline]
pub(super) fn squeeze(set: usize, bit: usize) -> usize {
    let low = (1 << bit) - 1;
    set & low | (set >> 1) & !low
}

/// Makes room for a zero at `bit`; the higher bits move up.
#[inline]
pub(super) fn spread(squeezed: usize, bit: usize) -> usize {
    let low = (1 << bit) - 1;
    squeezed & low | (squeezed & !low) << 1
}
