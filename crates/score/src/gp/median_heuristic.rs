//! The median heuristic: how far apart rows typically are, by the median of squared distances.

/// About how many pairs of rows the typical distance is taken from.
const PAIRS: usize = 1 << 16;

/// The median squared distance between rows, from all pairs up to 256 rows and from pairs at evenly spaced strides
/// beyond. `None` when no two of those rows differ.
pub(super) fn typical(columns: &[&[f64]], rows: usize) -> Option<f64> {
    let furthest = rows.saturating_sub(1);
    let count = furthest.min(PAIRS / rows.max(1)).max(1);
    let strides = (1..=count).map(|k| k * furthest / count).filter(|&stride| stride > 0);
    let pairs = strides.flat_map(|stride| (stride..rows).map(move |later| (later - stride, later)));
    median(&mut pairs.map(|(i, j)| squared(columns, i, j)).collect::<Vec<f64>>())
}

fn squared(columns: &[&[f64]], i: usize, j: usize) -> f64 {
    columns.iter().map(|column| (column[i] - column[j]).powi(2)).sum()
}

/// The median, the mean of the two middle ones when their number is even. When more than half are zero, the smallest
/// of the others: some bandwidth above zero is needed.
fn median(values: &mut [f64]) -> Option<f64> {
    let middle = values.len() / 2;
    if values.is_empty() {
        return None;
    }
    let (below, &mut upper, _) = values.select_nth_unstable_by(middle, f64::total_cmp);
    let lower = below.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let median = if values.len().is_multiple_of(2) { 0.5 * (lower + upper) } else { upper };
    if median > 0.0 {
        return Some(median);
    }
    values.iter().copied().filter(|&value| value > 0.0).min_by(f64::total_cmp)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all_pairs(column: &[f64]) -> Option<f64> {
        let pairs = (0..column.len()).flat_map(|j| (0..j).map(move |i| (i, j)));
        median(&mut pairs.map(|(i, j)| squared(&[column], i, j)).collect::<Vec<f64>>())
    }

    #[test]
    fn few_rows_are_all_compared_and_many_nearly_tell_the_same() {
        let scattered = |rows: u32| (0..rows).map(|i| f64::from(i * i * 7919 % 10007)).collect::<Vec<f64>>();
        let few = scattered(256);
        assert_eq!(typical(&[&few], 256), all_pairs(&few));
        let many = scattered(700);
        let [ours, exact] = [typical(&[&many], 700), all_pairs(&many)].map(|one| one.expect("rows differ"));
        assert!((ours / exact - 1.0).abs() < 0.05, "{ours} is not {exact}");
    }

    #[test]
    fn a_median_of_zero_gives_way_to_the_smallest_other() {
        assert_eq!(median(&mut [0.0, 0.0, 0.0, 2.0, 1.0]), Some(1.0));
        assert_eq!(median(&mut [3.0, 1.0]), Some(2.0));
        assert_eq!((median(&mut [0.0]), median(&mut [])), (None, None));
        assert_eq!((typical(&[&[1.0]], 1), typical(&[&[1.0, 1.0]], 2), typical(&[], 3)), (None, None, None));
    }
}
