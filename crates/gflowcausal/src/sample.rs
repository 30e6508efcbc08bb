//! More graphs from what the probabilities of a run came from: the exact posterior, chains, or a trained policy.

use std::cell::RefCell;
use std::time::Instant;

use gflowcausal_data::Table;
use gflowcausal_determinism::rand::RngExt;
use gflowcausal_determinism::{StopFlag, Stream, stream};
use gflowcausal_flow::{LogReward, Policy};
use gflowcausal_graph::Dag;

use crate::checkpoints::{Checkpoints, POLICY};
use crate::clock::keeping_time;
use crate::dag_posterior::{DagPosterior, Inferred};
use crate::method::{Control, Deadlines, Phase, PolicyTarget, RunContext, SAC, rebuild};
use crate::model::LayerReward;
use crate::posterior::{GraphSample, Objects, Source};
use crate::{Config, Error, Problem, RunDir, RunResult, fingerprint};

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
    mut take: impl FnMut(Vec<GraphSample>) -> Result<(), E>,
) -> Result<(), E> {
    let result = RunResult::read(dir)?;
    let source = result.posterior.by;
    if source == Source::None {
        return Err(no_draws(config).into());
    }
    let sha256 = fingerprint(table);
    if result.data.sha256 != sha256 {
        return Err(Error::OtherData { path: dir.file("result.json") }.into());
    }
    let fingerprint =
        format!("{sha256}:{}{}", config.reward_fingerprint(), result.score.fingerprint_suffix());
    let config = &result.score.applied_to(config);
    let problem = Problem::new(table, config)?;
    let policy = match source {
        Source::Policy => {
            let opened = Policy::open(&dir.file(POLICY), problem.model.constraints());
            Some(opened.map_err(Error::from)?)
        }
        _ => None,
    };
    if policy.as_ref().is_some_and(|policy| policy.fingerprint() != fingerprint) {
        return Err(Error::OtherData { path: dir.file(POLICY) }.into());
    }
    let (deadlines, unsaved) = (Deadlines::new(stop), RefCell::new(None));
    let saved = Checkpoints::new(dir, &fingerprint, true, &unsaved);
    let from = SampleSource { by: source, policy: policy.as_ref(), tables_around: &[] };
    keeping_time(Instant::now(), &deadlines, || {
        let mut origin = Origin::new(&problem, from, Some(saved), &deadlines)?;
        for part in 0..count.div_ceil(PART) {
            let size = PART.min(count - part * PART) as usize;
            take(origin.draw(size, part_seed(seed, part))?)?;
            if stop.is_set() {
                break;
            }
        }
        Ok(())
    })
}

fn no_draws(config: &Config) -> Error {
    Error::NotInRun { what: "graphs to draw", method: config.method.clone() }
}

/// The seed of a part; the first has that of the whole.
fn part_seed(seed: u64, part: u64) -> u64 {
    if part == 0 { seed } else { stream(seed, Stream::Part { k: part }).random() }
}

/// What the probabilities of a run came from.
#[derive(Clone, Copy)]
pub struct SampleSource<'a> {
    /// The kind of sampler.
    pub by: Source,
    /// The policy, if it was one.
    pub policy: Option<&'a Policy>,
    /// The graphs that the policy's tables were built around, if it had any and its run saved none.
    pub tables_around: &'a [Dag],
}

impl Problem<'_> {
    /// Draws `count` graphs anew from the source of a run's probabilities; fewer once `stop` is true.
    ///
    /// # Errors
    /// When the source gives no graphs.
    pub fn sample(
        &self,
        source: SampleSource<'_>,
        count: usize,
        seed: u64,
        stop: &StopFlag,
    ) -> Result<Vec<GraphSample>, Error> {
        let deadlines = Deadlines::new(stop);
        keeping_time(Instant::now(), &deadlines, || {
            Origin::new(self, source, None, &deadlines)?.draw(count, seed)
        })
    }
}

/// What the probabilities of a run came from, built again once and drawn from in parts.
struct Origin<'a> {
    problem: &'a Problem<'a>,
    source: SampleSource<'a>,
    target: Option<DagPosterior<'a>>,
    deadlines: &'a Deadlines,
}

impl<'a> Origin<'a> {
    /// The tables are built around the graphs that chains have `saved`, if any: a policy was trained on those.
    fn new(
        problem: &'a Problem<'_>,
        source: SampleSource<'a>,
        saved: Option<Checkpoints<'_>>,
        deadlines: &'a Deadlines,
    ) -> Result<Self, Error> {
        let mut observe = |_: Phase| Control::Continue;
        let mut context = RunContext::new(&mut observe, deadlines, saved);
        let target = match problem.model.dag_score() {
            Some(score) if !counts_draws(problem.config()) => {
                rebuild(&problem.input(), &mut context, score, source.tables_around)?
            }
            _ => None,
        };
        Ok(Self { problem, source, target, deadlines })
    }

    fn draw(&mut self, count: usize, seed: u64) -> Result<Vec<GraphSample>, Error> {
        let (problem, deadlines) = (self.problem, self.deadlines);
        let (model, config) = (&problem.model, Config { samples: count, seed, ..problem.config().clone() });
        let mut observe = |_: Phase| Control::Continue;
        let mut context = RunContext::new(&mut observe, deadlines, None);
        let draws = match (self.source.by, &mut self.target, self.source.policy) {
            (Source::Policy, target, Some(policy)) => {
                let objects = if target.is_some() { Objects::Dags } else { Objects::Orders };
                let tables = target.as_ref().map(DagPosterior::tables);
                let reward = tables.map(LayerReward);
                let sampler = policy.sampler(reward.as_ref().map(|reward| reward as &dyn LogReward));
                let sampler = sampler.ok_or_else(|| no_draws(&config))?;
                let is_weighted = !counts_draws(problem.config());
                let aim = PolicyTarget { model, tables, objects, is_weighted };
                aim.draw_graphs(&sampler, count, seed, deadlines)
            }
            (Source::Exact, Some(target), _) => drawn(target.exact(&config, context.stop())?),
            (Source::Chains, Some(target), _) => draw_chains(target, &config, &mut context)?,
            _ => Vec::new(),
        };
        if draws.is_empty() { Err(no_draws(&config)) } else { Ok(draws) }
    }
}

/// Whether draws of the run's policy count as they come, and are of orders.
fn counts_draws(config: &Config) -> bool {
    config.paper || config.method == SAC
}

/// As many draws as asked for: where chains fall short, because one of them found nothing that counts, others follow.
fn draw_chains(
    target: &mut DagPosterior<'_>,
    config: &Config,
    context: &mut RunContext<'_>,
) -> Result<Vec<GraphSample>, Error> {
    let (mut draws, mut missing) = (Vec::new(), config.samples);
    for k in 0.. {
        let seed = if k == 0 { config.seed } else { stream(config.seed, Stream::Refill { k }).random() };
        let more = drawn(target.chains(&Config { samples: missing, seed, ..config.clone() }, context)?);
        missing -= more.iter().map(|draw| draw.count as usize).sum::<usize>().min(missing);
        let is_last = missing == 0 || more.is_empty() || context.is_stopped();
        draws.extend(more);
        if is_last {
            break;
        }
    }
    Ok(GraphSample::merged(draws))
}

fn drawn(inferred: Option<Inferred>) -> Vec<GraphSample> {
    inferred.map(|inferred| inferred.draws).unwrap_or_default()
}
