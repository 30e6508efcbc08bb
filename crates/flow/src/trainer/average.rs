//! The exponential moving average of a network's parameters: less noise of single batches than the parameters themselves.

use crate::Network;

/// After so many iterations the average keeps half of itself; it forgets where it started before it keeps more.
const WARM_UP: f64 = 10.0;

/// A network whose parameters follow those of the one that learns.
pub(crate) struct Average {
    network: Box<dyn Network>,
    share_kept: f64,
}

impl Average {
    /// Starts at the parameters of `network`; each iteration keeps `share_kept` of the average.
    pub(crate) fn new(network: Box<dyn Network>, share_kept: f64) -> Self {
        Self { network, share_kept }
    }

    pub(crate) fn network(&self) -> &dyn Network {
        &*self.network
    }

    pub(crate) fn parameters_mut(&mut self) -> &mut [f32] {
        self.network.parameters_mut()
    }

    /// `θ̄ ← κ θ̄ + (1 − κ) θ` with `κ = min(share, t / (t + 10))` after `t` iterations.
    pub(crate) fn take_in(&mut self, parameters: &[f32], iteration: usize) {
        let done = iteration as f64;
        let kept = self.share_kept.min(done / (done + WARM_UP)) as f32;
        let averages = self.network.parameters_mut().iter_mut();
        averages.zip(parameters).for_each(|(average, new)| *average = kept * *average + (1.0 - kept) * new);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Mlp, MlpConfig};

    #[test]
    fn an_average_forgets_its_start_and_follows() {
        let network = Mlp::new(2, 2, &MlpConfig { layers: 1, width: 2 }, 0);
        let size = network.parameters().len();
        let mut average = Average::new(Box::new(network), 0.5);
        let mut expected = [1.0, 1.0 + 10.0 / 11.0, 1.0 + 10.0 / 11.0, 0.0];
        // Kept: 0 of the first values, 1/11 after the first step, 1/6 after the second.
        expected[2] = expected[1] / 6.0 + 4.0 * 5.0 / 6.0;
        expected[3] = expected[2] * 0.5 + 8.0 * 0.5;
        for (iteration, (value, expected)) in [
            (0, (1.0, expected[0])),
            (1, (2.0, expected[1])),
            (2, (4.0, expected[2])),
            (10, (8.0, expected[3])),
        ] {
            average.take_in(&vec![value; size], iteration);
            let found = average.network().parameters()[0];
            assert!((found - expected).abs() < 1e-6, "{found} instead of {expected}");
        }
    }
}
