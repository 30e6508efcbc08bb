//! Normalisation of columns over the batch (Ioffe & Szegedy 2015), by its own statistics alone, and of single rows (Ba et al. 2016).

use crate::real::Real;
use crate::vector::add_scaled;

/// What keeps the division finite.
const EPSILON: f64 = 1e-5;

/// Saves the normalised values and, after them, one over the deviation of each column.
#[inline(always)]
pub(super) fn batch<R: Real>(x: &[R], gain: &[R], shift: &[R], value: &mut [R], saved: &mut Vec<R>) {
    let columns = gain.len();
    let share = R::of(columns as f64 / x.len() as f64);
    let mut mean = vec![R::ZERO; columns];
    x.chunks_exact(columns).for_each(|row| add_scaled(share, row, &mut mean));
    let mut scale = vec![R::ZERO; columns];
    for row in x.chunks_exact(columns) {
        for ((scale, &x), &mean) in scale.iter_mut().zip(row).zip(&mean) {
            *scale += share * (x - mean) * (x - mean);
        }
    }
    scale.iter_mut().for_each(|variance| *variance = R::ONE / (*variance + R::of(EPSILON)).root());
    saved.resize(x.len() + columns, R::ZERO);
    let (normal, scales) = saved.split_at_mut(x.len());
    scales.copy_from_slice(&scale);
    let rows =
        x.chunks_exact(columns).zip(normal.chunks_exact_mut(columns)).zip(value.chunks_exact_mut(columns));
    for ((x, normal), value) in rows {
        for k in 0..columns {
            normal[k] = (x[k] - mean[k]) * scale[k];
            value[k] = normal[k] * gain[k] + shift[k];
        }
    }
}

/// `g ← gain/σ · (g − mean g − x̂ mean(g x̂))`.
#[inline(always)]
pub(super) fn batch_back<R: Real>(
    grad: &mut [R],
    saved: &[R],
    gain: &[R],
    [by_gain, by_shift]: [&mut Vec<R>; 2],
) {
    let columns = gain.len();
    let (normal, scale) = saved.split_at(grad.len());
    let share = R::of(columns as f64 / grad.len() as f64);
    let (mut sum, mut along) = (vec![R::ZERO; columns], vec![R::ZERO; columns]);
    for (grad, normal) in grad.chunks_exact(columns).zip(normal.chunks_exact(columns)) {
        for k in 0..columns {
            sum[k] += grad[k];
            along[k] += grad[k] * normal[k];
        }
    }
    add_scaled(R::ONE, &along, by_gain);
    add_scaled(R::ONE, &sum, by_shift);
    for (grad, normal) in grad.chunks_exact_mut(columns).zip(normal.chunks_exact(columns)) {
        for k in 0..columns {
            grad[k] = gain[k] * scale[k] * (grad[k] - share * (sum[k] + normal[k] * along[k]));
        }
    }
}

/// Saves the normalised values and, after them, one over the deviation of each row.
#[inline(always)]
pub(super) fn layer<R: Real>(x: &[R], gain: &[R], shift: &[R], value: &mut [R], saved: &mut Vec<R>) {
    let columns = gain.len();
    let share = R::of(1.0 / columns as f64);
    saved.resize(x.len() + x.len() / columns, R::ZERO);
    let (normal, scales) = saved.split_at_mut(x.len());
    let rows = x.chunks_exact(columns).zip(normal.chunks_exact_mut(columns)).zip(scales);
    for (((x, normal), scale), value) in rows.zip(value.chunks_exact_mut(columns)) {
        let mean = share * x.iter().copied().sum::<R>();
        let variance = share * x.iter().map(|&x| (x - mean) * (x - mean)).sum::<R>();
        *scale = R::ONE / (variance + R::of(EPSILON)).root();
        for k in 0..columns {
            normal[k] = (x[k] - mean) * *scale;
            value[k] = normal[k] * gain[k] + shift[k];
        }
    }
}

/// `g ← 1/σ · (g' − mean g' − x̂ mean(g' x̂))` with `g'` the gradient times the gain.
#[inline(always)]
pub(super) fn layer_back<R: Real>(
    grad: &mut [R],
    saved: &[R],
    gain: &[R],
    [by_gain, by_shift]: [&mut Vec<R>; 2],
) {
    let columns = gain.len();
    let share = R::of(1.0 / columns as f64);
    let (normal, scales) = saved.split_at(grad.len());
    let rows = grad.chunks_exact_mut(columns).zip(normal.chunks_exact(columns)).zip(scales);
    for ((grad, normal), &scale) in rows {
        add_scaled(R::ONE, grad, by_shift);
        let by_normal = || grad.iter().zip(gain).map(|(&grad, &gain)| grad * gain);
        let sum = share * by_normal().sum::<R>();
        let along = share * by_normal().zip(normal).map(|(grad, &normal)| grad * normal).sum::<R>();
        for k in 0..columns {
            by_gain[k] += grad[k] * normal[k];
            grad[k] = scale * (grad[k] * gain[k] - sum - normal[k] * along);
        }
    }
}
