//! The network that updates by single bits and computes single outputs against the plain one.

use gflowcausal_determinism::rand::RngExt;
use gflowcausal_determinism::{Stream, StreamRng, stream};
use gflowcausal_flow::{Action, Mlp, MlpConfig, Network, Row, Tape, Terrain, Walk};
use gflowcausal_graph::Constraints;

use crate::plain::Plain;

/// Random walks on a tape, with the bits of each row kept beside it.
struct Walks {
    tape: Tape,
    bits: Vec<Vec<bool>>,
}

impl Walks {
    fn push(&mut self, row: Row, bits: Vec<bool>, wanted: &[Action]) -> usize {
        self.bits.push(bits);
        self.tape.push(row, wanted)
    }

    /// A random walk: a row for each state, and one for each parent of each state, which wants that one flow.
    fn walk(&mut self, terrain: &Terrain, network: &Mlp, rng: &mut StreamRng) {
        let mut state = terrain.initial();
        let (mut allowed, mut parents) = (vec![], vec![]);
        state.allowed(&mut allowed);
        let mut at = self.push(Row::blank(), vec![false; terrain.inputs()], &allowed);
        while !state.is_terminal() {
            let action = allowed[rng.random_range(0..allowed.len())];
            state.apply(action);
            state.allowed(&mut allowed);
            state.parents(&mut parents);
            if terrain.stop() == Some(action) {
                break;
            }
            let mut bits = self.bits[at].clone();
            bits[action as usize] = true;
            at = self.push(Row::with(at, action), bits.clone(), &allowed);
            for &parent in &parents {
                let mut fewer = bits.clone();
                fewer[parent as usize] = false;
                self.push(Row::without(at, parent), fewer, &[parent]);
            }
        }
        network.forward(&mut self.tape, 0);
    }
}

fn check(walk: Walk, nodes: usize, config: &MlpConfig) {
    let terrain = Terrain::new(walk, Constraints::none(nodes)).unwrap();
    let network = Mlp::new(terrain.inputs(), terrain.actions(), config, 3);
    let plain = Plain::of(&network);
    let mut rng = stream(5, Stream::Test { k: nodes as u64 });
    let mut walks = Walks { tape: Tape::default(), bits: vec![] };
    for _ in 0..3 {
        walks.walk(&terrain, &network, &mut rng);
    }
    let Walks { mut tape, bits } = walks;
    let mut expected = plain.zeros();
    for (row, bits) in bits.iter().enumerate() {
        let exact = plain.log_flows(bits);
        let scale = exact.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        let mut slopes = vec![0.0; terrain.actions()];
        for (place, &output) in tape.wanted(row).to_vec().iter().enumerate() {
            let error = (f64::from(tape.log_flows(row)[place]) - exact[output as usize]).abs();
            assert!(error <= 1e-5 * scale, "{walk} row {row}: off by {error} of {scale}");
            let slope = rng.random_range(-1.0..1.0_f32);
            tape.slopes_mut(row)[place] = slope;
            slopes[output as usize] = f64::from(slope);
        }
        plain.backward(bits, &slopes, &mut expected);
    }
    let mut gradient = vec![0.0; network.parameters().len()];
    network.backward(&mut tape, 0, &mut gradient);
    let difference = expected.difference(&network, &gradient);
    assert!(difference <= 1e-5, "{walk}: the gradient is off by {difference}");
}

#[test]
fn every_walk_gets_the_numbers_of_the_plain_network() {
    for walk in Walk::ALL {
        check(walk, 5, &MlpConfig { layers: 2, width: 24, ..MlpConfig::default() });
        check(walk, 7, &MlpConfig { layers: 3, width: 13, ..MlpConfig::default() });
        check(walk, 4, &MlpConfig { layers: 1, width: 8, ..MlpConfig::default() });
    }
}

#[test]
fn so_do_layers_wider_than_one_stretch_of_units() {
    for walk in [Walk::Chain, Walk::Order, Walk::Graph] {
        check(walk, 9, &MlpConfig { layers: 2, width: 80, ..MlpConfig::default() });
    }
}

#[test]
fn so_do_walks_of_more_rows_than_one_block() {
    check(Walk::Chain, 16, &MlpConfig { layers: 2, width: 16, ..MlpConfig::default() });
    check(Walk::Edges, 10, &MlpConfig { layers: 2, width: 16, ..MlpConfig::default() });
}
