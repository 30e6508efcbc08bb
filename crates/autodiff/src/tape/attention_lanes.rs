//! One head of attention among few tokens: every number stands in a lane of its token, so that all loops run on whole vectors.

use super::attention::Shape;
use crate::real::Real;

/// How many tokens are worked on side by side.
pub(super) const LANES: usize = 8;

/// The lanes of all tokens, in chunks; those beyond the last token hold zeros.
type Lane<R, const CHUNKS: usize> = [[R; LANES]; CHUNKS];

/// Room for one head: its queries and what comes out of it, a row of lanes for each of its numbers.
pub(super) struct Lanes<R, const CHUNKS: usize> {
    shape: Shape,
    queries: Vec<Lane<R, CHUNKS>>,
    output: Vec<Lane<R, CHUNKS>>,
    grads: Vec<Lane<R, CHUNKS>>,
}

impl<R: Real, const CHUNKS: usize> Lanes<R, CHUNKS> {
    pub(super) fn new(shape: Shape) -> Self {
        let rows = |count: usize| vec![[[R::ZERO; LANES]; CHUNKS]; count];
        Self { shape, queries: rows(shape.width), output: rows(shape.width), grads: rows(shape.tokens) }
    }

    /// How many numbers the softmax of a head takes: for each token that is attended to, the lanes of those that attend.
    pub(super) fn size(&self) -> usize {
        self.shape.tokens * CHUNKS * LANES
    }

