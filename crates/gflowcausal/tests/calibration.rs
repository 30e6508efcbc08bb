//! Edge probabilities mean what they say: right as often as they claim, and near the exact ones.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use gflowcausal::data::{Simulated, Simulation, simulate};
use gflowcausal::graph::{Cpdag, Dag, Edge};
use gflowcausal::{Config, PosteriorName, Source, discover};

const NODES: usize = 8;

/// A linear problem: 8 variables, 8 or 16 edges, 50 to 1000 rows, standardised.
fn problem(k: usize) -> Simulated {
    let simulation = Simulation {
        nodes: NODES,
        degree: Some([1, 2][k % 2]),
        rows: [50, 100, 300, 1000][k / 2 % 4],
        seed: k as u64,
        standardize: true,
        ..Simulation::default()
    };
    simulate(&simulation).unwrap()
}

/// How true `edge` is as far as the data can tell: 1 if every graph equivalent to the truth has it, the share that
/// has it otherwise.
fn truth(classes: &[Dag], edge: Edge) -> f64 {
    classes.iter().filter(|dag| dag.contains(edge)).count() as f64 / classes.len() as f64
}

/// Probabilities in ten bins: the mean gap between what is claimed and what is true, weighted by how many fall there.
fn expected_calibration_error(pairs: &[(f64, f64)]) -> f64 {
    let mut bins = [(0.0, 0.0); 10];
    for (claimed, true_share) in pairs {
        let bin = &mut bins[((claimed * 10.0) as usize).min(9)];
        *bin = (bin.0 + claimed, bin.1 + true_share);
    }
    bins.iter().map(|(claimed, true_share)| (claimed - true_share).abs()).sum::<f64>() / pairs.len() as f64
}

#[test]
fn probabilities_are_right_as_often_as_they_claim() {
    let config = Config { method: "exact".into(), samples: 10, ..Config::default() };
    let mut pairs = Vec::new();
    for k in 0..200 {
        let simulated = problem(k);
        let found = discover(&simulated.table, &config).unwrap();
        let class: Vec<Dag> = Cpdag::of(&simulated.dag).members().collect();
        for from in 0..NODES {
            for to in (0..NODES).filter(|&to| to != from) {
                let edge = Edge::new(from, to);
                pairs.push((found.posterior.edge(edge), truth(&class, edge)));
            }
        }
    }
    let error = expected_calibration_error(&pairs);
    assert!(error <= 0.05, "expected calibration error {error:.4}");
}

#[test]
fn a_trained_policy_comes_near_the_exact_probabilities_and_says_how_near() {
    let mut total = 0.0;
    for k in 0..4 {
        let config = Config { posterior: PosteriorName::Policy, samples: 4000, ..Config::default() };
        let found = discover(&problem(k).table, &config).unwrap();
        assert_eq!(found.posterior.source, Source::Policy);
        let coverage = found.posterior.coverage.unwrap();
        assert_eq!(coverage.reference, Source::Exact);
        total += coverage.edges_mean_difference / 4.0;
    }
    assert!(total <= 0.02, "mean absolute difference {total:.4}");
}

#[test]
fn by_default_few_variables_are_summed_exactly_and_many_are_sampled_by_chains() {
    let found = discover(&problem(0).table, &Config::default()).unwrap();
    assert_eq!(found.posterior.source, Source::Exact);
    assert!(found.training.is_none());
    let simulation = Simulation { nodes: 20, degree: Some(1), rows: 200, seed: 3, ..Simulation::default() };
    let table = simulate(&simulation).unwrap().table;
    let found = discover(&table, &Config::default()).unwrap();
    assert_eq!(found.posterior.source, Source::Chains);
    assert!(found.posterior.convergence.unwrap().r_hat < 1.1);
}
