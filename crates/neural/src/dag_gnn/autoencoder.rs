//! The loss of DAG-GNN and its gradient.

use gflowcausal_determinism::StreamRng;
use gflowcausal_graph::{Constraints, Edge};

use super::scalar_mlp::ScalarMlp;
use crate::augmented_lagrangian::Multipliers;
use gflowcausal_autodiff::vectorised;
use gflowcausal_autodiff::{Matrix, product};

/// Encoder, weights and decoder: `z = (I − A′ᵀ)(f(x) + w) − w`, `x̂ = g((I − A′ᵀ)⁻¹(z + w) − w)`, `A′ = sinh 3A`.
///
/// No latent noise is drawn, so the inverse undoes the product and `x̂ = g(f(x))`: it is never computed. The authors'
/// `100 tr(A′∘A′)` holds the diagonal near zero; here it is zero.
pub(super) struct Autoencoder {
    nodes: usize,
    mlp: ScalarMlp,
    /// Which weights may differ from zero.
    free: Vec<bool>,
    /// `A`, `w`, encoder, decoder.
    pub(super) parameters: Vec<f64>,
    pub(super) gradient: Vec<f64>,
    weights: Vec<f64>,
    encoded: Vec<f64>,
    latent: Vec<f64>,
    decoded: Vec<f64>,
    back: Vec<f64>,
    powers: Powers,
}

impl Autoencoder {
    pub(super) fn parameter_count(nodes: usize, hidden: usize) -> usize {
        nodes * nodes + 1 + 2 * ScalarMlp { hidden }.parameter_count()
    }

    pub(super) fn new(constraints: &Constraints, hidden: usize, rng: &mut StreamRng) -> Self {
        let nodes = constraints.nodes();
        let mlp = ScalarMlp { hidden };
        let mut parameters = vec![0.0; nodes * nodes + 1];
        parameters.extend(mlp.initial(rng, true));
        parameters.extend(mlp.initial(rng, false));
        let free =
            (0..nodes * nodes).map(|k| constraints.allows(Edge { from: k / nodes, to: k % nodes })).collect();
        Self {
            nodes,
            mlp,
            free,
            gradient: vec![0.0; parameters.len()],
            parameters,
            weights: vec![0.0; nodes * nodes],
            encoded: vec![],
            latent: vec![],
            decoded: vec![],
            back: vec![],
            powers: Powers::new(nodes),
        }
    }

    /// `A′ = sinh 3A`.
    pub(super) fn weights(&self) -> Vec<f64> {
        self.parameters[..self.nodes * self.nodes].iter().map(|a| (3.0 * a).sinh()).collect()
    }

    /// `h(A′) = tr (I + A′∘A′/d)^d − d`.
    pub(super) fn h(&mut self) -> f64 {
        let weights = self.weights();
        self.powers.h(&weights)
    }

    /// The negative evidence bound of a batch, `½ mean |x̂ − x|² + ½ mean |z|²`; leaves the gradient of that and the
    /// cost of cycles in `gradient`.
    pub(super) fn evaluate(&mut self, batch: &[f64], multipliers: Multipliers) -> f64 {
        self.weights = self.weights();
        self.gradient.fill(0.0);
        vectorised(
            #[inline(always)]
            || {
                let loss = self.forward(batch);
                self.backward(batch);
                self.add_cycles(multipliers);
                loss
            },
        )
    }

