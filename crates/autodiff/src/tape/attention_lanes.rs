//! One head of attention among few tokens: every number stands in a lane of its token, so that all loops run on whole vectors.

use super::attention::Shape;
use crate::real::Real;

/// How many tokens are worked on side by side.
const LANES: usize = 8;

/// The lanes of some tokens; those beyond the last token hold zeros.
type Lane<R> = [R; LANES];

/// Room for one head: its queries and what comes out of it, a row of lanes for each of its numbers.
pub(super) struct Lanes<R> {
    shape: Shape,
    /// How many lanes, in chunks, the tokens take.
    chunks: usize,
    queries: Vec<Lane<R>>,
    output: Vec<Lane<R>>,
    grads: Vec<Lane<R>>,
}

impl<R: Real> Lanes<R> {
    pub(super) fn new(shape: Shape) -> Self {
        let chunks = shape.tokens.div_ceil(LANES);
        let rows = |count: usize| vec![[R::ZERO; LANES]; count * chunks];
        Self {
            shape,
            chunks,
            queries: rows(shape.width),
            output: rows(shape.width),
            grads: rows(shape.tokens),
        }
    }

    /// How many numbers the softmax of a head takes: for each token that is attended to, the lanes of those that attend.
    pub(super) fn size(&self) -> usize {
        self.shape.tokens * self.chunks * LANES
    }

    /// The attention of one head, whose numbers begin at `start`, into `value`, and its softmax into `weights`.
    #[inline(always)]
    pub(super) fn forward(&mut self, [q, k, v]: [&[R]; 3], start: usize, value: &mut [R], weights: &mut [R]) {
        let (shape, chunks) = (self.shape, self.chunks);
        let (weights, _) = weights.as_chunks_mut::<LANES>();
        load(q, start, shape, chunks, &mut self.queries);
        for (token, row) in weights.chunks_exact_mut(chunks).enumerate() {
            sum_products(part(k, start, shape, token), &self.queries, chunks, row);
        }
        for chunk in 0..chunks {
            softmax(weights, chunks, chunk, shape.scale());
        }
        self.output.iter_mut().for_each(|lanes| *lanes = [R::ZERO; LANES]);
        for (token, row) in weights.chunks_exact(chunks).enumerate() {
            add_products(part(v, start, shape, token), row, chunks, &mut self.output);
        }
        store(&self.output, start, shape, chunks, value, |target, value| *target = value);
    }

    /// The backward pass: adds to the gradients by queries, keys and values.
    #[inline(always)]
    pub(super) fn backward(
        &mut self,
        [q, k, v]: [&[R]; 3],
        start: usize,
        (grad, weights): (&[R], &[R]),
        [by_q, by_k, by_v]: &mut [&mut Vec<R>; 3],
    ) {
        let (shape, chunks) = (self.shape, self.chunks);
        let (weights, _) = weights.as_chunks::<LANES>();
        load(grad, start, shape, chunks, &mut self.output);
        for (token, row) in weights.chunks_exact(chunks).enumerate() {
            add_dots(row, &self.output, chunks, part_mut(by_v, start, shape, token));
        }
        for (token, row) in self.grads.chunks_exact_mut(chunks).enumerate() {
            sum_products(part(v, start, shape, token), &self.output, chunks, row);
        }
        for chunk in 0..chunks {
            softmax_back(weights, &mut self.grads, chunks, chunk, shape.scale());
        }
        load(q, start, shape, chunks, &mut self.queries);
        self.output.iter_mut().for_each(|lanes| *lanes = [R::ZERO; LANES]);
        for (token, row) in self.grads.chunks_exact(chunks).enumerate() {
            add_dots(row, &self.queries, chunks, part_mut(by_k, start, shape, token));
            add_products(part(k, start, shape, token), row, chunks, &mut self.output);
        }
        store(&self.output, start, shape, chunks, by_q, |target, value| *target += value);
    }
}

/// The numbers of a token in the head that begins at `start`.
#[inline(always)]
fn part<R>(values: &[R], start: usize, shape: Shape, token: usize) -> &[R] {
    &values[start + token * shape.columns()..][..shape.width]
}

#[inline(always)]
fn part_mut<R>(values: &mut [R], start: usize, shape: Shape, token: usize) -> &mut [R] {
    &mut values[start + token * shape.columns()..][..shape.width]
}

