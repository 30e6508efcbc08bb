//! The decoder of CORL: an LSTM that points, with a glimpse, at the variable that comes next.

use gflowcausal_autodiff::{Linear, Real, Tape, Var, uniform};
use gflowcausal_determinism::rand::RngExt;
use gflowcausal_determinism::{Stream, StreamRng, categorical, stream};
use gflowcausal_graph::{Constraints, NodeSet, Order};

/// Additive attention: the layer of the references, that of the query, and what weighs their sum.
#[derive(Debug, Clone, Copy)]
struct Pointer {
    references: Linear,
    query: Var,
    v: Var,
}

impl Pointer {
    fn new<R: Real>(tape: &mut Tape<R>, width: usize, rng: &mut StreamRng) -> Self {
        let references = Linear::new(tape, width, width, rng);
        let query = tape.parameter(width, uniform(width * width, width, rng));
        Self { references, query, v: tape.parameter(width, uniform(width, width, rng)) }
    }

    fn scores<R: Real>(self, tape: &mut Tape<R>, references: Var, query: Var, open: Vec<bool>) -> Var {
        let query = tape.linear(query, self.query, None);
        tape.additive_scores(references, query, self.v, open)
    }
}

/// The decoder.
pub(super) struct Actor<'a> {
    constraints: &'a Constraints,
    /// The gates of the LSTM by its input, and by its last output.
    from_input: Linear,
    from_output: Var,
    glimpse: Pointer,
    pointer: Pointer,
}

/// One choice in every order of a batch.
struct Choice {
    scores: Var,
    probabilities: Vec<f64>,
    chosen: Vec<usize>,
}

/// A batch of orders on their way, or complete.
pub(super) struct Rollout {
    nodes: usize,
    encoded: Var,
    /// The mean encoding, the input of the first step.
    mean: Var,
    choices: Vec<Choice>,
    sequences: Vec<Vec<usize>>,
}

impl<'a> Actor<'a> {
    pub(super) fn new<R: Real>(
        tape: &mut Tape<R>,
        width: usize,
        constraints: &'a Constraints,
        rng: &mut StreamRng,
    ) -> Self {
        let from_input = Linear::new(tape, width, 4 * width, rng);
        let from_output = tape.parameter(4 * width, uniform(4 * width * width, width, rng));
        let [glimpse, pointer] = [(); 2].map(|()| Pointer::new(tape, width, rng));
        Self { constraints, from_input, from_output, glimpse, pointer }
    }

    /// Draws `batch` orders, given the encodings of the variables: one group for each order, or one for all.
    ///
    /// What the LSTM reads is always the encoding of a variable, so its layer is applied to all of them once.
    pub(super) fn rollout<R: Real>(
        &self,
        tape: &mut Tape<R>,
        encoded: Var,
        seed: u64,
        iteration: usize,
        batch: usize,
    ) -> Rollout {
        let nodes = self.constraints.nodes();
        let mean = tape.group_mean(encoded, nodes, batch);
        let by_input = self.from_input.forward(tape, encoded);
        let glimpsed = self.glimpse.references.forward(tape, encoded);
        let pointed = self.pointer.references.forward(tape, encoded);
        let mut placed = vec![NodeSet::empty(nodes); batch];
        let mut rngs: Vec<StreamRng> = (0..batch as u64)
            .map(|k| stream(seed, Stream::Trajectory { iteration: iteration as u64, k }))
            .collect();
        let mut rollout = Rollout { nodes, encoded, mean, choices: vec![], sequences: vec![vec![]; batch] };
        let mut state: Option<(Var, Var)> = None;
        for _ in 0..nodes.saturating_sub(1) {
            let open = self.open(&placed);
            let (memory, output) = self.step(tape, by_input, state, &rollout);
            state = Some((memory, output));
            let scores = self.glimpse.scores(tape, glimpsed, output, open.clone());
            let weights = tape.open_softmax(scores, &open);
            let query = tape.weighted_sum(output, weights, encoded);
            let scores = self.pointer.scores(tape, pointed, query, open.clone());
            let choice = Choice::draw(tape.value(scores), &open, nodes, &mut rngs, scores);
            rollout.place(&choice.chosen, &mut placed);
            rollout.choices.push(choice);
        }
        rollout.complete(&placed);
        rollout
    }

    /// Which variables may come next, order after order.
    fn open(&self, placed: &[NodeSet]) -> Vec<bool> {
        let nodes = self.constraints.nodes();
        let is_open = |placed: &NodeSet, node: usize| {
            !placed.contains(node) && self.constraints.required(node).is_subset(placed)
        };
        placed.iter().flat_map(|placed| (0..nodes).map(move |node| is_open(placed, node))).collect()
    }

