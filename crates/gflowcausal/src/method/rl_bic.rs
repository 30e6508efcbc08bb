//! RL-BIC2: an actor learns by reinforcement to draw graphs with a high score and without cycles.

use gflowcausal_graph::{Constraints, Dag, Edge, NodeSet, Pdag};
use gflowcausal_neural::RlBic;
use gflowcausal_score::LocalScore;

use super::option_groups::{NETWORK, OptionGroups, PRUNING, SCORE};
use super::reinforcement::{encoder, progress};
use super::{Discover, MethodInput, MethodOutput, Phase, RunContext};
use crate::model::{ScoreKind, nearest_order};
use crate::options::option;
use crate::{Config, Error, ScoringModel};

/// Zhu et al. (2020): the best graph that was visited, pruned.
pub(super) struct GraphRl;

impl Discover for GraphRl {
    fn name(&self) -> &'static str {
        "rl-bic"
    }

    fn about(&self) -> &'static str {
        "RL-BIC2: reinforcement learning of all arrows at once, cycles held off by a penalty, then pruned"
    }

    fn options(&self) -> OptionGroups {
        &[SCORE, &[option::published], PRUNING, NETWORK]
    }

    fn needs_rows(&self) -> bool {
        true
    }

    fn check(&self, input: &MethodInput<'_>) -> Result<(), Error> {
        ArrowScore::new(input.model, self.name())?;
        input.complete_columns(self.name()).map(|_| ())
    }

    fn discover(&self, input: &MethodInput<'_>, context: &mut RunContext<'_>) -> Result<MethodOutput, Error> {
        let MethodInput { model, config, .. } = *input;
        let columns = input.complete_columns(self.name())?;
        let constraints = model.constraints();
        let score = ArrowScore::new(model, self.name())?;
        let settings = settings(config, constraints.nodes());
        context.report(Phase::Training { done: 0, iterations: settings.iterations });
        let stop = &context.deadlines.stop;
        let best = settings.search(
            &columns,
            constraints,
            &|parents| score.of_parents(parents),
            config.seed,
            stop,
            &mut |done| {
                let progress = progress(done.iteration, done.loss, [done.mean, done.best]);
                (context.observe)(Phase::Iteration(progress));
            },
        );
        let Some(parents) = best else { return Ok(MethodOutput::nothing_yet(context, model)) };
        let graph = context.pruned(model, &acyclic_part(&parents, constraints));
        Ok(MethodOutput::single(context, model, graph.topological_order(), graph))
    }
}

/// A score of any arrows, cycles or not.
enum ArrowScore<'a> {
    Local(&'a dyn LocalScore),
    Equal(&'a gflowcausal_score::BicEqual),
}

impl<'a> ArrowScore<'a> {
    fn new(model: &'a ScoringModel, method: &'static str) -> Result<Self, Error> {
        match model.kind() {
            ScoreKind::Decomposable(score) => Ok(Self::Local(score.local_score())),
            ScoreKind::GraphWide(score) => Ok(Self::Equal(score)),
            ScoreKind::OrderOnly(_) => {
                Err(Error::NeedsDecomposable { method, score: model.score_name().name() })
            }
        }
    }

    fn of_parents(&self, parents: &[NodeSet]) -> f64 {
        match self {
            Self::Local(score) => {
                parents.iter().enumerate().map(|(node, parents)| score.local(node, parents)).sum()
            }
            Self::Equal(score) => score.of_parents(parents),
        }
    }
}

/// The arrows that go along the order which they contradict least: all of them, if there is no cycle.
fn acyclic_part(parents: &[NodeSet], constraints: &Constraints) -> Dag {
    let arrows =
        || parents.iter().enumerate().flat_map(|(to, set)| set.iter().map(move |from| Edge { from, to }));
    let mut graph = Pdag::empty(parents.len());
    for edge in arrows() {
        // Of two opposite arrows the first counts; one of them goes anyway.
        let _ = graph.insert_directed(edge);
    }
    let positions = nearest_order(&graph, constraints).positions();
    let along = arrows().filter(|edge| positions[edge.from] < positions[edge.to]);
    Dag::from_edges(parents.len(), along).expect("arrows along an order make no cycle")
}

fn settings(config: &Config, nodes: usize) -> RlBic {
    let usual = if config.published { RlBic::published(nodes) } else { RlBic::default() };
    RlBic {
        encoder: encoder(usual.encoder, config),
        batch_size: config.batch_size.unwrap_or(usual.batch_size),
        iterations: config.iterations.unwrap_or(usual.iterations),
        learning_rate: config.learning_rate.unwrap_or(usual.learning_rate),
        ..usual
    }
}
