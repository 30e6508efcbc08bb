//! `cnn`: convolutions of the adjacency matrix, each pooled, then one dense layer.

use gflowcausal_autodiff::{Convolution, Linear, Real, Tape};
use gflowcausal_determinism::StreamRng;

use super::head::Head;
use super::{Architecture, LogFlows, Size, layer, total};
use crate::NetworkName;

/// The dense layer has so many times the units that the first convolution has channels.
const UNITS_PER_CHANNEL: usize = 8;

/// Convolutions whose channels double as the sides halve.
#[derive(Debug, Clone)]
pub(crate) struct Cnn {
    nodes: usize,
    convolutions: Vec<Convolution>,
    dense: Linear,
    head: Head,
}

/// The channels before the first convolution and after each.
fn channels(size: Size) -> impl Iterator<Item = usize> {
    let first = (size.width / UNITS_PER_CHANNEL).max(1);
    std::iter::once(1).chain((0..size.layers).map(move |depth| first.saturating_mul(power(depth))))
}

fn power(depth: usize) -> usize {
    u32::try_from(depth).ok().and_then(|depth| 1_usize.checked_shl(depth)).unwrap_or(usize::MAX)
}

/// The side of an image after so many poolings.
fn pooled(side: usize, times: usize) -> usize {
    (0..times.min(usize::BITS as usize)).fold(side, |side, _| side.div_ceil(2))
}

/// What the dense layer sees.
fn flattened(size: Size) -> Option<usize> {
    let side = pooled(size.nodes, size.layers);
    (side * side).checked_mul(channels(size).last()?)
}

impl Architecture for Cnn {
    const NAME: NetworkName = NetworkName::Cnn;

    fn new<R: Real>(tape: &mut Tape<R>, size: Size, rng: &mut StreamRng) -> Self {
        let pairs = channels(size).zip(channels(size).skip(1));
        let convolutions = pairs.map(|(from, to)| Convolution::new(tape, from, to, rng)).collect();
        let inputs = flattened(size).expect("a size whose parameters were counted");
        let dense = Linear::rectifying(tape, inputs, size.width, rng);
        Self { nodes: size.nodes, convolutions, dense, head: Head::new(tape, size, size.width, rng) }
    }

    fn parameters(size: Size) -> Option<usize> {
        let pairs = channels(size).zip(channels(size).skip(1));
        let convolutions = pairs.map(|(from, to)| layer(from.checked_mul(9)?, to));
        let dense = [layer(flattened(size)?, size.width), Head::parameters(size, size.width)];
        total(convolutions.chain(dense))
    }

    fn log_flows<R: Real>(&self, tape: &mut Tape<R>, states: &[R]) -> LogFlows {
        let mut x = tape.constant(1, states);
        let mut side = self.nodes;
        for convolution in &self.convolutions {
            x = convolution.rectified(tape, x, side);
            x = tape.max_pooled(x, side);
            side = side.div_ceil(2);
        }
        let flat = tape.reshaped(x, side * side * tape.shape(x).1);
        let units = self.dense.rectified(tape, flat);
        self.head.log_flows(tape, units)
    }
}
