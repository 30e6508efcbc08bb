//! `vgg16`: the sixteen layers of Simonyan & Zisserman (2015), configuration D, the paper's network at 100 variables.
//!
//! Thinner copies keep its shape: all channels and units in proportion to the widest convolutions, which have 512 channels
//! in the original. Odd sides are pooled with a last row and column of their own, and images of 7 × 7, where the original ends,
//! are not pooled further: so any number of variables will do.

use gflowcausal_autodiff::{Convolution, Linear, Real, Tape};
use gflowcausal_determinism::StreamRng;

use super::head::Head;
use super::{Architecture, LogFlows, Size, layer, total};
use crate::NetworkName;

/// The convolutions between two poolings: how many, and by what their channels are fewer than the widest.
const STAGES: [(usize, usize); 5] = [(2, 8), (2, 4), (3, 2), (3, 1), (3, 1)];

/// The two dense layers have so many times the units that the widest convolutions have channels: 4096.
const UNITS_PER_CHANNEL: usize = 8;

/// The side of the last images of the original.
const SMALLEST_SIDE: usize = 7;

/// The side after a stage.
fn pooled(side: usize) -> usize {
    if side > SMALLEST_SIDE { side.div_ceil(2) } else { side }
}

/// VGG-16.
#[derive(Debug, Clone)]
pub(crate) struct Vgg16 {
    nodes: usize,
    stages: Vec<Vec<Convolution>>,
    dense: [Linear; 2],
    head: Head,
}

/// The channels before and after each convolution, stage after stage.
fn stages(size: Size) -> Vec<Vec<(usize, usize)>> {
    let mut before = 1;
    let mut stage = |(count, divisor): (usize, usize)| {
        let channels = (size.width / divisor).max(1);
        (0..count).map(|_| (std::mem::replace(&mut before, channels), channels)).collect()
    };
    STAGES.into_iter().map(&mut stage).collect()
}

/// What each dense layer sees and puts out.
fn dense(size: Size) -> Option<[(usize, usize); 2]> {
    let side = STAGES.iter().fold(size.nodes, |side, _| pooled(side));
    let units = size.width.checked_mul(UNITS_PER_CHANNEL)?;
    Some([((side * side).checked_mul(size.width)?, units), (units, units)])
}

impl Architecture for Vgg16 {
    const NAME: NetworkName = NetworkName::Vgg16;

    fn new<R: Real>(tape: &mut Tape<R>, size: Size, rng: &mut StreamRng) -> Self {
        let mut stage = |stage: Vec<(usize, usize)>| {
            stage.into_iter().map(|(from, to)| Convolution::new(tape, from, to, rng)).collect()
        };
        let stages = stages(size).into_iter().map(&mut stage).collect();
        let shapes = dense(size).expect("a size whose parameters were counted");
        let dense = shapes.map(|(from, to)| Linear::rectifying(tape, from, to, rng));
        Self { nodes: size.nodes, stages, dense, head: Head::new(tape, size, shapes[1].1, rng) }
    }

    fn parameters(size: Size) -> Option<usize> {
        let dense = dense(size)?;
        let stages = stages(size).into_iter().flatten();
        let convolutions = stages.map(|(from, to)| layer(from.checked_mul(9)?, to));
        let layers = dense.map(|(from, to)| layer(from, to));
        total(convolutions.chain(layers).chain([Head::parameters(size, dense[1].1)]))
    }

    fn log_flows<R: Real>(&self, tape: &mut Tape<R>, states: &[R]) -> LogFlows {
        let mut x = tape.constant(1, states);
        let mut side = self.nodes;
        for stage in &self.stages {
            for convolution in stage {
                x = convolution.rectified(tape, x, side);
            }
            if side > SMALLEST_SIDE {
                x = tape.max_pooled(x, side);
            }
            side = pooled(side);
        }
        x = tape.reshaped(x, side * side * tape.shape(x).1);
        for layer in self.dense {
            x = layer.rectified(tape, x);
        }
        self.head.log_flows(tape, x)
    }
}
