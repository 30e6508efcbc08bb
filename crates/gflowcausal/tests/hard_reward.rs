//! A hard reward: sparse BIC on standardised data, where log-rewards of orders differ by hundreds. Training has to find
//! the best of 479 million orders, which the subset lattice knows.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use gflowcausal_data::{Moments, Simulation, simulate};
use gflowcausal_determinism::{StreamRng, map};
use gflowcausal_flow::{
    Event, Lattice, LocalLogReward, LocalSearch, LogReward, ObjectiveName, Problem, Terminal, TrainConfig,
    Trainer, Walk,
};
use gflowcausal_graph::{Constraints, NodeSet};
use gflowcausal_score::{Bic, GrowShrinkTrees, OrderModularScore, Penalty};
use gflowcausal_search::hill_climb;

const NODES: usize = 12;
const ITERATIONS: usize = 500;

/// Each variable's term given each set before it.
struct Terms(Vec<f64>);

impl Terms {
    /// ER2, a thousand rows, standardised: each term that of the best parents among those before.
    fn simulated(seed: u64) -> Self {
        let config =
            Simulation { nodes: NODES, degree: Some(2), standardize: true, seed, ..Simulation::default() };
        let moments = Moments::of_table(&simulate(&config).unwrap().table).unwrap();
        let score = Bic::new(&moments, Penalty::Auto).unwrap();
        let trees = GrowShrinkTrees::new(score, Constraints::none(NODES));
        Self(map(NODES << NODES, |at| {
            let (node, set) = (at >> NODES, at & ((1 << NODES) - 1));
            let before = NodeSet::of(NODES, (0..NODES).filter(|other| set >> other & 1 == 1));
            if before.contains(node) { f64::NAN } else { trees.local(node, &before) }
        }))
    }
}

impl LocalLogReward for Terms {
    fn log_local(&self, node: usize, placed: &NodeSet) -> f64 {
        self.0[(node << NODES) + placed.words()[0] as usize]
    }
}

impl LogReward for Terms {
    fn log_reward(&self, terminal: &Terminal) -> f64 {
        let mut placed = NodeSet::empty(NODES);
        let order = terminal.as_order().expect("orders have rewards");
        let term = |node| {
            let term = self.log_local(node, &placed);
            placed.insert(node);
            term
        };
        order.iter().map(term).sum()
    }

    fn local(&self) -> Option<&dyn LocalLogReward> {
        Some(self)
    }
}

impl OrderModularScore for Terms {
    fn local(&self, node: usize, before: &NodeSet) -> f64 {
        self.log_local(node, before)
    }
}

/// Insertions of single variables until none helps.
struct Climb<'a>(&'a Terms);

impl LocalSearch for Climb<'_> {
    fn improve(&self, start: &Terminal, _: f64, _: &mut StreamRng) -> Option<Terminal> {
        Some(Terminal::Order(hill_climb(self.0, start.as_order()?.clone())))
    }
}

/// How far the best order that training finds is from the best there is.
fn shortfall(seed: u64, improvements: usize) -> f64 {
    let (constraints, reward) = (Constraints::none(NODES), Terms::simulated(seed));
    let (_, optimum) = Lattice::new(&reward, &constraints).unwrap().best_order();
    let climb = Climb(&reward);
    let problem = Problem { constraints: &constraints, reward: &reward, local_search: Some(&climb) };
    let (walk, objective) = (Walk::Order, ObjectiveName::Tb);
    let mut config =
        TrainConfig { walk, objective, improvements, seed, iterations: ITERATIONS, ..TrainConfig::default() };
    config.network.width = 128;
    config.optimizer.learning_rate = 3e-3;
    config.temperature.iterations = ITERATIONS * 8 / 10;
    config.exploration.iterations = ITERATIONS / 2;
    let mut trainer = Trainer::new(config.validate().unwrap(), problem).unwrap();
    assert!(trainer.temperature() > 5.0, "log-rewards of random orders are far apart");
    while trainer.step(&mut |_: &Event<'_>| {}).unwrap().is_none() {}
    assert_eq!(trainer.temperature(), 1.0);
    optimum - trainer.best().unwrap().log_reward
}

fn check(improvements: usize) {
    let shortfalls: Vec<f64> = (0..10).map(|seed| shortfall(seed, improvements)).collect();
    let found = shortfalls.iter().filter(|shortfall| shortfall.abs() < 1e-6).count();
    assert!(found >= 9, "short of the best order by {shortfalls:?}");
}

#[test]
fn annealed_training_alone_finds_the_best_order() {
    check(0);
}

#[test]
fn annealed_training_with_local_search_finds_the_best_order() {
    check(2);
}
