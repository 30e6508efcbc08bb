//! Pointing at one of several references (Vinyals et al. 2015): additive scores, a softmax over what is open, a glimpse.

use crate::real::Real;
use crate::vector::{add_scaled, dot, total};

/// The group of the `k`-th row, where `rows` references stand in groups of `tokens`: a single group is everybody's.
pub(super) fn group(k: usize, rows: usize, tokens: usize) -> usize {
    if rows == tokens { 0 } else { k }
}

/// How many numbers are worked on side by side.
const LANES: usize = 16;

/// `v · tanh(r_j + q)`.
#[inline(always)]
pub(super) fn scores<R: Real>(references: &[R], query: &[R], v: &[R], open: &[bool], value: &mut [R]) {
    let width = v.len();
    let tokens = value.len() * width / query.len();
    let count = references.len() / width;
    for (row, query) in query.chunks_exact(width).enumerate() {
        let first = group(row, count, tokens) * tokens;
        for token in 0..tokens {
            let at = row * tokens + token;
            let reference = &references[(first + token) * width..][..width];
            value[at] = if open[at] { score(reference, query, v) } else { R::ZERO };
        }
    }
}

#[inline(always)]
fn score<R: Real>(reference: &[R], query: &[R], v: &[R]) -> R {
    let mut sums = [R::ZERO; LANES];
    let chunks = reference.chunks_exact(LANES).zip(query.chunks_exact(LANES)).zip(v.chunks_exact(LANES));
    for ((reference, query), v) in chunks {
        for k in 0..LANES {
            sums[k] += v[k] * (reference[k] + query[k]).hyperbolic_tangent();
        }
    }
    let rest = v.len() / LANES * LANES..v.len();
    let rest: R = rest.map(|k| v[k] * (reference[k] + query[k]).hyperbolic_tangent()).sum();
    total(sums) + rest
}

#[inline(always)]
pub(super) fn scores_back<R: Real>(
    [references, query, v]: [&[R]; 3],
    open: &[bool],
    grad: &[R],
    [by_references, by_query, by_v]: [&mut Vec<R>; 3],
) {
    let width = v.len();
    let tokens = grad.len() * width / query.len();
    let count = references.len() / width;
    for (row, query) in query.chunks_exact(width).enumerate() {
        let first = group(row, count, tokens) * tokens;
        let by_query = &mut by_query[row * width..][..width];
        for token in 0..tokens {
            let by_score = grad[row * tokens + token];
            if !open[row * tokens + token] || by_score == R::ZERO {
                continue;
            }
            let at = (first + token) * width;
            let (reference, by_reference) = (&references[at..][..width], &mut by_references[at..][..width]);
            score_back(by_score, [reference, query, v], [by_reference, by_query, by_v]);
        }
    }
}

/// Some numbers at a time, through arrays: vectors can hold them only where no two slices can share memory.
#[inline(always)]
fn score_back<R: Real>(by_score: R, inputs: [&[R]; 3], grads: [&mut [R]; 3]) {
    let [(reference, reference_rest), (query, query_rest), (v, v_rest)] =
        inputs.map(|values| values.as_chunks::<LANES>());
    let [(by_reference, by_reference_rest), (by_query, by_query_rest), (by_v, by_v_rest)] =
        grads.map(|values| values.as_chunks_mut::<LANES>());
    let inputs = reference.iter().zip(query).zip(v);
    let grads = by_reference.iter_mut().zip(by_query).zip(by_v);
    for (((reference, query), v), ((by_reference, by_query), by_v)) in inputs.zip(grads) {
        let (mut tanh, mut below) = ([R::ZERO; LANES], [R::ZERO; LANES]);
        for k in 0..LANES {
            tanh[k] = (reference[k] + query[k]).hyperbolic_tangent();
            below[k] = by_score * v[k] * (R::ONE - tanh[k] * tanh[k]);
        }
        for k in 0..LANES {
            by_v[k] += by_score * tanh[k];
            by_reference[k] += below[k];
            by_query[k] += below[k];
        }
    }
    for (k, &v) in v_rest.iter().enumerate() {
        let tanh = (reference_rest[k] + query_rest[k]).hyperbolic_tangent();
        let below = by_score * v * (R::ONE - tanh * tanh);
        by_v_rest[k] += by_score * tanh;
        by_reference_rest[k] += below;
        by_query_rest[k] += below;
    }
}

/// The softmax over the open entries of each row; zero for the others.
pub(super) fn softmax<R: Real>(scores: &[R], open: &[bool], tokens: usize, value: &mut [R]) {
    let rows = scores.chunks_exact(tokens).zip(open.chunks_exact(tokens)).zip(value.chunks_exact_mut(tokens));
    for ((scores, open), value) in rows {
        let candidates = scores.iter().zip(open).filter(|(_, open)| **open).map(|(&score, _)| score);
        let Some(largest) = candidates.reduce(R::larger) else {
            value.fill(R::ZERO);
            continue;
        };
        for ((value, &score), open) in value.iter_mut().zip(scores).zip(open) {
            *value = if *open { (score - largest).exponential() } else { R::ZERO };
        }
        let sum: R = value.iter().copied().sum();
        value.iter_mut().for_each(|value| *value /= sum);
    }
}

/// `∂s += p (g − p · g)` for each row of probabilities.
pub(super) fn softmax_back<R: Real>(value: &[R], grad: &[R], tokens: usize, by_scores: &mut [R]) {
    let rows =
        value.chunks_exact(tokens).zip(grad.chunks_exact(tokens)).zip(by_scores.chunks_exact_mut(tokens));
    for ((value, grad), by_scores) in rows {
        let mean = dot(value, grad);
        for ((by, &value), &grad) in by_scores.iter_mut().zip(value).zip(grad) {
            *by += value * (grad - mean);
        }
    }
}

/// `target += Σ_j weight_j r_j`.
#[inline(always)]
pub(super) fn weighted_sum<R: Real>(weights: &[R], references: &[R], tokens: usize, target: &mut [R]) {
    let width = target.len() * tokens / weights.len();
    let count = references.len() / width;
    for (row, (weights, target)) in
        weights.chunks_exact(tokens).zip(target.chunks_exact_mut(width)).enumerate()
    {
        let first = group(row, count, tokens) * tokens;
        for (token, &weight) in weights.iter().enumerate().filter(|(_, weight)| **weight != R::ZERO) {
            add_scaled(weight, &references[(first + token) * width..][..width], target);
        }
    }
}

#[inline(always)]
pub(super) fn weighted_sum_back<R: Real>(
    [weights, references]: [&[R]; 2],
    tokens: usize,
    grad: &[R],
    [by_weights, by_references]: [&mut Vec<R>; 2],
) {
    let width = grad.len() * tokens / weights.len();
    let count = references.len() / width;
    for (row, (weights, grad)) in weights.chunks_exact(tokens).zip(grad.chunks_exact(width)).enumerate() {
        let first = group(row, count, tokens) * tokens;
        for (token, &weight) in weights.iter().enumerate() {
            let at = (first + token) * width;
            by_weights[row * tokens + token] += dot(grad, &references[at..][..width]);
            if weight != R::ZERO {
                add_scaled(weight, grad, &mut by_references[at..][..width]);
            }
        }
    }
}
