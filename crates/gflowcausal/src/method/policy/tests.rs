//! The walk over layerings on real tables: exact flows, and the gate against policies that are broken on purpose.

use gflowcausal_data::{Column, Table};
use gflowcausal_determinism::{StopFlag, log_sum_exp};
use gflowcausal_flow::{Event, LogReward, Problem as TrainProblem, StateSpace, TrainConfig, Trainer, Walk};
use gflowcausal_graph::Edge;
use gflowcausal_posterior::{Exact, LayerState};

use super::*;
use crate::dag_posterior::DagPosterior;
use crate::method::policy_training::settings;
use crate::{Config, Problem};

/// A chain of five variables, each half of the next: its class has five DAGs, one for each root.
fn chain() -> Table {
    let mut rng = stream(11, Stream::Test { k: 0 });
    let mut normal = || (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0;
    let rows: Vec<[f64; 5]> = (0..300)
        .map(|_| {
            let mut row = [normal(); 5];
            for i in 1..5 {
                row[i] = 0.8 * row[i - 1] + 0.6 * normal();
            }
            row
        })
        .collect();
    let column = |i: usize| Column::continuous(format!("x{i}"), rows.iter().map(|row| row[i]).collect());
    Table::new((0..5).map(column).collect()).expect("a table")
}

/// A policy held against the exact posterior, and against the same draws as if they were of chains, whose `ln Z` is
/// not known.
struct Held {
    exact: Coverage,
    chains: Coverage,
    /// The effective sample size of 1000 draws.
    ess: f64,
}

impl Held {
    /// That policy and reference differ in figures, not for want of any.
    fn assert_refused(&self) {
        for coverage in [self.exact, self.chains] {
            assert!(!coverage.agrees(), "{coverage:?}");
            let log_z = coverage.log_z_reference.expect("draws of both");
            let low_by = log_z - coverage.log_z_policy;
            let median = coverage.median_log_ratio.expect("draws of the reference");
            assert!(low_by.is_finite() && median.is_finite(), "{coverage:?}");
            assert!(low_by > 0.1 || median > 1.0 || coverage.edges_mean_difference > 0.02, "{coverage:?}");
        }
    }
}

/// Trains on `keep`'s share of the exact draws, by maximum likelihood alone unless `iterations` is zero, and holds the
/// policy against the posterior.
fn held_against_posterior(iterations: usize, keep: impl Fn(&Dag) -> bool) -> Held {
    let (table, config) = (chain(), Config::default());
    let problem = Problem::new(&table, &config).expect("a problem");
    let (model, stop) = (&problem.model, StopFlag::new());
    let score = model.dag_score().expect("a decomposable score");
    let target =
        DagPosterior::new((model, score), vec![], 4, stop.as_atomic()).expect("tables").expect("in time");
    let mut reference = target.exact(&config, stop.as_atomic()).expect("five variables").expect("in time");
    let reward = LayerReward(target.tables());
    let mut settings: TrainConfig = settings(&config, Walk::Layers, 5);
    settings.iterations = iterations.max(1);
    settings.reference.likelihood_iterations = settings.iterations;
    settings.network.width = 64;
    let train = TrainProblem { constraints: model.constraints(), reward: &reward, local_search: None };
    let mut trainer = Trainer::new(settings.validate().expect("settings"), train).expect("a trainer");
    let kept = reference.draws.iter().filter(|draw| keep(&draw.dag));
    let layerings = kept.flat_map(|draw| {
        std::iter::repeat_n(Terminal::Layering(Layering::of(&draw.dag)), draw.count as usize)
    });
    trainer.set_reference(layerings.collect()).expect("finite rewards");
    for _ in 0..iterations {
        trainer.step(&mut |_: &Event<'_>| {}).expect("a step");
    }
    let aim =
        PolicyTarget { model, tables: Some(target.tables()), objects: Objects::Dags, is_weighted: true };
    let drawn = aim.estimate(&trainer.sampler(), 1000, 0, &Deadlines::default()).expect("draws");
    let exact = aim.coverage(&trainer.sampler(), &drawn, &reference, 0);
    (reference.posterior.source, reference.posterior.log_z) = (Source::Chains, None);
    let chains = aim.coverage(&trainer.sampler(), &drawn, &reference, 0);
    let shown = aim.draw(&trainer.sampler(), 1000, 0, &Deadlines::default()).expect("draws");
    Held { exact, chains, ess: shown.posterior.effective_sample_size }
}

#[test]
fn a_policy_trained_on_all_modes_passes() {
    let held = held_against_posterior(200, |_| true);
    assert!(held.exact.agrees() && held.chains.agrees(), "{:?} {:?}", held.exact, held.chains);
    assert!(held.ess > 400.0, "{}", held.ess);
}

#[test]
fn a_policy_with_random_weights_is_caught() {
    held_against_posterior(0, |_| true).assert_refused();
}

/// Its effective sample size alone would pass: hundreds of 1000 draws.
#[test]
fn a_policy_trained_on_one_of_two_modes_is_caught() {
    let forward = Edge::new(0, 1);
    let held = held_against_posterior(200, |dag| dag.contains(forward));
    assert!(held.ess > 200.0, "{}", held.ess);
    held.assert_refused();
    // The other mode is missing from the policy's own estimate of ln Z, and from no other.
    let low_by = |coverage: Coverage| coverage.log_z_reference.expect("draws") - coverage.log_z_policy;
    assert!(low_by(held.exact) > 0.1 && low_by(held.chains) > 0.1, "{:?} {:?}", held.exact, held.chains);
}

#[test]
fn balanced_flows_are_the_exact_sums_over_completions() {
    let (table, config) = (chain(), Config::default());
    let problem = Problem::new(&table, &config).expect("a problem");
    let (model, stop) = (&problem.model, StopFlag::new());
    let score = model.dag_score().expect("a decomposable score");
    let target =
        DagPosterior::new((model, score), vec![], 4, stop.as_atomic()).expect("tables").expect("in time");
    let exact = Exact::new(target.tables(), stop.as_atomic()).expect("five variables");
    let reward = LayerReward(target.tables());
    let environment = Walk::Layers.environment(model.constraints().clone()).expect("five variables");
    let space = StateSpace::enumerate(&*environment, 10_000).expect("few states");
    let flows = space.balanced_flows(&reward);
    for (at, trajectory) in space.trajectories().enumerate().filter(|&(at, _)| !space.next(at).is_empty()) {
        let (mut state, mut closed_terms, mut open_terms) = (LayerState::default(), 0.0, 0.0);
        let mut walked = environment.initial();
        let everything = |node: usize| reward.log_sum(node, &NodeSet::full(5).without(node), None);
        for &action in trajectory {
            let node = action as usize % 5;
            let delta =
                walked.delta_log_reward(action, &reward as &dyn LogReward).expect("sums over parents");
            walked.apply(action);
            if action < 5 {
                state = state.extend(node);
            } else {
                state = state.next_layer(node);
                closed_terms += open_terms;
                open_terms = 0.0;
            }
            open_terms += delta + everything(node);
        }
        let through = log_sum_exp(flows[at].iter().copied());
        let expected = exact.log_flow(state) + closed_terms;
        assert!((through - expected).abs() < 1e-6, "{trajectory:?}: {through} instead of {expected}");
    }
}
