//! Networks that see a state as a d × d matrix of bits, differentiated on a tape of matrix operations.
//!
//! Each row is computed anew: nothing is gained from the row it is based on but its inputs. On the way back what was
//! computed is computed again, block after block, instead of kept: that is one more pass forward and saves nearly
//! all of the memory.

mod cnn;
mod head;
mod transformer;
mod vgg16;

use gflowcausal_autodiff::{self as autodiff, Real, Var};
use gflowcausal_determinism::{Stream, StreamRng, cancellation_point, stream};

use super::tape::PerRow;
use super::{Network, NetworkConfig, NetworkName, Tape, TensorShape};
use crate::{Action, Environment};

pub(super) use cnn::Cnn;
pub(super) use transformer::Transformer;
pub(super) use vgg16::Vgg16;

/// How many numbers may be computed at a time, the size of a block of rows.
const BLOCK: usize = 1 << 21;

/// The most rows of a block.
const MOST_ROWS: usize = 256;

/// What a network is made for, and how large it is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Size {
    nodes: usize,
    /// Whether there is an action that stops.
    stops: bool,
    layers: usize,
    width: usize,
}

impl Size {
    pub(super) fn of(environment: &dyn Environment, config: &NetworkConfig) -> Self {
        let NetworkConfig { layers, width, .. } = *config;
        Self { nodes: environment.nodes(), stops: environment.stop().is_some(), layers, width }
    }

    fn inputs(self) -> usize {
        self.nodes * self.nodes
    }
}

/// How log-flows follow from states.
pub(super) trait Architecture: Send + Sync + Sized {
    /// The name in front of its tensors.
    const NAME: NetworkName;

    /// Puts parameters drawn from `rng` on an empty tape.
    fn new<R: Real>(tape: &mut autodiff::Tape<R>, size: Size, rng: &mut StreamRng) -> Self;

    /// How many parameters that makes; none if no number can say.
    fn parameters(size: Size) -> Option<usize>;

    /// The log-flows of `states`, one matrix after the other.
    fn log_flows<R: Real>(&self, tape: &mut autodiff::Tape<R>, states: &[R]) -> LogFlows;
}

/// Where the log-flows of some states stand on a tape.
#[derive(Debug, Clone, Copy)]
pub(super) struct LogFlows {
    /// A row of `d²` for each state, or the same numbers in shorter rows.
    edges: Var,
    /// One for each state.
    stop: Option<Var>,
}

impl LogFlows {
    /// Where the log-flow of `action` at the `k`-th state stands.
    fn place(self, action: Action, k: usize, inputs: usize) -> (Var, usize) {
        match self.stop {
            Some(stop) if action as usize == inputs => (stop, k),
            _ => (self.edges, k * inputs + action as usize),
        }
    }
}

/// A network by its architecture and its parameters.
#[derive(Debug, Clone)]
pub(super) struct Taped<A> {
    architecture: A,
    inputs: usize,
    shapes: Vec<(usize, usize)>,
    parameters: Vec<f32>,
    /// How many rows are worked on at a time.
    block: usize,
}

impl<A: Architecture> Taped<A> {
    /// A network whose parameters are drawn from `seed`.
    pub(super) fn new(size: Size, seed: u64) -> Self {
        assert!(size.nodes * size.layers * size.width > 0, "every dimension of a network is positive");
        let mut tape = autodiff::Tape::<f32>::new();
        let architecture = A::new(&mut tape, size, &mut stream(seed, Stream::Parameters { layer: 0 }));
        let shapes = tape.parameters().map(|var| tape.shape(var)).collect();
        let parameters = tape.parameters().flat_map(|var| tape.value(var).iter().copied()).collect();
        architecture.log_flows(&mut tape, &vec![0.0; size.inputs()]);
        let block = (BLOCK / tape.computed()).clamp(1, MOST_ROWS);
        Self { architecture, inputs: size.inputs(), shapes, parameters, block }
    }

