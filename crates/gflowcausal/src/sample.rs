//! More graphs from what the probabilities of a run came from: the exact posterior, chains, or a trained policy.

use gflowcausal_data::Table;
use gflowcausal_determinism::rand::RngExt;
use gflowcausal_determinism::{StopFlag, Stream, stream};
use gflowcausal_flow::{LogReward, Policy};

use crate::checkpoints::POLICY;
use crate::dag_posterior::{DagPosterior, Inferred};
use crate::discover::problem_fingerprint;
use crate::method::{Control, Deadlines, Phase, PolicyTarget, RunContext, rebuild};
use crate::model::LayerReward;
use crate::posterior::{GraphSample, Objects, Posterior, Source};
use crate::{Config, Error, Problem, RunDir, RunResult};

/// How many graphs are drawn and kept in memory at a time.
const PART: u64 = 20_000;

/// Draws `count` graphs from what the probabilities of the run in `dir` came from, and hands them to `take` in parts: memory
/// is bounded whatever `count` is. Ends early, after a whole part, once `take` says no or `stop` is set.
///
/// # Errors
/// When the run has no probabilities, or was made of something else; and what `take` says.
pub fn sample<E: From<Error>>(
    dir: &RunDir,
    (table, config): (&Table, &Config),
    (count, seed): (u64, u64),
    stop: &StopFlag,
    mut take: impl FnMut(Vec<GraphSample>, Posterior) -> Result<(), E>,
) -> Result<(), E> {
    let source = RunResult::read(dir)?.posterior.by;
    let problem = Problem::new(table, config)?;
    let policy = match source {
        Source::Policy => {
            let opened = Policy::open(&dir.file(POLICY), problem.model.constraints());
            Some(opened.map_err(Error::from)?)
        }
        _ => None,
    };
    if policy
        .as_ref()
        .is_some_and(|policy| policy.fingerprint() != problem_fingerprint(table, config, &problem.model))
    {
        return Err(Error::OtherData { path: dir.file(POLICY) }.into());
    }
    for part in 0..count.div_ceil(PART) {
        let size = PART.min(count - part * PART) as usize;
        let (draws, posterior) =
            problem.sample((source, policy.as_ref()), size, part_seed(seed, part), stop)?;
        take(draws, posterior)?;
        if stop.is_set() {
            break;
        }
    }
    Ok(())
}

/// The seed of a part; the first has that of the whole.
fn part_seed(seed: u64, part: u64) -> u64 {
    if part == 0 { seed } else { stream(seed, Stream::Part { k: part }).random() }
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
        stop: &StopFlag,
    ) -> Result<(Vec<GraphSample>, Posterior), Error> {
        let no_draws = || Error::NotInRun { what: "graphs to draw", method: self.config().method.clone() };
        let mut observe = |_: Phase| Control::Continue;
        let deadlines = Deadlines::new(stop);
        let mut context = RunContext::new(&mut observe, &deadlines, None);
        let model = &self.model;
        let mut target = match model.dag_score() {
            Some(score) if !self.config().paper => rebuild(&self.input(), &mut context, score)?,
            _ => None,
        };
        let config = Config { samples: count, seed, ..self.config().clone() };
        let inferred: Option<Inferred> = match (source, &mut target, policy) {
            (Source::Policy, _, Some(policy)) => {
                let objects = if target.is_some() { Objects::Dags } else { Objects::Orders };
                let tables = target.as_ref().map(DagPosterior::tables);
                let reward = tables.map(LayerReward);
                let sampler = policy.sampler(reward.as_ref().map(|reward| reward as &dyn LogReward));
                let sampler = sampler.ok_or_else(no_draws)?;
                let is_weighted = !self.config().paper;
                let aim = PolicyTarget { model, tables, objects, is_weighted };
                aim.draw(&sampler, count, seed, &deadlines)
            }
            (Source::Exact, Some(target), _) => target.exact(&config, stop.as_atomic())?,
            (Source::Chains, Some(target), _) => target.chains(&config, &mut context)?,
            _ => None,
        };
        inferred.map(|Inferred { posterior, draws }| (draws, posterior)).ok_or_else(no_draws)
    }
}
