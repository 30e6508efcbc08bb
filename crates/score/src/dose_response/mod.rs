//! Dose–response curves by adjustment, with the regressor of the score: additive splines, quadratic terms or a Gaussian process.

mod surface;

use gflowcausal_data::Table;
use gflowcausal_determinism::cancellation_point;
use gflowcausal_graph::NodeSet;

use self::surface::{Evaluated, Points, Surface};
use crate::regress::dot;
use crate::spline::MAX_ROWS;
use crate::standard_columns::StandardColumns;
use crate::{Penalty, ScoreError, Spline};

/// How many doses a curve has: every twentieth of the cause's distribution.
const DOSES: usize = 19;

/// The most rows of a Gaussian process, and of regressions one after the other.
const FEW_ROWS: usize = 300;

/// How a variable is regressed on others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Regressor {
    /// A sum of smooth functions of one variable each.
    Additive,
    /// Variables, their squares and their products.
    Quadratic,
    /// A smooth function of all together, or the sum if that is likelier.
    Joint,
}

/// Regressions of any variable on any others, and the doses at which their curves are evaluated.
///
/// With `P` what the cause X is adjusted for, `E[Y | do(X = x)]` is the mean over the rows of `f(x, P)`, where `f` is the regression of `Y`
/// on both. In a sum `f(X) + Σ g_p(P_p)` the others average out.
#[derive(Debug)]
pub struct DoseResponses {
    regressor: Regressor,
    spline: Spline,
    /// The same of at most [`FEW_ROWS`] rows, and the mean of each column in them, at unit variance.
    few: (Spline, Vec<f64>),
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

/// One of the regressions by which several interventions are adjusted for.
#[derive(Debug, Clone, PartialEq)]
pub struct AdjustmentRegression {
    /// The variables that are set, in their own units.
    pub set: Vec<(usize, f64)>,
    /// What else the regression is on.
    pub given: NodeSet,
}

/// The effect of several interventions, as regressions one after the other: each is of what the one before says of every row.
#[derive(Debug)]
pub struct JointResponse {
    response: Vec<f64>,
    steps: Vec<Step>,
    scale: f64,
}

#[derive(Debug)]
struct Step {
    evaluated: Evaluated,
    /// The standard deviation of what is regressed.
    deviation: f64,
}

impl JointResponse {
    /// Draws the change of the effect's mean, with standard normal numbers from `normal`.
    pub fn draw(&self, mut normal: impl FnMut() -> f64) -> f64 {
        let mut response = self.response.clone();
        for Step { evaluated, deviation } in &self.steps {
            let z: Vec<f64> = (0..evaluated.factor.first().map_or(0, Vec::len)).map(|_| normal()).collect();
            let noise = evaluated.factor.iter().map(|factor| deviation * dot(factor, &z));
            response = predicted(&response, evaluated).into_iter().zip(noise).map(|(f, e)| f + e).collect();
        }
        self.scale * response.first().copied().unwrap_or(0.0)
    }
}

/// The regression of `response` at the points of `evaluated`; the mean is no part of a regression.
fn predicted(response: &[f64], evaluated: &Evaluated) -> Vec<f64> {
    let mean = response.iter().sum::<f64>() / response.len() as f64;
    let centred: Vec<f64> = response.iter().map(|value| value - mean).collect();
    evaluated.weights.iter().map(|weights| mean + dot(weights, &centred)).collect()
}

/// `values` with mean 0 and mean square 1, and their standard deviation; none where they are constant.
fn unit(values: &[f64]) -> Option<(Vec<f64>, f64)> {
    let rows = values.len() as f64;
    let mean = values.iter().sum::<f64>() / rows;
    let deviation = (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / rows).sqrt();
    (deviation > 1e-12).then(|| (values.iter().map(|value| (value - mean) / deviation).collect(), deviation))
}

impl DoseResponses {
    /// Curves of the variables of a table of complete real columns; more than ten thousand rows are thinned.
    ///
    /// # Errors
    /// No rows, or a column that is not real or misses a cell.
    pub fn new(table: &Table, regressor: Regressor) -> Result<Self, ScoreError> {
        let columns = StandardColumns::thinned(table, MAX_ROWS)?;
        let scales: Vec<f64> = columns.log_scale.iter().map(|log| log.exp()).collect();
        let mean = |column: &gflowcausal_data::Column| {
            let values = column.as_continuous().unwrap_or_default();
            values.iter().sum::<f64>() / values.len().max(1) as f64
        };
        let means = table.columns().iter().map(mean).collect();
        let doses = columns.columns.iter().map(|values| dose_rows(values)).collect();
        let (few, offsets) = columns.few(FEW_ROWS);
        let few = (Spline::of_columns(few, Penalty::Auto)?, offsets);
        Ok(Self { regressor, spline: Spline::of_columns(columns, Penalty::Auto)?, few, means, scales, doses })
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
        let curve = match self.regressor {
            Regressor::Additive => self.additive_curve(cause, effect, given),
            _ => self.surface_curve(cause, effect, given),
        };
        curve.unwrap_or_else(|| DoseResponse { mean: vec![0.0; DOSES], factor: vec![Vec::new(); DOSES] })
    }

