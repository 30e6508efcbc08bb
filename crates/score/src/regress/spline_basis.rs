//! Natural cubic splines of one variable, in the coordinates where smoothness is one weight for each function.

use faer::{Mat, Side};

/// Knots closer than this share of the variable's range count as one.
const CLOSEST: f64 = 1e-7;

/// Directions with less than this share of the largest variance are lost in rounding.
const DEGENERATE: f64 = 1e-11;

/// The natural cubic splines through some knots, without the constant (Demmler and Reinsch's basis).
///
/// Over the rows, the functions have mean 0, mean square 1 and are orthogonal to one another; and so are their
/// second derivatives, so a smoothing penalty is a weight for each function.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SplineBasis {
    /// A row for each row, a column for each function, the smoothest first: that is the straight line.
    pub(crate) functions: Mat<f64>,
    /// The integral of the squared second derivative of each function: 0 for the line, in units of the next one's.
    pub(crate) roughness: Vec<f64>,
}

impl SplineBasis {
    /// How many functions there are.
    pub(crate) fn len(&self) -> usize {
        self.roughness.len()
    }

    /// Splines of standardised `values` with up to `size` knots, at quantiles: `size − 1` functions.
    ///
    /// Two different values, or a size of 2, leave the line; a constant leaves nothing. Costs `O(n·size²)`.
    pub(crate) fn new(values: &[f64], size: usize) -> Self {
        let knots = knots_of(values, size);
        let bent = if knots.len() >= 3 { Self::through(values, &knots) } else { None };
        bent.unwrap_or_else(|| Self::line(values))
    }

    fn line(values: &[f64]) -> Self {
        if values.iter().all(|&value| value == 0.0) {
            return Self { functions: Mat::zeros(values.len(), 0), roughness: Vec::new() };
        }
        Self { functions: Mat::from_fn(values.len(), 1, |row, _| values[row]), roughness: vec![0.0] }
    }

    /// `None` if rounding leaves less than a line and one bent function.
    fn through(values: &[f64], knots: &[f64]) -> Option<Self> {
        let curvature = Curvature::new(knots);
        let mut design = Mat::from_fn(values.len(), knots.len(), |_, _| 0.0);
        for (row, &x) in values.iter().enumerate() {
            curvature.evaluate(x, |knot, weight| design[(row, knot)] += weight);
        }
        center(&mut design);
        let (transform, roughness) = demmler_reinsch(&design, &curvature.penalty())?;
        let unit = roughness[1];
        let relative = roughness.iter().enumerate().map(|(j, bend)| if j == 0 { 0.0 } else { bend / unit });
        Some(Self { functions: design * transform, roughness: relative.collect() })
    }
}

/// Quantiles of the distinct values, between two by interpolation; the smallest and the largest are among them.
fn knots_of(values: &[f64], size: usize) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let range = sorted.last().zip(sorted.first()).map_or(0.0, |(last, first)| last - first);
    sorted.dedup_by(|later, earlier| *later - *earlier <= CLOSEST * range);
    let (count, last) = (size.min(sorted.len()), sorted.len().saturating_sub(1));
    let at = |knot: usize| {
        let position = (knot * last) as f64 / (count - 1).max(1) as f64;
        let (below, share) = (position as usize, position.fract());
        sorted[below] + share * (sorted[(below + 1).min(last)] - sorted[below])
    };
    (0..count).map(at).collect()
}

fn center(design: &mut Mat<f64>) {
    let rows = design.nrows() as f64;
    for j in 0..design.ncols() {
        let column = design.col_as_slice_mut(j);
        let mean = column.iter().sum::<f64>() / rows;
        column.iter_mut().for_each(|value| *value -= mean);
    }
}

