//! The network that updates by changed inputs and computes single outputs against the plain one.

use gflowcausal_determinism::rand::RngExt;
use gflowcausal_determinism::{Stream, StreamRng, stream};
use gflowcausal_flow::{Action, Environment, InputChange, Mlp, MlpConfig, Network, Tape, Walk};
use gflowcausal_graph::Constraints;

use crate::plain::Plain;

/// Random trajectories on a tape, with the inputs of each row kept beside it.
struct Rows {
    tape: Tape,
    inputs: Vec<Vec<bool>>,
}

impl Rows {
    fn push(&mut self, base: usize, changes: &[InputChange], requested: &[Action]) -> usize {
        let mut inputs = self.inputs[base].clone();
        changes.iter().for_each(|change| inputs[change.input as usize] = change.is_on);
        self.inputs.push(inputs);
        self.tape.push(Some(base), changes, requested)
    }

    /// A random trajectory: a row for each state, one for each parent of each state, of which that one flow is
    /// requested, and one that has some of the trajectory's inputs off and others on.
    fn grow(&mut self, environment: &dyn Environment, network: &Mlp, rng: &mut StreamRng) {
        let mut state = environment.initial();
        let (mut allowed, mut parents, mut changes, mut all) = (vec![], vec![], vec![], vec![]);
        state.allowed(&mut allowed);
        self.inputs.push(vec![false; environment.inputs()]);
        let root = self.tape.push(None, &[], &allowed);
        let mut at = root;
        while !state.is_terminal() {
            let action = allowed[rng.random_range(0..allowed.len())];
            state.input_changes(action, &mut changes);
            state.apply(action);
            state.allowed(&mut allowed);
            state.parents(&mut parents);
            if environment.stop() == Some(action) {
                break;
            }
            at = self.push(at, &changes, &allowed);
            all.extend_from_slice(&changes);
            for &parent in &parents {
                state.parent_input_changes(parent, &mut changes);
                self.push(at, &changes, &[parent]);
            }
        }
        let last = self.push(root, &all, &[0, 1]);
        let on = (0..).zip(&self.inputs[last]).filter(|(_, is_on)| **is_on);
        let some_off: Vec<InputChange> = on.step_by(2).map(|(input, _)| InputChange::off(input)).collect();
        self.push(last, &some_off, &[1, 2]);
        network.forward(&mut self.tape, 0);
    }
}

fn check(walk: Walk, nodes: usize, config: &MlpConfig) {
    let environment = walk.environment(Constraints::none(nodes)).unwrap();
    let network = Mlp::new(environment.inputs(), environment.actions(), config, 3);
    let plain = Plain::of(&network);
    let mut rng = stream(5, Stream::Test { k: nodes as u64 });
    let mut rows = Rows { tape: Tape::default(), inputs: vec![] };
    for _ in 0..3 {
        rows.grow(&*environment, &network, &mut rng);
    }
    let Rows { mut tape, inputs } = rows;
    let mut expected = plain.zeros();
    for (row, inputs) in inputs.iter().enumerate() {
        let exact = plain.log_flows(inputs);
        let scale = exact.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        let mut grads = vec![0.0; environment.actions()];
        for (place, &output) in tape.requested(row).to_vec().iter().enumerate() {
            let error = (f64::from(tape.log_flows(row)[place]) - exact[output as usize]).abs();
            assert!(error <= 1e-5 * scale, "{walk} row {row}: off by {error} of {scale}");
            let grad = rng.random_range(-1.0..1.0_f32);
            tape.grad_mut(row)[place] = grad;
            grads[output as usize] = f64::from(grad);
        }
        plain.backward(inputs, &grads, &mut expected);
    }
    let mut gradient = vec![0.0; network.parameters().len()];
    network.backward(&mut tape, 0, &mut gradient);
    let difference = expected.difference(&network, &gradient);
    assert!(difference <= 1e-5, "{walk}: the gradient is off by {difference}");
}

#[test]
fn every_walk_gets_the_numbers_of_the_plain_network() {
    for &walk in Walk::ALL {
        check(walk, 5, &MlpConfig { layers: 2, width: 24 });
        check(walk, 7, &MlpConfig { layers: 3, width: 13 });
        check(walk, 4, &MlpConfig { layers: 1, width: 8 });
    }
}

#[test]
fn so_do_layers_wider_than_one_stretch_of_units() {
    for walk in [Walk::Chain, Walk::Order, Walk::Graph] {
        check(walk, 9, &MlpConfig { layers: 2, width: 80 });
    }
}

#[test]
fn so_do_walks_of_more_rows_than_one_block() {
    check(Walk::Chain, 16, &MlpConfig { layers: 2, width: 16 });
    check(Walk::Edges, 10, &MlpConfig { layers: 2, width: 16 });
}
