//! The networks of GraN-DAG, one for each variable: densities, connections by path products, and their gradient.

use gflowcausal_determinism::StreamRng;
use gflowcausal_graph::NodeSet;
use gflowcausal_search::Exponential;
use rand_distr::{Distribution, Uniform};

use super::mask;
use crate::augmented_lagrangian::Multipliers;
use crate::optimizer::RmsProp;
use gflowcausal_autodiff::{Matrix, add_scaled, dot, product, vectorised};

/// The slope of a unit that is off.
const LEAK: f64 = 0.01;

/// `½ ln 2π`.
const HALF_LOG_TAU: f64 = 0.918_938_533_204_672_8;

/// Where each kind of parameter begins.
#[derive(Debug, Clone, Copy)]
struct Layout {
    nodes: usize,
    hidden: usize,
}

/// For each network: weights and biases of two hidden layers and one output, and the logarithm of the noise.
struct Parts<T> {
    w1: T,
    b1: T,
    w2: T,
    b2: T,
    w3: T,
    b3: T,
    log_noise: T,
}

impl Layout {
    fn lengths(self) -> [usize; 7] {
        let Self { nodes, hidden } = self;
        let units = nodes * hidden;
        [units * nodes, units, units * hidden, units, units, nodes, nodes]
    }

    fn parts(self, mut values: &[f64]) -> Parts<&[f64]> {
        let mut next = self.lengths().into_iter().map(|length| {
            let (part, rest) = values.split_at(length);
            values = rest;
            part
        });
        let mut part = || next.next().expect("seven parts");
        Parts { w1: part(), b1: part(), w2: part(), b2: part(), w3: part(), b3: part(), log_noise: part() }
    }

    fn parts_mut(self, mut values: &mut [f64]) -> Parts<&mut [f64]> {
        let mut next = self.lengths().into_iter().map(|length| {
            let (part, rest) = std::mem::take(&mut values).split_at_mut(length);
            values = rest;
            part
        });
        let mut part = || next.next().expect("seven parts");
        Parts { w1: part(), b1: part(), w2: part(), b2: part(), w3: part(), b3: part(), log_noise: part() }
    }
}

/// All networks, evaluated together: a row for each unit, a column for each row of the table.
pub(super) struct Networks {
    layout: Layout,
    pub(super) parameters: Vec<f64>,
    pub(super) gradient: Vec<f64>,
    /// 1 where a network reads an input, `[network][input]`.
    mask: Vec<f64>,
    /// The first weights, masked.
    masked: Vec<f64>,
    /// The connection from each variable to each network, `[cause][effect]`.
    connections: Vec<f64>,
    exponential: Exponential,
    activations: Activations,
}

/// What the layers gave for a batch.
#[derive(Default)]
struct Activations {
    rows: usize,
    inputs: Vec<f64>,
    first: Vec<f64>,
    second: Vec<f64>,
    /// `x − μ`.
    residuals: Vec<f64>,
}

impl Networks {
    /// Glorot's uniform weights; biases and logarithms of noise are zero.
    pub(super) fn new(allowed: &[NodeSet], hidden: usize, rng: &mut StreamRng) -> Self {
        let nodes = allowed.len();
        let layout = Layout { nodes, hidden };
        let mut parameters = vec![0.0; layout.lengths().iter().sum()];
        let Parts { w1, w2, w3, .. } = layout.parts_mut(&mut parameters);
        let gain = (2.0 / (1.0 + LEAK * LEAK)).sqrt();
        for (weights, inputs, outputs) in [(w1, nodes, hidden), (w2, hidden, hidden), (w3, hidden, 1)] {
            let bound = gain * (6.0 / (inputs + outputs) as f64).sqrt();
            let uniform = Uniform::new_inclusive(-bound, bound).expect("finite bounds in order");
            weights.iter_mut().for_each(|weight| *weight = uniform.sample(rng));
        }
        Self {
            layout,
            gradient: vec![0.0; parameters.len()],
            mask: mask(allowed),
            masked: vec![0.0; nodes * nodes * hidden],
            connections: vec![0.0; nodes * nodes],
            exponential: Exponential::new(nodes),
            activations: Activations::default(),
            parameters,
        }
    }

    /// Leaves the gradient of `loss + λ h + ½ μ h²` on a batch, given by columns, and returns `h = tr e^C − d`.
    pub(super) fn evaluate(&mut self, batch: &[Vec<f64>], multipliers: Multipliers) -> f64 {
        self.gradient.fill(0.0);
        self.forward(batch);
        vectorised(
            #[inline(always)]
            || {
                self.backward();
                let h = self.connect();
                self.add_cycles(multipliers.slope(h));
                h
            },
        )
    }

