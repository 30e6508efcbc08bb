//! The correlation of two variables once others are held fixed.

use super::correlation::{Correlation, RESOLUTION};
use super::ldl::Factor;

impl Correlation {
    /// The partial correlation of two variables given those in `given`, within ±1.
    ///
    /// Zero where one of the two is a linear function of `given`. Costs `O(k³/6)` multiply-adds for `k` variables given.
    #[must_use]
    pub fn partial(&self, [a, b]: [usize; 2], given: &[usize]) -> f64 {
        let factor = Factor::of(self, given.iter().copied());
        let shared = factor.residual_covariance(self, a, b);
        let (own_a, own_b) = (factor.residual(self, a).0, factor.residual(self, b).0);
        if own_a <= RESOLUTION || own_b <= RESOLUTION {
            return 0.0;
        }
        (shared / (own_a * own_b).sqrt()).clamp(-1.0, 1.0)
    }
}
