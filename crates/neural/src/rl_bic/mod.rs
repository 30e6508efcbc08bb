//! RL-BIC2 (Zhu et al. 2020): an actor that draws all arrows at once, rewarded by a score less a penalty for cycles.

mod rewards;

use std::ops::Range;

use gflowcausal_autodiff::{EncoderSize, Linear, Real, Var, uniform};
use gflowcausal_determinism::rand::RngExt;
use gflowcausal_determinism::{StopFlag, Stream, interruptible, stream};
use gflowcausal_graph::{Constraints, NodeSet};

use self::rewards::{Evaluated, Evaluator, Penalties};
use crate::policy_gradient::PolicyGradient;

/// The moving mean of rewards in the beginning.
const FIRST_BASELINE: f64 = -1.0;

/// By how much the learning rate decays in [`DECAY_STEPS`] iterations.
const DECAY: f64 = 0.96;

/// See [`DECAY`].
const DECAY_STEPS: f64 = 5000.0;

/// How many times the penalties are raised in a run.
const RAISES: usize = 20;

/// A policy settles on one order early and may be far from the best: so many share the iterations.
const RESTARTS: usize = 3;

/// RL-BIC2: an encoder, a single layer that scores pairs, and a critic.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RlBic {
    /// The transformer.
    pub encoder: EncoderSize,
    /// Hidden units of the decoder.
    pub decoder: usize,
    /// Graphs an iteration.
    pub batch_size: usize,
    /// The most iterations, of all starts together.
    pub iterations: usize,
    /// How many times training starts anew; the best graph of all counts.
    pub restarts: usize,
    /// Adam's learning rate, in the beginning.
    pub learning_rate: f64,
    /// The weight of the entropy bonus of each arrow at the start; it decays to zero.
    pub entropy: f64,
    /// Whether cycles cost by the logarithm of `1 + h`, and not by `h`.
    pub is_graded: bool,
    /// Whether all graphs see the same rows of the table, so that these are encoded once an iteration.
    pub shares_rows: bool,
}

impl Default for RlBic {
    /// Sized for a minute or two with 30 variables.
    fn default() -> Self {
        Self {
            encoder: EncoderSize { inputs: 64, width: 64, inner: 256, blocks: 2, heads: 4 },
            decoder: 16,
            batch_size: 64,
            iterations: 15_000,
            restarts: RESTARTS,
            learning_rate: 1e-3,
            entropy: 1.0,
            is_graded: true,
            shares_rows: true,
        }
    }
}

impl RlBic {
    /// The authors' sizes; every graph reads rows of its own.
    #[must_use]
    pub fn published(nodes: usize) -> Self {
        Self {
            encoder: EncoderSize { inputs: 64, width: 64, inner: 256, blocks: 6, heads: 16 },
            iterations: if nodes < 30 { 20_000 } else { 40_000 },
            restarts: 1,
            entropy: 1e-3,
            is_graded: false,
            shares_rows: false,
            ..Self::default()
        }
    }

    /// The best graph that was visited, as the parents of each variable; there may be cycles in it if no graph without any
    /// was visited. None if `stop` is set before the first batch is evaluated.
    ///
    /// `score` is that of any arrows, higher is better. `observe` is called after each iteration. The same `seed` gives the
    /// same, whatever the number of threads.
    pub fn search(
        &self,
        columns: &[&[f64]],
        constraints: &Constraints,
        score: &(dyn Fn(&[NodeSet]) -> f64 + Sync),
        seed: u64,
        stop: &StopFlag,
        observe: &mut dyn FnMut(&GraphIteration),
    ) -> Option<Vec<NodeSet>> {
        let mut evaluator = interruptible(stop, || Evaluator::new(constraints, score))?;
        let mut best: Option<(Vec<NodeSet>, Evaluated)> = None;
        let restarts = self.restarts.clamp(1, self.iterations.max(1));
        for restart in 0..restarts {
            let share = restart * self.iterations / restarts..(restart + 1) * self.iterations / restarts;
            let start = Start { share, number: restart, best };
            let training: Training<'_, f32> =
                Training::new(self, columns, constraints, evaluator, (seed, start));
            (evaluator, best) = training.run(stop, observe);
        }
        best.map(|(parents, _)| parents)
    }
}

/// One of several trainings.
struct Start {
    number: usize,
    /// Its iterations.
    share: Range<usize>,
    /// The best graph so far.
    best: Option<(Vec<NodeSet>, Evaluated)>,
}

