//! The other methods through the facade: what they must find, which constraints they satisfy and what they refuse.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use gflowcausal::data::{Column, NoiseFamily, Simulated, Simulation, Table, simulate};
use gflowcausal::{Config, Discovery, ScoreName, discover};
use gflowcausal_graph::{Dag, all_dags};
use gflowcausal_score::{Bge, BgePrior, GraphScore};

const METHODS: [&str; 11] = [
    "ica-lingam",
    "direct-lingam",
    "notears",
    "dagma",
    "dag-gnn",
    "gran-dag",
    "rl-bic",
    "corl",
    "dag-gflownet",
    "gflownets-score",
    "sac",
];

/// Linear with uniform noise: LiNGAM's and, having equal variances, NOTEARS' and DAGMA's kind of data.
fn data(nodes: usize, rows: usize, seed: u64) -> Simulated {
    let noise = Some(NoiseFamily::Uniform);
    let config = Simulation { nodes, degree: Some(1), rows, noise, seed, ..Simulation::default() };
    simulate(&config).unwrap()
}

fn quick(method: &str) -> Config {
    let is_trained = matches!(method, "dag-gflownet" | "gflownets-score" | "sac");
    let has_network = matches!(method, "dag-gnn" | "gran-dag" | "rl-bic" | "corl");
    Config {
        method: method.into(),
        iterations: (is_trained || has_network).then_some(40),
        samples: if is_trained { 50 } else { Config::default().samples },
        ..Config::default()
    }
}

fn found(table: &Table, config: &Config) -> Discovery {
    discover(table, config).unwrap()
}

#[test]
fn linear_methods_find_the_planted_graph() {
    let data = data(6, 3000, 3);
    for (method, l1) in
        [("ica-lingam", None), ("direct-lingam", None), ("notears", Some(0.02)), ("dagma", Some(0.01))]
    {
        let config = Config { l1, ..quick(method) };
        let graph = found(&data.table, &config).graph;
        let missing = data.dag.edges().filter(|&edge| !graph.contains(edge)).count();
        assert_eq!(missing, 0, "{method} misses edges of {:?}: {graph:?}", data.dag);
    }
}

/// Every order or graph has the reward of its score: the edge probabilities are those of all 543 DAGs, weighed.
#[test]
fn dag_gflownet_draws_graphs_by_their_posterior() {
    let data = data(4, 60, 8);
    let config = Config {
        method: "dag-gflownet".into(),
        score: ScoreName::Bge,
        iterations: Some(1500),
        samples: 4000,
        ..Config::default()
    };
    let found = found(&data.table, &config);
    let score = Bge::new(found.moments.as_ref().unwrap(), BgePrior::default()).unwrap();
    let weighed: Vec<(Dag, f64)> = all_dags(4).map(|dag| (dag.clone(), score.graph(&dag))).collect();
    let best = weighed.iter().map(|(_, value)| *value).fold(f64::NEG_INFINITY, f64::max);
    let total: f64 = weighed.iter().map(|(_, value)| (value - best).exp()).sum();
    let mut exact = [0.0; 16];
    for (dag, value) in &weighed {
        dag.edges().for_each(|edge| exact[edge.from * 4 + edge.to] += (value - best).exp() / total);
    }
    assert!((score.graph(&found.graph) - best).abs() < 1e-9, "the best graph is among those seen");
    for (drawn, exact) in found.posterior.edges().iter().zip(exact) {
        assert!((drawn - exact).abs() < 0.05, "{drawn} instead of {exact}");
    }
    assert!(found.posterior.effective_sample_size > 1000.0, "{}", found.posterior.effective_sample_size);
}

/// With four variables the penalty alone is enough to learn what a cycle is.
#[test]
fn gflownets_score_learns_to_avoid_cycles() {
    let data = data(4, 500, 2);
    let config = Config { iterations: Some(400), samples: 500, ..quick("gflownets-score") };
    let found = found(&data.table, &config);
    let config = Config { method: "exact".into(), score: found.model.score_name(), ..Config::default() };
    let exact = discover(&data.table, &config).unwrap();
    assert!((found.score - exact.score).abs() < 1e-6, "{} instead of {}", found.score, exact.score);
    // A draw without cycles has the reward of its order.
    let order_score = found.model.order_score();
    let cyclic =
        found.draws.iter().filter(|draw| draw.log_reward < order_score.score(&draw.order) - 1e-6).count();
    assert!(cyclic * 5 < found.draws.len(), "{cyclic} of {} hold cycles", found.draws.len());
}

#[test]
fn knowledge_is_satisfied_by_every_graph() {
    let data = data(5, 300, 5);
    let edge = data.dag.edges().next().unwrap();
    let name = |node: usize| format!("X{}", node + 1);
    for method in METHODS {
        let against = format!("{}->{}", name(edge.to), name(edge.from));
        let config = Config { require: vec![against], max_parents: Some(2), ..quick(method) };
        let found = found(&data.table, &config);
        let constraints = found.model.constraints();
        assert!(constraints.permits(&found.graph), "{method}: {:?}", found.graph);
        assert!(constraints.permits_order(&found.order), "{method}: {:?}", found.order);
        assert!(found.draws.iter().all(|draw| constraints.permits(&draw.dag)), "{method}");
    }
}

#[test]
fn what_a_method_cannot_use_is_refused() {
    let refused = |table: &Table, config: Config| discover(table, &config).err().unwrap().to_string();
    let numbers = data(4, 100, 1).table;
    let said = refused(&numbers, Config { hidden: Some(8), ..quick("dagma") });
    assert_eq!(said, "--hidden has no effect with method dagma");
    let said = refused(&numbers, Config { l1: Some(-1.0), ..quick("notears") });
    assert_eq!(said, "--l1 is -1, but must be finite and zero or more");
    let said = refused(&numbers, Config { score: ScoreName::BicEqual, ..quick("gflownets-score") });
    assert!(said.contains("needs a score that is a sum over variables"), "{said}");
    let said = refused(&numbers, Config { score: ScoreName::Varsort, ..quick("rl-bic") });
    assert!(said.contains("'rl-bic' needs a score that is a sum over variables"), "{said}");
    let said = refused(&numbers, Config { published: true, ..quick("dag-gnn") });
    assert_eq!(said, "--published has no effect with method dag-gnn");
    let said = refused(&numbers, Config { score: ScoreName::Varsort, ..quick("dag-gflownet") });
    assert_eq!(said, "score 'varsort' scores orders, not graphs");
    let codes = (0..100).map(|row| row % 2).collect();
    let mut columns = numbers.columns().to_vec();
    columns.push(Column::categorical("kind", codes, vec!["a".into(), "b".into()]));
    let mixed = Table::new(columns).unwrap();
    for method in ["ica-lingam", "direct-lingam", "notears", "dagma", "dag-gnn", "gran-dag", "rl-bic", "corl"]
    {
        let said = refused(&mixed, quick(method));
        assert_eq!(said, format!("method '{method}' needs real numbers in every column"));
    }
}
