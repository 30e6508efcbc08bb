//! A regression of one response on some variables, evaluated with some of them set: linear in its coefficients, or a Gaussian process.

use crate::Spline;
use crate::gp::Kernel;
use crate::regress::{Cholesky, dot};

use super::Regressor;

/// Where a fitted function is evaluated; variables by their place among the regressors, values at unit variance.
pub(super) enum Points<'a> {
    /// Averages over the rows, once for each list of variables that are set.
    Averages(&'a [Vec<(usize, f64)>]),
    /// Every row, with some variables set.
    Rows(&'a [(usize, f64)]),
}

/// A function at some points: its mean is `weights · response`, its covariance `factor factorᵀ`.
#[derive(Debug)]
pub(super) struct Evaluated {
    pub(super) weights: Vec<Vec<f64>>,
    pub(super) factor: Vec<Vec<f64>>,
}

/// A fitted function of some variables.
pub(super) enum Surface<'a> {
    Basis(Basis<'a>),
    Process(Process<'a>),
}

impl<'a> Surface<'a> {
    /// The regression of `response`, which has mean 0 and mean square 1, on the variables `on`. None where rows are too few.
    pub(super) fn fit(
        regressor: Regressor,
        data: &'a Spline,
        response: &[f64],
        on: &[usize],
    ) -> Option<Self> {
        match regressor {
            Regressor::Additive => Basis::additive(data, response, on).map(|(basis, _)| Self::Basis(basis)),
            Regressor::Quadratic => Basis::quadratic(data, response, on).map(Self::Basis),
            Regressor::Joint => {
                let sum = Basis::additive(data, response, on);
                let Some(process) = Process::new(data, response, on) else {
                    return sum.map(|(basis, _)| Self::Basis(basis));
                };
                // As in the score: the likelier of both, a line of the sum costing half the logarithm of the rows.
                let penalty = 0.5 * on.len() as f64 * (response.len() as f64).ln();
                match sum {
                    Some((basis, evidence)) if evidence - penalty > process.log_likelihood => {
                        Some(Self::Basis(basis))
                    }
                    _ => Some(Self::Process(process)),
                }
            }
        }
    }

    pub(super) fn at(&self, points: &Points<'_>) -> Evaluated {
        match self {
            Self::Basis(basis) => basis.at(points),
            Self::Process(process) => process.at(points),
        }
    }
}

/// Functions of the variables, with coefficients.
pub(super) struct Basis<'a> {
    data: &'a Spline,
    on: Vec<usize>,
    kind: Kind,
    /// The functions in each row.
    design: Vec<Vec<f64>>,
    /// `(gram + penalty)⁻¹`, row by row.
    inverse: Vec<f64>,
    /// The variance of a coefficient is this times its place in `inverse`.
    variance: f64,
}

enum Kind {
    /// Splines of each variable.
    Splines,
    /// Each variable and each product of two; the mean and the length of each.
    Products(Vec<(f64, f64)>),
}

impl<'a> Basis<'a> {
    /// A sum of splines, and its log-evidence.
    fn additive(data: &'a Spline, response: &[f64], on: &[usize]) -> Option<(Self, f64)> {
        let fit = data.problem_of(response, on).fit()?;
        let rows = response.len();
        let variance = fit.residual / (rows as f64 - 1.0 - fit.edf).max(1.0);
        let mut basis = Self {
            data,
            on: on.to_vec(),
            kind: Kind::Splines,
            design: Vec::new(),
            inverse: fit.inverse,
            variance,
        };
        basis.design = (0..rows).map(basis.functions(&[])).collect();
        Some((basis, fit.log_evidence))
    }

    /// Least squares on the variables, their squares and their products.
    fn quadratic(data: &'a Spline, response: &[f64], on: &[usize]) -> Option<Self> {
        let (rows, p) = (response.len(), on.len());
        let size = p + p * (p + 1) / 2;
        if size + 1 >= rows {
            return None;
        }
        let raw: Vec<Vec<f64>> = (0..rows).map(|row| products(&values(data, on, row, &[]))).collect();
        let length = |k: usize| {
            let mean = raw.iter().map(|terms| terms[k]).sum::<f64>() / rows as f64;
            let square = raw.iter().map(|terms| (terms[k] - mean).powi(2)).sum::<f64>() / rows as f64;
            (mean, square.sqrt())
        };
        let kind = Kind::Products((0..size).map(length).collect());
        let mut basis =
            Self { data, on: on.to_vec(), kind, design: Vec::new(), inverse: Vec::new(), variance: 0.0 };
        basis.design = (0..rows).map(basis.functions(&[])).collect();
        let mut gram = vec![0.0; size * size];
        let mut cross = vec![0.0; size];
        for (terms, y) in basis.design.iter().zip(response) {
            for a in 0..size {
                cross[a] += terms[a] * y / rows as f64;
                (0..size).for_each(|b| gram[a * size + b] += terms[a] * terms[b] / rows as f64);
            }
        }
        basis.inverse = Cholesky::new(&gram, size).inverse();
        let coefficients: Vec<f64> = basis.inverse.chunks(size).map(|row| dot(row, &cross)).collect();
        let residual = (1.0 - dot(&coefficients, &cross)).max(f64::EPSILON);
        basis.variance = residual / (rows - 1 - size) as f64;
        Some(basis)
    }

    /// Gives the functions in a row with some variables set.
    fn functions(&self, set: &[(usize, f64)]) -> impl Fn(usize) -> Vec<f64> + '_ {
        let mut fixed: Vec<Option<Vec<f64>>> = vec![None; self.on.len()];
        if matches!(self.kind, Kind::Splines) {
            set.iter().for_each(|&(at, value)| fixed[at] = Some(self.data.functions_at(self.on[at], value)));
        }
        let set = set.to_vec();
        move |row| match &self.kind {
            Kind::Splines => {
                let of = |(&node, fixed): (&usize, &Option<Vec<f64>>)| match fixed {
                    Some(functions) => functions.clone(),
                    None => self.data.functions(node, row).collect(),
                };
                self.on.iter().zip(&fixed).flat_map(of).collect()
            }
            Kind::Products(scales) => {
                let terms = products(&values(self.data, &self.on, row, &set));
                let scaled = |(term, (mean, length)): (f64, &(f64, f64))| {
                    if *length > 0.0 { (term - mean) / length } else { 0.0 }
                };
                terms.into_iter().zip(scales).map(scaled).collect()
            }
        }
    }

    fn at(&self, points: &Points<'_>) -> Evaluated {
        let rows = self.design.len();
        let average = |set: &Vec<(usize, f64)>| {
            let mut sum = vec![0.0; self.design[0].len()];
            let functions = self.functions(set);
            for row in 0..rows {
                sum.iter_mut().zip(functions(row)).for_each(|(sum, f)| *sum += f / rows as f64);
            }
            sum
        };
        let functions: Vec<Vec<f64>> = match points {
            Points::Averages(settings) => settings.iter().map(average).collect(),
            Points::Rows(set) => (0..rows).map(self.functions(set)).collect(),
        };
        let size = self.design[0].len();
        let factor = Cholesky::new(&self.inverse, size).into_lower();
        let deviation = self.variance.sqrt();
        let spread = |f: &Vec<f64>| -> Vec<f64> {
            (0..size)
                .map(|z| deviation * (z..size).map(|a| f[a] * factor[a * size + z]).sum::<f64>())
                .collect()
        };
        let weigh = |f: &Vec<f64>| -> Vec<f64> {
            let solved: Vec<f64> = self.inverse.chunks(size).map(|row| dot(row, f) / rows as f64).collect();
            self.design.iter().map(|terms| dot(terms, &solved)).collect()
        };
        Evaluated {
            weights: functions.iter().map(weigh).collect(),
            factor: functions.iter().map(spread).collect(),
        }
    }
}

