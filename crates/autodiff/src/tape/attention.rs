//! Scaled dot-product attention with several heads (Vaswani et al. 2017), within groups of tokens.

use super::attention_lanes::{LANES, Lanes};
use super::pointer::softmax_back;
use crate::gemm::{Matrix, product};
use crate::real::Real;
use crate::vector::{add_scaled, vectorised};

/// Up to so many chunks of lanes a head is computed token by token: a product of matrices would spend its time on preparing
/// them.
const FEW_CHUNKS: usize = 4;

/// Groups of tokens, heads, and the numbers of a head.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    groups: usize,
    pub(super) tokens: usize,
    heads: usize,
    pub(super) width: usize,
}

impl Shape {
    pub(super) fn new((rows, columns): (usize, usize), tokens: usize, heads: usize) -> Self {
        Self { groups: rows / tokens, tokens, heads, width: columns / heads }
    }

    pub(super) fn columns(self) -> usize {
        self.heads * self.width
    }

    pub(super) fn scale<R: Real>(self) -> R {
        R::of((self.width as f64).sqrt().recip())
    }

    /// The parts of one head in one group: where its first number is.
    fn parts(self) -> impl Iterator<Item = (usize, usize)> {
        let starts = (0..self.groups).flat_map(move |group| {
            (0..self.heads).map(move |head| group * self.tokens * self.columns() + head * self.width)
        });
        starts.enumerate()
    }

    fn matrix<R: Real>(self, values: &[R], start: usize) -> Matrix<'_, R> {
        Matrix::strided(&values[start..], [self.tokens, self.width], self.columns())
    }

    /// Adds a small matrix to the part that begins at `start`.
    fn add<R: Real>(self, values: &[R], start: usize, target: &mut [R]) {
        for (k, row) in values.chunks_exact(self.width).enumerate() {
            add_scaled(R::ONE, row, &mut target[start + k * self.columns()..][..self.width]);
        }
    }
}

/// `softmax(q kᵀ/√w) v`; saves the softmax of every part.
pub(super) fn forward<R: Real>(inputs: [&[R]; 3], shape: Shape, value: &mut [R], saved: &mut Vec<R>) {
    match shape.tokens.div_ceil(LANES) {
        ..=1 => forward_in_lanes::<R, 1>(inputs, shape, value, saved),
        2 => forward_in_lanes::<R, 2>(inputs, shape, value, saved),
        3 => forward_in_lanes::<R, 3>(inputs, shape, value, saved),
        FEW_CHUNKS => forward_in_lanes::<R, FEW_CHUNKS>(inputs, shape, value, saved),
        _ => forward_by_products(inputs, shape, value, saved),
    }
}

fn forward_in_lanes<R: Real, const CHUNKS: usize>(
    inputs: [&[R]; 3],
    shape: Shape,
    value: &mut [R],
    saved: &mut Vec<R>,
) {
    let mut lanes = Lanes::<R, CHUNKS>::new(shape);
    saved.resize(shape.groups * shape.heads * lanes.size(), R::ZERO);
    vectorised(
        #[inline(always)]
        || {
            for ((_, start), weights) in shape.parts().zip(saved.chunks_exact_mut(lanes.size())) {
                lanes.forward(inputs, start, value, weights);
            }
        },
    );
}

fn forward_by_products<R: Real>([q, k, v]: [&[R]; 3], shape: Shape, value: &mut [R], saved: &mut Vec<R>) {
    let size = shape.tokens * shape.tokens;
    saved.resize(shape.groups * shape.heads * size, R::ZERO);
    value.fill(R::ZERO);
    let mut part = vec![R::ZERO; shape.tokens * shape.width];
    for (number, start) in shape.parts() {
        let weights = &mut saved[number * size..][..size];
        product(shape.matrix(q, start), shape.matrix(k, start).transposed(), weights);
        weights.chunks_exact_mut(shape.tokens).for_each(|row| softmax(row, shape.scale()));
        product(Matrix::new(weights, shape.tokens), shape.matrix(v, start), &mut part);
        shape.add(&part, start, value);
    }
}

/// The softmax of `scale · row`, in place.
fn softmax<R: Real>(row: &mut [R], scale: R) {
    let largest = row.iter().fold(row[0], |largest, &x| largest.larger(x));
    row.iter_mut().for_each(|x| *x = ((*x - largest) * scale).exponential());
    let total: R = row.iter().copied().sum();
    row.iter_mut().for_each(|x| *x /= total);
}

pub(super) fn backward<R: Real>(
    inputs: [&[R]; 3],
    shape: Shape,
    grad: &[R],
    saved: &[R],
    grads: [&mut Vec<R>; 3],
) {
    match shape.tokens.div_ceil(LANES) {
        ..=1 => backward_in_lanes::<R, 1>(inputs, shape, (grad, saved), grads),
        2 => backward_in_lanes::<R, 2>(inputs, shape, (grad, saved), grads),
        3 => backward_in_lanes::<R, 3>(inputs, shape, (grad, saved), grads),
        FEW_CHUNKS => backward_in_lanes::<R, FEW_CHUNKS>(inputs, shape, (grad, saved), grads),
        _ => backward_by_products(inputs, shape, grad, saved, grads),
    }
}

fn backward_in_lanes<R: Real, const CHUNKS: usize>(
    inputs: [&[R]; 3],
    shape: Shape,
    (grad, saved): (&[R], &[R]),
    mut grads: [&mut Vec<R>; 3],
) {
    let mut lanes = Lanes::<R, CHUNKS>::new(shape);
    vectorised(
        #[inline(always)]
        || {
            for ((_, start), weights) in shape.parts().zip(saved.chunks_exact(lanes.size())) {
                lanes.backward(inputs, start, (grad, weights), &mut grads);
            }
        },
    );
}

fn backward_by_products<R: Real>(
    [q, k, v]: [&[R]; 3],
    shape: Shape,
    grad: &[R],
    saved: &[R],
    [by_q, by_k, by_v]: [&mut Vec<R>; 3],
) {
    let size = shape.tokens * shape.tokens;
    let mut part = vec![R::ZERO; shape.tokens * shape.width];
    let (mut by_weights, mut by_scores) = (vec![R::ZERO; size], vec![R::ZERO; size]);
    for (number, start) in shape.parts() {
        let weights = &saved[number * size..][..size];
        let grad = shape.matrix(grad, start);
        product(Matrix::new(weights, shape.tokens).transposed(), grad, &mut part);
        shape.add(&part, start, by_v);
        product(grad, shape.matrix(v, start).transposed(), &mut by_weights);
        by_scores.fill(R::ZERO);
        softmax_back(weights, &by_weights, shape.tokens, &mut by_scores);
        by_scores.iter_mut().for_each(|grad| *grad *= shape.scale::<R>());
        let by_scores = Matrix::new(&by_scores, shape.tokens);
        product(by_scores, shape.matrix(k, start), &mut part);
        shape.add(&part, start, by_q);
        product(by_scores.transposed(), shape.matrix(q, start), &mut part);
        shape.add(&part, start, by_k);
    }
}