    #[inline(always)]
    fn forward(&mut self, batch: &[f64]) -> f64 {
        let Self { nodes, mlp, parameters, weights, encoded, latent, decoded, .. } = self;
        let (shift, encoder, decoder) = parts(parameters, *nodes, *mlp);
        [&mut *encoded, latent, decoded].into_iter().for_each(|values| values.resize(batch.len(), 0.0));
        mlp.forward(encoder, batch, encoded);
        mlp.forward(decoder, encoded, decoded);
        encoded.iter_mut().for_each(|value| *value += shift);
        // z = e − e A′ − w with e = f(x) + w.
        product(Matrix::new(encoded, *nodes), Matrix::new(weights, *nodes), latent);
        latent.iter_mut().zip(&*encoded).for_each(|(z, e)| *z = e - *z - shift);
        let errors = decoded.iter().zip(batch).map(|(guess, x)| (guess - x).powi(2)).sum::<f64>();
        let sizes = latent.iter().map(|z| z * z).sum::<f64>();
        0.5 * (errors + sizes) * *nodes as f64 / batch.len() as f64
    }

    #[inline(always)]
    fn backward(&mut self, batch: &[f64]) {
        let Self { nodes, mlp, parameters, gradient, weights, encoded, latent, decoded, back, .. } = self;
        let (nodes, per_row) = (*nodes, *nodes as f64 / batch.len() as f64);
        let (shift, encoder, decoder) = parts(parameters, nodes, *mlp);
        let (by_weights, rest) = gradient.split_at_mut(nodes * nodes);
        let (by_shift, rest) = rest.split_at_mut(1);
        let (by_encoder, by_decoder) = rest.split_at_mut(mlp.parameter_count());
        latent.iter_mut().for_each(|z| *z *= per_row);
        // ∂/∂A′ = −eᵀ z.
        product(Matrix::new(encoded, nodes).transposed(), Matrix::new(latent, nodes), by_weights);
        by_weights.iter_mut().for_each(|slope| *slope = -*slope);
        // ∂/∂e = z − z A′ᵀ.
        back.resize(batch.len(), 0.0);
        product(Matrix::new(latent, nodes), Matrix::new(weights, nodes).transposed(), back);
        by_shift[0] = -back.iter().sum::<f64>();
        back.iter_mut().zip(&*latent).for_each(|(slope, z)| *slope = z - *slope);
        encoded.iter_mut().for_each(|value| *value -= shift);
        decoded.iter_mut().zip(batch).for_each(|(guess, x)| *guess = (*guess - x) * per_row);
        mlp.backward(decoder, encoded, decoded, by_decoder);
        back.iter_mut().zip(&*decoded).for_each(|(slope, more)| *slope += more);
        mlp.backward(encoder, batch, back, by_encoder);
    }

    /// Adds the slope of `λ h + ½ μ h²`, and turns that by `A′` into that by `A`.
    #[inline(always)]
    fn add_cycles(&mut self, multipliers: Multipliers) {
        let h = self.powers.h(&self.weights);
        let factor = 2.0 * multipliers.slope(h);
        let nodes = self.nodes;
        let by_weights = &mut self.gradient[..nodes * nodes];
        for (k, slope) in by_weights.iter_mut().enumerate() {
            let by_power = self.powers.before_last[k % nodes * nodes + k / nodes];
            let whole = *slope + factor * self.weights[k] * by_power;
            // d sinh 3A = 3 cosh 3A dA, and cosh² = 1 + sinh².
            *slope = if self.free[k] { 3.0 * (1.0 + self.weights[k].powi(2)).sqrt() * whole } else { 0.0 };
        }
    }
}

/// `w`, encoder and decoder.
fn parts(parameters: &[f64], nodes: usize, mlp: ScalarMlp) -> (f64, &[f64], &[f64]) {
    let rest = &parameters[nodes * nodes..];
    let (encoder, decoder) = rest[1..].split_at(mlp.parameter_count());
    (rest[0], encoder, decoder)
}

/// Powers of `M = I + A′∘A′/d`.
struct Powers {
    nodes: usize,
    matrix: Vec<f64>,
    /// `M^{d−1}`, the slope of `tr M^d` by `A′∘A′`.
    before_last: Vec<f64>,
    product: Vec<f64>,
}

impl Powers {
    fn new(nodes: usize) -> Self {
        let zeros = || vec![0.0; nodes * nodes];
        Self { nodes, matrix: zeros(), before_last: zeros(), product: zeros() }
    }

