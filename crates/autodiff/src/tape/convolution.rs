//! Square images with one row for each pixel and one column for each channel: convolutions and pooling.

use super::{Op, Tape, Var};
use crate::gemm::{Matrix, add_product, product};
use crate::real::Real;
use crate::vector::{add_scaled, vectorised};

/// How many pixels' patches are laid out at a time: enough for a fast product, few enough for the cache.
const PATCHES: usize = 512;

impl<R: Real> Tape<R> {
    /// `max(x ∗ w + b, 0)`: a convolution of images of `side` × `side` pixels by kernels of 3 × 3, zeros beyond the border.
    ///
    /// `w` has a row for each place of the kernel and channel, the places row after row.
    ///
    /// # Panics
    /// If the shapes do not fit.
    pub fn convolved(&mut self, x: Var, w: Var, b: Var, side: usize) -> Var {
        let shape = (self.shape(x).0, self.shape(w).1);
        self.record(shape, Op::Convolution { x, w, b, side }, |nodes, value, _| {
            let channels = nodes[x.0].columns;
            let (stretches, mut patches) = (stretches(side, channels), Vec::new());
            for (part, value) in parts(&nodes[x.0].value, side, channels).zip(parts_mut(value, side, shape.1))
            {
                lay_out(part, side * side * channels, &stretches, &mut patches);
                let bias = &nodes[b.0].value;
                value.chunks_exact_mut(bias.len()).for_each(|row| row.copy_from_slice(bias));
                add_product(Matrix::new(&patches, 9 * channels), nodes[w.0].matrix(), value);
                vectorised(
                    #[inline(always)]
                    || value.iter_mut().for_each(|value| *value = value.larger(R::ZERO)),
                );
            }
        })
    }

    /// The largest of every 2 × 2 pixels, channel by channel; of an odd side the last row and column are pooled alone.
    pub fn max_pooled(&mut self, x: Var, side: usize) -> Var {
        let (rows, channels) = self.shape(x);
        let half = side.div_ceil(2);
        let shape = (rows / (side * side) * half * half, channels);
        self.record(shape, Op::MaxPool { x, side }, |nodes, value, _| {
            let x = &nodes[x.0].value;
            for (pixel, value) in value.chunks_exact_mut(channels).enumerate() {
                let mut window = window(pixel, side).map(|at| &x[at * channels..][..channels]);
                value.copy_from_slice(window.next().expect("a window holds a pixel"));
                for other in window {
                    value.iter_mut().zip(other).for_each(|(most, &x)| *most = most.larger(x));
                }
            }
        })
    }

    /// The same numbers in rows of `columns`.
    pub fn reshaped(&mut self, x: Var, columns: usize) -> Var {
        let (rows, old) = self.shape(x);
        self.record((rows * old / columns, columns), Op::Reshape { x }, |nodes, value, _| {
            value.copy_from_slice(&nodes[x.0].value);
        })
    }
}

/// `∂w += patchesᵀ g`, `∂b += Σ g` and, unless `x` was given, `∂x +=` what the patches' gradients `g wᵀ` come from.
pub(super) fn convolution_back<R: Real>(
    x: &[R],
    w: Matrix<'_, R>,
    side: usize,
    grad: &[R],
    [by_x, by_w, by_b]: [&mut Vec<R>; 3],
    is_given: bool,
) {
    let outputs = by_b.len();
    let channels = by_w.len() / (9 * outputs);
    let (size, stretches) = (side * side * channels, stretches(side, channels));
    let (mut patches, mut by_patches) = (Vec::new(), Vec::new());
    let grads = parts(grad, side, outputs);
    let xs = parts(x, side, channels).zip(parts_mut(by_x, side, channels));
    for (grad, (x, by_x)) in grads.zip(xs) {
        lay_out(x, size, &stretches, &mut patches);
        grad.chunks_exact(outputs).for_each(|row| add_scaled(R::ONE, row, by_b));
        let grad = Matrix::new(grad, outputs);
        add_product(Matrix::new(&patches, 9 * channels).transposed(), grad, by_w);
        if !is_given {
            by_patches.resize(patches.len(), R::ZERO);
            product(grad, w.transposed(), &mut by_patches);
            vectorised(
                #[inline(always)]
                || collect(&by_patches, size, &stretches, by_x),
            );
        }
    }
}

