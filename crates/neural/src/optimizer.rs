//! Steps against a gradient: Adam and RMSprop.

use gflowcausal_autodiff::{Real, Tape, vectorised};

/// Adam (Kingma & Ba 2015): each parameter moves by its mean gradient over the root of its mean squared gradient.
#[derive(Debug, Clone)]
pub(crate) struct Adam<R> {
    steps: i32,
    means: Vec<R>,
    squares: Vec<R>,
    betas: [f64; 2],
}

impl<R: Real> Adam<R> {
    /// With the usual β of 0.9 and 0.999.
    pub(crate) fn new(parameters: usize) -> Self {
        let zeros = || vec![R::ZERO; parameters];
        Self { steps: 0, means: zeros(), squares: zeros(), betas: [0.9, 0.999] }
    }

    /// `p ← p − η · m̂ / (√v̂ + 1e-8)` with the moments `m`, `v` corrected for their start at zero.
    pub(crate) fn step(&mut self, learning_rate: f64, gradient: &[R], parameters: &mut [R]) {
        self.steps += 1;
        let [first, second] = self.betas;
        let corrected = |beta: f64| 1.0 - beta.powi(self.steps);
        let step = R::of(learning_rate / corrected(first));
        let root_scale = R::of(corrected(second).sqrt().recip());
        let [keep_mean, new_mean] = [R::of(first), R::of(1.0 - first)];
        let [keep_square, new_square] = [R::of(second), R::of(1.0 - second)];
        let epsilon = R::of(1e-8);
        let moments = self.means.iter_mut().zip(&mut self.squares);
        vectorised(
            #[inline(always)]
            || {
                for ((parameter, &slope), (mean, square)) in parameters.iter_mut().zip(gradient).zip(moments)
                {
                    *mean = keep_mean * *mean + new_mean * slope;
                    *square = keep_square * *square + new_square * slope * slope;
                    *parameter -= step * *mean / (square.root() * root_scale + epsilon);
                }
            },
        );
    }
}

/// Adam for all parameters of a tape.
#[derive(Debug)]
pub(crate) struct TapeAdam<R> {
    moments: Vec<Adam<R>>,
}

impl<R: Real> TapeAdam<R> {
    pub(crate) fn new(tape: &Tape<R>) -> Self {
        Self { moments: tape.parameters().map(|var| Adam::new(tape.value(var).len())).collect() }
    }

    /// Moves every parameter, by the learning rate for its number.
    pub(crate) fn step(&mut self, tape: &mut Tape<R>, learning_rate: impl Fn(usize) -> f64) {
        for (number, (var, adam)) in tape.parameters().zip(&mut self.moments).enumerate() {
            let (value, grad) = tape.value_and_grad(var);
            adam.step(learning_rate(number), grad, value);
        }
    }
}

/// RMSprop: each parameter moves by its gradient over the root of its mean squared gradient, which forgets at 0.99.
#[derive(Debug, Clone)]
pub(crate) struct RmsProp {
    squares: Vec<f64>,
}

impl RmsProp {
    pub(crate) fn new(parameters: usize) -> Self {
        Self { squares: vec![0.0; parameters] }
    }

    /// `p ← p − η · g / (√v + 1e-8)`.
    pub(crate) fn step(&mut self, learning_rate: f64, gradient: &[f64], parameters: &mut [f64]) {
        let squares = &mut self.squares;
        vectorised(
            #[inline(always)]
            || {
                for ((parameter, &slope), square) in parameters.iter_mut().zip(gradient).zip(squares) {
                    *square = 0.99 * *square + 0.01 * slope * slope;
                    *parameter -= learning_rate * slope / (square.sqrt() + 1e-8);
                }
            },
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ```python
    /// import torch
    /// p = torch.tensor([1.0, -2.0], dtype=torch.double, requires_grad=True)
    /// o = torch.optim.RMSprop([p], lr=.1)  # or Adam
    /// for g in [[0.5, -1.0], [0.25, 2.0], [-3.0, 0.0]]:
    ///     p.grad = torch.tensor(g, dtype=torch.double); o.step()
    /// print(p.tolist())
    /// ```
    #[test]
    fn steps_are_those_of_pytorch() {
        let gradients = [[0.5, -1.0], [0.25, 2.0], [-3.0, 0.0]];
        let (mut adam, mut rms) = (Adam::new(2), RmsProp::new(2));
        let (mut by_adam, mut by_rms) = ([1.0, -2.0], [1.0, -2.0]);
        for gradient in gradients {
            adam.step(0.1, &gradient, &mut by_adam);
            rms.step(0.1, &gradient, &mut by_rms);
        }
        let close = |a: [f64; 2], b: [f64; 2]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12);
        assert!(close(by_adam, ADAM), "{by_adam:?}");
        assert!(close(by_rms, RMS_PROP), "{by_rms:?}");
    }

    const ADAM: [f64; 2] = [0.856_395_837_386_988, -1.964_910_262_000_930_4];
    const RMS_PROP: [f64; 2] = [0.534_361_014_619_235, -1.895_323_021_991_522_2];
}
