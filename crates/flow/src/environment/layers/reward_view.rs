//! What the sums over parent sets say of the next steps, as inputs of a network that sees the reward.

use super::LayersState;
use crate::{Action, LayerLogReward};

/// Log-shares below this are all alike to the network.
const FLOOR: f64 = -12.0;

/// Brings log-shares to the size of the other inputs.
const SCALE: f64 = 0.25;

/// How many numbers each variable has.
pub(super) const PER_VARIABLE: usize = 3;

impl LayersState {
    /// For each variable that is not placed three log-shares of the sum over all its parent sets: of the sets that agree
    /// with the open layer, of those that agree with the next, and of all within what is placed. Zeros for the others.
    ///
    /// They are inputs only. Added to the log-flows of the actions themselves they mislead: what a variable lacks now others
    /// gain later.
    pub(super) fn log_shares(&self, reward: &dyn LayerLogReward, actions: &[Action]) -> Vec<f32> {
        let nodes = self.rules.nodes();
        let placed = self.place.placed();
        let mut shares = vec![0.0; PER_VARIABLE * nodes];
        let mut all = vec![0.0; nodes];
        for node in self.place.unplaced() {
            all[node] = reward.log_total(node, nodes);
            shares[node] = input(FLOOR);
            shares[nodes + node] = input(FLOOR);
            shares[2 * nodes + node] = input(reward.log_sum(node, &placed, None) - all[node]);
        }
        for &action in actions {
            shares[action as usize] = input(self.log_term(action, reward) - all[action as usize % nodes]);
        }
        shares
    }
}

/// A log-share as an input.
fn input(log_share: f64) -> f32 {
    (SCALE * log_share.clamp(FLOOR, 0.0)) as f32
}
