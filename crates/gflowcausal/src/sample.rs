//! More graphs from what the probabilities of a run came from: the exact posterior, chains, or a trained policy.

use std::sync::atomic::AtomicBool;

use gflowcausal_data::Table;
use gflowcausal_flow::Policy;

use crate::checkpoints::POLICY;
use crate::dag_posterior::{DagPosterior, Inferred};
use crate::discover::problem_fingerprint;
use crate::method::{Control, Phase, PolicyTarget, RunContext, rebuild};
use crate::posterior::{GraphSample, Objects, Posterior, Source};
use crate::{Config, Error, Problem, RunDir, RunResult};

/// Draws `count` graphs from what the probabilities of the run in `dir` came from.
///
/// # Errors
/// When the run has no probabilities, or was made of something else.
pub fn sample(
    dir: &RunDir,
    table: &Table,
    config: &Config,
    count: usize,
    seed: u64,
) -> Result<(Vec<GraphSample>, Posterior), Error> {
    let source = RunResult::read(dir)?.posterior.by;
    let problem = Problem::new(table, config)?;
    let policy = match source {
        Source::Policy => Some(Policy::open(&dir.file(POLICY), problem.model.constraints())?),
        _ => None,
    };
    if policy.as_ref().is_some_and(|policy| policy.fingerprint() != problem_fingerprint(table, config)) {
        return Err(Error::OtherData { path: dir.file(POLICY) });
    }
    problem.sample((source, policy.as_ref()), count, seed, &AtomicBool::new(false))
}

impl Problem<'_> {
    /// Draws `count` graphs anew from the `source` of a run's probabilities; fewer once `stop` is true.
    ///
    /// # Errors
    /// When the source gives no graphs.
    pub fn sample(
        &self,
        (source, policy): (Source, Option<&Policy>),
        count: usize,
        seed: u64,
        stop: &AtomicBool,
    ) -> Result<(Vec<GraphSample>, Posterior), Error> {
        let no_draws = || Error::NotInRun { what: "graphs to draw", method: self.config().method.clone() };
        let mut observe = |_: Phase| Control::Continue;
        let mut context = RunContext { observe: &mut observe, stop, hurry: stop, checkpoints: None };
        let model = &self.model;
        let target = match model.dag_score() {
            Some(score) => rebuild(&self.input(), &mut context, score)?,
            None => None,
        };
        let config = Config { samples: count, seed, ..self.config().clone() };
        let inferred: Option<Inferred> = match (source, &target, policy) {
            (Source::Policy, _, Some(policy)) => {
                let objects = if target.is_some() { Objects::Dags } else { Objects::Orders };
                let tables = target.as_ref().map(DagPosterior::tables);
                Some(PolicyTarget { model, tables, objects }.draw(&policy.sampler(), count, seed, stop))
            }
            (Source::Exact, Some(target), _) => target.exact(&config, stop)?,
            (Source::Chains, Some(target), _) => target.chains(&config, &mut context)?,
            _ => None,
        };
        inferred.map(|Inferred { posterior, draws }| (draws, posterior)).ok_or_else(no_draws)
    }
}