    fn additive_curve(&self, cause: usize, effect: usize, given: &NodeSet) -> Option<DoseResponse> {
        let (coefficients, factor) = self.spline.fit_block(effect, cause, given)?;
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
        Some(DoseResponse {
            mean: rows.iter().map(mean).collect(),
            factor: rows.iter().map(spread).collect(),
        })
    }

    fn surface_curve(&self, cause: usize, effect: usize, given: &NodeSet) -> Option<DoseResponse> {
        let settings: Vec<Vec<(usize, f64)>> =
            self.doses(cause).into_iter().map(|dose| vec![(cause, dose)]).collect();
        let rows = self.rows_for(1);
        let (response, deviation) = unit(&rows.0.data().columns[effect])?;
        let evaluated = self.evaluated(rows, &response, (&settings, given), true)?;
        let scale = deviation * self.scales[effect];
        Some(DoseResponse {
            mean: evaluated.weights.iter().map(|weights| scale * dot(weights, &response)).collect(),
            factor: evaluated.factor.iter().map(|row| row.iter().map(|f| scale * f).collect()).collect(),
        })
    }

    /// The regression of `response` on what is set and on `given`: for each of the settings its average over the rows, or its value in
    /// every row under the first of them.
    fn evaluated(
        &self,
        (data, offsets): (&Spline, &[f64]),
        response: &[f64],
        (settings, given): (&[Vec<(usize, f64)>], &NodeSet),
        is_average: bool,
    ) -> Option<Evaluated> {
        let varies = |node: &usize| data.bases()[*node].len() > 0;
        let set: Vec<usize> = settings.first()?.iter().map(|(node, _)| *node).filter(varies).collect();
        let others = given.iter().filter(varies).filter(|node| !set.contains(node));
        let on: Vec<usize> = set.iter().copied().chain(others).collect();
        if on.is_empty() {
            return None;
        }
        let standard = |node: usize, value: f64| {
            (value - self.means[node]) / self.scales[node] - offsets.get(node).copied().unwrap_or(0.0)
        };
        let place = |setting: &Vec<(usize, f64)>| -> Vec<(usize, f64)> {
            let places = setting.iter().filter_map(|&(node, value)| {
                let at = set.iter().position(|&known| known == node)?;
                Some((at, standard(node, value)))
            });
            places.collect()
        };
        let settings: Vec<Vec<(usize, f64)>> = settings.iter().map(place).collect();
        let surface = Surface::fit(self.regressor, data, response, &on)?;
        let points = if is_average { Points::Averages(&settings) } else { Points::Rows(&settings[0]) };
        Some(surface.at(&points))
    }

    /// The rows that so many regressions one after the other are made on, and the mean of each column there.
    fn rows_for(&self, stages: usize) -> (&Spline, &[f64]) {
        if stages > 1 || self.regressor == Regressor::Joint {
            (&self.few.0, &self.few.1)
        } else {
            (&self.spline, &[])
        }
    }

    /// The effect on `effect` of what `stages` set, the last variable that is set first. It draws zero where rows are too few.
    #[must_use]
    pub fn joint(&self, effect: usize, stages: &[AdjustmentRegression]) -> JointResponse {
        self.regressed(effect, stages).unwrap_or_else(|| JointResponse {
            response: vec![0.0],
            steps: Vec::new(),
            scale: self.scales[effect],
        })
    }

