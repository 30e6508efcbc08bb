//! Rows split into neighbourhoods: the cells of a k-d tree over some columns.

/// Of columns that vary equally but for rounding, the first is cut: standardised ones all do.
const TIE: f64 = 1.0 + 1e-9;

/// The rows in cells of at most `largest`, each row in one cell, near rows in the same.
///
/// A cell that is too large is cut in halves at the median of the column that varies most in it. `O(n p log n)`.
pub(super) fn cells(columns: &[&[f64]], rows: usize, largest: usize) -> Vec<Vec<usize>> {
    let mut done = Vec::new();
    let mut open = vec![(0..rows).collect::<Vec<usize>>()];
    while let Some(cell) = open.pop() {
        if cell.len() <= largest {
            done.push(cell);
        } else {
            open.extend(halves(columns, cell));
        }
    }
    done
}

/// Ties go by row, so that equal rows are cut in halves too. The order of rows within a half is left to the selection,
/// which is the same for the same rows.
fn halves(columns: &[&[f64]], mut cell: Vec<usize>) -> [Vec<usize>; 2] {
    let spreads = columns.iter().map(|&column| (spread(column, &cell), column));
    let widest = spreads.reduce(|best, other| if other.0 > TIE * best.0 { other } else { best });
    let middle = cell.len() / 2;
    if let Some((_, column)) = widest {
        cell.select_nth_unstable_by(middle, |&a, &b| column[a].total_cmp(&column[b]).then(a.cmp(&b)));
    }
    let upper = cell.split_off(middle);
    [upper, cell]
}

/// The variance of a column over some rows.
fn spread(column: &[f64], rows: &[usize]) -> f64 {
    let mean = rows.iter().map(|&row| column[row]).sum::<f64>() / rows.len() as f64;
    rows.iter().map(|&row| (column[row] - mean).powi(2)).sum::<f64>() / rows.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_in_one_cell_and_cells_are_balanced() {
        let column: Vec<f64> = (0..1001).map(|row| f64::from(row * 7919 % 1001)).collect();
        let flat = vec![1.0; 1001];
        for columns in [vec![column.as_slice(), &flat], vec![&flat], vec![]] {
            let cells = cells(&columns, 1001, 256);
            let mut all: Vec<usize> = cells.iter().flatten().copied().collect();
            all.sort_unstable();
            assert_eq!(all, (0..1001).collect::<Vec<_>>());
            assert!(cells.iter().all(|cell| (250..=251).contains(&cell.len())));
        }
    }

    #[test]
    fn cells_are_intervals_of_a_single_column() {
        let column: Vec<f64> = (0..64).map(|row| f64::from(row * 37 % 64)).collect();
        for cell in cells(&[&column], 64, 16) {
            let values = cell.iter().map(|&row| column[row]);
            let (low, high) =
                values.fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(value), high.max(value)));
            assert_eq!((cell.len(), high - low), (16, 15.0));
        }
    }
}
