//! From graphs that searches found to the posterior over DAGs: what `gflowcausal`, `exact` and `mcmc` share.

use gflowcausal_graph::{Dag, Order};
use gflowcausal_posterior::{ExactError, RunnerUp};
use gflowcausal_score::LocalScore;

use super::search_phase::{self, SearchResult};
use super::{MethodInput, MethodOutput, Phase, RunContext};
use crate::dag_posterior::{DagPosterior, Inferred, candidate_limit};
use crate::options::PosteriorName;
use crate::representative::representative;
use crate::{Checkpoints, Error, ScoringModel};

/// Up to how many variables exact sums are quicker than chains.
const MOST_EXACT: usize = 18;

/// Up to how many variables exact sums take less than a tenth of a second.
const MOST_AT_ONCE: usize = 12;

/// A graph with more edges than this for each variable is dense.
const DENSE: usize = 3;

/// How many candidate parents more a variable has where the best graph is dense.
const MORE_CANDIDATES: usize = 2;

/// The score as a sum over variables, for methods whose objects are DAGs.
///
/// # Errors
/// With a score that is not such a sum, or a pruning that turns orders into graphs.
pub(super) fn dag_score<'a>(
    model: &'a ScoringModel,
    method: &'static str,
) -> Result<&'a dyn LocalScore, Error> {
    let score = model.score_name().name();
    model.dag_score().ok_or(Error::NeedsDecomposable { method, score })
}

/// Exact sums or chains, where the choice is left open.
pub(super) fn resolve(name: PosteriorName, model: &ScoringModel) -> PosteriorName {
    let nodes = model.constraints().nodes();
    match name {
        PosteriorName::Auto | PosteriorName::Policy if nodes <= MOST_EXACT => PosteriorName::Exact,
        PosteriorName::Auto | PosteriorName::Policy => PosteriorName::Chains,
        chosen => chosen,
    }
}

/// The posterior around what searches `found`, and the best graph of all.
///
/// # Errors
/// When a checkpoint cannot be written or does not fit.
pub(super) fn discover(
    input: &MethodInput<'_>,
    context: &mut RunContext<'_>,
    (score, name): (&dyn LocalScore, PosteriorName),
    found: SearchResult,
) -> Result<MethodOutput, Error> {
    let model = input.model;
    let Some(mut target) = target(input, context, score, &found)? else {
        return Ok(without_probabilities(context, model, found));
    };
    match infer(&mut target, input, context, name)? {
        Some(inferred) => Ok(output(context, model, &target, inferred)),
        None => Ok(without_probabilities(context, model, found)),
    }
}

/// The tables around what searches found, or around what the run found that goes on; smaller ones where time runs out.
pub(super) fn target<'a>(
    input: &MethodInput<'a>,
    context: &RunContext<'_>,
    score: &'a dyn LocalScore,
    found: &SearchResult,
) -> Result<Option<DagPosterior<'a>>, Error> {
    let stored = context.checkpoints.as_ref().map_or(Ok(None), Checkpoints::resume_chains)?;
    let (graphs, widened) = match stored {
        Some(stored) => (stored.graphs(input.model.constraints().nodes())?, stored.widened),
        None => (found.graphs.clone(), 0),
    };
    target_around(input, context, score, (graphs, widened))
}

/// The tables around `graphs`, which were added to so many times.
fn target_around<'a>(
    input: &MethodInput<'a>,
    context: &RunContext<'_>,
    score: &'a dyn LocalScore,
    (graphs, widened): (Vec<Dag>, usize),
) -> Result<Option<DagPosterior<'a>>, Error> {
    let target = (input.model, score);
    let candidates = candidates(input.model, &graphs, context.is_short_of_time());
    let build = || DagPosterior::new(target, graphs.clone(), candidates, context.exact_stop());
    if let Some(whole) = context.until_exact_stop(build).unwrap_or(Ok(None))? {
        return Ok(Some(whole.widened(widened)));
    }
    let candidates = if input.model.is_cheap() { candidate_limit(input.model, true) } else { candidates };
    context.finish(|| DagPosterior::of_known(target, graphs, candidates)).transpose()
}

