//! Greedy equivalence search.

use gflowcausal_determinism::{StopFlag, interruptible};
use gflowcausal_graph::{Edge, Order};
use gflowcausal_score::{LocalScore, OrderScore};
use gflowcausal_search::{ConstrainedOrderScore, FoundClass, Ges};

use super::option_groups::{OptionGroups, SCORE};
use super::{Discover, MethodInput, MethodOutput, Phase, RunContext};
use crate::options::option;
use crate::{Error, ScoringModel};

/// From class to class of equivalent graphs: insertions, deletions and, if wanted, turns.
pub(super) struct GesMethod;

impl Discover for GesMethod {
    fn name(&self) -> &'static str {
        "ges"
    }

    fn about(&self) -> &'static str {
        "greedy equivalence search: the best edge in, then the best edge out, from class to class"
    }

    fn options(&self) -> OptionGroups {
        &[SCORE, &[option::interventions, option::turning]]
    }

    fn check(&self, input: &MethodInput<'_>) -> Result<(), Error> {
        local_score(input.model).map(|_| ())
    }

    fn discover(&self, input: &MethodInput<'_>, context: &mut RunContext<'_>) -> Result<MethodOutput, Error> {
        let MethodInput { model, config, .. } = *input;
        let score = local_score(model)?;
        let decides = |edge: Edge| model.interventions().is_some_and(|rows| rows.decides(edge));
        let search = match model.interventions() {
            Some(_) => Ges::with_interventions(score, model.constraints(), config.turning, &decides),
            None => Ges::new(score, model.constraints(), config.turning)?,
        };
        context.report(Phase::Searching);
        let FoundClass { class, member } = search.search(&context.deadlines.stop);
        Ok(MethodOutput::class(context, model, class, member))
    }
}

/// An order of a member of the class that the search comes to, where the score is cheap and the same for equivalent
/// graphs, and knowledge allows the order.
pub(super) fn order(input: &MethodInput<'_>, stop: &StopFlag) -> Option<Order> {
    let model = input.model;
    let score = local_score(model).ok().filter(|_| model.is_cheap())?;
    let decides = |edge: Edge| model.interventions().is_some_and(|rows| rows.decides(edge));
    let search = match model.interventions() {
        Some(_) => Ges::with_interventions(score, model.constraints(), false, &decides),
        None => Ges::new(score, model.constraints(), false).ok()?,
    };
    let found = search.search(stop);
    let order = found.member.topological_order();
    let constrained = ConstrainedOrderScore { score: model.order_score(), constraints: model.constraints() };
    interruptible(stop, || constrained.score(&order))?.is_finite().then_some(order)
}

fn local_score(model: &ScoringModel) -> Result<&dyn LocalScore, Error> {
    let is_equivalent = |_: &&dyn LocalScore| model.is_score_equivalent();
    let equivalent = model.local_score().filter(is_equivalent);
    let score = model.score_name().name();
    equivalent.ok_or(Error::NeedsEquivalence { method: "ges", score })
}