    /// The attention of one head, whose numbers begin at `start`, into `value`, and its softmax into `weights`.
    #[inline(always)]
    pub(super) fn forward(&mut self, [q, k, v]: [&[R]; 3], start: usize, value: &mut [R], weights: &mut [R]) {
        let shape = self.shape;
        let (weights, _) = weights.as_chunks_mut::<LANES>().0.as_chunks_mut::<CHUNKS>();
        load(q, start, shape, &mut self.queries);
        for (token, row) in weights.iter_mut().enumerate() {
            *row = sum_products(part(k, start, shape, token), &self.queries);
        }
        softmax(weights, shape.scale());
        self.output.fill([[R::ZERO; LANES]; CHUNKS]);
        for (token, row) in weights.iter().enumerate() {
            add_products(part(v, start, shape, token), row, &mut self.output);
        }
        store(&self.output, start, shape, value, |target, value| *target = value);
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
        let shape = self.shape;
        let (weights, _) = weights.as_chunks::<LANES>().0.as_chunks::<CHUNKS>();
        load(grad, start, shape, &mut self.output);
        for (token, row) in weights.iter().enumerate() {
            add_dots(row, &self.output, part_mut(by_v, start, shape, token));
        }
        for (token, row) in self.grads.iter_mut().enumerate() {
            *row = sum_products(part(v, start, shape, token), &self.output);
        }
        softmax_back(weights, &mut self.grads, shape.scale());
        load(q, start, shape, &mut self.queries);
        self.output.fill([[R::ZERO; LANES]; CHUNKS]);
        for (token, row) in self.grads.iter().enumerate() {
            add_dots(row, &self.queries, part_mut(by_k, start, shape, token));
            add_products(part(k, start, shape, token), row, &mut self.output);
        }
        store(&self.output, start, shape, by_q, |target, value| *target += value);
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
fn load<R: Real, const CHUNKS: usize>(
    values: &[R],
    start: usize,
    shape: Shape,
    lanes: &mut [Lane<R, CHUNKS>],
) {
    for token in 0..shape.tokens {
        for (lanes, &value) in lanes.iter_mut().zip(part(values, start, shape, token)) {
            lanes[token / LANES][token % LANES] = value;
        }
    }
}

#[inline(always)]
fn store<R: Real, const CHUNKS: usize>(
    lanes: &[Lane<R, CHUNKS>],
    start: usize,
    shape: Shape,
    values: &mut [R],
    put: impl Fn(&mut R, R),
) {
    for token in 0..shape.tokens {
        for (lanes, value) in lanes.iter().zip(part_mut(values, start, shape, token)) {
            put(value, lanes[token / LANES][token % LANES]);
        }
    }
}

/// `work` for every lane: its chunk and its place there.
#[inline(always)]
fn each_lane<const CHUNKS: usize>(mut work: impl FnMut(usize, usize)) {
    for chunk in 0..CHUNKS {
        for i in 0..LANES {
            work(chunk, i);
        }
    }
}

/// `Σ_k factor_k · lanes_k`.
#[inline(always)]
fn sum_products<R: Real, const CHUNKS: usize>(factors: &[R], lanes: &[Lane<R, CHUNKS>]) -> Lane<R, CHUNKS> {
    let mut sum = [[R::ZERO; LANES]; CHUNKS];
    for (&factor, row) in factors.iter().zip(lanes) {
        each_lane::<CHUNKS>(|chunk, i| sum[chunk][i] += factor * row[chunk][i]);
    }
    sum
}

/// `target_k += factor_k · lanes` for each `k`.
#[inline(always)]
fn add_products<R: Real, const CHUNKS: usize>(
    factors: &[R],
    lanes: &Lane<R, CHUNKS>,
    target: &mut [Lane<R, CHUNKS>],
) {
    for (&factor, target) in factors.iter().zip(target) {
        each_lane::<CHUNKS>(|chunk, i| target[chunk][i] += factor * lanes[chunk][i]);
    }
}

/// `target_k += lanes · lanes_k` for each `k`.
#[inline(always)]
fn add_dots<R: Real, const CHUNKS: usize>(
    lanes: &Lane<R, CHUNKS>,
    others: &[Lane<R, CHUNKS>],
    target: &mut [R],
) {
    for (target, other) in target.iter_mut().zip(others) {
        let mut sum = [R::ZERO; LANES];
        each_lane::<CHUNKS>(|chunk, i| sum[i] += lanes[chunk][i] * other[chunk][i]);
        let halved: [R; LANES / 2] = std::array::from_fn(|i| sum[i] + sum[i + LANES / 2]);
        *target += (halved[0] + halved[2]) + (halved[1] + halved[3]);
    }
}

/// The softmax over the rows of `scale` times what stands in each lane.
#[inline(always)]
fn softmax<R: Real, const CHUNKS: usize>(rows: &mut [Lane<R, CHUNKS>], scale: R) {
    let mut largest = rows[0];
    for row in rows.iter() {
        each_lane::<CHUNKS>(|chunk, i| largest[chunk][i] = largest[chunk][i].larger(row[chunk][i]));
    }
    let mut total = [[R::ZERO; LANES]; CHUNKS];
    for row in rows.iter_mut() {
        each_lane::<CHUNKS>(|chunk, i| {
            row[chunk][i] = ((row[chunk][i] - largest[chunk][i]) * scale).exponential();
            total[chunk][i] += row[chunk][i];
        });
    }
    let mut share = total;
    each_lane::<CHUNKS>(|chunk, i| share[chunk][i] = R::ONE / total[chunk][i]);
    for row in rows.iter_mut() {
        each_lane::<CHUNKS>(|chunk, i| row[chunk][i] *= share[chunk][i]);
    }
}

/// The backward pass through [`softmax`], in place: `g ← scale · p (g − p · g)`.
#[inline(always)]
fn softmax_back<R: Real, const CHUNKS: usize>(
    weights: &[Lane<R, CHUNKS>],
    grads: &mut [Lane<R, CHUNKS>],
    scale: R,
) {
    let mut mean = [[R::ZERO; LANES]; CHUNKS];
    for (weights, grads) in weights.iter().zip(grads.iter()) {
        each_lane::<CHUNKS>(|chunk, i| mean[chunk][i] += weights[chunk][i] * grads[chunk][i]);
    }
    for (weights, grads) in weights.iter().zip(grads) {
        each_lane::<CHUNKS>(|chunk, i| {
            grads[chunk][i] = scale * weights[chunk][i] * (grads[chunk][i] - mean[chunk][i]);
        });
    }
}
