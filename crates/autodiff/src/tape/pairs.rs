//! A score for every pair of tokens: the single-layer decoder of RL-BIC, and inner products.

use crate::gemm::{Matrix, add_product, product};
use crate::real::Real;
use crate::vector::add_scaled;

/// `u · tanh(l_i + r_j)`; saves the tangents.
#[inline(always)]
pub(super) fn forward<R: Real>(
    left: &[R],
    right: &[R],
    u: &[R],
    tokens: usize,
    value: &mut [R],
    saved: &mut Vec<R>,
) {
    let width = u.len();
    saved.resize(value.len() * width, R::ZERO);
    for (row, left) in left.chunks_exact(width).enumerate() {
        let first = row / tokens * tokens;
        for token in 0..tokens {
            let right = &right[(first + token) * width..][..width];
            let tanh = &mut saved[(row * tokens + token) * width..][..width];
            for k in 0..width {
                tanh[k] = (left[k] + right[k]).hyperbolic_tangent();
            }
        }
    }
    for (value, tanh) in value.iter_mut().zip(saved.chunks_exact(width)) {
        *value = tanh.iter().zip(u).map(|(&tanh, &u)| tanh * u).sum();
    }
}

#[inline(always)]
pub(super) fn backward<R: Real>(
    u: &[R],
    tokens: usize,
    grad: &[R],
    saved: &[R],
    [by_left, by_right, by_u]: [&mut Vec<R>; 3],
) {
    let width = u.len();
    let mut below = vec![R::ZERO; width];
    for (at, (&by_score, tanh)) in grad.iter().zip(saved.chunks_exact(width)).enumerate() {
        let (row, token) = (at / tokens, at % tokens);
        for k in 0..width {
            below[k] = by_score * u[k] * (R::ONE - tanh[k] * tanh[k]);
        }
        add_scaled(by_score, tanh, by_u);
        add_scaled(R::ONE, &below, &mut by_left[row * width..][..width]);
        add_scaled(R::ONE, &below, &mut by_right[(row / tokens * tokens + token) * width..][..width]);
    }
}

/// `l rᵀ / √w`, group after group.
pub(super) fn products<R: Real>(left: &[R], right: &[R], width: usize, tokens: usize, value: &mut [R]) {
    let groups = left.chunks_exact(tokens * width).zip(right.chunks_exact(tokens * width));
    for ((left, right), value) in groups.zip(value.chunks_exact_mut(tokens * tokens)) {
        product(Matrix::new(left, width), Matrix::new(right, width).transposed(), value);
    }
    let scale = R::of((width as f64).sqrt().recip());
    value.iter_mut().for_each(|value| *value *= scale);
}

pub(super) fn products_back<R: Real>(
    [left, right]: [&[R]; 2],
    width: usize,
    tokens: usize,
    grad: &[R],
    [by_left, by_right]: [&mut Vec<R>; 2],
) {
    let scale = R::of((width as f64).sqrt().recip());
    let size = tokens * width;
    let groups = left.chunks_exact(size).zip(right.chunks_exact(size));
    let targets = by_left.chunks_exact_mut(size).zip(by_right.chunks_exact_mut(size));
    let mut by_products = vec![R::ZERO; tokens * tokens];
    for (((left, right), (by_left, by_right)), grad) in
        groups.zip(targets).zip(grad.chunks_exact(tokens * tokens))
    {
        by_products.iter_mut().zip(grad).for_each(|(by_score, &grad)| *by_score = scale * grad);
        let by_products = Matrix::new(&by_products, tokens);
        add_product(by_products, Matrix::new(right, width), by_left);
        add_product(by_products.transposed(), Matrix::new(left, width), by_right);
    }
}