    /// The negative log-density of a cell, in the mean over all cells.
    pub(super) fn loss_of(&mut self, columns: &[Vec<f64>]) -> f64 {
        if columns.iter().all(Vec::is_empty) {
            return 0.0;
        }
        self.forward(columns);
        self.loss()
    }

    fn loss(&self) -> f64 {
        let Activations { rows, residuals, .. } = &self.activations;
        let log_noise = self.layout.parts(&self.parameters).log_noise;
        let terms = residuals.chunks_exact(*rows).zip(log_noise).map(|(residuals, log_noise)| {
            let squares: f64 = residuals.iter().map(|residual| residual * residual).sum();
            0.5 * squares * (-2.0 * log_noise).exp() + *rows as f64 * (log_noise + HALF_LOG_TAU)
        });
        terms.sum::<f64>() / residuals.len() as f64
    }

    /// A step against the gradient; then what is weaker than `clamp` is cut, by the connections before the step.
    pub(super) fn step(&mut self, optimizer: &mut RmsProp, learning_rate: f64, clamp: f64) {
        optimizer.step(learning_rate, &self.gradient, &mut self.parameters);
        self.clamp(clamp);
    }

    /// Cuts the connections that are not stronger than `least`.
    pub(super) fn clamp(&mut self, least: f64) {
        let nodes = self.layout.nodes;
        for (k, mask) in self.mask.iter_mut().enumerate() {
            if self.connections[k % nodes * nodes + k / nodes] <= least {
                *mask = 0.0;
            }
        }
    }

    fn forward(&mut self, columns: &[Vec<f64>]) {
        let Self { layout, parameters, mask, masked, activations, .. } = self;
        let Layout { nodes, hidden } = *layout;
        let Parts { w1, b1, w2, b2, w3, b3, .. } = layout.parts(parameters);
        for (unit, (masked, weights)) in
            masked.chunks_exact_mut(nodes).zip(w1.chunks_exact(nodes)).enumerate()
        {
            let mask = &mask[unit / hidden * nodes..][..nodes];
            masked.iter_mut().zip(weights).zip(mask).for_each(|((masked, w), mask)| *masked = w * mask);
        }
        let Activations { rows, inputs, first, second, residuals } = activations;
        *rows = columns[0].len();
        inputs.clear();
        columns.iter().for_each(|column| inputs.extend(column));
        first.resize(nodes * hidden * *rows, 0.0);
        second.resize(nodes * hidden * *rows, 0.0);
        residuals.clone_from(inputs);
        product(Matrix::new(masked, nodes), Matrix::new(inputs, *rows), first);
        vectorised(
            #[inline(always)]
            || {
                for (unit, values) in first.chunks_exact_mut(*rows).enumerate() {
                    values.iter_mut().for_each(|value| *value = leaky(*value + b1[unit]));
                }
                for (unit, values) in second.chunks_exact_mut(*rows).enumerate() {
                    values.fill(b2[unit]);
                    let below = first[unit / hidden * hidden * *rows..].chunks_exact(*rows);
                    for (weight, below) in w2[unit * hidden..][..hidden].iter().zip(below) {
                        add_scaled(*weight, below, values);
                    }
                    values.iter_mut().for_each(|value| *value = leaky(*value));
                    let node = unit / hidden;
                    add_scaled(-w3[unit], values, &mut residuals[node * *rows..][..*rows]);
                }
                for (values, bias) in residuals.chunks_exact_mut(*rows).zip(b3) {
                    values.iter_mut().for_each(|value| *value -= bias);
                }
            },
        );
    }

