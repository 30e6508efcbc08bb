//! The transformer encoder (Vaswani et al. 2017) as RL-BIC and CORL have it: tokens in, as many encodings out.

use gflowcausal_determinism::StreamRng;

use crate::layer::{Linear, Norm, Normalisation};
use crate::real::Real;
use crate::tape::{Tape, Var};

/// How large an encoder is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EncoderSize {
    /// Features of a token.
    pub inputs: usize,
    /// Numbers that stand for a token.
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
pub struct Encoder {
    size: EncoderSize,
    embedding: Linear,
    blocks: Vec<Block>,
}

impl Encoder {
    /// An encoder whose parameters are drawn from `rng`.
    pub fn new<R: Real>(
        tape: &mut Tape<R>,
        size: EncoderSize,
        normalisation: Normalisation,
        rng: &mut StreamRng,
    ) -> Self {
        let EncoderSize { inputs, width, inner, blocks, .. } = size;
        let embedding = Linear::new(tape, inputs, width, rng);
        let mut block = || Block {
            attended: [(); 3].map(|()| Linear::new(tape, width, width, rng)),
            after_attention: Norm::new(tape, normalisation, width),
            wide: Linear::new(tape, width, inner, rng),
            narrow: Linear::new(tape, inner, width, rng),
            after_layers: Norm::new(tape, normalisation, width),
        };
        Self { size, embedding, blocks: (0..blocks).map(|_| block()).collect() }
    }

    /// The encodings of the tokens `x`, in groups of `tokens`.
    pub fn forward<R: Real>(&self, tape: &mut Tape<R>, x: Var, tokens: usize) -> Var {
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
