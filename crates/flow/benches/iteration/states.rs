//! The states of a batch of random walks and their parents, on a tape and as dense rows.

use gflowcausal_determinism::rand::RngExt;
use gflowcausal_determinism::{Stream, stream};
use gflowcausal_flow::{Action, DENSE_SHARE, Environment, InputChange, Mlp, MlpConfig, Network, Tape};

use crate::BATCH;

/// How many dense rows the plain network takes at a time.
const BLOCK: usize = 256;

/// The states of one batch but the terminal ones, each as the actions taken so far, and their parents.
pub(crate) struct States {
    inputs: usize,
    outputs: usize,
    states: Vec<Vec<Action>>,
    /// How many actions are open at all states together.
    requested: usize,
    /// The number of the state that is one's child, and the action that is taken out of the child.
    pub(crate) parents: Vec<(usize, Action)>,
    /// All states but the initial one, the terminal ones too.
    children: Vec<Vec<Action>>,
}

impl States {
    /// Random walks; parents only if asked for.
    pub(crate) fn random(environment: &dyn Environment, with_parents: bool) -> Self {
        let mut states = Self {
            inputs: environment.inputs(),
            outputs: environment.actions(),
            states: vec![],
            requested: 0,
            parents: vec![],
            children: vec![],
        };
        for k in 0..BATCH as u64 {
            states.walk(environment, with_parents, k);
        }
        states
    }

    fn walk(&mut self, environment: &dyn Environment, with_parents: bool, k: u64) {
        let mut rng = stream(0, Stream::Test { k });
        let (mut state, mut trajectory) = (environment.initial(), vec![]);
        let (mut allowed, mut parents) = (vec![], vec![]);
        while !state.is_terminal() {
            state.allowed(&mut allowed);
            self.states.push(trajectory.clone());
            self.requested += allowed.len();
            let action = allowed[rng.random_range(0..allowed.len())];
            state.apply(action);
            trajectory.push(action);
            state.parents(&mut parents);
            if with_parents {
                self.parents.extend(parents.iter().map(|&parent| (self.children.len(), parent)));
                self.children.push(trajectory.clone());
            }
        }
    }

    /// The floating-point operations of the matrix products of an iteration: one forward and two backward for the hidden
    /// layer, and for the outputs, all of a state or those requested, whichever the network computes.
    ///
    /// The walks share their initial state, and each state has one parent on its own walk.
    pub(crate) fn operations(&self, width: usize) -> f64 {
        let rows = self.states.len() - BATCH + 1;
        let others = self.parents.len().saturating_sub(self.children.len());
        let all = rows * self.outputs;
        let outputs = if self.requested as f64 >= DENSE_SHARE * all as f64 { all } else { self.requested };
        6.0 * width as f64 * ((rows + others) * width + outputs + others) as f64
    }

    /// All states and parents, a block of dense rows at a time.
    pub(crate) fn dense_blocks(&self, mut work: impl FnMut(&[f32])) {
        for states in self.states.chunks(BLOCK) {
            work(&states.iter().flat_map(|trajectory| self.dense(trajectory, None)).collect::<Vec<f32>>());
        }
        self.dense_parent_blocks(work);
    }

    /// All parents, a block of dense rows at a time.
    pub(crate) fn dense_parent_blocks(&self, mut work: impl FnMut(&[f32])) {
        for parents in self.parents.chunks(BLOCK) {
            work(&self.dense_rows(parents));
        }
    }

    /// All parents, those of one state at a time.
    pub(crate) fn dense_parents(&self, mut work: impl FnMut(&[f32])) {
        for parents in self.parents.chunk_by(|a, b| a.0 == b.0) {
            work(&self.dense_rows(parents));
        }
    }

    fn dense_rows(&self, parents: &[(usize, Action)]) -> Vec<f32> {
        parents.iter().flat_map(|&(child, action)| self.dense(&self.children[child], Some(action))).collect()
    }

    fn dense(&self, trajectory: &[Action], without: Option<Action>) -> Vec<f32> {
        let mut bits = vec![0.0; self.inputs];
        trajectory
            .iter()
            .filter(|&&action| Some(action) != without)
            .for_each(|&action| bits[action as usize] = 1.0);
        bits
    }
}

/// The same parents on a tape: a call evaluates them and sums up their gradient.
pub(crate) fn parents_on_tape(environment: &dyn Environment, config: &MlpConfig) -> impl FnMut() + use<> {
    let network = Mlp::new(environment.inputs(), environment.actions(), config, 0);
    let states = States::random(environment, true);
    let mut tape = Tape::default();
    let root = tape.push(None, &[], &[]);
    let (mut rows, mut row) = (vec![], root);
    for trajectory in &states.children {
        let last = trajectory[trajectory.len() - 1];
        row = tape.push(Some(if trajectory.len() == 1 { root } else { row }), &[InputChange::on(last)], &[]);
        rows.push(row);
    }
    for &(child, action) in &states.parents {
        let row = tape.push(Some(rows[child]), &[InputChange::off(action)], &[action]);
        tape.grad_mut(row).fill(1.0);
    }
    let mut gradient = vec![0.0; network.parameters().len()];
    move || {
        network.forward(&mut tape, 0);
        network.backward(&mut tape, 0, &mut gradient);
    }
}