/// The numbers of all tokens, each token in its lane.
#[inline(always)]
fn load<R: Real>(values: &[R], start: usize, shape: Shape, chunks: usize, lanes: &mut [Lane<R>]) {
    for token in 0..shape.tokens {
        for (k, &value) in part(values, start, shape, token).iter().enumerate() {
            lanes[k * chunks + token / LANES][token % LANES] = value;
        }
    }
}

#[inline(always)]
fn store<R: Real>(
    lanes: &[Lane<R>],
    start: usize,
    shape: Shape,
    chunks: usize,
    values: &mut [R],
    put: impl Fn(&mut R, R),
) {
    for token in 0..shape.tokens {
        for (k, value) in part_mut(values, start, shape, token).iter_mut().enumerate() {
            put(value, lanes[k * chunks + token / LANES][token % LANES]);
        }
    }
}

/// `target ← Σ_k factor_k · lanes_k`.
#[inline(always)]
fn sum_products<R: Real>(factors: &[R], lanes: &[Lane<R>], chunks: usize, target: &mut [Lane<R>]) {
    for (chunk, target) in target.iter_mut().enumerate() {
        let mut sum = [R::ZERO; LANES];
        for (k, &factor) in factors.iter().enumerate() {
            let row = &lanes[k * chunks + chunk];
            (0..LANES).for_each(|i| sum[i] += factor * row[i]);
        }
        *target = sum;
    }
}

/// `target_k += factor_k · lanes` for each `k`.
#[inline(always)]
fn add_products<R: Real>(factors: &[R], lanes: &[Lane<R>], chunks: usize, target: &mut [Lane<R>]) {
    for (&factor, target) in factors.iter().zip(target.chunks_exact_mut(chunks)) {
        for (target, lanes) in target.iter_mut().zip(lanes) {
            (0..LANES).for_each(|i| target[i] += factor * lanes[i]);
        }
    }
}

/// `target_k += lanes · lanes_k` for each `k`.
#[inline(always)]
fn add_dots<R: Real>(lanes: &[Lane<R>], others: &[Lane<R>], chunks: usize, target: &mut [R]) {
    for (target, other) in target.iter_mut().zip(others.chunks_exact(chunks)) {
        let mut sum = [R::ZERO; LANES];
        for (lanes, other) in lanes.iter().zip(other) {
            (0..LANES).for_each(|i| sum[i] += lanes[i] * other[i]);
        }
        let halved: [R; LANES / 2] = std::array::from_fn(|i| sum[i] + sum[i + LANES / 2]);
        *target += (halved[0] + halved[2]) + (halved[1] + halved[3]);
    }
}

/// The softmax over the rows of `scale` times what stands in one chunk of lanes.
#[inline(always)]
fn softmax<R: Real>(rows: &mut [Lane<R>], chunks: usize, chunk: usize, scale: R) {
    let mut largest = rows[chunk];
    for row in rows.iter().skip(chunk).step_by(chunks) {
        (0..LANES).for_each(|i| largest[i] = largest[i].larger(row[i]));
    }
    let mut total = [R::ZERO; LANES];
    for row in rows.iter_mut().skip(chunk).step_by(chunks) {
        for i in 0..LANES {
            row[i] = ((row[i] - largest[i]) * scale).exponential();
            total[i] += row[i];
        }
    }
    let share: Lane<R> = std::array::from_fn(|i| R::ONE / total[i]);
    for row in rows.iter_mut().skip(chunk).step_by(chunks) {
        (0..LANES).for_each(|i| row[i] *= share[i]);
    }
}

/// The backward pass through [`softmax`], in place: `g ← scale · p (g − p · g)`.
#[inline(always)]
fn softmax_back<R: Real>(weights: &[Lane<R>], grads: &mut [Lane<R>], chunks: usize, chunk: usize, scale: R) {
    let mut mean = [R::ZERO; LANES];
    for (weights, grads) in weights.iter().zip(grads.iter()).skip(chunk).step_by(chunks) {
        (0..LANES).for_each(|i| mean[i] += weights[i] * grads[i]);
    }
    for (weights, grads) in weights.iter().zip(grads.iter_mut()).skip(chunk).step_by(chunks) {
        (0..LANES).for_each(|i| grads[i] = scale * weights[i] * (grads[i] - mean[i]));
    }
}
