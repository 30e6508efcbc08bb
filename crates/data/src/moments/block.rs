//! The moments of one block of rows, centred on its own mean before it is squared.

use super::Moments;
use crate::scatter::{Centred, Layout, add_products, mirror};

/// How many rows are centred and multiplied at a time: they stay in cache.
const STRIP: usize = 256;

impl Moments {
    pub(super) fn of_column_block(columns: &[&[f64]]) -> Self {
        let rows = columns.first().map_or(0, |column| column.len());
        let mean: Vec<f64> = columns.iter().map(|column| column.iter().sum::<f64>() / rows as f64).collect();
        let mut block = CentredBlock::new(mean);
        let mut strip = Vec::with_capacity(STRIP.min(rows) * columns.len());
        for start in (0..rows).step_by(STRIP) {
            let end = (start + STRIP).min(rows);
            strip.clear();
            for (column, mean) in columns.iter().zip(&block.mean) {
                strip.extend(column[start..end].iter().map(|value| value - mean));
            }
            block.add(&strip, Layout::Columns);
        }
        block.finish()
    }

    pub(super) fn of_row_block(values: &[f64], d: usize) -> Self {
        let rows = values.len() / d;
        let mut mean = vec![0.0; d];
        for row in values.chunks_exact(d) {
            mean.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
        }
        mean.iter_mut().for_each(|sum| *sum /= rows as f64);
        let mut block = CentredBlock::new(mean);
        let mut strip = Vec::with_capacity(STRIP.min(rows) * d);
        for part in values.chunks(STRIP * d) {
            strip.clear();
            for row in part.chunks_exact(d) {
                strip.extend(row.iter().zip(&block.mean).map(|(value, mean)| value - mean));
            }
            block.add(&strip, Layout::Rows);
        }
        block.finish()
    }
}

/// The sums of a block that is centred on a mean known up to rounding.
struct CentredBlock {
    rows: usize,
    mean: Vec<f64>,
    /// Sums of the centred values: zero but for the rounding of `mean`.
    sums: Vec<f64>,
    scatter: Vec<f64>,
}

impl CentredBlock {
    fn new(mean: Vec<f64>) -> Self {
        Self { rows: 0, sums: vec![0.0; mean.len()], scatter: vec![0.0; mean.len() * mean.len()], mean }
    }

    fn add(&mut self, values: &[f64], layout: Layout) {
        let columns = self.mean.len();
        let strip = Centred { values, rows: values.len() / columns, columns, layout };
        strip.add_sums(&mut self.sums);
        add_products(&mut self.scatter, strip);
        self.rows += strip.rows;
    }

    /// Corrects for what the mean was off (the corrected two-pass algorithm).
    fn finish(mut self) -> Moments {
        let (rows, d) = (self.rows as f64, self.mean.len());
        for i in 0..d {
            for j in 0..=i {
                self.scatter[i * d + j] -= self.sums[i] * self.sums[j] / rows;
            }
        }
        mirror(&mut self.scatter, d);
        let parts = self.mean.iter().zip(&self.sums).map(|(&mean, sum)| exact_sum(mean, sum / rows));
        let (mean, mean_rest) = parts.unzip();
        Moments { rows: self.rows as u64, mean, mean_rest, scatter: self.scatter }
    }
}

/// `a + b` as the rounded sum and what rounding took from it (Knuth's two-sum).
pub(super) fn exact_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let from_b = sum - a;
    (sum, (a - (sum - from_b)) + (b - from_b))
}
