//! Numbers beyond the range of floats: a float times a power of two that is kept apart.

/// The largest power of two by which a product is scaled; what lies further from its reference is zero or an error.
const LARGEST: i32 = 1000;

/// `exp(log)` as a number from 1 up to 2 and an exponent of two; zero for −∞.
#[inline]
pub(super) fn split_exp(log: f64) -> (f64, i32) {
    if log == f64::NEG_INFINITY {
        return (0.0, 0);
    }
    let exponent = floor_log2(log);
    ((log - f64::from(exponent) * std::f64::consts::LN_2).exp(), exponent)
}

/// The exponent of two of `exp(log)`; 0 for −∞.
pub(super) fn floor_log2(log: f64) -> i32 {
    if log == f64::NEG_INFINITY { 0 } else { (log * std::f64::consts::LOG2_E).floor() as i32 }
}

/// `2^exponent`, without a branch; the exponent is cut to ±1000.
#[inline(always)]
pub(super) fn power_of_two(exponent: i32) -> f64 {
    let biased = exponent.clamp(-LARGEST, LARGEST) + 1023;
    f64::from_bits(u64::from(biased as u32) << 52)
}

/// The logarithm of `value · 2^exponent`.
pub(super) fn log(value: f64, exponent: i32) -> f64 {
    value.ln() + f64::from(exponent) * std::f64::consts::LN_2
}