/// The coordinates in which the functions are orthonormal over the rows and the penalty is diagonal, smoothest first.
fn demmler_reinsch(design: &Mat<f64>, penalty: &Mat<f64>) -> Option<(Mat<f64>, Vec<f64>)> {
    let gram = design.transpose() * design * faer::Scale(1.0 / design.nrows() as f64);
    let spread = gram.self_adjoint_eigen(Side::Lower).ok()?;
    let variances: Vec<f64> = (0..gram.ncols()).map(|j| spread.S()[j]).collect();
    let kept =
        variances.iter().filter(|&&variance| variance > DEGENERATE * variances[gram.ncols() - 1]).count();
    let first = gram.ncols() - kept;
    let whitening =
        Mat::from_fn(gram.ncols(), kept, |i, j| spread.U()[(i, first + j)] / variances[first + j].sqrt());
    let bending = (whitening.transpose() * penalty * &whitening).self_adjoint_eigen(Side::Lower).ok()?;
    let roughness: Vec<f64> = (0..kept).map(|j| bending.S()[j]).collect();
    (kept >= 2 && roughness[1] > 0.0).then(|| (whitening * bending.U(), roughness))
}

/// The natural cubic spline through values at knots, as in Wood (2017), section 5.3.1.
struct Curvature<'a> {
    knots: &'a [f64],
    /// Second derivatives at the inner knots for a unit value at each knot: `B⁻¹D`, row by row.
    second: Vec<Vec<f64>>,
}

impl<'a> Curvature<'a> {
    fn new(knots: &'a [f64]) -> Self {
        let gaps: Vec<f64> = knots.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let mut second: Vec<Vec<f64>> =
            gaps.windows(2).enumerate().map(|(i, gap)| divided_difference(knots.len(), i, gap)).collect();
        let diagonal = gaps.windows(2).map(|gap| (gap[0] + gap[1]) / 3.0).collect();
        let beside: Vec<f64> = gaps.iter().skip(1).take(gaps.len() - 2).map(|gap| gap / 6.0).collect();
        solve_tridiagonal(diagonal, &beside, &mut second);
        Self { knots, second }
    }

    /// Adds the weight of each knot's value in the spline at `x`.
    fn evaluate(&self, x: f64, mut add: impl FnMut(usize, f64)) {
        let left = self.knots.partition_point(|&knot| knot <= x).clamp(1, self.knots.len() - 1) - 1;
        let (before, after) = (x - self.knots[left], self.knots[left + 1] - x);
        let gap = before + after;
        add(left, after / gap);
        add(left + 1, before / gap);
        for (knot, side) in [(left, after), (left + 1, before)] {
            let bend = (side * side * side / gap - gap * side) / 6.0;
            if let Some(row) = knot.checked_sub(1).and_then(|inner| self.second.get(inner)) {
                row.iter().enumerate().for_each(|(k, second)| add(k, bend * second));
            }
        }
    }

    /// `DᵀB⁻¹D`: the integral of the squared second derivative as a form of the values at the knots.
    fn penalty(&self) -> Mat<f64> {
        let gaps: Vec<f64> = self.knots.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let mut penalty = Mat::zeros(self.knots.len(), self.knots.len());
        for (i, (gap, second)) in gaps.windows(2).zip(&self.second).enumerate() {
            for (a, difference) in divided_difference(self.knots.len(), i, gap).into_iter().enumerate() {
                second.iter().enumerate().for_each(|(b, value)| penalty[(a, b)] += difference * value);
            }
        }
        penalty
    }
}

/// Row `i` of `D`: the change of slope at an inner knot between two gaps.
fn divided_difference(knots: usize, i: usize, gap: &[f64]) -> Vec<f64> {
    let mut row = vec![0.0; knots];
    row[i] = gap[0].recip();
    row[i + 2] = gap[1].recip();
    row[i + 1] = -row[i] - row[i + 2];
    row
}

