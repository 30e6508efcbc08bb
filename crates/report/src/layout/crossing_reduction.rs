//! Fewer crossings: rows sorted by barycentres, then neighbours exchanged.

use super::crossing_count::crossings_of_pair;
use super::layered::Layered;

/// How many times rows are sorted, at most.
const SWEEPS: usize = 40;

/// After how many sweeps without a better order there is no hope.
const PATIENCE: usize = 8;

/// How many times neighbours are exchanged, at most.
const EXCHANGES: usize = 12;

impl Layered {
    /// Sorts rows by the mean place of what they are joined to, down and up in turn, and keeps the best; then exchanges
    /// neighbours where that helps.
    pub(super) fn reduce_crossings(&mut self) {
        let (mut best, mut fewest, mut waited) = (self.rows.clone(), self.crossings(), 0);
        for sweep in 0..SWEEPS {
            if fewest == 0 || waited == PATIENCE {
                break;
            }
            self.sweep(sweep % 2 == 0);
            let crossings = self.crossings();
            waited = if crossings < fewest { 0 } else { waited + 1 };
            if crossings < fewest {
                (best, fewest) = (self.rows.clone(), crossings);
            }
        }
        self.rows = best;
        for _ in 0..EXCHANGES {
            if !self.exchange() {
                break;
            }
        }
    }

    fn sweep(&mut self, is_down: bool) {
        let mut places = self.places();
        let count = self.rows.len();
        for step in 1..count {
            let (row, joined) = if is_down { (step, &self.above) } else { (count - 1 - step, &self.below) };
            let mean = |vertex: usize| match &joined[vertex][..] {
                [] => places[vertex] as f64,
                others => {
                    others.iter().map(|&other| places[other]).sum::<usize>() as f64 / others.len() as f64
                }
            };
            let mut keyed: Vec<(f64, usize)> = self.rows[row].iter().map(|&v| (mean(v), v)).collect();
            // Stable: equal means stay as they were.
            keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
            for (place, &(_, vertex)) in keyed.iter().enumerate() {
                self.rows[row][place] = vertex;
                places[vertex] = place;
            }
        }
    }

    /// Exchanges neighbours of a row where that leaves fewer crossings; whether any were.
    fn exchange(&mut self) -> bool {
        let mut places = self.places();
        let mut is_better = false;
        for row in &mut self.rows {
            for place in 1..row.len() {
                let (left, right) = (row[place - 1], row[place]);
                let count = |a: usize, b: usize| {
                    crossings_of_pair(&self.above[a], &self.above[b], &places)
                        + crossings_of_pair(&self.below[a], &self.below[b], &places)
                };
                if count(right, left) < count(left, right) {
                    row.swap(place - 1, place);
                    (places[left], places[right]) = (place, place - 1);
                    is_better = true;
                }
            }
        }
        is_better
    }
}
