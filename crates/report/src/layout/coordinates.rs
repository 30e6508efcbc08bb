//! Coordinates within a layer: each vertex as near to its neighbours as the spacing allows.

use super::GAP;
use super::layered::Layered;

/// How many times rows are moved.
const SWEEPS: usize = 16;

/// The least distance between an edge that passes a row and what stands beside it.
const BEND_GAP: f64 = 12.0;

/// How strongly an edge pulls between two nodes, a node and a bend, two bends: long edges are to be straight.
const PULL: [f64; 3] = [1.0, 2.0, 8.0];

/// The horizontal position of each vertex.
pub(super) fn coordinates(layered: &Layered) -> Vec<f64> {
    let mut xs = vec![0.0; layered.row_of.len()];
    for row in &layered.rows {
        let offsets = offsets(layered, row);
        let middle = offsets.last().copied().unwrap_or(0.0) / 2.0;
        row.iter().zip(offsets).for_each(|(&vertex, offset)| xs[vertex] = offset - middle);
    }
    for sweep in 0..SWEEPS {
        // The last sweeps take both neighbours.
        let (up, down) = (sweep % 2 == 0, sweep % 2 == 1);
        let is_last = sweep + 4 >= SWEEPS;
        let count = layered.rows.len();
        for step in 0..count {
            let row = if up { step } else { count - 1 - step };
            place_row(layered, &layered.rows[row], &mut xs, (up || is_last, down || is_last));
        }
    }
    xs
}

/// The least distances from the first vertex of `row`.
fn offsets(layered: &Layered, row: &[usize]) -> Vec<f64> {
    let mut at = 0.0;
    let mut offsets = vec![0.0];
    for pair in row.windows(2) {
        let gap = if pair.iter().any(|&vertex| layered.is_bend(vertex)) { BEND_GAP } else { GAP };
        at += (layered.widths[pair[0]] + layered.widths[pair[1]]) / 2.0 + gap;
        offsets.push(at);
    }
    offsets.truncate(row.len());
    offsets
}

/// Moves a row to where the rows above, below or both pull it.
fn place_row(layered: &Layered, row: &[usize], xs: &mut [f64], (above, below): (bool, bool)) {
    let offsets = offsets(layered, row);
    let desired: Vec<(f64, f64)> = row
        .iter()
        .zip(&offsets)
        .map(|(&vertex, offset)| {
            let joined = |wanted: bool, others: &[usize]| if wanted { others.to_vec() } else { vec![] };
            let others =
                [joined(above, &layered.above[vertex]), joined(below, &layered.below[vertex])].concat();
            let (x, pull) = desired_place(layered, vertex, &others, xs);
            (x - offset, pull)
        })
        .collect();
    for ((&vertex, offset), value) in row.iter().zip(offsets).zip(isotonic(&desired)) {
        xs[vertex] = value + offset;
    }
}

/// Where the `others` pull `vertex`, and how strongly.
fn desired_place(layered: &Layered, vertex: usize, others: &[usize], xs: &[f64]) -> (f64, f64) {
    // What nothing pulls stays, with little weight.
    let (mut sum, mut total) = (0.01 * xs[vertex], 0.01);
    for &other in others {
        let bends = usize::from(layered.is_bend(vertex)) + usize::from(layered.is_bend(other));
        sum += PULL[bends] * xs[other];
        total += PULL[bends];
    }
    (sum / total, total)
}

/// The non-decreasing values nearest to the desired ones by weighted least squares: pool adjacent violators.
fn isotonic(desired: &[(f64, f64)]) -> Vec<f64> {
    let mut blocks: Vec<(f64, f64, usize)> = Vec::new();
    for &(value, weight) in desired {
        blocks.push((value, weight, 1));
        while let [.., before, last] = &blocks[..]
            && before.0 > last.0
        {
            let weight = before.1 + last.1;
            let value = (before.0 * before.1 + last.0 * last.1) / weight;
            let joined = (value, weight, before.2 + last.2);
            blocks.truncate(blocks.len() - 2);
            blocks.push(joined);
        }
    }
    blocks.iter().flat_map(|&(value, _, count)| std::iter::repeat_n(value, count)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_out_of_order_meet_at_their_weighted_mean() {
        assert_eq!(isotonic(&[(1.0, 1.0), (4.0, 1.0), (2.0, 3.0), (9.0, 1.0)]), [1.0, 2.5, 2.5, 9.0]);
        assert_eq!(isotonic(&[(3.0, 1.0), (2.0, 1.0), (1.0, 1.0)]), [2.0; 3]);
        assert_eq!(isotonic(&[]), Vec::<f64>::new());
    }
}
