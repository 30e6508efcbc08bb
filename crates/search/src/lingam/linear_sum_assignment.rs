//! The linear sum assignment problem: a different column for each row at the least total cost (the Hungarian method).

/// For each row of the square matrix of `costs`, the column that is assigned to it, so that the sum is least.
///
/// Shortest augmenting paths with potentials (Kuhn 1955; Jonker and Volgenant 1987). `O(d³)`.
pub(super) fn linear_sum_assignment(size: usize, costs: &[f64]) -> Vec<usize> {
    let mut search = Search::new(size, costs);
    for row in 0..size {
        search.add(row);
    }
    let mut columns = vec![0; size];
    for (column, row) in search.row_of.iter().enumerate().take(size) {
        columns[row.expect("every column is assigned at the end")] = column;
    }
    columns
}

struct Search<'a> {
    size: usize,
    costs: &'a [f64],
    row_potential: Vec<f64>,
    /// The last one is that of no column, from which every new row starts.
    column_potential: Vec<f64>,
    row_of: Vec<Option<usize>>,
}

impl<'a> Search<'a> {
    fn new(size: usize, costs: &'a [f64]) -> Self {
        let (row_potential, column_potential) = (vec![0.0; size], vec![0.0; size + 1]);
        Self { size, costs, row_potential, column_potential, row_of: vec![None; size + 1] }
    }

    /// Assigns `row` too, moving others where that is cheaper.
    fn add(&mut self, row: usize) {
        let none = self.size;
        self.row_of[none] = Some(row);
        let mut distance = vec![f64::INFINITY; self.size];
        let mut before = vec![none; self.size];
        let mut is_done = vec![false; self.size + 1];
        let mut column = none;
        while let Some(at) = self.row_of[column] {
            is_done[column] = true;
            for next in (0..self.size).filter(|&next| !is_done[next]) {
                let cost = self.costs[at * self.size + next];
                let reduced = cost - self.row_potential[at] - self.column_potential[next];
                if reduced < distance[next] {
                    (distance[next], before[next]) = (reduced, column);
                }
            }
            column = self.settle(&mut distance, &is_done);
        }
        while column != none {
            let previous = before[column];
            self.row_of[column] = self.row_of[previous];
            column = previous;
        }
    }

    /// Moves the potentials by the least distance; returns the column that is reached by it.
    fn settle(&mut self, distance: &mut [f64], is_done: &[bool]) -> usize {
        let open = (0..self.size).filter(|&column| !is_done[column]);
        let nearest = open.min_by(|&a, &b| distance[a].total_cmp(&distance[b])).expect("a column is open");
        let delta = distance[nearest];
        for column in 0..=self.size {
            if is_done[column] {
                let row = self.row_of[column].expect("a column that is done has a row");
                self.row_potential[row] += delta;
                self.column_potential[column] -= delta;
            } else {
                distance[column] -= delta;
            }
        }
        nearest
    }
}

#[cfg(test)]
mod tests {
    use gflowcausal_determinism::rand::RngExt;
    use gflowcausal_determinism::{Stream, stream};
    use gflowcausal_graph::all_orders;

    use super::*;

    #[test]
    fn no_permutation_is_cheaper() {
        for size in 1..=6 {
            for seed in 0..20 {
                let mut rng = stream(seed, Stream::Test { k: size as u64 });
                let costs: Vec<f64> = (0..size * size).map(|_| 10.0 * rng.random::<f64>()).collect();
                let total = |columns: &[usize]| -> f64 {
                    columns.iter().enumerate().map(|(row, &column)| costs[row * size + column]).sum()
                };
                let least = all_orders(size).map(|order| total(order.as_slice())).fold(f64::MAX, f64::min);
                let ours = total(&linear_sum_assignment(size, &costs));
                assert!((ours - least).abs() < 1e-12, "{ours} is not {least}");
            }
        }
    }
}