    /// `tr M^d − d`, by `2 log₂ d` products.
    fn h(&mut self, weights: &[f64]) -> f64 {
        let nodes = self.nodes;
        let share = 1.0 / nodes as f64;
        self.matrix.iter_mut().zip(weights).for_each(|(entry, weight)| *entry = share * weight * weight);
        self.matrix.iter_mut().step_by(nodes + 1).for_each(|entry| *entry += 1.0);
        self.raise(nodes.saturating_sub(1));
        let rows = self.before_last.chunks_exact(nodes.max(1));
        let trace: f64 = rows
            .enumerate()
            .map(|(i, row)| row.iter().zip(self.column(i)).map(|(a, b)| a * b).sum::<f64>())
            .sum();
        trace - nodes as f64
    }

    fn column(&self, column: usize) -> impl Iterator<Item = &f64> {
        self.matrix[column..].iter().step_by(self.nodes)
    }

    /// `before_last ← M^power`, the bits of the power from the highest down.
    fn raise(&mut self, power: usize) {
        let Self { nodes, matrix, before_last, product: target } = self;
        before_last.fill(0.0);
        before_last.iter_mut().step_by(*nodes + 1).for_each(|entry| *entry = 1.0);
        for bit in (0..usize::BITS - power.leading_zeros()).rev() {
            let square = Matrix::new(before_last, *nodes);
            product(square, square, target);
            std::mem::swap(before_last, target);
            if power >> bit & 1 == 1 {
                product(Matrix::new(before_last, *nodes), Matrix::new(matrix, *nodes), target);
                std::mem::swap(before_last, target);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use gflowcausal_determinism::rand::RngExt;
    use gflowcausal_determinism::{Stream, stream};

    use super::*;

    #[test]
    fn the_gradient_is_that_of_central_differences() {
        let (nodes, hidden, rows) = (4, 5, 7);
        let mut rng = stream(1, Stream::Test { k: 0 });
        let mut model = Autoencoder::new(&Constraints::none(nodes), hidden, &mut rng);
        for (k, value) in model.parameters.iter_mut().enumerate() {
            let is_diagonal = k < nodes * nodes && k % (nodes + 1) == 0;
            *value += if is_diagonal { 0.0 } else { 0.4 * (rng.random::<f64>() - 0.5) };
        }
        let batch: Vec<f64> = (0..rows * nodes).map(|_| 3.0 * rng.random::<f64>() - 1.0).collect();
        let multipliers = Multipliers { lambda: 0.3, mu: 2.0 };
        let whole = |model: &mut Autoencoder| {
            let loss = model.evaluate(&batch, multipliers);
            let h = model.h();
            loss + multipliers.cost(h)
        };
        whole(&mut model);
        let gradient = model.gradient.clone();
        for (k, slope) in gradient.iter().enumerate() {
            let mut at = |shift: f64| {
                model.parameters[k] += shift;
                let value = whole(&mut model);
                model.parameters[k] -= shift;
                value
            };
            let numeric = (at(1e-6) - at(-1e-6)) / 2e-6;
            let is_diagonal = k < nodes * nodes && k % (nodes + 1) == 0;
            let expected = if is_diagonal { 0.0 } else { numeric };
            assert!((slope - expected).abs() < 1e-6 * (1.0 + numeric.abs()), "{k}: {slope} {numeric}");
        }
    }

    /// `tr (I + S/d)^d − d` of one cycle of two edges, by hand: `S = [[0, a], [b, 0]]`, `d = 2`: `ab/2`.
    #[test]
    fn h_of_one_cycle_is_known() {
        let h = Powers::new(2).h(&[0.0, 2.0, 3.0, 0.0]);
        assert!((h - 4.0 * 9.0 / 2.0).abs() < 1e-12, "{h}");
        assert_eq!(Powers::new(3).h(&[0.0, 1.0, 5.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0]), 0.0);
    }
}
