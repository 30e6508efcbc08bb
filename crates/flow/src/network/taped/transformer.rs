//! `transformer`: CORL's encoder with a token for each variable, and an edge scored by its two tokens.
//!
//! A token sees which variable it is, its effects and its causes: the embedding of the variable is the row of weights for
//! its own number. Rows are normalised one by one, not over the batch as in CORL, because the policy at a state must not
//! depend on which other states are looked at.

use gflowcausal_autodiff::{Encoder, EncoderSize, Linear, Normalisation, Real, Tape};
use gflowcausal_determinism::StreamRng;

use super::{Architecture, LogFlows, Size, layer, total};
use crate::NetworkName;

/// Hidden units of the feed-forward layers, in multiples of the width.
const INNER: usize = 4;

/// Heads of attention, where the width can be divided by so many.
const HEADS: usize = 8;

/// An encoder, what it makes of a cause and of an effect, and what stops.
#[derive(Debug, Clone)]
pub(crate) struct Transformer {
    nodes: usize,
    encoder: Encoder,
    cause: Linear,
    effect: Linear,
    stop: Option<Linear>,
}

fn encoder_size(Size { nodes, layers, width, .. }: Size) -> EncoderSize {
    let heads = (1..=HEADS).rev().find(|&heads| width.is_multiple_of(heads)).unwrap_or(1);
    EncoderSize { inputs: 3 * nodes, width, inner: width.saturating_mul(INNER), blocks: layers, heads }
}

impl Architecture for Transformer {
    const NAME: NetworkName = NetworkName::Transformer;

    fn new<R: Real>(tape: &mut Tape<R>, size: Size, rng: &mut StreamRng) -> Self {
        let encoder = Encoder::new(tape, encoder_size(size), Normalisation::Layer, rng);
        let [cause, effect] = [(); 2].map(|()| Linear::new(tape, size.width, size.width, rng));
        let stop = size.stops.then(|| Linear::last(tape, size.width, 1, rng));
        Self { nodes: size.nodes, encoder, cause, effect, stop }
    }

    fn parameters(size: Size) -> Option<usize> {
        let EncoderSize { inputs, width, inner, blocks, .. } = encoder_size(size);
        let attended = layer(width, width)?.checked_mul(3)?;
        let norms = width.checked_mul(4)?;
        let block = total([Some(attended), Some(norms), layer(width, inner), layer(inner, width)])?;
        let pairs = layer(width, width)?.checked_mul(2)?;
        let stop = if size.stops { layer(width, 1) } else { Some(0) };
        total([layer(inputs, width), block.checked_mul(blocks), Some(pairs), stop])
    }

    fn log_flows<R: Real>(&self, tape: &mut Tape<R>, states: &[R]) -> LogFlows {
        let tokens = tape.constant(3 * self.nodes, &self.features(states));
        let encoded = self.encoder.forward(tape, tokens, self.nodes);
        let causes = self.cause.forward(tape, encoded);
        let effects = self.effect.forward(tape, encoded);
        let edges = tape.pair_products(causes, effects, self.nodes);
        let stop = self.stop.map(|stop| {
            let mean = tape.group_mean(encoded, self.nodes, states.len() / (self.nodes * self.nodes));
            stop.forward(tape, mean)
        });
        LogFlows { edges, stop }
    }
}

impl Transformer {
    /// A row for each variable of each state: its number as a bit, its effects, its causes.
    fn features<R: Real>(&self, states: &[R]) -> Vec<R> {
        let nodes = self.nodes;
        let mut features = vec![R::ZERO; 3 * states.len()];
        for (state, features) in
            states.chunks_exact(nodes * nodes).zip(features.chunks_exact_mut(3 * nodes * nodes))
        {
            for (node, features) in features.chunks_exact_mut(3 * nodes).enumerate() {
                features[node] = R::ONE;
                features[nodes..2 * nodes].copy_from_slice(&state[node * nodes..][..nodes]);
                let causes = state.iter().skip(node).step_by(nodes);
                features[2 * nodes..].iter_mut().zip(causes).for_each(|(bit, &on)| *bit = on);
            }
        }
        features
    }
}
