//! More graphs from a policy that was trained before.

use gflowcausal_data::Table;
use gflowcausal_flow::Policy;

use crate::checkpoints::POLICY;
use crate::method::policy_draws;
use crate::posterior::{Draw, Posterior};
use crate::{Config, Error, Problem, RunDir, problem_fingerprint};

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
) -> Result<(Vec<Draw>, Posterior), Error> {
    let problem = Problem::new(table, config)?;
    let constraints = problem.model.constraints();
    let policy = Policy::open(&dir.file(POLICY), constraints)?;
    let expected = problem_fingerprint(table, config);
    if policy.fingerprint() != expected {
        return Err(Error::OtherData { path: dir.file(POLICY) });
    }
    let draws = policy_draws(&problem.model, &policy.sampler(), count, seed);
    let posterior = Posterior::of(constraints.nodes(), &draws);
    Ok((draws, posterior))
}
