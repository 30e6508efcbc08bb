//! What networks that see images have in common: the layer that puts log-flows out.

use gflowcausal_autodiff::{Linear, Real, Tape, Var};
use gflowcausal_determinism::StreamRng;

use super::{LogFlows, Size, layer, total};

/// The last layer: a log-flow for each edge, and one for stopping where that is an action.
#[derive(Debug, Clone)]
pub(super) struct Head {
    edges: Linear,
    stop: Option<Linear>,
}

impl Head {
    pub(super) fn new<R: Real>(tape: &mut Tape<R>, size: Size, units: usize, rng: &mut StreamRng) -> Self {
        let edges = Linear::last(tape, units, size.inputs(), rng);
        Self { edges, stop: size.stops.then(|| Linear::last(tape, units, 1, rng)) }
    }

    pub(super) fn parameters(size: Size, units: usize) -> Option<usize> {
        let stop = if size.stops { layer(units, 1) } else { Some(0) };
        total([layer(units, size.inputs()), stop])
    }

    /// Of the last hidden units, one row for each state.
    pub(super) fn log_flows<R: Real>(&self, tape: &mut Tape<R>, units: Var) -> LogFlows {
        let edges = self.edges.forward(tape, units);
        LogFlows { edges, stop: self.stop.map(|stop| stop.forward(tape, units)) }
    }
}
