//! Loops over numbers side by side, compiled for the widest vectors that the processor has.

use crate::real::Real;

/// Runs `work` compiled for this processor; what is to profit must be inlined into it.
pub fn vectorised<T>(work: impl FnOnce() -> T) -> T {
    pulp::Arch::new().dispatch(work)
}

/// `sum ← sum + factor · values`.
#[inline(always)]
pub fn add_scaled<R: Real>(factor: R, values: &[R], sum: &mut [R]) {
    sum.iter_mut().zip(values).for_each(|(sum, &value)| *sum += factor * value);
}

/// How many sums [`dot`] runs side by side.
const SUMS: usize = 16;

/// The inner product.
#[inline(always)]
pub fn dot<R: Real>(left: &[R], right: &[R]) -> R {
    let mut sums = [R::ZERO; SUMS];
    let (left, right) = (left.chunks_exact(SUMS), right.chunks_exact(SUMS));
    let rest: R = left.remainder().iter().zip(right.remainder()).map(|(&a, &b)| a * b).sum();
    for (a, b) in left.zip(right) {
        for i in 0..SUMS {
            sums[i] += a[i] * b[i];
        }
    }
    total(sums) + rest
}

/// The sum, half onto half: one number after the other would take longer than the products.
#[inline(always)]
pub(crate) fn total<R: Real>(sums: [R; SUMS]) -> R {
    let halved: [R; SUMS / 2] = std::array::from_fn(|i| sums[i] + sums[i + SUMS / 2]);
    let quartered: [R; SUMS / 4] = std::array::from_fn(|i| halved[i] + halved[i + SUMS / 4]);
    (quartered[0] + quartered[2]) + (quartered[1] + quartered[3])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inner_products_of_any_length() {
        for length in [0, 1, 15, 16, 17, 100] {
            let values: Vec<f64> = (0..length).map(f64::from).collect();
            let expected: f64 = values.iter().map(|value| value * value).sum();
            assert_eq!(vectorised(|| dot(&values, &values)), expected);
        }
    }
}
