//! Elementwise functions of arrays, written so that the compiler vectorises them.

/// How many numbers go side by side.
const LANES: usize = 8;

/// Adding and taking away this number rounds to a whole one, which is then in the lowest bits.
const ROUND: f64 = 6_755_399_441_055_744.0;

/// The upper bits of ln 2 and the rest.
const LN_2_HIGH: f64 = 0.693_147_180_369_123_8;
const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;

/// `e^x` for `x ≤ 0`, to a few units in the last place; below −700 a positive number that is nearly zero.
#[inline(always)]
fn exp_negative(x: f64) -> f64 {
    let x = if x < -700.0 { -700.0 } else { x };
    let shifted = x * std::f64::consts::LOG2_E + ROUND;
    let whole = shifted - ROUND;
    let rest = (x - whole * LN_2_HIGH) - whole * LN_2_LOW;
    let power = f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52);
    let mut sum = 1.0 / 479_001_600.0;
    for inverse in [
        1.0 / 39_916_800.0,
        1.0 / 3_628_800.0,
        1.0 / 362_880.0,
        1.0 / 40_320.0,
        1.0 / 5040.0,
        1.0 / 720.0,
        1.0 / 120.0,
        1.0 / 24.0,
        1.0 / 6.0,
        0.5,
        1.0,
        1.0,
    ] {
        sum = sum * rest + inverse;
    }
    sum * power
}

/// `ln(1 + t)` for `t` from 0 to 1, by the series of the inverse hyperbolic tangent.
#[inline(always)]
fn ln_one_plus(t: f64) -> f64 {
    let s = t / (2.0 + t);
    let square = s * s;
    let mut sum = 0.0;
    for k in (0..16).rev() {
        sum = sum * square + 2.0 / f64::from(2 * k + 1);
    }
    s * sum
}

/// `ln cosh u`.
#[inline(always)]
fn ln_cosh(u: f64) -> f64 {
    let size = u.abs();
    size + ln_one_plus(exp_negative(-2.0 * size)) - std::f64::consts::LN_2
}

/// `tanh u`, to rounding of 1.
#[inline(always)]
fn tanh(u: f64) -> f64 {
    let small = exp_negative(-2.0 * u.abs());
    ((1.0 - small) / (1.0 + small)).copysign(u)
}

/// The means of `ln cosh u` and `u e^{−u²/2}` over the numbers `u = scale · (a − slope · b)`.
pub(super) fn entropy_means(a: &[f64], b: &[f64], slope: f64, scale: f64) -> [f64; 2] {
    let sums = pulp::Arch::new().dispatch(
        #[inline(always)]
        || entropy_sums(a, b, slope, scale),
    );
    sums.map(|sum| sum / a.len() as f64)
}

#[inline(always)]
fn entropy_sums(a: &[f64], b: &[f64], slope: f64, scale: f64) -> [f64; 2] {
    let (mut cosh, mut bell) = ([0.0; LANES], [0.0; LANES]);
    let (blocks_a, blocks_b) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let rest = blocks_a.remainder().iter().zip(blocks_b.remainder());
    let term = |a: f64, b: f64| {
        let u = scale * (a - slope * b);
        [ln_cosh(u), u * exp_negative(-0.5 * u * u)]
    };
    let ends = rest.fold([0.0; 2], |[cosh, bell], (&a, &b)| {
        let [c, e] = term(a, b);
        [cosh + c, bell + e]
    });
    for (a, b) in blocks_a.zip(blocks_b) {
        for lane in 0..LANES {
            let [c, e] = term(a[lane], b[lane]);
            cosh[lane] += c;
            bell[lane] += e;
        }
    }
    [cosh.iter().sum::<f64>() + ends[0], bell.iter().sum::<f64>() + ends[1]]
}

/// Replaces each number by its hyperbolic tangent; returns the sum of their squares.
pub(super) fn tanh_in_place(values: &mut [f64]) -> f64 {
    pulp::Arch::new().dispatch(
        #[inline(always)]
        || {
            values.iter_mut().for_each(|value| *value = tanh(*value));
        },
    );
    dot(values, values)
}

/// The inner product.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    pulp::Arch::new().dispatch(
        #[inline(always)]
        || {
            let mut sums = [0.0; LANES];
            let (blocks_a, blocks_b) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
            let rest: f64 = blocks_a.remainder().iter().zip(blocks_b.remainder()).map(|(a, b)| a * b).sum();
            for (a, b) in blocks_a.zip(blocks_b) {
                for lane in 0..LANES {
                    sums[lane] += a[lane] * b[lane];
                }
            }
            sums.iter().sum::<f64>() + rest
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_functions_are_those_of_the_standard_library() {
        for k in -4000..=4000 {
            let u = f64::from(k) / 100.0;
            let close = |ours: f64, theirs: f64| {
                assert!((ours - theirs).abs() <= 1e-15 * theirs.abs().max(1.0), "{u}: {ours} {theirs}");
            };
            close(exp_negative(-u.abs()) / (-u.abs()).exp(), 1.0);
            close(ln_cosh(u), u.cosh().ln());
            close(tanh(u), u.tanh());
        }
        assert!(exp_negative(-1e9) < 1e-300);
    }

    #[test]
    fn means_over_any_number_of_rows() {
        for rows in [1, 7, 8, 9, 33] {
            let a: Vec<f64> = (0..rows).map(|k| f64::from(k).sin()).collect();
            let b: Vec<f64> = (0..rows).map(|k| f64::from(k).cos()).collect();
            let u = a.iter().zip(&b).map(|(a, b)| 2.0 * (a - 0.3 * b));
            let [cosh, bell] = entropy_means(&a, &b, 0.3, 2.0);
            let expected = u.clone().map(|u: f64| u.cosh().ln()).sum::<f64>() / f64::from(rows);
            assert!((cosh - expected).abs() < 1e-14);
            let expected = u.map(|u: f64| u * (-0.5 * u * u).exp()).sum::<f64>() / f64::from(rows);
            assert!((bell - expected).abs() < 1e-14);
            assert!((dot(&a, &a) + dot(&b, &b) - f64::from(rows)).abs() < 1e-13);
        }
    }
}