    fn regressed(&self, effect: usize, stages: &[AdjustmentRegression]) -> Option<JointResponse> {
        let rows = self.rows_for(stages.len());
        let (start, scale) = unit(&rows.0.data().columns[effect])?;
        let mut response = start.clone();
        let mut steps = Vec::new();
        for (k, AdjustmentRegression { set, given }) in stages.iter().enumerate() {
            cancellation_point();
            // What was said of every row may be the same everywhere: then nothing before matters.
            let Some((unit, deviation)) = unit(&response) else { break };
            let setting = [set.clone()];
            let is_last = k + 1 == stages.len();
            let evaluated = self.evaluated(rows, &unit, (&setting, given), is_last)?;
            response = predicted(&response, &evaluated);
            steps.push(Step { evaluated, deviation });
        }
        Some(JointResponse { response: start, steps, scale: scale * self.scales[effect] })
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
        let responses = DoseResponses::new(&table, Regressor::Additive).unwrap();
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

    /// `z → x`, `z → m`, `x → m`, `x → w`, `m → y`, `w → y`, `z → y`; `m` and `w` multiply.
    fn products() -> (Vec<[f64; 5]>, Table) {
        let mut rng = stream(9, Stream::Test { k: 4 });
        let rows: Vec<[f64; 5]> = (0..1200)
            .map(|_| {
                let mut noise = || 2.0 * (rng.random::<f64>() + rng.random::<f64>() - 1.0);
                let z = noise();
                let x = 0.8 * z + noise();
                let m = 0.7 * x + 0.5 * z + 0.5 * noise();
                let w = -0.6 * x + 0.5 * noise();
                [z, x, m, w, m * w + z + 0.3 * noise()]
            })
            .collect();
        let column = |k: usize, name: &str| Column::continuous(name, rows.iter().map(|row| row[k]).collect());
        let names = ["z", "x", "m", "w", "y"];
        let table = Table::new((0..5).map(|k| column(k, names[k])).collect()).unwrap();
        (rows, table)
    }

    fn mean_of(response: &JointResponse) -> (f64, f64) {
        let mut rng = stream(2, Stream::Test { k: 5 });
        let mut normal = || (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0;
        let drawn: Vec<f64> = (0..400).map(|_| response.draw(&mut normal)).collect();
        let mean = drawn.iter().sum::<f64>() / 400.0;
        (mean, (drawn.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / 400.0).sqrt())
    }

    #[test]
    fn products_of_causes_need_a_regressor_that_has_them() {
        let (rows, table) = products();
        let average = |k: usize| rows.iter().map(|row| row[k]).sum::<f64>() / rows.len() as f64;
        // E[y | do(m = 1, w = 1)] = 1 + E[z].
        let truth = 1.0 + average(0) - average(4);
        let stage = |given: &[usize]| AdjustmentRegression {
            set: vec![(2, 1.0), (3, 1.0)],
            given: NodeSet::of(5, given.iter().copied()),
        };
        for regressor in [Regressor::Quadratic, Regressor::Joint] {
            let responses = DoseResponses::new(&table, regressor).unwrap();
            let (mean, deviation) = mean_of(&responses.joint(4, &[stage(&[0, 1])]));
            assert!((mean - truth).abs() < 4.0 * deviation + 0.03, "{regressor:?}: {mean} is not {truth}");
            assert!((0.002..0.3).contains(&deviation), "{deviation}");
        }
        let additive = DoseResponses::new(&table, Regressor::Additive).unwrap();
        assert!(
            (mean_of(&additive.joint(4, &[stage(&[0, 1])])).0 - truth).abs() > 0.4,
            "a sum has no products"
        );
    }

    #[test]
    fn regressions_follow_one_another_where_an_intervention_changes_what_another_is_adjusted_for() {
        let (rows, table) = products();
        let average = |k: usize| rows.iter().map(|row| row[k]).sum::<f64>() / rows.len() as f64;
        // z is a parent of x and of y, x a parent of m: first y on w and its parent x (and m, z), then on x given z.
        // E[y | do(x = 1, w = 1)] = E[m | do(x = 1)] + E[z] = 0.7 + 1.5 E[z].
        let truth = 0.7 + 1.5 * average(0) - average(4);
        let one = |node: usize, given: &[usize]| AdjustmentRegression {
            set: vec![(node, 1.0)],
            given: NodeSet::of(5, given.iter().copied()),
        };
        let plan = [one(3, &[0, 1]), one(1, &[0])];
        for regressor in [Regressor::Quadratic, Regressor::Joint] {
            let responses = DoseResponses::new(&table, regressor).unwrap();
            let (mean, deviation) = mean_of(&responses.joint(4, &plan));
            assert!((mean - truth).abs() < 4.0 * deviation + 0.05, "{regressor:?}: {mean} is not {truth}");
        }
    }

    #[test]
    fn a_curve_of_a_process_is_the_average_over_the_other_causes() {
        let (rows, table) = products();
        let average = |k: usize| rows.iter().map(|row| row[k]).sum::<f64>() / rows.len() as f64;
        let responses = DoseResponses::new(&table, Regressor::Joint).unwrap();
        // E[y | do(x)] = (0.7 x + 0.5 E[z]) · (−0.6 x) + E[z], adjusted for z.
        let curve = responses.curve(1, 4, &NodeSet::of(5, [0]));
        let width = |k: usize| curve.factor[k].iter().map(|f| f * f).sum::<f64>().sqrt();
        for (k, x) in responses.doses(1).into_iter().enumerate() {
            let truth = (0.7 * x + 0.5 * average(0)) * -0.6 * x + average(0) - average(4);
            let gap = (curve.mean[k] - truth).abs();
            assert!(gap < 4.0 * width(k) + 0.1, "{x}: {} is not {truth}", curve.mean[k]);
            assert!(width(k) < 0.25, "{x}: {}", width(k));
        }
    }
}
