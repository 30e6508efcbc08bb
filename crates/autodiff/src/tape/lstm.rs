//! One step of a long short-term memory (Hochreiter & Schmidhuber 1997), its gates `i, f, g, o` side by side.

use crate::real::Real;

#[inline(always)]
fn sigmoid<R: Real>(x: R) -> R {
    R::of(0.5) * (R::ONE + (R::of(0.5) * x).hyperbolic_tangent())
}

/// `σ(f) c + σ(i) tanh(g)`; saves `σ(i), σ(f), tanh(g)`.
#[inline(always)]
pub(super) fn memory<R: Real>(
    gates: &[R],
    before: Option<&[R]>,
    width: usize,
    value: &mut [R],
    saved: &mut Vec<R>,
) {
    saved.resize(3 * value.len(), R::ZERO);
    let rows = gates.chunks_exact(4 * width).zip(saved.chunks_exact_mut(3 * width));
    for (row, ((gates, saved), value)) in rows.zip(value.chunks_exact_mut(width)).enumerate() {
        let (i, rest) = saved.split_at_mut(width);
        let (f, g) = rest.split_at_mut(width);
        for k in 0..width {
            i[k] = sigmoid(gates[k]);
            f[k] = sigmoid(gates[width + k]);
            g[k] = gates[2 * width + k].hyperbolic_tangent();
            value[k] = i[k] * g[k];
        }
        if let Some(before) = before {
            let before = &before[row * width..][..width];
            for k in 0..width {
                value[k] += f[k] * before[k];
            }
        }
    }
}

/// The backward pass through [`memory`]; `before` is the memory before and the gradient by it.
#[inline(always)]
pub(super) fn memory_back<R: Real>(
    grad: &[R],
    saved: &[R],
    width: usize,
    by_gates: &mut [R],
    mut before: Option<(&[R], &mut [R])>,
) {
    let rows =
        grad.chunks_exact(width).zip(saved.chunks_exact(3 * width)).zip(by_gates.chunks_exact_mut(4 * width));
    for (row, ((grad, saved), by_gates)) in rows.enumerate() {
        let (i, rest) = saved.split_at(width);
        let (f, g) = rest.split_at(width);
        for k in 0..width {
            by_gates[k] += grad[k] * g[k] * i[k] * (R::ONE - i[k]);
            by_gates[2 * width + k] += grad[k] * i[k] * (R::ONE - g[k] * g[k]);
        }
        if let Some((value, by_before)) = &mut before {
            let (value, by_before) = (&value[row * width..][..width], &mut by_before[row * width..][..width]);
            for k in 0..width {
                by_gates[width + k] += grad[k] * value[k] * f[k] * (R::ONE - f[k]);
                by_before[k] += grad[k] * f[k];
            }
        }
    }
}

/// `σ(o) tanh(c)`; saves `tanh(c)`.
#[inline(always)]
pub(super) fn output<R: Real>(gates: &[R], memory: &[R], width: usize, value: &mut [R], saved: &mut Vec<R>) {
    saved.resize(value.len(), R::ZERO);
    for (saved, &memory) in saved.iter_mut().zip(memory) {
        *saved = memory.hyperbolic_tangent();
    }
    let rows =
        gates.chunks_exact(4 * width).zip(saved.chunks_exact(width)).zip(value.chunks_exact_mut(width));
    for ((gates, saved), value) in rows {
        for k in 0..width {
            value[k] = sigmoid(gates[3 * width + k]) * saved[k];
        }
    }
}

#[inline(always)]
pub(super) fn output_back<R: Real>(
    gates: &[R],
    grad: &[R],
    saved: &[R],
    width: usize,
    [by_gates, by_memory]: [&mut Vec<R>; 2],
) {
    let rows = gates.chunks_exact(4 * width).zip(grad.chunks_exact(width)).zip(saved.chunks_exact(width));
    let targets = by_gates.chunks_exact_mut(4 * width).zip(by_memory.chunks_exact_mut(width));
    for (((gates, grad), saved), (by_gates, by_memory)) in rows.zip(targets) {
        for k in 0..width {
            let open = sigmoid(gates[3 * width + k]);
            by_gates[3 * width + k] += grad[k] * saved[k] * open * (R::ONE - open);
            by_memory[k] += grad[k] * open * (R::ONE - saved[k] * saved[k]);
        }
    }
}