    /// The next memory and output of the LSTM.
    fn step<R: Real>(
        &self,
        tape: &mut Tape<R>,
        by_input: Var,
        state: Option<(Var, Var)>,
        rollout: &Rollout,
    ) -> (Var, Var) {
        let gates = match state {
            None => tape.group_mean(by_input, rollout.nodes, rollout.sequences.len()),
            Some((_, output)) => {
                let rows = rollout.last_rows(tape.shape(by_input).0);
                let gates = tape.gather(by_input, rows);
                tape.add_product(gates, output, self.from_output)
            }
        };
        let memory = tape.lstm_memory(gates, state.map(|(memory, _)| memory));
        (memory, tape.lstm_output(gates, memory))
    }
}

impl Choice {
    fn draw<R: Real>(values: &[R], open: &[bool], nodes: usize, rngs: &mut [StreamRng], scores: Var) -> Self {
        let mut probabilities = Vec::with_capacity(values.len());
        let mut chosen = Vec::with_capacity(rngs.len());
        for ((values, open), rng) in values.chunks_exact(nodes).zip(open.chunks_exact(nodes)).zip(rngs) {
            let candidates = || values.iter().zip(open).filter(|(_, open)| **open).map(|(x, _)| x.wide());
            let largest = candidates().fold(f64::NEG_INFINITY, f64::max);
            let total: f64 = candidates().map(|x| (x - largest).exp()).sum();
            let first = probabilities.len();
            probabilities.extend(
                values
                    .iter()
                    .zip(open)
                    .map(|(x, open)| if *open { (x.wide() - largest).exp() / total } else { 0.0 }),
            );
            let weighted = probabilities[first..].iter().copied().enumerate();
            chosen.push(categorical(weighted, rng.random()).expect("something is open"));
        }
        Self { scores, probabilities, chosen }
    }
}

impl Rollout {
    fn place(&mut self, chosen: &[usize], placed: &mut [NodeSet]) {
        for ((sequence, placed), &node) in self.sequences.iter_mut().zip(placed).zip(chosen) {
            sequence.push(node);
            placed.insert(node);
        }
    }

    /// Places the variable that is left.
    fn complete(&mut self, placed: &[NodeSet]) {
        for (sequence, placed) in self.sequences.iter_mut().zip(placed) {
            sequence.extend((0..self.nodes).filter(|&node| !placed.contains(node)));
        }
    }

    pub(super) fn orders(&self) -> Vec<Order> {
        let order =
            |sequence: &Vec<usize>| Order::new(sequence.clone()).expect("each variable was placed once");
        self.sequences.iter().map(order).collect()
    }

    /// Where the variable that each order placed last stands among `rows` encodings.
    fn last_rows(&self, rows: usize) -> Vec<usize> {
        self.rows_of_step(self.choices.len(), rows)
    }

    /// Where the input of `step` stands, for each order.
    fn rows_of_step(&self, step: usize, rows: usize) -> Vec<usize> {
        let start = |k: usize| if rows == self.nodes { 0 } else { k * self.nodes };
        let chosen = &self.choices[step - 1].chosen;
        chosen.iter().enumerate().map(|(k, node)| start(k) + node).collect()
    }

    /// The inputs of the first `steps` steps, order after order.
    pub(super) fn states<R: Real>(&self, tape: &Tape<R>, steps: usize, width: usize) -> Vec<R> {
        let (encoded, mean) = (tape.value(self.encoded), tape.value(self.mean));
        let rows: Vec<Vec<usize>> =
            (1..steps).map(|step| self.rows_of_step(step, encoded.len() / width)).collect();
        let mut states = Vec::with_capacity(self.sequences.len() * steps * width);
        for k in 0..self.sequences.len() {
            states.extend_from_slice(&mean[k * width..][..width]);
            rows.iter().for_each(|rows| states.extend_from_slice(&encoded[rows[k] * width..][..width]));
        }
        states
    }

    /// Sets the gradient of `−mean (advantage · ln π)`: `advantage · (π − 1_chosen)` for each choice.
    ///
    /// There are `steps` advantages for each order; a single one is that of all its choices.
    pub(super) fn seed_gradient<R: Real>(&self, tape: &mut Tape<R>, advantages: &[f64], steps: usize) {
        let share = 1.0 / advantages.len() as f64;
        for (step, choice) in self.choices.iter().enumerate() {
            let grad = tape.grad_mut(choice.scores);
            for (k, &chosen) in choice.chosen.iter().enumerate() {
                let advantage = share * advantages[k * steps + step.min(steps - 1)];
                let row = k * self.nodes..(k + 1) * self.nodes;
                for (grad, probability) in
                    grad[row.clone()].iter_mut().zip(&choice.probabilities[row.clone()])
                {
                    *grad = R::of(advantage * probability);
                }
                grad[row.start + chosen] -= R::of(advantage);
            }
        }
    }
}
