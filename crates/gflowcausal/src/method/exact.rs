//! The exact posterior and the best of all graphs, for few variables.

use gflowcausal_determinism::{Stream, map, stream};
use gflowcausal_flow::{Lattice, LatticeError};
use gflowcausal_score::{LocalScore, OrderModularScore};

use super::option_groups::{DRAWS, OptionGroups, PRUNING, SCORE};
use super::{Discover, MethodInput, MethodOutput, Phase, RunContext, dags, search_phase};
use crate::dag_posterior::DagPosterior;
use crate::model::ModularReward;
use crate::options::{PosteriorName, option};
use crate::posterior::{GraphSample, Posterior};
use crate::{Error, PruneName, ScoreName, ScoringModel};

/// All DAGs at once, up to 20 variables; all orders where a pruning turns orders into graphs.
pub(super) struct Exact;

impl Discover for Exact {
    fn name(&self) -> &'static str {
        "exact"
    }

    fn about(&self) -> &'static str {
        "the exact posterior over DAGs and the best of all graphs, up to 20 variables"
    }

    fn options(&self) -> OptionGroups {
        &[SCORE, &[option::interventions, option::edge_prior], PRUNING, DRAWS]
    }

    /// The best of all graphs for every score that is a sum over variables given their parents.
    fn pruning(&self, score: ScoreName) -> PruneName {
        match score.default_prune() {
            PruneName::Score => PruneName::Selected,
            _ => PruneName::Auto,
        }
    }

    /// Every set of parents is evaluated: with more, scores that read rows take minutes.
    fn family_limit(&self) -> usize {
        10
    }

    fn check(&self, input: &MethodInput<'_>) -> Result<(), Error> {
        order_modular_score(input.model)?;
        let nodes = input.model.constraints().nodes();
        if nodes > Lattice::MOST_NODES { Err(LatticeError::TooManyNodes(nodes).into()) } else { Ok(()) }
    }

    /// A run that is stopped has the best graph that a search finds at once, and the probabilities that chains find in a moment.
    fn discover(&self, input: &MethodInput<'_>, context: &mut RunContext<'_>) -> Result<MethodOutput, Error> {
        match input.model.dag_score() {
            Some(score) => by_dags(input, context, score),
            None => by_orders(input, context),
        }
    }
}

fn by_dags(
    input: &MethodInput<'_>,
    context: &mut RunContext<'_>,
    score: &dyn LocalScore,
) -> Result<MethodOutput, Error> {
    let model = input.model;
    context.report(Phase::Searching);
    let others = model.constraints().nodes() - 1;
    let build = || DagPosterior::new((model, score), Vec::new(), others, context.exact_stop());
    let Some(mut target) = context.until_exact_stop(build).unwrap_or(Ok(None))? else {
        let found = search_phase::run(input, context)?;
        return dags::discover(input, context, (score, PosteriorName::Exact), found);
    };
    let best = target.tables().best_dag().ok_or(Error::NothingFound)?;
    match dags::infer(&mut target, input, context, PosteriorName::Exact)? {
        Some(inferred) => Ok(dags::output(context, model, &target.with_graph(best), inferred)),
        None => Ok(dags::without_probabilities(context, model, dags::found_of(best))),
    }
}

/// The exact distribution over orders, each with the graph that the pruning makes of it.
fn by_orders(input: &MethodInput<'_>, context: &mut RunContext<'_>) -> Result<MethodOutput, Error> {
    let model = input.model;
    context.report(Phase::Searching);
    let lattice_at = |temperature: f64| -> Result<Lattice, Error> {
        let reward = ModularReward { score: order_modular_score(model)?, temperature };
        Ok(Lattice::new(&reward, model.constraints())?)
    };
    let Some(best) = context.until_stop(|| Ok::<_, Error>(lattice_at(1.0)?.best_order().0)) else {
        let found = search_phase::run(input, context)?;
        return Ok(dags::without_probabilities(context, model, found));
    };
    let order = best?;
    let graph = context.graph_of(model, &order);
    context.report(Phase::Sampling);
    let distribution = context.until_stop(|| -> Result<_, Error> {
        let lattice = lattice_at(model.temperature())?;
        let draws = draws(&lattice, model, input.config.samples, input.config.seed);
        let edges = lattice.edge_probabilities(|node, before, probabilities| {
            model.write_inclusion(node, before, probabilities);
        });
        Ok((draws, edges))
    });
    let Some((draws, edges)) = distribution.transpose()? else {
        return Ok(MethodOutput::single(context, model, order, graph));
    };
    let posterior = Posterior::of_orders(order.nodes(), &edges.concat(), &draws);
    Ok(MethodOutput { graph, order, class: None, ranked: vec![], draws, posterior, training: None })
}

fn order_modular_score(model: &ScoringModel) -> Result<&dyn OrderModularScore, Error> {
    let score = model.score_name().name();
    model.order_modular_score().ok_or(Error::NeedsDecomposable { method: "exact", score })
}

fn draws(lattice: &Lattice, model: &ScoringModel, count: usize, seed: u64) -> Vec<GraphSample> {
    let drawn = map(count, |k| {
        let order = lattice.sample(&mut stream(seed, Stream::Sample { k: k as u64 }));
        let log_reward = model.order_score().score(&order) / model.temperature();
        let log_prob = Some(log_reward - lattice.log_partition());
        GraphSample { dag: model.graph_of(&order), order, log_reward, log_weight: 0.0, log_prob, count: 1 }
    });
    GraphSample::merged(drawn)
}