    /// The memory's one part: the inputs of each row.
    fn prepare(&self, tape: &mut Tape, first: usize) {
        if tape.memory.len() != 1 || tape.memory[0].width != self.inputs {
            tape.memory = vec![PerRow { width: self.inputs, values: vec![] }];
        }
        let is_new = tape.recorded.parameters().count() != self.shapes.len();
        if is_new {
            tape.recorded = autodiff::Tape::with_parameters(&self.shapes);
        }
        if first == 0 || is_new {
            tape.recorded.load(&self.parameters);
        }
        let rows = tape.len();
        tape.memory[0].reserve(rows);
        for row in first..rows {
            let (earlier, own) = tape.memory[0].values.split_at_mut(row * self.inputs);
            let own = &mut own[..self.inputs];
            match tape.inputs.base(row) {
                Some(base) => own.copy_from_slice(&earlier[base * self.inputs..][..self.inputs]),
                None => own.fill(0.0),
            }
            for change in tape.inputs.changes(row) {
                own[change.input as usize] = f32::from(u8::from(change.is_on));
            }
        }
    }

    /// The rows from `first` on of which something is requested.
    fn asked(tape: &Tape, first: usize) -> Vec<usize> {
        (first..tape.len()).filter(|&row| !tape.requested(row).is_empty()).collect()
    }

    /// Computes the log-flows of `rows`.
    fn evaluate(&self, tape: &Tape, rows: &[usize], recorded: &mut autodiff::Tape<f32>) -> LogFlows {
        cancellation_point();
        let inputs = |&row: &usize| &tape.memory[0].values[row * self.inputs..][..self.inputs];
        let states: Vec<f32> = rows.iter().flat_map(inputs).copied().collect();
        recorded.clear();
        self.architecture.log_flows(recorded, &states)
    }
}

impl<A: Architecture> Network for Taped<A> {
    fn forward(&self, tape: &mut Tape, first: usize) {
        self.prepare(tape, first);
        let mut recorded = std::mem::take(&mut tape.recorded);
        for rows in Self::asked(tape, first).chunks(self.block) {
            let all = self.evaluate(tape, rows, &mut recorded);
            for (k, &row) in rows.iter().enumerate() {
                let (requested, log_flows) = tape.log_flows_mut(row);
                for (&action, log_flow) in requested.iter().zip(log_flows) {
                    let (var, at) = all.place(action, k, self.inputs);
                    *log_flow = recorded.value(var)[at];
                }
            }
        }
        tape.recorded = recorded;
    }

    fn backward(&self, tape: &mut Tape, first: usize, gradient: &mut [f32]) {
        let mut recorded = std::mem::take(&mut tape.recorded);
        for rows in Self::asked(tape, first).chunks(self.block) {
            let all = self.evaluate(tape, rows, &mut recorded);
            for (k, &row) in rows.iter().enumerate() {
                for (&action, &grad) in tape.requested(row).iter().zip(tape.grad(row)) {
                    let (var, at) = all.place(action, k, self.inputs);
                    recorded.grad_mut(var)[at] = grad;
                }
            }
            recorded.backward();
            recorded.add_gradient_to(gradient);
        }
        tape.recorded = recorded;
    }

    fn parameters(&self) -> &[f32] {
        &self.parameters
    }

    fn parameters_mut(&mut self) -> &mut [f32] {
        &mut self.parameters
    }

    fn tensors(&self) -> Vec<TensorShape> {
        let tensor = |(number, &(rows, columns)): (usize, &(usize, usize))| TensorShape {
            name: format!("{}.{number}", A::NAME),
            shape: vec![rows, columns],
        };
        self.shapes.iter().enumerate().map(tensor).collect()
    }

    fn numbers_per_row(&self) -> usize {
        self.inputs
    }
}

/// The parameters of a layer from `inputs` to `outputs`, biases included.
fn layer(inputs: usize, outputs: usize) -> Option<usize> {
    inputs.checked_add(1)?.checked_mul(outputs)
}

/// The sum of numbers of parameters.
fn total(parts: impl IntoIterator<Item = Option<usize>>) -> Option<usize> {
    parts.into_iter().try_fold(0_usize, |sum, part| sum.checked_add(part?))
}

#[cfg(test)]
mod tests;
