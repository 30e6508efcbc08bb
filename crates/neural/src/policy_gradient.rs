//! What policies are trained with: an encoder of rows on a tape, a moving mean of rewards, steps of Adam along shortened gradients.

use gflowcausal_autodiff::{Encoder, EncoderSize, Normalisation, Real, Tape, Var};
use gflowcausal_determinism::{Stream, StreamRng, stream};

use crate::observations::Observations;
use crate::optimizer::TapeAdam;

/// How slowly the moving mean of rewards forgets.
const BASELINE: f64 = 0.99;

/// A longer gradient is shortened to this.
const MAX_NORM: f64 = 1.0;

/// An encoder that learns by policy gradients, with whatever decoder and critic stand on its tape.
pub(crate) struct PolicyGradient<R> {
    pub(crate) tape: Tape<R>,
    /// The moving mean of rewards.
    pub(crate) baseline: f64,
    seed: u64,
    size: EncoderSize,
    nodes: usize,
    encoder: Encoder,
    observations: Observations,
    adam: TapeAdam<R>,
}

impl<R: Real> PolicyGradient<R> {
    /// An encoder, and the `heads` that are put behind it; first weights by `seed` and the number of the `start`.
    pub(crate) fn new<T>(
        columns: &[&[f64]],
        size: EncoderSize,
        (seed, start): (u64, u64),
        baseline: f64,
        heads: impl FnOnce(&mut Tape<R>, &mut StreamRng) -> T,
    ) -> (Self, T) {
        let mut rng: StreamRng = stream(seed, Stream::Parameters { layer: start });
        let mut tape = Tape::new();
        let encoder = Encoder::new(&mut tape, size, Normalisation::Batch, &mut rng);
        let heads = heads(&mut tape, &mut rng);
        let (observations, adam) = (Observations::new(columns), TapeAdam::new(&tape));
        (Self { tape, baseline, seed, size, nodes: columns.len(), encoder, observations, adam }, heads)
    }

    /// Begins an iteration: the encodings of the variables, as each of `groups` sees them in the rows of its own that the
    /// `draw` gives it.
    pub(crate) fn encode(&mut self, groups: usize, draw: usize) -> Var {
        self.tape.clear();
        let input: Vec<R> = self.observations.draw(self.seed, draw, groups, self.size.inputs);
        let input = self.tape.constant(self.size.inputs, &input);
        self.encoder.forward(&mut self.tape, input, self.nodes)
    }

    /// Lets the mean reward of a batch count in the moving mean.
    pub(crate) fn move_baseline(&mut self, mean: f64) {
        self.baseline = BASELINE * self.baseline + (1.0 - BASELINE) * mean;
    }

    /// Ends an iteration: a step against the gradient, by the learning rate for each parameter's number.
    pub(crate) fn step(&mut self, learning_rate: impl Fn(usize) -> f64) {
        self.tape.backward();
        self.tape.clip_gradient(MAX_NORM);
        self.adam.step(&mut self.tape, learning_rate);
    }
}
