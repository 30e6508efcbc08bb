//! The transformer encoder of RL-BIC and CORL: a token for each variable, some of its observations for features.

use gflowcausal_determinism::StreamRng;
use rand_distr::{Distribution, Uniform};

use crate::optimizer::Adam;
use crate::real::Real;
use crate::tape::{Tape, Var};

/// `count` parameters uniform within `1/√inputs`.
pub(crate) fn uniform<R: Real>(count: usize, inputs: usize, rng: &mut StreamRng) -> Vec<R> {
    let bound = (inputs.max(1) as f64).sqrt().recip();
    let uniform = Uniform::new_inclusive(-bound, bound).expect("finite bounds in order");
    (0..count).map(|_| R::of(uniform.sample(rng))).collect()
}

/// A layer `x w + b`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Linear {
    w: Var,
    b: Var,
}

impl Linear {
    pub(crate) fn new<R: Real>(
        tape: &mut Tape<R>,
        inputs: usize,
        outputs: usize,
        rng: &mut StreamRng,
    ) -> Self {
        let w = tape.parameter(outputs, uniform(inputs * outputs, inputs, rng));
        Self { w, b: tape.parameter(outputs, uniform(outputs, inputs, rng)) }
    }

    pub(crate) fn forward<R: Real>(self, tape: &mut Tape<R>, x: Var) -> Var {
        tape.linear(x, self.w, Some(self.b))
    }

    pub(crate) fn rectified<R: Real>(self, tape: &mut Tape<R>, x: Var) -> Var {
        tape.rectified(x, self.w, Some(self.b))
    }
}

/// A gain and a shift for batch normalisation.
#[derive(Debug, Clone, Copy)]
struct Norm {
    gain: Var,
    shift: Var,
}

impl Norm {
    fn new<R: Real>(tape: &mut Tape<R>, width: usize) -> Self {
        let gain = tape.parameter(width, vec![R::ONE; width]);
        Self { gain, shift: tape.parameter(width, vec![R::ZERO; width]) }
    }

    fn forward<R: Real>(self, tape: &mut Tape<R>, x: Var) -> Var {
        tape.batch_norm(x, self.gain, self.shift)
    }
}

/// How large an encoder is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EncoderSize {
    /// Observations that make the features of a variable.
    pub inputs: usize,
    /// Numbers that stand for a variable.
    pub width: usize,
    /// Hidden units of the feed-forward layers.
    pub inner: usize,
    /// Blocks of attention and feed-forward layers.
    pub blocks: usize,
    /// Heads of attention; they divide `width`.
    pub heads: usize,
}

/// Attention and two layers, each with its input added and normalised.
#[derive(Debug, Clone, Copy)]
struct Block {
    attended: [Linear; 3],
    after_attention: Norm,
    wide: Linear,
    narrow: Linear,
    after_layers: Norm,
}

/// A stack of blocks on an embedding.
#[derive(Debug, Clone)]
pub(crate) struct Transformer {
    size: EncoderSize,
    embedding: Linear,
    blocks: Vec<Block>,
}

impl Transformer {
    pub(crate) fn new<R: Real>(tape: &mut Tape<R>, size: EncoderSize, rng: &mut StreamRng) -> Self {
        let EncoderSize { inputs, width, inner, blocks, .. } = size;
        let embedding = Linear::new(tape, inputs, width, rng);
        let mut block = || Block {
            attended: [(); 3].map(|()| Linear::new(tape, width, width, rng)),
            after_attention: Norm::new(tape, width),
            wide: Linear::new(tape, width, inner, rng),
            narrow: Linear::new(tape, inner, width, rng),
            after_layers: Norm::new(tape, width),
        };
        Self { size, embedding, blocks: (0..blocks).map(|_| block()).collect() }
    }

    /// The encodings of the tokens `x`, in groups of `tokens`.
    pub(crate) fn forward<R: Real>(&self, tape: &mut Tape<R>, x: Var, tokens: usize) -> Var {
        let mut x = self.embedding.forward(tape, x);
        for block in &self.blocks {
            let attended = block.attended.map(|layer| layer.rectified(tape, x));
            let attention = tape.attention(attended, tokens, self.size.heads);
            let sum = tape.add(attention, x);
            let normal = block.after_attention.forward(tape, sum);
            let hidden = block.wide.rectified(tape, normal);
            let layers = block.narrow.forward(tape, hidden);
            let sum = tape.add(layers, normal);
            x = block.after_layers.forward(tape, sum);
        }
        x
    }
}

/// Adam for all parameters of a tape.
#[derive(Debug)]
pub(crate) struct TapeAdam<R> {
    moments: Vec<Adam<R>>,
}

impl<R: Real> TapeAdam<R> {
    pub(crate) fn new(tape: &Tape<R>) -> Self {
        Self { moments: tape.parameters().map(|var| Adam::new(tape.value(var).len())).collect() }
    }

    /// Moves every parameter, by the learning rate for its number.
    pub(crate) fn step(&mut self, tape: &mut Tape<R>, learning_rate: impl Fn(usize) -> f64) {
        for (number, (var, adam)) in tape.parameters().zip(&mut self.moments).enumerate() {
            let (value, grad) = tape.value_and_grad(var);
            adam.step(learning_rate(number), grad, value);
        }
    }
}
