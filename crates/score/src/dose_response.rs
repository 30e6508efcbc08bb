//! Dose–response curves by adjustment: the effect as a sum of smooth functions of the cause and of what it is adjusted for.

use gflowcausal_data::Table;
use gflowcausal_graph::NodeSet;

use crate::spline::MAX_ROWS;
use crate::standard_columns::StandardColumns;
use crate::{Penalty, ScoreError, Spline};

/// How many doses a curve has: every twentieth of the cause's distribution.
const DOSES: usize = 19;

/// Additive regressions of any variable on any others, and the doses at which their curves are evaluated.
///
/// In `Y = f(X) + Σ g_p(P_p) + noise` the parents P of X average out: `E[Y | do(X = x)] = E[Y] + f(x) − E[f(X)]`, whatever their distribution.
#[derive(Debug)]
pub struct DoseResponses {
    spline: Spline,
    means: Vec<f64>,
    scales: Vec<f64>,
    /// For each variable the rows whose values are its doses.
    doses: Vec<Vec<usize>>,
}

/// A curve and what is not known of it: `mean + factor · z` with standard normal `z`.
#[derive(Debug, Clone, PartialEq)]
pub struct DoseResponse {
    /// The change of the effect's mean at each dose, in units of the effect.
    pub mean: Vec<f64>,
    /// For each dose one number for each `z`.
    pub factor: Vec<Vec<f64>>,
}

impl DoseResponses {
    /// Curves of the variables of a table of complete real columns; more than ten thousand rows are thinned.
    ///
    /// # Errors
    /// No rows, or a column that is not real or misses a cell.
    pub fn new(table: &Table) -> Result<Self, ScoreError> {
        let columns = StandardColumns::thinned(table, MAX_ROWS)?;
        let scales: Vec<f64> = columns.log_scale.iter().map(|log| log.exp()).collect();
        let mean = |column: &gflowcausal_data::Column| {
            let values = column.as_continuous().unwrap_or_default();
            values.iter().sum::<f64>() / values.len().max(1) as f64
        };
        let means = table.columns().iter().map(mean).collect();
        let doses = columns.columns.iter().map(|values| dose_rows(values)).collect();
        Ok(Self { spline: Spline::of_columns(columns, Penalty::Auto)?, means, scales, doses })
    }

    /// How many variables there are.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.means.len()
    }

    /// The doses of `cause`, ascending, in its units: quantiles from 5 % to 95 %.
    #[must_use]
    pub fn doses(&self, cause: usize) -> Vec<f64> {
        let values = &self.spline.data().columns[cause];
        self.doses[cause].iter().map(|&row| self.means[cause] + self.scales[cause] * values[row]).collect()
    }

    /// The mean of `node`.
    #[must_use]
    pub fn mean(&self, node: usize) -> f64 {
        self.means[node]
    }

    /// The standard deviation of `node`.
    #[must_use]
    pub fn scale(&self, node: usize) -> f64 {
        self.scales[node]
    }

    /// The curve of `effect` over the doses of `cause`, adjusted for `given`; flat where the cause is constant or rows are too few.
    #[must_use]
    pub fn curve(&self, cause: usize, effect: usize, given: &NodeSet) -> DoseResponse {
        let fit = self.spline.fit_block(effect, cause, given);
        let Some((coefficients, factor)) = fit else {
            return DoseResponse { mean: vec![0.0; DOSES], factor: vec![Vec::new(); DOSES] };
        };
        let scale = self.scales[effect];
        let size = coefficients.len();
        let at = |row: usize| self.spline.functions(cause, row);
        let mean = |row: &usize| scale * at(*row).zip(&coefficients).map(|(f, b)| f * b).sum::<f64>();
        let spread = |row: &usize| -> Vec<f64> {
            let functions: Vec<f64> = at(*row).collect();
            let each = |z: usize| scale * (0..size).map(|a| functions[a] * factor[a * size + z]).sum::<f64>();
            (0..size).map(each).collect()
        };
        let rows = &self.doses[cause];
        DoseResponse { mean: rows.iter().map(mean).collect(), factor: rows.iter().map(spread).collect() }
    }
}

/// The rows at the quantiles 5 %, 10 %, …, 95 % of `values`.
fn dose_rows(values: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]).then(a.cmp(&b)));
    (1..=DOSES).map(|dose| order[(dose * (order.len() - 1)) / (DOSES + 1)]).collect()
}

#[cfg(test)]
mod tests {
    use gflowcausal_data::Column;
    use gflowcausal_determinism::rand::RngExt;
    use gflowcausal_determinism::{Stream, stream};

    use super::*;

    #[test]
    fn a_confounded_wave_is_found_after_adjustment() {
        let mut rng = stream(4, Stream::Test { k: 3 });
        let rows: Vec<[f64; 3]> = (0..1500)
            .map(|_| {
                let mut noise = || rng.random::<f64>() + rng.random::<f64>() - 1.0;
                let z = 2.0 * noise();
                let x = z + noise();
                [z, x, 10.0 + (2.0 * x).sin() + 2.0 * z + 0.5 * noise()]
            })
            .collect();
        let column = |k: usize, name: &str| Column::continuous(name, rows.iter().map(|row| row[k]).collect());
        let table = Table::new(vec![column(0, "z"), column(1, "x"), column(2, "y")]).unwrap();
        let responses = DoseResponses::new(&table).unwrap();
        let wave = |x: f64| (2.0 * x).sin();
        let average = rows.iter().map(|row| wave(row[1])).sum::<f64>() / 1500.0;
        let error = |given: &[usize]| {
            let curve = responses.curve(1, 2, &NodeSet::of(3, given.iter().copied()));
            let doses = responses.doses(1);
            let gaps = doses.iter().zip(&curve.mean).map(|(&x, mean)| (mean - (wave(x) - average)).abs());
            gaps.fold(0.0, f64::max)
        };
        assert!(error(&[0]) < 0.12, "{}", error(&[0]));
        assert!(error(&[]) > 0.5, "without adjustment the curve is that of the confounder");
        let curve = responses.curve(1, 2, &NodeSet::of(3, [0]));
        let band = curve.factor[9].iter().map(|z| z * z).sum::<f64>().sqrt();
        assert!((0.002..0.1).contains(&band), "{band}");
    }
}