    /// The gradient of the loss.
    #[inline(always)]
    fn backward(&mut self) {
        let Self { layout, parameters, gradient, mask, activations, .. } = self;
        let Layout { nodes, hidden } = *layout;
        let Activations { rows, inputs, first, second, residuals } = activations;
        let rows = *rows;
        let share = 1.0 / residuals.len() as f64;
        let Parts { w2, w3, log_noise, .. } = layout.parts(parameters);
        let by = layout.parts_mut(gradient);
        for node in 0..nodes {
            let residuals = &mut residuals[node * rows..][..rows];
            let precision = (-2.0 * log_noise[node]).exp();
            by.log_noise[node] = share * (rows as f64 - precision * dot(residuals, residuals));
            residuals.iter_mut().for_each(|residual| *residual *= -share * precision);
            by.b3[node] = residuals.iter().sum();
            let units = node * hidden..(node + 1) * hidden;
            let mut below = vec![0.0; hidden * rows];
            for unit in units.clone() {
                let second = &mut second[unit * rows..][..rows];
                by.w3[unit] = dot(residuals, second);
                second
                    .iter_mut()
                    .zip(&*residuals)
                    .for_each(|(value, slope)| *value = w3[unit] * slope * leak_of(*value));
                by.b2[unit] = second.iter().sum();
                for k in 0..hidden {
                    by.w2[unit * hidden + k] = dot(second, &first[(units.start + k) * rows..][..rows]);
                    add_scaled(w2[unit * hidden + k], second, &mut below[k * rows..][..rows]);
                }
            }
            for (unit, slopes) in units.zip(below.chunks_exact(rows)) {
                let first = &mut first[unit * rows..][..rows];
                first.iter_mut().zip(slopes).for_each(|(value, slope)| *value = slope * leak_of(*value));
                by.b1[unit] = first.iter().sum();
            }
        }
        product(Matrix::new(first, rows), Matrix::new(inputs, rows).transposed(), by.w1);
        for (unit, slopes) in by.w1.chunks_exact_mut(nodes).enumerate() {
            let mask = &mask[unit / hidden * nodes..][..nodes];
            slopes.iter_mut().zip(mask).for_each(|(slope, mask)| *slope *= mask);
        }
    }

    /// The strength of each connection, the mean product of the sizes of weights over all paths; returns `h`.
    #[inline(always)]
    fn connect(&mut self) -> f64 {
        let Layout { nodes, hidden } = self.layout;
        let share = 1.0 / (hidden * hidden) as f64;
        for node in 0..nodes {
            let through = self.through(node);
            for from in 0..nodes {
                let first = (0..hidden).map(|k| self.masked[(node * hidden + k) * nodes + from].abs());
                let sum: f64 = first.zip(&through).map(|(first, through)| first * through).sum();
                self.connections[from * nodes + node] = share * sum;
            }
        }
        let power = self.exponential.of(&self.connections);
        power.iter().step_by(nodes + 1).map(|diagonal| diagonal - 1.0).sum()
    }

    /// The sum over paths from each unit of the first layer to the output.
    #[inline(always)]
    fn through(&self, node: usize) -> Vec<f64> {
        let hidden = self.layout.hidden;
        let Parts { w2, w3, .. } = self.layout.parts(&self.parameters);
        let mut through = vec![0.0; hidden];
        for unit in node * hidden..(node + 1) * hidden {
            let weights = w2[unit * hidden..][..hidden].iter();
            through.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += w3[unit].abs() * weight.abs());
        }
        through
    }

    /// Adds `factor · ∂h`, with `∂h/∂C = (e^C)ᵀ`.
    #[inline(always)]
    fn add_cycles(&mut self, factor: f64) {
        let Layout { nodes, hidden } = self.layout;
        let factor = factor / (hidden * hidden) as f64;
        for node in 0..nodes {
            let through = self.through(node);
            let Parts { w2, w3, .. } = self.layout.parts(&self.parameters);
            let by = self.layout.parts_mut(&mut self.gradient);
            // The row of e^C from this variable to all others.
            let slopes = &self.exponential.last()[node * nodes..][..nodes];
            let mut by_through = vec![0.0; hidden];
            for k in 0..hidden {
                let row = (node * hidden + k) * nodes;
                let weights = &self.masked[row..][..nodes];
                for ((by, weight), slope) in by.w1[row..][..nodes].iter_mut().zip(weights).zip(slopes) {
                    *by += factor * slope * through[k] * sign(*weight);
                    by_through[k] += factor * slope * weight.abs();
                }
            }
            let units = node * hidden..(node + 1) * hidden;
            let outputs = by.w3[units.clone()].iter_mut().zip(&w3[units.clone()]);
            for (unit, (by_output, output)) in units.zip(outputs) {
                let row = unit * hidden..(unit + 1) * hidden;
                let weights = by.w2[row.clone()].iter_mut().zip(&w2[row]);
                for ((by_weight, weight), slope) in weights.zip(&by_through) {
                    *by_output += sign(*output) * weight.abs() * slope;
                    *by_weight += sign(*weight) * output.abs() * slope;
                }
            }
        }
    }

    /// The mean of `|∂ ln p_j / ∂x_i|` over rows, `[i][j]`.
    pub(super) fn sensitivities(&mut self, columns: &[Vec<f64>]) -> Vec<f64> {
        let Layout { nodes, hidden } = self.layout;
        self.forward(columns);
        let Activations { rows, first, second, residuals, .. } = &self.activations;
        let rows = *rows;
        let Parts { w2, w3, log_noise, .. } = self.layout.parts(&self.parameters);
        let mut sizes = vec![0.0; nodes * nodes];
        let mut slopes = vec![0.0; nodes * rows];
        for node in 0..nodes {
            let precision = (-2.0 * log_noise[node]).exp();
            let mut below = vec![0.0; hidden * rows];
            for unit in node * hidden..(node + 1) * hidden {
                for (k, below) in below.chunks_exact_mut(rows).enumerate() {
                    let weight = w2[unit * hidden + k] * w3[unit];
                    let values = second[unit * rows..][..rows].iter();
                    below.iter_mut().zip(values).for_each(|(sum, value)| *sum += weight * leak_of(*value));
                }
            }
            for (below, first) in below.iter_mut().zip(&first[node * hidden * rows..]) {
                *below *= leak_of(*first);
            }
            let weights = Matrix::new(&self.masked[node * hidden * nodes..][..hidden * nodes], nodes);
            product(weights.transposed(), Matrix::new(&below, rows), &mut slopes);
            for (from, slopes) in slopes.chunks_exact(rows).enumerate() {
                let residuals = residuals[node * rows..][..rows].iter();
                let sum: f64 =
                    slopes.iter().zip(residuals).map(|(slope, residual)| (slope * residual).abs()).sum();
                sizes[from * nodes + node] = precision * sum / rows as f64;
            }
        }
        sizes
    }
}