/// The values of the variables in a row, some of them set.
fn values(data: &Spline, on: &[usize], row: usize, set: &[(usize, f64)]) -> Vec<f64> {
    let mut values: Vec<f64> = on.iter().map(|&node| data.data().columns[node][row]).collect();
    set.iter().for_each(|&(place, value)| values[place] = value);
    values
}

/// Each value, then each product of two, squares included.
fn products(values: &[f64]) -> Vec<f64> {
    let pairs = values.iter().enumerate().flat_map(|(i, a)| values[..=i].iter().map(move |b| a * b));
    values.iter().copied().chain(pairs).collect()
}

/// A Gaussian process over all variables together.
pub(super) struct Process<'a> {
    data: &'a Spline,
    on: Vec<usize>,
    kernel: Kernel,
    log_likelihood: f64,
    /// `(K + λI)⁻¹`, row by row.
    inverse: Vec<f64>,
    /// The variance of the signal.
    signal: f64,
}

impl<'a> Process<'a> {
    fn new(data: &'a Spline, response: &[f64], on: &[usize]) -> Option<Self> {
        let columns: Vec<&[f64]> = on.iter().map(|&node| data.data().columns[node].as_slice()).collect();
        let (kernel, log_likelihood) = Kernel::likeliest(&columns, response)?;
        let rows = response.len();
        let mut process =
            Self { data, on: on.to_vec(), kernel, log_likelihood, inverse: Vec::new(), signal: 0.0 };
        let mut covariance = process.alike(0..on.len());
        (0..rows).for_each(|row| covariance[row * rows + row] += f64::from(kernel.noise));
        process.inverse = Cholesky::new(&covariance, rows).inverse();
        let solved = process.inverse.chunks(rows).map(|row| dot(row, response));
        process.signal = solved.zip(response).map(|(a, y)| a * y).sum::<f64>() / rows as f64;
        Some(process)
    }

