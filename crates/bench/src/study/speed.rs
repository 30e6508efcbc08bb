//! Iterations and draws a second by walk and objective, beside the largest matrix product in the same run.

use gflowcausal::flow::{
    Action, DENSE_SHARE, Environment, Event, LayerLogReward, LocalLogReward, LogReward, Mlp, MlpConfig,
    ObjectiveName, OptimizerConfig, Problem, ReplayConfig, Sampler, Terminal, TrainConfig, TrainError,
    Trainer, Walk, add_square_product,
};
use gflowcausal::graph::{Constraints, NodeSet};
use gflowcausal::rand::RngExt;
use gflowcausal::{Error, Stream, stream};
use serde::Deserialize;

use super::findings::{Cell, Outcome, cells, significant};
use super::policy::timed;
use crate::{BenchError, Control};

/// Rows of the matrices whose product is the peak.
const PRODUCT: usize = 512;

/// Trajectories an iteration, units of each of the two hidden layers.
const BATCH: usize = 64;
const WIDTH: usize = 256;

/// Graphs drawn together: where states are shared as many as the sampler itself takes at a time.
const LOT: usize = 32;
const SHARING_LOT: usize = 4096;

/// Every walk with every objective at each size.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Speed {
    nodes: Vec<usize>,
    /// How long each case is tried, in CPU seconds; at least three iterations, and one lot of draws.
    seconds: f64,
    /// Cases that take more than so many thousand million operations an iteration are left out.
    most_giga_operations: f64,
}

/// A reward that costs nothing, so that the engine alone is measured.
struct Nothing;

impl LogReward for Nothing {
    fn log_reward(&self, _: &Terminal) -> f64 {
        0.0
    }

    fn local(&self) -> Option<&dyn LocalLogReward> {
        Some(self)
    }

    fn layers(&self) -> Option<&dyn LayerLogReward> {
        Some(self)
    }
}

impl LayerLogReward for Nothing {
    fn log_sum(&self, _: usize, _: &NodeSet, _: Option<&NodeSet>) -> f64 {
        0.0
    }
}

impl LocalLogReward for Nothing {
    fn log_local(&self, _: usize, _: &NodeSet) -> f64 {
        0.0
    }
}

impl Speed {
    pub(super) fn measure(&self, control: &Control<'_>) -> Result<Outcome, BenchError> {
        let columns = [
            "variables",
            "walk",
            "objective",
            "ms an iteration",
            "iterations/s",
            "GFLOP/s",
            "of the peak, %",
            "graphs drawn/s",
        ];
        let mut outcome = Outcome::new(&columns);
        let peak = product_speed();
        let mut left_out = Vec::new();
        for &nodes in &self.nodes {
            for &walk in Walk::ALL {
                let environment = environment(walk, nodes)?;
                let [plain, with_parents] =
                    [false, true].map(|parents| Work::of(&*environment, parents).operations());
                if plain > 1e9 * self.most_giga_operations {
                    left_out.push(format!("{walk} at {nodes}"));
                    continue;
                }
                let drawn = self.draws_a_second(&*environment);
                for objective in ObjectiveName::ALL.into_iter().filter(|name| name.applies_to(walk)) {
                    control.report(&format!("{nodes} variables, {walk} {objective}"));
                    let operations = if objective == ObjectiveName::Fm { with_parents } else { plain };
                    if operations > 1e9 * self.most_giga_operations {
                        left_out.push(format!("{walk} {objective} at {nodes}"));
                    } else {
                        outcome.row(self.row(control, nodes, walk, objective, (operations, peak, drawn))?);
                    }
                }
            }
        }
        self.add_notes(&mut outcome, peak, &left_out);
        Ok(outcome)
    }

    fn add_notes(&self, outcome: &mut Outcome, peak: f64, left_out: &[String]) {
        outcome.note(format!(
            "one thread, CPU time, fastest of all tries; {BATCH} trajectories an iteration, perceptron 2 × {WIDTH}, a reward that costs nothing; \
             the peak is a product of matrices of {PRODUCT} rows in the same run: {} GFLOP/s",
            significant(peak * 1e-9)
        ));
        if !left_out.is_empty() {
            outcome.note(format!(
                "left out, because an iteration takes more than {} thousand million operations: {}",
                self.most_giga_operations,
                left_out.join(", ")
            ));
        }
    }

    fn row(
        &self,
        control: &Control<'_>,
        nodes: usize,
        walk: Walk,
        objective: ObjectiveName,
        (operations, peak, drawn): (f64, f64, f64),
    ) -> Result<Vec<Cell>, BenchError> {
        control.check()?;
        let each = self.iteration(nodes, walk, objective)?;
        let speed = operations / each;
        Ok(cells![
            nodes,
            walk.name(),
            objective.name(),
            1e3 * each,
            1.0 / each,
            speed * 1e-9,
            100.0 * speed / peak,
            drawn
        ])
    }

