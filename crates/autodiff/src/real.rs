//! The numbers that networks are made of: single precision to train policies, double to check their gradients.

use std::fmt::Debug;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

/// A floating-point number with what networks need of it.
pub trait Real:
    Copy
    + Debug
    + Default
    + PartialOrd
    + Send
    + Sync
    + Sum
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + DivAssign
    + faer::traits::ComplexField
    + 'static
{
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;

    /// The nearest number.
    fn of(value: f64) -> Self;
    /// The same in double precision.
    fn wide(self) -> f64;
    /// The square root.
    fn root(self) -> Self;
    /// `e^x`.
    fn exponential(self) -> Self;
    /// The hyperbolic tangent.
    fn hyperbolic_tangent(self) -> Self;
    /// The larger of two.
    fn larger(self, other: Self) -> Self;
}

macro_rules! real {
    ($Number:ty, $exponential:expr, $tangent:expr) => {
        impl Real for $Number {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;

            #[inline(always)]
            fn of(value: f64) -> Self {
                value as Self
            }
            #[inline(always)]
            fn wide(self) -> f64 {
                self.into()
            }
            #[inline(always)]
            fn root(self) -> Self {
                self.sqrt()
            }
            #[inline(always)]
            fn exponential(self) -> Self {
                $exponential(self)
            }
            #[inline(always)]
            fn hyperbolic_tangent(self) -> Self {
                $tangent(self)
            }
            #[inline(always)]
            fn larger(self, other: Self) -> Self {
                self.max(other)
            }
        }
    };
}

real!(f32, fast_exponential, fast_tangent);
real!(f64, f64::exp, f64::tanh);

/// `e^x` to 2e-7 of its value, without a call, so that a loop over it runs on whole vectors.
///
/// `2^{x / ln 2}` in a whole and a broken power; the broken one by Taylor's sum about zero.
#[inline(always)]
#[expect(clippy::excessive_precision, reason = "ln 2 in two parts, as long as they are exact")]
fn fast_exponential(x: f32) -> f32 {
    /// Adding and subtracting it rounds to a whole number.
    const ROUND: f32 = 12_582_912.0;
    let x = x.clamp(-87.0, 88.0);
    let rounded = x * std::f32::consts::LOG2_E + ROUND;
    let whole = rounded - ROUND;
    let rest = x - whole * 0.693_359_375 + whole * 2.121_944_400_5e-4;
    let square = rest * rest;
    let tail = (rest / 720.0 + 1.0 / 120.0) * rest + 1.0 / 24.0;
    let sum = (tail * square + rest * (1.0 / 6.0) + 0.5) * square + rest + 1.0;
    // The whole number stands in the last bits of what it was rounded by.
    let power = f32::from_bits((rounded.to_bits().wrapping_sub(ROUND.to_bits()).wrapping_add(127)) << 23);
    sum * power
}

/// `tanh x` to 4e-7, without a call: a quotient of polynomials in `x²`, fitted on [0, 9] to 2e-8 of its value.
#[inline(always)]
fn fast_tangent(x: f32) -> f32 {
    const ABOVE: [f32; 5] = [0.999_999_98, 1.338_103_4e-1, 3.495_597_2e-3, 2.060_922e-5, 1.335_483_1e-8];
    const BELOW: [f32; 5] = [1.0, 4.671_435e-1, 2.587_701_7e-2, 3.285_649e-4, 7.776_632e-7];
    let x = x.clamp(-9.0, 9.0);
    let square = x * x;
    let horner =
        |terms: [f32; 5]| terms[..4].iter().rev().fold(terms[4], |sum, term| sum.mul_add(square, *term));
    (x * horner(ABOVE) / horner(BELOW)).clamp(-1.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quick_functions_are_those_of_the_library() {
        for k in -40_000..=40_000 {
            let x = k as f32 * 5e-4;
            let (exact, quick) = (f64::from(x).exp(), f64::from(fast_exponential(x)));
            assert!((quick / exact - 1.0).abs() < 5e-7, "e^{x}: {quick} {exact}");
            let (exact, quick) = (f64::from(x).tanh(), f64::from(fast_tangent(x)));
            assert!((quick - exact).abs() < 5e-7, "tanh {x}: {quick} {exact}");
        }
        assert_eq!(fast_tangent(0.0), 0.0);
        assert!(fast_exponential(-1e9) < 1e-37 && fast_exponential(1e9).is_finite());
    }
}