#[inline(always)]
fn leaky(value: f64) -> f64 {
    value.max(LEAK * value)
}

/// The slope of [`leaky`] where it returned `value`.
#[inline(always)]
fn leak_of(value: f64) -> f64 {
    if value > 0.0 { 1.0 } else { LEAK }
}

/// −1, 0 or 1.
#[inline(always)]
fn sign(value: f64) -> f64 {
    if value > 0.0 {
        1.0
    } else if value < 0.0 {
        -1.0
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use gflowcausal_determinism::rand::RngExt;
    use gflowcausal_determinism::{Stream, stream};

    use super::*;

    fn networks(nodes: usize, hidden: usize) -> (Networks, Vec<Vec<f64>>) {
        let mut rng = stream(1, Stream::Test { k: 0 });
        let allowed: Vec<NodeSet> = (0..nodes).map(|node| NodeSet::full(nodes).without(node)).collect();
        let mut networks = Networks::new(&allowed, hidden, &mut rng);
        networks.parameters.iter_mut().for_each(|value| *value += 0.3 * (rng.random::<f64>() - 0.5));
        let columns = (0..nodes).map(|_| (0..9).map(|_| 3.0 * rng.random::<f64>() - 1.0).collect()).collect();
        (networks, columns)
    }

    #[test]
    fn the_gradient_is_that_of_central_differences() {
        let (mut networks, batch) = networks(4, 3);
        networks.mask[1] = 0.0;
        let multipliers = Multipliers { lambda: 0.3, mu: 2.0 };
        networks.evaluate(&batch, multipliers);
        let gradient = networks.gradient.clone();
        for (k, slope) in gradient.iter().enumerate() {
            let mut at = |shift: f64| {
                networks.parameters[k] += shift;
                let value = networks.loss_of(&batch) + multipliers.cost(networks.connect());
                networks.parameters[k] -= shift;
                value
            };
            let numeric = (at(1e-6) - at(-1e-6)) / 2e-6;
            assert!((slope - numeric).abs() < 1e-6 * (1.0 + numeric.abs()), "{k}: {slope} {numeric}");
        }
    }

    /// The densities of all rows by the definition, each input moved by a little.
    #[test]
    fn sensitivities_are_slopes_of_densities() {
        let (mut networks, columns) = networks(3, 4);
        let found = networks.sensitivities(&columns);
        let mut log_densities = |columns: &[Vec<f64>], node: usize| -> Vec<f64> {
            networks.forward(columns);
            let noise = networks.layout.parts(&networks.parameters).log_noise[node].exp();
            let rows = columns[0].len();
            let residuals = networks.activations.residuals[node * rows..][..rows].iter();
            residuals.map(|residual| -0.5 * (residual / noise).powi(2)).collect()
        };
        for (from, to) in [(0, 1), (2, 0), (1, 2)] {
            let mut moved = |shift: f64| {
                let mut columns = columns.clone();
                columns[from].iter_mut().for_each(|value| *value += shift);
                log_densities(&columns, to)
            };
            let (up, down) = (moved(1e-6), moved(-1e-6));
            let mean = up.iter().zip(down).map(|(up, down)| ((up - down) / 2e-6).abs()).sum::<f64>()
                / up.len() as f64;
            assert!(
                (found[from * 3 + to] - mean).abs() < 1e-5,
                "{from}→{to}: {} {mean}",
                found[from * 3 + to]
            );
        }
    }
}
