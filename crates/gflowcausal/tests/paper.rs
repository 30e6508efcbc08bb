//! Paper mode: Algorithm 1 as published learns the distribution it aims at, and does nothing else.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use gflowcausal::data::{Simulated, Simulation, simulate};
use gflowcausal::flow::{FlowScale, ObjectiveName, Policy, StateSpace, Walk};
use gflowcausal::{Config, Discovery, Problem, ScoreName, Source, discover};
use gflowcausal_graph::all_orders;

fn data(nodes: usize) -> Simulated {
    simulate(&Simulation { nodes, degree: Some(1), rows: 200, seed: 5, ..Simulation::default() }).unwrap()
}

/// Paper mode, shortened so that a test can wait for it.
fn short() -> Config {
    Config {
        paper: true,
        iterations: Some(400),
        batch_size: Some(32),
        learning_rate: Some(3e-3),
        hidden: Some(32),
        samples: 200,
        ..Config::default()
    }
}

/// How far the trained policy is from P ∝ r over all orders, and how far every order alike is.
fn distances(data: &Simulated, config: &Config, found: &Discovery) -> (f64, f64) {
    let walk: Walk = found.training.as_ref().unwrap().walk.parse().unwrap();
    let problem = Problem::new(&data.table, config).unwrap();
    let constraints = problem.model.constraints();
    let space = StateSpace::enumerate(&*walk.environment(constraints.clone()).unwrap(), 100_000).unwrap();
    let target = space.target(&*problem.log_reward(walk).unwrap());
    let policy = Policy::parse(found.training.as_ref().unwrap().policy.clone(), constraints).unwrap();
    let learned = space.policy_outcome(&policy.sampler(None).unwrap().log_flows(&space));
    let flat = 1.0 / target.outcomes().len() as f64;
    let from_flat = target.log_probabilities().iter().map(|log| (log.exp() - flat).abs()).sum::<f64>() / 2.0;
    (learned.total_variation(&target), from_flat)
}

#[test]
fn flow_matching_without_helpers_learns_the_rewards_of_orders() {
    let data = data(4);
    for walk in [Walk::Edges, Walk::Chain] {
        let config = Config { walk, flow_scale: Some(FlowScale::Log), iterations: Some(2000), ..short() };
        let found = discover(&data.table, &config).unwrap();
        let (learned, flat) = distances(&data, &config, &found);
        assert!(learned < 0.03 && flat > 0.2, "{walk}: {learned}, every order alike: {flat}");
    }
}

#[test]
fn the_preset_is_applied_and_named() {
    let data = data(4);
    let config = Config { iterations: Some(3), ..short() };
    let found = discover(&data.table, &config).unwrap();
    let training = found.training.as_ref().unwrap();
    assert_eq!((training.walk.as_str(), training.objective.as_str()), ("edges", "fm"));
    let said = found.findings.iter().find(|finding| finding.code == "paper-mode").unwrap();
    assert!(
        said.what.contains("walk edges (Case 2), objective fm on raw flows, reward varsort"),
        "{}",
        said.what
    );
    let departures = "departures: iterations, batch_size, learning_rate, hidden";
    assert!(said.what.ends_with(departures), "{}", said.what);
}

#[test]
fn the_graph_is_the_best_that_was_drawn_in_training_and_draws_are_not_weighed() {
    let data = data(4);
    let found = discover(&data.table, &short()).unwrap();
    let best = all_orders(4).map(|order| found.model.order_score().score(&order)).fold(f64::MIN, f64::max);
    assert!((found.score - best).abs() < 1e-12, "{} of {best}", found.score);
    assert_eq!(found.posterior.source, Source::Policy);
    assert_eq!(found.posterior.log_z, None);
    assert!(found.draws.iter().all(|draw| draw.log_weight == 0.0));
    let drawn: u32 = found.draws.iter().map(|draw| draw.count).sum();
    assert_eq!((drawn, found.posterior.effective_sample_size.round()), (200, 200.0));
}

#[test]
fn rewards_of_a_bic_underflow_as_raw_flows_but_not_as_logarithms() {
    let data = data(4);
    let config = Config { score: ScoreName::BicEqual, iterations: Some(3), ..short() };
    let history = discover(&data.table, &config).unwrap().training.unwrap().history;
    let logs = Config { flow_scale: Some(FlowScale::Log), ..config };
    let in_logs = discover(&data.table, &logs).unwrap().training.unwrap().history;
    assert!(history[2].loss < 1e3 && in_logs[2].loss > 1e4, "{} {}", history[2].loss, in_logs[2].loss);
}

#[test]
fn what_has_no_effect_is_refused() {
    let data = data(4);
    let refused = |config: Config| discover(&data.table, &config).err().unwrap().to_string();
    let config = Config { method: "exact".into(), paper: true, ..Config::default() };
    assert_eq!(refused(config), "--paper has no effect with method exact");
    let config = Config { posterior: gflowcausal::PosteriorName::Exact, score: ScoreName::Bic, ..short() };
    assert!(refused(config).starts_with("--p"), "posterior or paper is named");
    let config = Config { objective: Some(ObjectiveName::Tb), flow_scale: Some(FlowScale::Log), ..short() };
    assert!(refused(config).contains("flow_scale has no effect without objective fm"));
    let config = Config { walk: Walk::Free, ..short() };
    assert!(refused(config).contains("free"));
    let config = Config { edge_prior: Some(1.0), ..short() };
    assert_eq!(refused(config), "--edge-prior has no effect with paper");
}
