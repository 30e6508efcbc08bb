//! More graphs from a policy that was trained before.

use std::sync::atomic::AtomicBool;

use gflowcausal_data::Table;
use gflowcausal_flow::Policy;

use crate::checkpoints::POLICY;
use crate::discover::problem_fingerprint;
use crate::method::policy_draws;
use crate::posterior::{GraphSample, Posterior};
use crate::{Config, Error, Problem, RunDir, ScoringModel};

/// Draws `count` graphs from the policy that the run in `dir` trained on `table` with `config`.
///
/// # Errors
/// When there is no policy, or it was trained on something else.
pub fn sample(
    dir: &RunDir,
    table: &Table,
    config: &Config,
    count: usize,
    seed: u64,
) -> Result<(Vec<GraphSample>, Posterior), Error> {
    let problem = Problem::new(table, config)?;
    let policy = Policy::open(&dir.file(POLICY), problem.model.constraints())?;
    let expected = problem_fingerprint(table, config);
    if policy.fingerprint() != expected {
        return Err(Error::OtherData { path: dir.file(POLICY) });
    }
    Ok(sample_policy(&problem.model, &policy, count, seed, &AtomicBool::new(false)))
}

/// Draws `count` graphs from a `policy` that was trained on what `model` says; fewer once `stop` is true.
#[must_use]
pub fn sample_policy(
    model: &ScoringModel,
    policy: &Policy,
    count: usize,
    seed: u64,
    stop: &AtomicBool,
) -> (Vec<GraphSample>, Posterior) {
    let draws = policy_draws(model, &policy.sampler(), count, seed, stop);
    let posterior = Posterior::of(model.constraints().nodes(), &draws);
    (draws, posterior)
}