/// What an iteration brought.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GraphIteration {
    /// Its number, from 1.
    pub iteration: usize,
    /// The mean squared error of the critic.
    pub loss: f64,
    /// The mean reward of its graphs.
    pub mean: f64,
    /// The score of the best graph so far, from 0 with all arrows to −5 with none.
    pub best: f64,
    /// The share of its graphs that have no cycle.
    pub acyclic: f64,
}

/// A batch of graphs: the probability of each arrow, and what was drawn.
struct Drawn {
    logits: Var,
    probabilities: Vec<f64>,
    /// The parents of each variable, graph after graph.
    graphs: Vec<Vec<NodeSet>>,
    encoded: Var,
}

/// Everything that training moves.
struct Training<'a, R> {
    settings: &'a RlBic,
    constraints: &'a Constraints,
    seed: u64,
    start: usize,
    share: Range<usize>,
    evaluator: Evaluator<'a>,
    penalties: Penalties,
    policy: PolicyGradient<R>,
    left: Var,
    right: Var,
    u: Var,
    critic: [Linear; 2],
    best: Option<(Vec<NodeSet>, Evaluated)>,
}

impl<'a, R: Real> Training<'a, R> {
    fn new(
        settings: &'a RlBic,
        columns: &[&[f64]],
        constraints: &'a Constraints,
        evaluator: Evaluator<'a>,
        (seed, start): (u64, Start),
    ) -> Self {
        let RlBic { encoder: size, decoder, .. } = *settings;
        let numbers = (seed, start.number as u64);
        let (policy, ([left, right, u], critic)) =
            PolicyGradient::new(columns, size, numbers, FIRST_BASELINE, |tape, rng| {
                let [left, right] =
                    [(); 2].map(|()| tape.parameter(decoder, uniform(size.width * decoder, size.width, rng)));
                let u = tape.parameter(decoder, uniform(decoder, decoder, rng));
                let critic = [size.width, 1].map(|outputs| Linear::new(tape, size.width, outputs, rng));
                ([left, right, u], critic)
            });
        Self {
            settings,
            constraints,
            seed,
            start: start.number,
            share: start.share,
            penalties: if settings.is_graded {
                Penalties::graded()
            } else {
                Penalties::published(constraints.nodes())
            },
            evaluator,
            policy,
            left,
            right,
            u,
            critic,
            best: start.best,
        }
    }

    /// Trains until its iterations or the time are over.
    fn run(
        mut self,
        stop: &StopFlag,
        observe: &mut dyn FnMut(&GraphIteration),
    ) -> (Evaluator<'a>, Option<(Vec<NodeSet>, Evaluated)>) {
        let window = (self.share.len() / RAISES).clamp(1, 1000);
        for iteration in self.share.clone() {
            if stop.is_set() {
                break;
            }
            let Some((drawn, evaluated)) = interruptible(stop, || self.sample(iteration)) else { break };
            observe(&self.learn(iteration, &drawn, &evaluated));
            let done = iteration - self.share.start;
            if done == 0 || (done + 1).is_multiple_of(window) {
                self.penalties.raise(self.best.as_ref().map(|(_, best)| *best));
            }
        }
        (self.evaluator, self.best)
    }

    /// A batch of graphs and their rewards.
    fn sample(&mut self, iteration: usize) -> (Drawn, Vec<Evaluated>) {
        let RlBic { batch_size, shares_rows, .. } = *self.settings;
        let nodes = self.constraints.nodes();
        let (groups, draw) = if shares_rows { (1, self.start) } else { (batch_size, iteration) };
        let encoded = self.policy.encode(groups, draw);
        let tape = &mut self.policy.tape;
        let [left, right] = [self.left, self.right].map(|layer| tape.linear(encoded, layer, None));
        let logits = tape.pair_scores(left, right, self.u, nodes);
        let probability = |logit: &R| 1.0 / (1.0 + (-logit.wide()).exp());
        let probabilities: Vec<f64> = tape.value(logits).iter().map(probability).collect();
        let graphs = (0..batch_size).map(|k| self.draw(&probabilities, iteration, k)).collect();
        let drawn = Drawn { logits, probabilities, graphs, encoded };
        let evaluated = self.evaluator.evaluate(&drawn.graphs);
        self.keep_best(&drawn.graphs, &evaluated);
        (drawn, evaluated)
    }

    /// The `k`-th graph: each arrow by its own, required ones always, forbidden ones never.
    fn draw(&self, probabilities: &[f64], iteration: usize, k: usize) -> Vec<NodeSet> {
        let nodes = self.constraints.nodes();
        let mut rng = stream(self.seed, Stream::Trajectory { iteration: iteration as u64, k: k as u64 });
        let of_graph = &probabilities[self.start(k, probabilities.len())..][..nodes * nodes];
        let mut parents = |node: usize| {
            let drawn: Vec<f64> = (0..nodes).map(|_| rng.random()).collect();
            let of_node = &of_graph[node * nodes..][..nodes];
            let chosen =
                self.constraints.allowed_parents(node).iter().filter(|&from| drawn[from] < of_node[from]);
            let mut parents = NodeSet::of(nodes, chosen);
            parents.union_with(self.constraints.required(node));
            parents
        };
        (0..nodes).map(&mut parents).collect()
    }

