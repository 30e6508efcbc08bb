//! `max(x, 0)`, the non-linearity of hidden layers, and its derivative.

/// `outputs ← max(inputs, 0)`.
#[inline(always)]
pub(super) fn relu(inputs: &[f32], outputs: &mut [f32]) {
    outputs.iter_mut().zip(inputs).for_each(|(y, &x)| *y = x.max(0.0));
}

/// `values ← max(values + biases, 0)`.
#[inline(always)]
pub(super) fn relu_biased(biases: &[f32], values: &mut [f32]) {
    values.iter_mut().zip(biases).for_each(|(y, b)| *y = (*y + b).max(0.0));
}

/// Multiplies `grads` by the derivative, given what the function returned.
///
/// By the bits of a number: a choice becomes a masked store, which some processors take long for.
#[inline(always)]
pub(super) fn relu_back(outputs: &[f32], grads: &mut [f32]) {
    let keep_if = |kept: bool, x: f32| f32::from_bits(x.to_bits() & u32::from(kept).wrapping_neg());
    grads.iter_mut().zip(outputs).for_each(|(grad, &y)| *grad = keep_if(y > 0.0, *grad));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_are_those_of_central_differences() {
        for x in [-1.7_f32, -0.2, 0.3, 2.0] {
            let at = |x: f32| {
                let (mut plain, mut biased) = ([0.0], [x - 0.5]);
                relu(&[x], &mut plain);
                relu_biased(&[0.5], &mut biased);
                assert!((plain[0] - biased[0]).abs() < 1e-6);
                plain[0]
            };
            let mut slope = [1.0];
            relu_back(&[at(x)], &mut slope);
            let numeric = (at(x + 1e-2) - at(x - 1e-2)) / 2e-2;
            assert!((slope[0] - numeric).abs() < 1e-3, "at {x}: {} {numeric}", slope[0]);
        }
    }
}