/// How many candidate parents a variable has: more where the best of the `graphs` is dense.
fn candidates(model: &ScoringModel, graphs: &[Dag], is_short_of_time: bool) -> usize {
    let limit = candidate_limit(model, is_short_of_time);
    let is_dense = |graph: &Dag| graph.edge_count() > DENSE * graph.nodes();
    let more = !is_short_of_time && model.is_cheap() && graphs.first().is_some_and(is_dense);
    if more { limit + MORE_CANDIDATES } else { limit }
}

/// The tables of a run, built again as it built them: `around` the graphs it ended with, or those that its chains saved, or else what the
/// searches find again.
///
/// # Errors
/// When the searches find nothing.
pub(crate) fn rebuild<'a>(
    input: &MethodInput<'a>,
    context: &mut RunContext<'_>,
    score: &'a dyn LocalScore,
    around: &[Dag],
) -> Result<Option<DagPosterior<'a>>, Error> {
    let others = input.model.constraints().nodes() - 1;
    let takes_all = input.config.method == "exact" || candidate_limit(input.model, false) >= others;
    if takes_all {
        return DagPosterior::new((input.model, score), Vec::new(), others, context.stop());
    }
    if !around.is_empty() {
        return target_around(input, context, score, (around.to_vec(), 0));
    }
    let found = search_phase::run(input, context)?;
    target(input, context, score, &found)
}

/// Probabilities by exact sums or chains; none if the run stops before there are any.
pub(super) fn infer(
    target: &mut DagPosterior<'_>,
    input: &MethodInput<'_>,
    context: &mut RunContext<'_>,
    name: PosteriorName,
) -> Result<Option<Inferred>, Error> {
    context.report(Phase::Sampling);
    if resolve(name, input.model) != PosteriorName::Exact {
        return chains(target, input, context);
    }
    let is_quick = input.model.constraints().nodes() <= MOST_AT_ONCE;
    let reason = match target
        .exact(input.config, if is_quick { context.late_chains_stop() } else { context.exact_stop() })
    {
        // Chains can cope with scores that lie too far apart for exact sums.
        Err(Error::Exact(ExactError::Range { .. })) => "scores lie too far apart for exact sums",
        Ok(None) => "there was no time for exact sums",
        inferred => return inferred,
    };
    let mut inferred = chains(target, input, context)?;
    if let Some(inferred) = &mut inferred {
        inferred.posterior.reason = Some(reason.to_owned());
    }
    Ok(inferred)
}

/// Probabilities by chains: whole ones while there is time, else what a moment gives.
fn chains(
    target: &mut DagPosterior<'_>,
    input: &MethodInput<'_>,
    context: &mut RunContext<'_>,
) -> Result<Option<Inferred>, Error> {
    match target.chains(input.config, context)? {
        None if context.is_stopped() => target.last_chains(input.config, context),
        inferred => Ok(inferred),
    }
}

/// The best graph found in time, without probabilities.
pub(super) fn without_probabilities(
    context: &RunContext<'_>,
    model: &ScoringModel,
    found: SearchResult,
) -> MethodOutput {
    let SearchResult { order, mut graphs, .. } = found;
    let mut output = MethodOutput::single(context, model, order, graphs.swap_remove(0));
    if context.is_stopped() {
        output.posterior.reason = Some("there was no time for any".to_owned());
    }
    output
}

/// The best graph, shown by the member of its class whose directions are likeliest, with its probabilities.
pub(super) fn output(
    context: &RunContext<'_>,
    model: &ScoringModel,
    target: &DagPosterior<'_>,
    inferred: Inferred,
) -> MethodOutput {
    let Inferred { posterior, draws } = inferred;
    let mut ranked = target.ranked(&draws, context);
    let best = ranked.remove(0);
    let (order, graph) =
        representative(best.graph.topological_order(), best.graph.clone(), model, &posterior);
    ranked.insert(0, RunnerUp { graph: graph.clone(), ..best });
    MethodOutput { graph, order, class: None, ranked, draws, posterior, training: None }
}

/// The order and graph that the exact posterior is best at.
pub(super) fn found_of(graph: Dag) -> SearchResult {
    let order: Order = graph.topological_order();
    SearchResult { orders: vec![order.clone()], order, graphs: vec![graph] }
}
