//! How far two distributions over orders are apart, edge by edge of the lattice.

use gflowcausal_determinism::map;

use super::{BLOCK, Lattice, absent};

/// How far two distributions over orders are apart, in nats.
///
/// Both divergences are exact. The total variation is no sum over the lattice; it lies between the two bounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Divergence {
    /// `KL(P ‖ Q) = Σ P(order) ln (P(order) / Q(order))`.
    pub forward: f64,
    /// `KL(Q ‖ P)`.
    pub backward: f64,
    /// The largest difference in probability of an event that asks which node follows which set, at one position.
    pub total_variation_at_least: f64,
}

impl Divergence {
    /// The smaller of the bounds of Pinsker, `√(KL/2)`, and of Bretagnolle and Huber, `√(1 − exp(−KL))`.
    #[must_use]
    pub fn total_variation_at_most(&self) -> f64 {
        let divergence = self.forward.min(self.backward).max(0.0);
        (0.5 * divergence).sqrt().min((-(-divergence).exp_m1()).sqrt())
    }

    /// A bound on the Jensen–Shannon divergence: the quarter of the sum of both, or `ln 2` times the bound on the total
    /// variation where that is smaller.
    #[must_use]
    pub fn jensen_shannon_at_most(&self) -> f64 {
        let quarter = 0.25 * (self.forward + self.backward).max(0.0);
        quarter.min(std::f64::consts::LN_2 * self.total_variation_at_most())
    }
}

/// What some of the lattice's edges bring; the differences by position.
struct Sums {
    forward: f64,
    backward: f64,
    differences: Vec<f64>,
}

impl Sums {
    fn zero(nodes: usize) -> Self {
        Self { forward: 0.0, backward: 0.0, differences: vec![0.0; nodes] }
    }

    fn add(&mut self, other: &Self) {
        self.forward += other.forward;
        self.backward += other.backward;
        self.differences.iter_mut().zip(&other.differences).for_each(|(sum, value)| *sum += value);
    }
}

impl Lattice {
    /// How far this distribution `P` is from another one, `Q`.
    ///
    /// The logarithm of an order's probability is the sum of those of its steps, so
    /// `KL(P ‖ Q) = Σ P(set, then node) · (ln P(node | set) − ln Q(node | set))` over the `d · 2^(d−1)` edges of the
    /// lattice.
    ///
    /// # Panics
    /// If the two are about different numbers of variables.
    #[must_use]
    pub fn divergence(&self, other: &Self) -> Divergence {
        assert_eq!(self.nodes, other.nodes, "both distributions are over orders of the same variables");
        let sets = self.prefixes.len();
        let blocks = map(sets.div_ceil(BLOCK), |block| {
            let mut sums = Sums::zero(self.nodes);
            (block * BLOCK..sets.min((block + 1) * BLOCK))
                .for_each(|set| self.compare(other, set, &mut sums));
            sums
        });
        let mut total = Sums::zero(self.nodes);
        blocks.iter().for_each(|sums| total.add(sums));
        let largest = total.differences.iter().copied().fold(0.0, f64::max);
        Divergence {
            forward: total.forward,
            backward: total.backward,
            total_variation_at_least: 0.5 * largest,
        }
    }

    /// Adds what the edges out of `set` bring.
    fn compare(&self, other: &Self, set: usize, sums: &mut Sums) {
        for node in absent(self.nodes, set) {
            let (mine, theirs) = (self.passing(node, set), other.passing(node, set));
            sums.differences[set.count_ones() as usize] += (mine - theirs).abs();
            let excess = || self.log_conditional(node, set) - other.log_conditional(node, set);
            if mine > 0.0 {
                sums.forward += mine * excess();
            }
            if theirs > 0.0 {
                sums.backward -= theirs * excess();
            }
        }
    }

    /// `P(an order places exactly set first, and node next)`.
    fn passing(&self, node: usize, set: usize) -> f64 {
        self.log_passing(node, set).exp()
    }
}
