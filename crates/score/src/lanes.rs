//! Values in chunks of eight, for sums that do not depend on the width of the machine's vectors.

/// How many accumulators a sum has: rounding does not depend on the width of the machine's vectors.
pub(crate) const LANES: usize = 8;

/// The values eight at a time, the last chunk filled up.
#[inline(always)]
pub(crate) fn each_chunk(values: &[f64], filling: f64, mut visit: impl FnMut(&[f64; LANES])) {
    let (chunks, rest) = values.as_chunks::<LANES>();
    chunks.iter().for_each(&mut visit);
    if !rest.is_empty() {
        let mut last = [filling; LANES];
        last[..rest.len()].copy_from_slice(rest);
        visit(&last);
    }
}
