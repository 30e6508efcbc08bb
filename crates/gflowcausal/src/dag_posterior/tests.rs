//! Chains that start again: what they keep, and what they add.

use std::sync::atomic::AtomicUsize;

use gflowcausal_data::{Simulation, simulate};
use gflowcausal_determinism::StopFlag;
use gflowcausal_graph::NodeSet;

use super::*;
use crate::method::Control;
use crate::{Deadlines, Problem};

/// A score that asks for the end of the run as soon as tables are filled a second time.
struct StopsAtSecondTables<'a> {
    score: &'a dyn LocalScore,
    filled: AtomicUsize,
    stop: StopFlag,
}

impl LocalScore for StopsAtSecondTables<'_> {
    fn name(&self) -> &'static str {
        self.score.name()
    }

    fn nodes(&self) -> usize {
        self.score.nodes()
    }

    fn local(&self, node: usize, parents: &NodeSet) -> f64 {
        self.score.local(node, parents)
    }

    fn fill_subsets(
        &self,
        node: usize,
        base: &NodeSet,
        optional: &[usize],
        limit: usize,
        terms: &mut [f64],
        stop: &AtomicBool,
    ) {
        if self.filled.fetch_add(1, Ordering::Relaxed) == self.nodes() {
            self.stop.set();
        }
        self.score.fill_subsets(node, base, optional, limit, terms, stop);
    }
}

#[test]
fn chains_that_cannot_start_again_in_time_keep_what_they_found() {
    let simulation = Simulation { nodes: 6, degree: Some(2), rows: 300, seed: 1, ..Simulation::default() };
    let table = simulate(&simulation).expect("a simulation").table;
    let config = Config { samples: 100, ..Config::default() };
    let problem = Problem::new(&table, &config).expect("a problem");
    let model = &problem.model;
    let stop = StopFlag::new();
    let score = StopsAtSecondTables {
        score: model.dag_score().expect("a sum over variables"),
        filled: AtomicUsize::new(0),
        stop: stop.clone(),
    };
    let deadlines = Deadlines::new(&stop);
    let mut observe = |_| Control::Continue;
    let mut context = RunContext::new(&mut observe, &deadlines, None);
    // A search that found nothing: the chains are soon far better, and need new tables.
    let graphs = vec![Dag::empty(6)];
    let posterior = DagPosterior::new((model, &score), graphs, 5, context.stop());
    let mut posterior = posterior.expect("a distribution").expect("there is time");
    let inferred = posterior.chains(&config, &mut context).expect("nothing is written");
    assert!(stop.is_set(), "the chains started again");
    let inferred = inferred.expect("the probabilities of the first chains");
    assert!(!inferred.draws.is_empty());
    assert_eq!(posterior.graphs.len(), 2, "the better graph, and what was given");
    assert!(posterior.tables.log_dag(&posterior.graphs[0]) > posterior.tables.log_dag(&Dag::empty(6)));
}

#[test]
fn parents_that_the_candidates_lack_are_added_while_the_chains_run() {
    let simulation = Simulation { nodes: 8, degree: Some(2), rows: 100, seed: 3, ..Simulation::default() };
    let table = simulate(&simulation).expect("a simulation").table;
    let config = Config { samples: 200, ..Config::default() };
    let problem = Problem::new(&table, &config).expect("a problem");
    let model = &problem.model;
    let score = model.dag_score().expect("a sum over variables");
    let stop = StopFlag::new();
    let exact = |graphs: Vec<Dag>, candidates: usize| {
        let posterior = DagPosterior::new((model, score), graphs, candidates, stop.as_atomic());
        let posterior = posterior.expect("a distribution").expect("there is time");
        posterior.exact(&config, stop.as_atomic()).expect("few variables").expect("there is time").posterior
    };
    let truth = exact(Vec::new(), 7);
    assert!(truth.candidate_limit.is_none());
    // The best graph is known, but its neighbours are not.
    let best = exact_best(model, score, &stop);
    let narrow = exact(vec![best.clone()], 3);
    assert_eq!(narrow.candidate_limit.map(|limit| limit.most), Some(3));

    let deadlines = Deadlines::new(&stop);
    let mut observe = |_| Control::Continue;
    let mut context = RunContext::new(&mut observe, &deadlines, None);
    let posterior = DagPosterior::new((model, score), vec![best], 3, context.stop());
    let mut posterior = posterior.expect("a distribution").expect("there is time");
    let inferred = posterior.chains(&config, &mut context).expect("nothing is written");
    let wide = inferred.expect("there is time").posterior;
    assert!(posterior.widened > 0, "something was missing");
    let ((_, before), (_, after)) = (narrow.difference_from(&truth), wide.difference_from(&truth));
    assert!(after < 0.7 * before, "{after} against {before}");
}

#[test]
fn draws_to_learn_from_have_the_layerings_of_the_posterior() {
    const COUNT: usize = 4000;
    let simulation = Simulation { nodes: 7, degree: Some(2), rows: 60, seed: 5, ..Simulation::default() };
    let table = simulate(&simulation).expect("a simulation").table;
    let config = Config::default();
    let problem = Problem::new(&table, &config).expect("a problem");
    let model = &problem.model;
    let score = model.dag_score().expect("a sum over variables");
    let stop = StopFlag::new();
    let deadlines = Deadlines::new(&stop);
    let mut observe = |_| Control::Continue;
    let context = RunContext::new(&mut observe, &deadlines, None);
    let target = DagPosterior::new((model, score), Vec::new(), 6, stop.as_atomic());
    let target = target.expect("a distribution").expect("there is time");
    let mut reference = target.exact(&config, stop.as_atomic()).expect("few variables").expect("in time");
    let layerings = |reference: &Inferred| {
        let layerings = target.training_layerings(&config, (reference, COUNT), &context).expect("draws");
        assert_eq!(layerings.len(), COUNT);
        layerings
    };
    let by_sums = layerings(&reference);
    reference.posterior.source = Source::Chains;
    let by_chains = layerings(&reference);
    // How often each variable has no parents.
    let share = |layerings: &[Layering], node: usize| {
        let first = layerings.iter().filter(|layering| layering.layers()[0].contains(node)).count();
        first as f64 / layerings.len() as f64
    };
    for node in 0..7 {
        let (sums, chains) = (share(&by_sums, node), share(&by_chains, node));
        assert!((sums - chains).abs() < 0.06, "variable {node}: {sums} by sums, {chains} by chains");
    }
}

fn exact_best(model: &ScoringModel, score: &dyn LocalScore, stop: &StopFlag) -> Dag {
    let posterior = DagPosterior::new((model, score), Vec::new(), 7, stop.as_atomic());
    let posterior = posterior.expect("a distribution").expect("there is time");
    posterior.tables().best_dag().expect("a graph")
}
