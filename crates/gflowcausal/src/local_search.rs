//! Local search over orders: from hot to cold before training, at training's own temperature during it.

use gflowcausal_determinism::rand::RngExt;
use gflowcausal_determinism::{StopFlag, Stream, StreamRng, interruptible, map, stream};
use gflowcausal_flow::Terminal;
use gflowcausal_graph::{Constraints, Order};
use gflowcausal_score::OrderScore;
use gflowcausal_search::{ConstrainedOrderScore, hill_climb, random_order, tempered_sweep};

/// From how many random orders the spread of scores is estimated.
const RANDOM_ORDERS: u64 = 64;

/// How often an improvement ends with hill climbing to the next maximum.
const CLIMBS: f64 = 0.25;

/// Streams of the first search, distinct from those of iterations.
const FIRST: u64 = u64::MAX;

/// Insertions of one variable at a time, within the constraints.
pub(crate) struct LocalSearch<'a> {
    score: Until<'a>,
    target: f64,
    seed: u64,
}

/// How much is searched before training.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Effort {
    /// How many independent chains.
    pub(crate) chains: usize,
    /// Through how many sweeps each cools down.
    pub(crate) sweeps: usize,
}

impl Effort {
    /// By the number of variables, up to those of [`Size::VeryLarge`](crate::problem_size::Size): a sweep evaluates `3d²` local terms.
    pub(crate) fn by_size(nodes: usize) -> Self {
        if nodes <= 40 { Self { chains: 8, sweeps: 30 } } else { Self { chains: 4, sweeps: 20 } }
    }
}

impl<'a> LocalSearch<'a> {
    pub(crate) fn new(
        score: &'a dyn OrderScore,
        constraints: &'a Constraints,
        (target, seed): (f64, u64),
        stop: &'a StopFlag,
    ) -> Self {
        Self { score: Until { score: ConstrainedOrderScore { score, constraints }, stop }, target, seed }
    }

    /// Chains from random orders, each cooled from the spread of random orders to the target and then led uphill.
    ///
    /// Ends early, with what was reached, once the run is to stop.
    pub(crate) fn anneal(&self, effort: Effort) -> Vec<Order> {
        let hottest = self.spread().max(self.target);
        let ratio = (self.target / hottest).powf(1.0 / effort.sweeps as f64);
        map(effort.chains, |k| {
            let mut rng = stream(self.seed, Stream::Search { iteration: FIRST, k: RANDOM_ORDERS + k as u64 });
            let mut order = random_order(self.constraints(), &mut rng);
            let mut temperature = hottest;
            for _ in 0..effort.sweeps {
                order = tempered_sweep(&self.score, order, temperature, &mut rng);
                temperature *= ratio;
            }
            hill_climb(&self.score, order)
        })
    }

    /// The best insertions from `start` on, until none helps.
    pub(crate) fn hill_climb(&self, start: Order) -> Order {
        hill_climb(&self.score, start)
    }

    fn constraints(&self) -> &'a Constraints {
        self.score.score.constraints
    }

    /// The standard deviation of the scores of random orders.
    fn spread(&self) -> f64 {
        let scores = map(RANDOM_ORDERS as usize, |k| {
            let mut rng = stream(self.seed, Stream::Search { iteration: FIRST, k: k as u64 });
            let order = random_order(self.constraints(), &mut rng);
            interruptible(self.score.stop, || self.score.score(&order)).unwrap_or(f64::NAN)
        });
        let finite: Vec<f64> = scores.into_iter().filter(|score| score.is_finite()).collect();
        let count = finite.len().max(1) as f64;
        let mean = finite.iter().sum::<f64>() / count;
        (finite.iter().map(|score| (score - mean).powi(2)).sum::<f64>() / count).sqrt()
    }
}

impl gflowcausal_flow::LocalSearch for LocalSearch<'_> {
    /// One sweep at the temperature of the iteration, and sometimes uphill from there.
    ///
    /// A stop does not cut it short: an iteration that is saved is the same as in a run that was not stopped.
    fn improve(&self, start: &Terminal, temperature: f64, rng: &mut StreamRng) -> Option<Terminal> {
        let score = &self.score.score;
        let order = tempered_sweep(score, start.as_order()?.clone(), temperature, rng);
        let is_climbing = rng.random_bool(CLIMBS);
        Some(Terminal::Order(if is_climbing { hill_climb(score, order) } else { order }))
    }
}

/// A score that leaves every variable where it is once the run is to stop: sweeps and climbs end at once.
struct Until<'a> {
    score: ConstrainedOrderScore<'a>,
    stop: &'a StopFlag,
}

impl OrderScore for Until<'_> {
    fn score(&self, order: &Order) -> f64 {
        self.score.score(order)
    }

    fn insertion_deltas(&self, order: &Order, node: usize) -> Vec<f64> {
        let stay = || order.iter().map(|other| if other == node { 0.0 } else { f64::NEG_INFINITY }).collect();
        if self.stop.is_set() {
            return stay();
        }
        interruptible(self.stop, || self.score.insertion_deltas(order, node)).unwrap_or_else(stay)
    }
}

#[cfg(test)]
mod tests {
    use gflowcausal_data::{Simulation, simulate};

    use super::*;
    use crate::{Config, Problem};

    #[test]
    fn a_search_that_is_to_stop_moves_nothing() {
        let simulation =
            Simulation { nodes: 8, degree: Some(2), rows: 100, seed: 1, ..Simulation::default() };
        let table = simulate(&simulation).expect("a simulation").table;
        let config = Config::default();
        let problem = Problem::new(&table, &config).expect("a problem");
        let (score, constraints) = (problem.model.order_score(), problem.model.constraints());
        let stop = StopFlag::new();
        let search = LocalSearch::new(score, constraints, (1.0, 0), &stop);
        let start = random_order(constraints, &mut stream(3, Stream::Test { k: 0 }));
        assert_ne!(search.hill_climb(start.clone()), start);
        stop.set();
        assert_eq!(search.hill_climb(start.clone()), start);
    }
}
