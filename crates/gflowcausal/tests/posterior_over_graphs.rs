//! The `graph` walk on the BGe score of simulated data against the exact posterior over all DAGs of five variables.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use gflowcausal_data::{Moments, Simulation, simulate};
use gflowcausal_flow::{
    Distribution, Event, LocalLogReward, ObjectiveName, Problem, StateSpace, SumOfLocal, Terrain,
    TrainConfig, Trainer, Walk,
};
use gflowcausal_graph::{Constraints, NodeSet, all_dags};
use gflowcausal_score::{Bge, BgePrior, LocalScore};

const NODES: usize = 5;

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

fn config(seed: u64) -> TrainConfig {
    let env = |name: &str, default: f64| std::env::var(name).ok().map_or(default, |v| v.parse().unwrap());
    let iterations = env("IT", 4000.0) as usize;
    let objective = match env("OBJ", 0.0) as usize {
        0 => ObjectiveName::Mdb,
        1 => ObjectiveName::Tb,
        2 => ObjectiveName::Subtb,
        _ => ObjectiveName::Db,
    };
    let mut config = TrainConfig { walk: Walk::Graph, objective, iterations, seed, ..TrainConfig::default() };
    config.network.width = env("W", 128.0) as usize;
    config.batch_size = env("B", 64.0) as usize;
    config.optimizer.learning_rate = env("LR", 3e-3);
    config.optimizer.final_learning_rate = Some(env("LRF", 1e-5));
    config.temperature.iterations = (iterations as f64 * env("TI", 0.3)) as usize;
    config.exploration.start = env("E0", 0.3);
    config.exploration.end = env("E1", 0.1);
    config.exploration.iterations = iterations / 2;
    config.replay.share = env("RS", 0.25);
    config.replay.capacity = env("RC", 1024.0) as usize;
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
    let constraints = Constraints::none(NODES);
    let terrain = Terrain::new(Walk::Graph, constraints.clone()).unwrap();
    let space = StateSpace::enumerate(&terrain, 100_000).unwrap();
    let seeds: u64 = std::env::var("SEEDS").ok().map_or(1, |v| v.parse().unwrap());
    for seed in 0..seeds {
        let start = std::time::Instant::now();
        let reward = SumOfLocal(Terms::simulated(seed));
        let posterior = space.target(&reward);
        assert_eq!(posterior.outcomes().len(), all_dags(NODES).count());
        let problem = Problem { constraints: &constraints, reward: &reward, improve: None };
        let mut trainer = Trainer::new(config(seed).validate().unwrap(), problem).unwrap();
        while trainer.step(&mut |_: &Event<'_>| {}).unwrap().is_none() {}
        let policy = space.policy_outcome(&trainer.sampler().log_flows(&space));
        let distance = policy.jensen_shannon(&posterior);
        let marginals = edge_marginals(&policy).into_iter().zip(edge_marginals(&posterior));
        let worst = marginals.map(|(drawn, exact)| (drawn - exact).abs()).fold(0.0, f64::max);
        let entropy: f64 = -posterior.log_probabilities().iter().map(|l| l * l.exp()).sum::<f64>();
        println!(
            "seed {seed} JSD {distance:.5} marginals {worst:.4} TV {:.4} entropy {entropy:.2} {:.1}s",
            policy.total_variation(&posterior),
            start.elapsed().as_secs_f64()
        );
    }
}
