//! The augmented Lagrangian of the constraint `h = 0`, that a weighted graph has no cycle.

/// What cycles cost: `λ h + ½ μ h²`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Multipliers {
    pub(crate) lambda: f64,
    pub(crate) mu: f64,
}

impl Multipliers {
    pub(crate) fn cost(self, h: f64) -> f64 {
        self.lambda * h + 0.5 * self.mu * h * h
    }

    /// The derivative of the cost by `h`; also the next `λ`.
    pub(crate) fn slope(self, h: f64) -> f64 {
        self.lambda + self.mu * h
    }
}
