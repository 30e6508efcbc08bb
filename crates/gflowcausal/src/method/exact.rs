//! The exact distribution over orders and their graphs, by dynamic programming over the subset lattice.

use gflowcausal_determinism::{Stream, map, stream};
use gflowcausal_flow::{Lattice, LatticeError};
use gflowcausal_graph::{Dag, Order};
use gflowcausal_score::{BestParents, OrderModularScore};

use super::{Discover, MethodInput, MethodOutput, Phase, RunContext};
use crate::config::option;
use crate::model::ModularReward;
use crate::posterior::{GraphSample, Posterior};
use crate::representative::representative;
use crate::{Error, PruneName, ScoreName, ScoringModel};

/// Every order at once, up to 20 variables.
pub(super) struct Exact;

impl Discover for Exact {
    fn name(&self) -> &'static str {
        "exact"
    }

    fn about(&self) -> &'static str {
        "the exact distribution over orders and the best graph, up to 20 variables"
    }

    fn options(&self) -> &'static [&'static str] {
        &[
            option::score,
            option::penalty,
            option::prune,
            option::threshold,
            option::alpha,
            option::temperature,
            option::samples,
        ]
    }

    /// The best of all graphs for every score that is a sum over variables given their parents.
    fn pruning(&self, score: ScoreName) -> PruneName {
        match score.default_prune() {
            PruneName::Score => PruneName::Selected,
            _ => PruneName::Auto,
        }
    }

    fn sums_over_graphs(&self, _model: &ScoringModel) -> bool {
        true
    }

    fn check(&self, input: &MethodInput<'_>) -> Result<(), Error> {
        order_modular_score(input.model)?;
        let nodes = input.model.constraints().nodes();
        if nodes > Lattice::MOST_NODES { Err(LatticeError::TooManyNodes(nodes).into()) } else { Ok(()) }
    }

    /// A run that is stopped has the best graph, and no probabilities.
    fn discover(&self, input: &MethodInput<'_>, context: &mut RunContext<'_>) -> Result<MethodOutput, Error> {
        let model = input.model;
        context.report(Phase::Searching);
        let (order, graph) = best(model)?;
        if context.is_stopped() {
            return Ok(MethodOutput::single(model, order, graph));
        }
        context.report(Phase::Sampling);
        let lattice = lattice(model)?;
        let draws = draws(&lattice, model, input.config.samples, input.config.seed);
        let posterior =
            Posterior::equal(order.nodes(), &draws).with_exact_edges(edge_probabilities(&lattice, model));
        let (order, graph) = representative(order, graph, model, &posterior);
        Ok(MethodOutput { graph, order, class: None, draws, posterior, training: None, distance: None })
    }
}

/// The best order and the best graph it allows.
fn best(model: &ScoringModel) -> Result<(Order, Dag), Error> {
    let best_order = |score: &dyn OrderModularScore| -> Result<Order, Error> {
        let reward = ModularReward { score, temperature: 1.0 };
        Ok(Lattice::new(&reward, model.constraints())?.best_order().0)
    };
    if let Some(sums) = model.sums() {
        let table = sums.best();
        let order = best_order(&table)?;
        let graph = table.best_dag(&order).ok_or(Error::NothingFound)?;
        return Ok((order, graph));
    }
    let order = best_order(order_modular_score(model)?)?;
    let graph = model.graph_of(&order);
    Ok((order, graph))
}

fn order_modular_score(model: &ScoringModel) -> Result<&dyn OrderModularScore, Error> {
    let score = model.score_name().name();
    model.order_modular_score().ok_or(Error::NeedsPlacements { method: "exact", score })
}

/// The distribution over orders that `model` asks for.
///
/// # Errors
/// With too many variables, or a score that is no sum over variables given the set before them.
pub(super) fn lattice(model: &ScoringModel) -> Result<Lattice, Error> {
    let reward = ModularReward { score: order_modular_score(model)?, temperature: model.temperature() };
    Ok(Lattice::new(&reward, model.constraints())?)
}

/// `P(row → column)` over all orders and the graphs drawn for them.
pub(super) fn edge_probabilities(lattice: &Lattice, model: &ScoringModel) -> Vec<f64> {
    let rows = lattice
        .edge_probabilities(|node, before, probabilities| model.write_inclusion(node, before, probabilities));
    // Sums over sets may round to a hair above one.
    rows.concat().into_iter().map(|probability| probability.clamp(0.0, 1.0)).collect()
}

fn draws(lattice: &Lattice, model: &ScoringModel, count: usize, seed: u64) -> Vec<GraphSample> {
    let drawn = map(count, |k| {
        let order = lattice.sample(&mut stream(seed, Stream::Sample { k: k as u64 }));
        let mut rng = stream(seed, Stream::Graph { k: k as u64 });
        let drawn = model.draw_graph(&order, model.evaluator(), &mut rng);
        let log_prob = drawn.log_reward - lattice.log_partition();
        GraphSample { order, dag: drawn.dag, log_reward: drawn.log_reward, log_prob, count: 1 }
    });
    GraphSample::merged(drawn)
}