    /// The fewest seconds of an iteration.
    fn iteration(&self, nodes: usize, walk: Walk, objective: ObjectiveName) -> Result<f64, BenchError> {
        let replay = ReplayConfig { capacity: 0, share: 0.0 };
        let iterations = usize::MAX;
        // The policy stays what it is, so that its walks stay as long as those counted.
        let optimizer = OptimizerConfig { learning_rate: f64::MIN_POSITIVE, ..OptimizerConfig::default() };
        let sees_reward = environment(walk, nodes)?.reward_inputs() > 0;
        let config = TrainConfig {
            walk,
            objective,
            iterations,
            replay,
            optimizer,
            sees_reward,
            ..TrainConfig::default()
        };
        let constraints = Constraints::none(nodes);
        let problem = Problem { constraints: &constraints, reward: &Nothing, local_search: None };
        let mut trainer =
            Trainer::new(config.validate().map_err(Error::from)?, problem).map_err(Error::from)?;
        let (mut fastest, mut total) = (f64::INFINITY, 0.0);
        for tries in 0.. {
            let (step, seconds) = timed(|| trainer.step(&mut |_: &Event<'_>| {}));
            step.map_err(Error::from)?;
            fastest = seconds.min(fastest);
            total += seconds;
            if tries >= 2 && total >= self.seconds {
                break;
            }
        }
        Ok(fastest)
    }

    /// By the fastest of as many lots as the time allows.
    fn draws_a_second(&self, environment: &dyn Environment) -> f64 {
        let (inputs, reward_inputs) = (environment.inputs(), environment.reward_inputs());
        let (actions, config) = (environment.actions(), MlpConfig::default());
        let network = Mlp::with_reward_inputs(inputs, reward_inputs, actions, &config, 1);
        let mut sampler = Sampler::new(environment, &network);
        if reward_inputs > 0 {
            sampler = sampler.viewing(&Nothing);
        }
        let lot = if environment.walk().shares_inputs() { SHARING_LOT } else { LOT };
        let (mut fastest, mut total) = (f64::INFINITY, 0.0);
        for seed in 0.. {
            let seconds = timed(|| sampler.sample(lot, seed)).1;
            fastest = seconds.min(fastest);
            total += seconds;
            if total >= self.seconds {
                break;
            }
        }
        lot as f64 / fastest
    }
}

fn environment(walk: Walk, nodes: usize) -> Result<Box<dyn Environment>, BenchError> {
    let refused = |error| BenchError::from(Error::from(TrainError::from(error)));
    walk.environment(Constraints::none(nodes)).map_err(refused)
}

/// Floating-point operations a second of a square matrix product.
fn product_speed() -> f64 {
    let square = vec![1.0_f32; PRODUCT * PRODUCT];
    let mut sum = vec![0.0_f32; PRODUCT * PRODUCT];
    let mut fastest = f64::INFINITY;
    for _ in 0..40 {
        fastest = timed(|| add_square_product(PRODUCT, &square, &square, &mut sum)).1.min(fastest);
    }
    2.0 * (PRODUCT as f64).powi(3) / fastest
}

/// How many walks are taken to see what an iteration asks for; it takes so many times more.
const WALKS: usize = 4;
const TIMES: usize = BATCH / WALKS;

/// The network evaluations of an iteration, estimated from a few trajectories.
#[derive(Debug, Default, PartialEq)]
struct Work {
    outputs: usize,
    /// What the network sees of the reward at each state.
    reward_inputs: usize,
    /// States that are asked about; the walks share their first.
    states: usize,
    /// Actions open at all of them.
    wanted: usize,
    /// Parents that are no state of the same walk: with one output each.
    parents: usize,
}

impl Work {
    /// Random walks, with all parents of each state if asked for.
    fn of(environment: &dyn Environment, with_parents: bool) -> Self {
        let (outputs, reward_inputs) = (environment.actions(), environment.reward_inputs());
        let mut work = Self { outputs, reward_inputs, states: 1, ..Self::default() };
        let (mut allowed, mut parents): (Vec<Action>, Vec<Action>) = (vec![], vec![]);
        for k in 0..WALKS as u64 {
            let mut rng = stream(0, Stream::RandomWalk { k });
            let mut state = environment.initial();
            for step in 0.. {
                state.allowed(&mut allowed);
                let Some(last) = allowed.len().checked_sub(1) else { break };
                work.states += if step > 0 { TIMES } else { 0 };
                work.wanted += TIMES * allowed.len();
                state.apply(allowed[rng.random_range(0..=last)]);
                if with_parents {
                    state.parents(&mut parents);
                    work.parents += TIMES * (parents.len() - 1);
                }
            }
        }
        work
    }

    /// Of the matrix products, one forward and two backward: hidden layer and outputs, all of a state or those wanted,
    /// whichever the network computes; reward inputs have one backward, to their weights.
    fn operations(&self) -> f64 {
        let all = self.states * self.outputs;
        let outputs = if self.wanted as f64 >= DENSE_SHARE * all as f64 { all } else { self.wanted };
        let rows = self.states + self.parents;
        let products = 6 * (rows * WIDTH + outputs + self.parents) + 4 * rows * self.reward_inputs;
        WIDTH as f64 * products as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_of_walks_whose_length_is_known() {
        let chain = Work::of(&*environment(Walk::Chain, 5).expect("a walk"), true);
        // The first state is shared; each walk passes three more. A state of two nodes has one parent, a longer one two.
        assert_eq!((chain.states, chain.parents), (1 + 3 * BATCH, 3 * BATCH));
        let order = Work::of(&*environment(Walk::Order, 5).expect("a walk"), true);
        assert_eq!((order.states, order.parents, order.wanted), (1 + 4 * BATCH, 0, 15 * BATCH));
    }
}