/// Solves a symmetric, diagonally dominant tridiagonal system for all columns of `rows`, in place.
fn solve_tridiagonal(mut diagonal: Vec<f64>, beside: &[f64], rows: &mut [Vec<f64>]) {
    for i in 1..rows.len() {
        let factor = beside[i - 1] / diagonal[i - 1];
        diagonal[i] -= factor * beside[i - 1];
        subtract(rows, i, i - 1, factor);
    }
    for i in (0..rows.len()).rev() {
        if i + 1 < rows.len() {
            subtract(rows, i, i + 1, beside[i]);
        }
        rows[i].iter_mut().for_each(|value| *value /= diagonal[i]);
    }
}

fn subtract(rows: &mut [Vec<f64>], target: usize, source: usize, factor: f64) {
    let source = rows[source].clone();
    rows[target].iter_mut().zip(source).for_each(|(value, other)| *value -= factor * other);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values() -> Vec<f64> {
        let raw: Vec<f64> =
            (0..200).map(|i| f64::from(i * 37 % 200) / 50.0 + (f64::from(i) * 0.7).sin()).collect();
        let mean = raw.iter().sum::<f64>() / 200.0;
        let deviation = (raw.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 200.0).sqrt();
        raw.iter().map(|x| (x - mean) / deviation).collect()
    }

    #[test]
    fn functions_are_orthonormal_and_the_first_is_the_line() {
        let x = values();
        let basis = SplineBasis::new(&x, 10);
        assert_eq!(basis.functions.ncols(), 9);
        let gram = basis.functions.transpose() * &basis.functions;
        for k in 0..81 {
            let (i, j) = (k / 9, k % 9);
            assert!((gram[(i, j)] / 200.0 - f64::from(u8::from(i == j))).abs() < 1e-9);
            assert!(basis.functions.col_as_slice(j).iter().sum::<f64>().abs() < 1e-9);
        }
        let along = basis.functions.col_as_slice(0).iter().zip(&x).map(|(a, b)| a * b).sum::<f64>() / 200.0;
        assert!((along.abs() - 1.0).abs() < 1e-9);
        assert!(basis.roughness.windows(2).all(|pair| pair[0] < pair[1]), "{:?}", basis.roughness);
    }

    /// ```python
    /// from scipy.interpolate import CubicSpline
    /// k = np.array([0., 1., 1.5, 3., 4.]); b = np.array([1., -1., 0.5, 2., 0.])
    /// s = CubicSpline(k, b, bc_type='natural'); print(s(0.3), s(2.7)); d2 = s.derivative(2)
    /// print(sum(scipy.integrate.quad(lambda x: d2(x)**2, lo, hi)[0] for lo, hi in zip(k, k[1:])))
    /// ```
    #[test]
    fn splines_and_their_roughness_equal_scipys() {
        let knots = [0.0, 1.0, 1.5, 3.0, 4.0];
        let heights = [1.0, -1.0, 0.5, 2.0, 0.0];
        let curvature = Curvature::new(&knots);
        let at = |x: f64| {
            let mut sum = 0.0;
            curvature.evaluate(x, |knot, weight| sum += weight * heights[knot]);
            sum
        };
        assert!(
            (at(0.3) - -0.08037499999999999).abs() < 1e-12 && (at(2.7) - 2.221307692307692).abs() < 1e-12
        );
        let penalty = curvature.penalty();
        let form: f64 = (0..25).map(|k| heights[k / 5] * penalty[(k / 5, k % 5)] * heights[k % 5]).sum();
        assert!((form - 67.26923076923076).abs() < 1e-9);
    }

    #[test]
    fn few_values_leave_few_functions() {
        assert!(SplineBasis::new(&[0.0; 5], 10).roughness.is_empty());
        assert_eq!(SplineBasis::new(&[-1.0, 1.0, -1.0, 1.0], 10).roughness.len(), 1);
        assert_eq!(SplineBasis::new(&[-1.2, 0.0, 1.2, -1.2, 0.0, 1.2], 10).roughness.len(), 2);
        assert_eq!(SplineBasis::new(&values(), 2).roughness.len(), 1);
    }
}