    fn rows(&self) -> usize {
        self.data.data().rows
    }

    fn column(&self, place: usize) -> &[f64] {
        &self.data.data().columns[self.on[place]]
    }

    /// How alike all pairs of rows are in the variables `places`.
    fn alike(&self, places: impl Iterator<Item = usize>) -> Vec<f64> {
        let rows = self.rows();
        let mut squares = vec![0.0; rows * rows];
        for place in places {
            let column = self.column(place);
            for (x, row) in column.iter().zip(squares.chunks_mut(rows)) {
                row.iter_mut().zip(column).for_each(|(sum, other)| *sum += (x - other) * (x - other));
            }
        }
        squares.iter_mut().for_each(|square| *square = self.kernel.of(*square));
        squares
    }

    /// How alike each row is to the values that are set, in the variables that are.
    fn alike_to(&self, set: &[(usize, f64)]) -> Vec<f64> {
        let square = |row: usize| set.iter().map(|&(place, v)| (self.column(place)[row] - v).powi(2)).sum();
        (0..self.rows()).map(|row| self.kernel.of(square(row))).collect()
    }

    fn at(&self, points: &Points<'_>) -> Evaluated {
        let rows = self.rows();
        let set: &[(usize, f64)] = match points {
            Points::Averages(settings) => settings.first().map_or(&[], Vec::as_slice),
            Points::Rows(set) => set,
        };
        let is_free = |place: &usize| set.iter().all(|(other, _)| other != place);
        let rest = self.alike((0..self.on.len()).filter(is_free));
        let (near, own): (Vec<Vec<f64>>, Vec<f64>) = match points {
            Points::Averages(settings) => {
                let means: Vec<f64> =
                    rest.chunks(rows).map(|row| row.iter().sum::<f64>() / rows as f64).collect();
                let all = means.iter().sum::<f64>() / rows as f64;
                let near = settings.iter().map(|set| {
                    self.alike_to(set).iter().zip(&means).map(|(alike, mean)| alike * mean).collect()
                });
                let between = |a: &Vec<(usize, f64)>, b: &Vec<(usize, f64)>| {
                    all * self.kernel.of(a.iter().zip(b).map(|((_, a), (_, b))| (a - b).powi(2)).sum())
                };
                let own = settings.iter().flat_map(|a| settings.iter().map(move |b| between(a, b)));
                (near.collect(), own.collect())
            }
            Points::Rows(set) => {
                let alike = self.alike_to(set);
                let near = rest.chunks(rows).map(|row| row.iter().zip(&alike).map(|(a, b)| a * b).collect());
                (near.collect(), rest.clone())
            }
        };
        let solve =
            |near: &Vec<f64>| -> Vec<f64> { self.inverse.chunks(rows).map(|row| dot(row, near)).collect() };
        let weights: Vec<Vec<f64>> = near.iter().map(solve).collect();
        let size = near.len();
        let left = |cell: usize| {
            let (a, b) = (cell / size, cell % size);
            let ridge = if a == b { JITTER } else { 0.0 };
            self.signal * (own[cell] - dot(&near[a], &weights[b]) + ridge)
        };
        let lower = Cholesky::new(&(0..size * size).map(left).collect::<Vec<f64>>(), size).into_lower();
        Evaluated { weights, factor: lower.chunks(size).map(<[f64]>::to_vec).collect() }
    }
}

/// So much is added to the variance of a function at a point, in units of the signal's, against rounding.
const JITTER: f64 = 1e-9;
