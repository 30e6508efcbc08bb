//! What several studies share: data with a known graph, a policy trained on them, and how its draws compare.

use std::sync::Mutex;

use cpu_time::ThreadTime;
use gflowcausal::data::{Simulated, Simulation, simulate};
use gflowcausal::flow::{
    Event, ExplorationConfig, LocalLogReward, LogReward, ObjectiveName, Problem as FlowProblem, Progress,
    Terminal, TrainConfig, Trainer, Walk,
};
use gflowcausal::graph::{Dag, Order};
use gflowcausal::{Config, Error, Problem, ScoreName};
use serde::Deserialize;

use crate::{BenchError, Control};

/// How much a policy is trained.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Effort {
    pub(super) iterations: usize,
    pub(super) batch_size: usize,
    pub(super) width: usize,
    pub(super) learning_rate: f64,
}

impl Default for Effort {
    fn default() -> Self {
        Self { iterations: 1000, batch_size: 64, width: 128, learning_rate: 3e-3 }
    }
}

impl Effort {
    /// Annealed for a third of the time, exploring less and less, in steps that fall to a hundredth.
    pub(super) fn config(
        self,
        walk: Walk,
        objective: ObjectiveName,
        temperature: f64,
        seed: u64,
    ) -> TrainConfig {
        let Self { iterations, batch_size, width, learning_rate } = self;
        let mut config =
            TrainConfig { walk, objective, iterations, batch_size, seed, ..TrainConfig::default() };
        config.network.width = width;
        config.optimizer.learning_rate = learning_rate;
        config.optimizer.final_learning_rate = Some(learning_rate / 100.0);
        config.temperature.target = temperature;
        config.temperature.iterations = iterations / 3;
        config.exploration = ExplorationConfig { start: 0.3, end: 0.05, iterations: iterations / 2 };
        config.replay.share = 0.1;
        config
    }
}

/// Data by the options of `simulate`.
pub(super) fn simulated(simulation: &Simulation, seed: u64) -> Result<Simulated, BenchError> {
    let simulation = Simulation { seed, ..simulation.clone() };
    Ok(simulate(&simulation).map_err(Error::from)?)
}

/// The data of `simulated` under `score`.
pub(super) fn scored(simulated: &Simulated, score: ScoreName) -> Result<Problem<'_>, BenchError> {
    Ok(Problem::new(&simulated.table, &Config { score, ..Config::default() })?)
}

/// Trains to the end; `watch` is called after each iteration.
pub(super) fn trained<'a>(
    control: &Control<'_>,
    config: TrainConfig,
    problem: &'a Problem<'_>,
    reward: &'a dyn LogReward,
    watch: &mut dyn FnMut(&Progress),
) -> Result<Trainer<'a>, BenchError> {
    let flow = FlowProblem { constraints: problem.model.constraints(), reward, local_search: None };
    let mut trainer = Trainer::new(config.validate().map_err(Error::from)?, flow).map_err(Error::from)?;
    let mut observe = |event: &Event<'_>| {
        if let Event::Iteration(progress) = event {
            watch(progress);
        }
    };
    while trainer.step(&mut observe).map_err(Error::from)?.is_none() {
        control.check()?;
    }
    Ok(trainer)
}

/// The share of the true edges that a draw has: of an order, those that go along it.
pub(super) fn recall(drawn: &Terminal, truth: &Dag) -> f64 {
    let found = match drawn {
        Terminal::Order(order) => return order_recall(order, truth),
        Terminal::Dag(dag) => truth.edges().filter(|&edge| dag.contains(edge)).count(),
        Terminal::Digraph(graph) => truth.edges().filter(|&edge| graph.has_directed(edge)).count(),
        _ => 0,
    };
    found as f64 / truth.edge_count().max(1) as f64
}

/// The share of the true edges that go along `order`.
pub(super) fn order_recall(order: &Order, truth: &Dag) -> f64 {
    let positions = order.positions();
    let found = truth.edges().filter(|edge| positions[edge.from] < positions[edge.to]).count();
    found as f64 / truth.edge_count().max(1) as f64
}

/// A reward that records how well each evaluated terminal state agrees with the truth.
pub(super) struct Watched<'a> {
    inner: &'a dyn LogReward,
    truth: &'a Dag,
    seen: Mutex<Vec<f64>>,
}

impl<'a> Watched<'a> {
    pub(super) fn new(inner: &'a dyn LogReward, truth: &'a Dag) -> Self {
        Self { inner, truth, seen: Mutex::new(Vec::new()) }
    }

    /// The agreement of all that came since the last call, in no particular order.
    pub(super) fn take(&self) -> Vec<f64> {
        std::mem::take(&mut *self.seen.lock().expect("nobody panics while noting"))
    }
}

impl LogReward for Watched<'_> {
    fn log_reward(&self, terminal: &Terminal) -> f64 {
        self.seen.lock().expect("nobody panics while noting").push(recall(terminal, self.truth));
        self.inner.log_reward(terminal)
    }

    fn local(&self) -> Option<&dyn LocalLogReward> {
        self.inner.local()
    }
}

/// What `work` gives, and the CPU seconds of this thread.
pub(super) fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = ThreadTime::now();
    let result = work();
    (result, start.elapsed().as_secs_f64())
}

pub(super) fn mean(values: impl IntoIterator<Item = f64>) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    for value in values {
        sum += value;
        count += 1.0;
    }
    sum / count
}

/// The slope of the line through `points` by least squares, and the share of the variance that it explains.
pub(crate) fn line_through(points: &[(f64, f64)]) -> (f64, f64) {
    let (x_mean, y_mean) = (mean(points.iter().map(|p| p.0)), mean(points.iter().map(|p| p.1)));
    let sum = |term: fn(f64, f64) -> f64| -> f64 {
        points.iter().map(|&(x, y)| term(x - x_mean, y - y_mean)).sum()
    };
    let (xx, xy, yy) = (sum(|x, _| x * x), sum(|x, y| x * y), sum(|_, y| y * y));
    (xy / xx, xy * xy / (xx * yy))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_found_and_noise_is_told() {
        let exact: Vec<(f64, f64)> = (0..5).map(|x| (f64::from(x), 3.0 - 2.0 * f64::from(x))).collect();
        assert_eq!(line_through(&exact), (-2.0, 1.0));
        let (slope, share) = line_through(&[(0.0, 0.0), (1.0, 1.0), (2.0, 0.0)]);
        assert!(slope.abs() < 1e-12 && share < 1e-12);
    }

    #[test]
    fn an_order_recalls_the_edges_that_go_along_it() {
        use gflowcausal::graph::Edge;
        let truth = Dag::from_edges(3, [Edge::new(0, 1), Edge::new(1, 2)]).expect("no cycle");
        let order = Terminal::Order(Order::new(vec![1, 0, 2]).expect("an order"));
        assert_eq!(recall(&order, &truth), 0.5);
        assert_eq!(recall(&Terminal::Dag(truth.clone()), &truth), 1.0);
    }
}
