//! The observation of simulated values: standardisation and missing cells.

use gflowcausal_determinism::rand::RngExt;
use gflowcausal_determinism::{Stream, map, stream};

use super::Simulated;
use crate::{MISSING_CODE, Table, Values};

/// The data as they are seen: standardised if wanted, then with each cell missing at `missing_rate`.
pub(super) fn observed(mut data: Simulated, standardize: bool, missing_rate: f64, seed: u64) -> Simulated {
    if standardize {
        let divisors = divisors(&data.table);
        data.weights = data.weights.map(|weights| weights.rescaled(&divisors));
        data.table = data.table.standardized();
    }
    if missing_rate > 0.0 {
        data.table = with_missing(&data.table, missing_rate, seed);
    }
    data
}

/// Standard deviation with divisor `n`.
pub(super) fn deviation(values: &[f64]) -> f64 {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count).sqrt()
}

/// What each column of numbers is divided by when the table is standardised (a constant one by 1).
fn divisors(table: &Table) -> Vec<f64> {
    map(table.columns().len(), |index| {
        let spread = table.columns()[index].as_continuous().map_or(0.0, deviation);
        if spread > 0.0 { spread } else { 1.0 }
    })
}

/// The table with each cell missing with probability `rate`, whatever it holds.
fn with_missing(table: &Table, rate: f64, seed: u64) -> Table {
    let columns = map(table.columns().len(), |index| {
        let mut rng = stream(seed, Stream::Missing { node: index as u64 });
        let mut column = table.columns()[index].clone();
        match &mut column.values {
            Values::Continuous(values) => blank(values, f64::NAN, || rng.random_bool(rate)),
            Values::Categorical { codes, .. } => blank(codes, MISSING_CODE, || rng.random_bool(rate)),
        }
        column
    });
    Table::new(columns).expect("the columns of a table, some cells blank")
}

fn blank<T: Copy>(cells: &mut [T], missing: T, mut goes: impl FnMut() -> bool) {
    cells.iter_mut().filter(|_| goes()).for_each(|cell| *cell = missing);
}
