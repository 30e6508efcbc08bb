//! How many linear extensions a DAG has, out of those that count as canonical.

use rustc_hash::FxHashMap;

/// The most pairs of an ancestral set and its last variable by which linear extensions are counted; DAGs with more are neither proposed nor
/// left.
const MOST_STEPS: usize = 1 << 11;

/// The logarithm of the number of canonical linear extensions of a DAG, given the parents of each variable as bits; none if there are too
/// many steps to go through.
///
/// A linear extension is an order with every parent before its children. It is canonical if each variable that is followed by a smaller one
/// is a parent of that one: every descent asks for an edge, so that many DAGs have a single one.
///
/// Counted upwards: those of an ancestral set by its last variable, all sets of a size after those one smaller.
pub(super) fn log_canonical_extensions(parents: &[usize]) -> Option<f64> {
    let nodes = parents.len();
    let all = (1_usize << nodes) - 1;
    let first = members(all).filter(|&node| parents[node] == 0);
    let mut ends: Vec<(usize, usize, f64)> = first.map(|node| (1 << node, node, 1.0)).collect();
    let mut seen = ends.len();
    let mut numbers: FxHashMap<(usize, usize), usize> = FxHashMap::default();
    for _ in 1..nodes {
        let mut next: Vec<(usize, usize, f64)> = Vec::new();
        numbers.clear();
        for &(set, last, count) in &ends {
            let may_follow =
                |&node: &usize| parents[node] & !set == 0 && (last < node || parents[node] >> last & 1 == 1);
            for node in members(all & !set).filter(may_follow) {
                let number = *numbers.entry((set | 1 << node, node)).or_insert_with_key(|&(set, last)| {
                    next.push((set, last, 0.0));
                    next.len() - 1
                });
                next[number].2 += count;
            }
        }
        seen += next.len();
        if seen > MOST_STEPS {
            return None;
        }
        ends = next;
    }
    Some(ends.iter().map(|(.., count)| count).sum::<f64>().ln())
}

/// The positions of the bits of a set, from the lowest.
pub(super) fn members(mut set: usize) -> impl Iterator<Item = usize> + Clone {
    std::iter::from_fn(move || {
        let lowest = (set != 0).then(|| set.trailing_zeros() as usize)?;
        set &= set - 1;
        Some(lowest)
    })
}

#[cfg(test)]
mod tests {
    use super::log_canonical_extensions;

    #[test]
    fn a_descent_counts_only_along_an_edge() {
        // 0 → 2 ← 1: of the linear extensions 0 1 2 and 1 0 2 the second descends from 1 to 0 without an edge.
        assert_eq!(log_canonical_extensions(&[0, 0, 0b11]), Some(0.0));
        // 2 → 0, and 1 apart: 2 0 1 and 1 2 0 descend along the edge alone, 2 1 0 does not.
        assert_eq!(log_canonical_extensions(&[0b100, 0, 0]), Some(2_f64.ln()));
    }
}
