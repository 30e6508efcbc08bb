//! The `graph` walk on the BGe score of simulated data against the exact posterior over all DAGs of five variables.
//!
//! The policy's distribution is not sampled but computed, over all states.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use gflowcausal_data::{Moments, Simulation, simulate};
use gflowcausal_flow::{
    Distribution, Event, ExplorationConfig, LocalLogReward, LogReward, ObjectiveName, Problem, StateSpace,
    Terminal, TrainConfig, Trainer, Walk,
};
use gflowcausal_graph::{Constraints, NodeSet};
use gflowcausal_score::{Bge, BgePrior, LocalScore};

const NODES: usize = 5;
const ITERATIONS: usize = 8000;

/// Each variable's BGe term given each set of parents.
struct Terms(Vec<f64>);

impl Terms {
    /// ER, five variables, five edges, a hundred rows.
    fn simulated(seed: u64) -> Self {
        let config = Simulation { nodes: NODES, edges: Some(5), rows: 100, seed, ..Simulation::default() };
        let moments = Moments::of_table(&simulate(&config).unwrap().table).unwrap();
        let score = Bge::new(&moments, BgePrior::default()).unwrap();
        let term = |at: usize| {
            let (node, set) = (at >> NODES, at & ((1 << NODES) - 1));
            let parents = NodeSet::of(NODES, (0..NODES).filter(|parent| set >> parent & 1 == 1));
            if parents.contains(node) { f64::NAN } else { score.local(node, &parents) }
        };
        Self((0..NODES << NODES).map(term).collect())
    }
}

impl LocalLogReward for Terms {
    fn log_local(&self, node: usize, parents: &NodeSet) -> f64 {
        self.0[(node << NODES) + parents.words()[0] as usize]
    }
}

impl LogReward for Terms {
    fn log_reward(&self, terminal: &Terminal) -> f64 {
        let dag = terminal.as_dag().expect("DAGs have rewards");
        (0..NODES).map(|node| self.log_local(node, dag.parents(node))).sum()
    }

    fn local(&self) -> Option<&dyn LocalLogReward> {
        Some(self)
    }
}

/// Trajectory balance, annealed, the step length falling to a thousandth.
fn config() -> TrainConfig {
    let (walk, objective) = (Walk::Graph, ObjectiveName::Tb);
    let mut config = TrainConfig { walk, objective, iterations: ITERATIONS, ..TrainConfig::default() };
    config.network.width = 128;
    config.optimizer.learning_rate = 1e-2;
    config.optimizer.final_learning_rate = Some(1e-5);
    config.temperature.iterations = ITERATIONS * 3 / 10;
    config.exploration = ExplorationConfig { start: 0.3, end: 0.1, iterations: ITERATIONS / 2 };
    config.replay.share = 0.1;
    config
}

/// The probability of each edge.
fn edge_marginals(distribution: &Distribution) -> Vec<f64> {
    let mut marginals = vec![0.0; NODES * NODES];
    for (terminal, log_probability) in distribution.outcomes().iter().zip(distribution.log_probabilities()) {
        for edge in terminal.as_dag().unwrap().edges() {
            marginals[edge.from * NODES + edge.to] += log_probability.exp();
        }
    }
    marginals
}

#[test]
fn the_policy_draws_dags_by_their_posterior() {
    let (constraints, reward) = (Constraints::none(NODES), Terms::simulated(0));
    let environment = Walk::Graph.environment(constraints.clone()).unwrap();
    let space = StateSpace::enumerate(&*environment, 100_000).unwrap();
    let posterior = space.target(&reward);
    assert_eq!(posterior.outcomes().len(), 29_281);
    let problem = Problem { constraints: &constraints, reward: &reward, local_search: None };
    let mut trainer = Trainer::new(config().validate().unwrap(), problem).unwrap();
    while trainer.step(&mut |_: &Event<'_>| {}).unwrap().is_none() {}
    let policy = space.policy_outcome(&trainer.sampler().log_flows(&space));
    let distance = policy.jensen_shannon(&posterior);
    assert!(distance <= 0.01, "{distance} nats from the posterior");
    for (drawn, exact) in edge_marginals(&policy).into_iter().zip(edge_marginals(&posterior)) {
        assert!((drawn - exact).abs() <= 0.02, "an edge has probability {drawn} instead of {exact}");
    }
}
