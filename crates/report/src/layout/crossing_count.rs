//! The number of edge crossings between two layers.

/// The crossings of the edges from the vertices of `row` to those `below` them, whose `places` are known.
///
/// Barth, Jünger and Mutzel 2002: inversions of the lower ends, counted with sums over prefixes. `O(E log V)`.
pub(super) fn crossings(row: &[usize], below: &[Vec<usize>], places: &[usize]) -> usize {
    let mut ends: Vec<usize> = Vec::new();
    for &vertex in row {
        let start = ends.len();
        ends.extend(below[vertex].iter().map(|&other| places[other]));
        ends[start..].sort_unstable();
    }
    inversions(&ends)
}

/// The pairs of `values` of which the earlier is larger.
fn inversions(values: &[usize]) -> usize {
    let Some(&largest) = values.iter().max() else { return 0 };
    let mut sums = vec![0; largest + 2];
    let mut count = 0;
    for (seen, &value) in values.iter().enumerate() {
        count += seen - prefix_sum(&sums, value + 1);
        add_one(&mut sums, value + 1);
    }
    count
}

/// How many of the values counted so far are at most `index - 1`.
fn prefix_sum(sums: &[usize], mut index: usize) -> usize {
    let mut sum = 0;
    while index > 0 {
        sum += sums[index];
        index &= index - 1;
    }
    sum
}

fn add_one(sums: &mut [usize], mut index: usize) {
    while index < sums.len() {
        sums[index] += 1;
        index += index & index.wrapping_neg();
    }
}

/// The crossings of the edges of two neighbours, the left one joined to `left`, the right one to `right`.
pub(super) fn crossings_of_pair(left: &[usize], right: &[usize], places: &[usize]) -> usize {
    left.iter().map(|&a| right.iter().filter(|&&b| places[b] < places[a]).count()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Slow and obvious: every pair of edges.
    fn by_pairs(row: &[usize], below: &[Vec<usize>], places: &[usize]) -> usize {
        let edges: Vec<(usize, usize)> = row
            .iter()
            .enumerate()
            .flat_map(|(place, &vertex)| below[vertex].iter().map(move |&other| (place, places[other])))
            .collect();
        let cross = |a: &(usize, usize), b: &(usize, usize)| a.0 < b.0 && a.1 > b.1;
        edges.iter().map(|a| edges.iter().filter(|b| cross(a, b)).count()).sum()
    }

    proptest! {
        #[test]
        fn crossings_are_those_of_all_pairs(joined in proptest::collection::vec(
            proptest::collection::btree_set(0usize..12, 0..8), 1..12)) {
            let row: Vec<usize> = (0..joined.len()).collect();
            let below: Vec<Vec<usize>> = joined.iter().map(|set| set.iter().copied().collect()).collect();
            // The lower row stands in an order of its own.
            let places: Vec<usize> = (0..12).map(|place| place * 5 % 12).collect();
            prop_assert_eq!(crossings(&row, &below, &places), by_pairs(&row, &below, &places));
            if let [left, right, ..] = &below[..] {
                let two = by_pairs(&row[..2], &below, &places);
                prop_assert_eq!(crossings_of_pair(left, right, &places), two);
            }
        }
    }
}
