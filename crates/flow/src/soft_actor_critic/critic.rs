//! A critic: the value of each action at a state, and the slowly following copy of it that targets are taken from.

use crate::Network;
use crate::adam::Adam;

/// One of the two.
pub(super) struct Critic {
    pub(super) network: Box<dyn Network>,
    pub(super) target: Box<dyn Network>,
    adam: Adam,
}

impl Critic {
    /// From two networks of the same shape: the second gets the parameters of the first.
    pub(super) fn new(network: Box<dyn Network>, mut target: Box<dyn Network>) -> Self {
        target.parameters_mut().copy_from_slice(network.parameters());
        Self { adam: Adam::new(network.parameters().len()), network, target }
    }

    /// A step of Adam; then the target moves towards the critic, `θ̄ ← θ̄ + τ (θ − θ̄)`.
    pub(super) fn descend(&mut self, learning_rate: f64, gradient: &[f32], target_rate: f64) {
        self.adam.step(learning_rate, gradient, self.network.parameters_mut());
        let rate = target_rate as f32;
        let pairs = self.target.parameters_mut().iter_mut().zip(self.network.parameters());
        pairs.for_each(|(slow, &fast)| *slow += rate * (fast - *slow));
    }
}