/// Adds each gradient to that of the first pixel of its window that was the largest.
pub(super) fn max_pool_back<R: Real>(
    x: &[R],
    side: usize,
    channels: usize,
    (value, grad): (&[R], &[R]),
    by_x: &mut [R],
) {
    for pixel in 0..value.len() / channels {
        for channel in 0..channels {
            let at = pixel * channels + channel;
            let places = window(pixel, side).map(|place| place * channels + channel);
            let largest = places.into_iter().find(|&place| x[place] == value[at]);
            if let Some(place) = largest {
                by_x[place] += grad[at];
            }
        }
    }
}

/// The pixels of a large image, counted over all images, that the pooled pixel stands for.
fn window(pixel: usize, side: usize) -> impl Iterator<Item = usize> {
    let half = side.div_ceil(2);
    let (image, row, column) = (pixel / (half * half), pixel / half % half, pixel % half);
    let rows = 2 * row..(2 * row + 2).min(side);
    rows.flat_map(move |row| {
        (2 * column..(2 * column + 2).min(side)).map(move |column| (image * side + row) * side + column)
    })
}

/// A few images at a time.
fn parts<R>(values: &[R], side: usize, channels: usize) -> impl Iterator<Item = &[R]> {
    values.chunks(part_length(side, channels))
}

fn parts_mut<R>(values: &mut [R], side: usize, channels: usize) -> impl Iterator<Item = &mut [R]> {
    values.chunks_mut(part_length(side, channels))
}

fn part_length(side: usize, channels: usize) -> usize {
    (PATCHES / (side * side)).max(1) * side * side * channels
}

/// A stretch of one row of a patch that lies within the image: where it stands among the patches and in the images, and
/// how long it is. Neighbours in a row are neighbours in memory, so up to three pixels are one stretch.
#[derive(Debug, Clone, Copy)]
struct Stretch {
    patch: usize,
    image: usize,
    length: usize,
}

/// All stretches of the patches of one image: the same in every image, so they are found once for all.
fn stretches(side: usize, channels: usize) -> Vec<Stretch> {
    let of_pixel = |pixel: usize| {
        let (row, column) = (pixel / side, pixel % side);
        let (left, right) = (column.saturating_sub(1), (column + 2).min(side));
        (0..3).filter(move |k| (1..=side).contains(&(row + k))).map(move |k| Stretch {
            patch: (pixel * 9 + 3 * k + (left + 1 - column)) * channels,
            image: (pixel - column + left + k * side - side) * channels,
            length: (right - left) * channels,
        })
    };
    (0..side * side).flat_map(of_pixel).collect()
}

/// The 3 × 3 pixels about each pixel side by side, for images of `size` numbers.
fn lay_out<R: Real>(x: &[R], size: usize, stretches: &[Stretch], patches: &mut Vec<R>) {
    patches.clear();
    patches.resize(9 * x.len(), R::ZERO);
    for (x, patches) in x.chunks_exact(size).zip(patches.chunks_exact_mut(9 * size)) {
        for &Stretch { patch, image, length } in stretches {
            patches[patch..patch + length].copy_from_slice(&x[image..image + length]);
        }
    }
}

/// Undoes [`lay_out`] for gradients: adds up what stands for the same pixel.
#[inline(always)]
fn collect<R: Real>(patches: &[R], size: usize, stretches: &[Stretch], by_x: &mut [R]) {
    for (patches, by_x) in patches.chunks_exact(9 * size).zip(by_x.chunks_exact_mut(size)) {
        for &Stretch { patch, image, length } in stretches {
            add_scaled(R::ONE, &patches[patch..patch + length], &mut by_x[image..image + length]);
        }
    }
}
