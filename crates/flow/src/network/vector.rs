//! Loops over numbers side by side, compiled for the widest vectors that the processor has.

use gflowcausal_autodiff::add_scaled;

/// Adds all rows of `matrix` to `sum`.
#[inline(always)]
pub(super) fn add_rows(matrix: &[f32], sum: &mut [f32]) {
    matrix.chunks_exact(sum.len()).for_each(|row| add_scaled(1.0, row, sum));
}

/// `target ← base + factor · values`.
#[inline(always)]
pub(super) fn set_sum(base: &[f32], factor: f32, values: &[f32], target: &mut [f32]) {
    let terms = base.iter().zip(values);
    target.iter_mut().zip(terms).for_each(|(target, (base, value))| *target = base + factor * value);
}

/// How many sums [`dot`] runs side by side.
const SUMS: usize = 32;

/// The inner product.
#[inline(always)]
pub(super) fn dot(left: &[f32], right: &[f32]) -> f32 {
    let mut sums = [0.0; SUMS];
    let (left, right) = (left.chunks_exact(SUMS), right.chunks_exact(SUMS));
    let rest: f32 = left.remainder().iter().zip(right.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in left.zip(right) {
        for i in 0..SUMS {
            sums[i] += a[i] * b[i];
        }
    }
    total(sums) + rest
}

/// The sum, half onto half: one number after the other would take longer than the products.
#[inline(always)]
fn total(sums: [f32; SUMS]) -> f32 {
    let halved: [f32; SUMS / 2] = std::array::from_fn(|i| sums[i] + sums[i + SUMS / 2]);
    let quartered: [f32; SUMS / 4] = std::array::from_fn(|i| halved[i] + halved[i + SUMS / 4]);
    let eighths: [f32; SUMS / 8] = std::array::from_fn(|i| quartered[i] + quartered[i + SUMS / 8]);
    (eighths[0] + eighths[2]) + (eighths[1] + eighths[3])
}

#[cfg(test)]
mod tests {
    use gflowcausal_autodiff::vectorised;

    use super::*;

    #[test]
    fn inner_products_of_any_length() {
        for length in [0, 1, 31, 32, 33, 100] {
            let values: Vec<f32> = (0..length).map(|i| i as f32).collect();
            let expected = (0..length).map(|i| (i * i) as f32).sum::<f32>();
            assert_eq!(vectorised(|| dot(&values, &values)), expected);
        }
    }
}