    /// Where the logits of the `k`-th graph begin; one set of logits is everybody's.
    fn start(&self, k: usize, logits: usize) -> usize {
        let size = self.constraints.nodes().pow(2);
        if logits == size { 0 } else { k * size }
    }

    fn keep_best(&mut self, graphs: &[Vec<NodeSet>], evaluated: &[Evaluated]) {
        for (graph, &found) in graphs.iter().zip(evaluated) {
            if self.best.as_ref().is_none_or(|(_, best)| found.final_cost() < best.final_cost()) {
                self.best = Some((graph.clone(), found));
            }
        }
    }

    /// One step of actor and critic.
    fn learn(&mut self, iteration: usize, drawn: &Drawn, evaluated: &[Evaluated]) -> GraphIteration {
        let rewards: Vec<f64> = evaluated.iter().map(|found| -self.penalties.cost(*found)).collect();
        let count = rewards.len() as f64;
        let mean = rewards.iter().sum::<f64>() / count;
        self.policy.move_baseline(mean);
        let values = self.values(drawn);
        let predicted: Vec<f64> = self.policy.tape.value(values).iter().map(|value| value.wide()).collect();
        let shifted = rewards.iter().map(|reward| reward - self.policy.baseline);
        let advantages: Vec<f64> =
            shifted.enumerate().map(|(k, reward)| reward - predicted[k.min(predicted.len() - 1)]).collect();
        let by_values = self.policy.tape.grad_mut(values);
        for (k, advantage) in advantages.iter().enumerate() {
            by_values[k.min(predicted.len() - 1)] -= R::of(2.0 * advantage / count);
        }
        let since = (iteration - self.share.start) as f64;
        let rate = self.settings.learning_rate * DECAY.powf(since / DECAY_STEPS);
        let done = since / self.share.len() as f64;
        self.seed_gradient(drawn, &advantages, self.settings.entropy * (1.0 - done));
        self.policy.step(|_| rate);
        GraphIteration {
            iteration: iteration + 1,
            loss: advantages.iter().map(|advantage| advantage * advantage).sum::<f64>() / count,
            mean,
            best: self.best.as_ref().map_or(f64::NAN, |(_, best)| -best.score),
            acyclic: evaluated.iter().filter(|found| !found.is_cyclic()).count() as f64 / count,
        }
    }

    /// What the critic expects of each group of encodings.
    fn values(&mut self, drawn: &Drawn) -> Var {
        let tape = &mut self.policy.tape;
        let (rows, width) = tape.shape(drawn.encoded);
        let nodes = self.constraints.nodes();
        let mean = tape.group_mean(drawn.encoded, nodes, rows / nodes);
        let mean = tape.value(mean).to_vec();
        let mean = tape.constant(width, &mean);
        let hidden = self.critic[0].rectified(tape, mean);
        self.critic[1].forward(tape, hidden)
    }

    /// Sets the gradient of `−mean (advantage · mean ln π) − weight · mean entropy` by the logits.
    fn seed_gradient(&mut self, drawn: &Drawn, advantages: &[f64], weight: f64) {
        let nodes = self.constraints.nodes();
        let share = 1.0 / (advantages.len() * nodes * nodes) as f64;
        let mut grad = vec![0.0; drawn.probabilities.len()];
        for (k, (graph, advantage)) in drawn.graphs.iter().zip(advantages).enumerate() {
            let start = self.start(k, grad.len());
            for (node, parents) in graph.iter().enumerate() {
                let required = self.constraints.required(node);
                for from in
                    self.constraints.allowed_parents(node).iter().filter(|&from| !required.contains(from))
                {
                    let at = start + node * nodes + from;
                    let p = drawn.probabilities[at];
                    let is_drawn = f64::from(u8::from(parents.contains(from)));
                    // The entropy of one arrow has slope −p (1 − p) · logit.
                    let logit = self.policy.tape.value(drawn.logits)[at].wide();
                    grad[at] += share * (advantage * (p - is_drawn) + weight * p * (1.0 - p) * logit);
                }
            }
        }
        self.policy
            .tape
            .grad_mut(drawn.logits)
            .iter_mut()
            .zip(grad)
            .for_each(|(target, value)| *target = R::of(value));
    }
}
