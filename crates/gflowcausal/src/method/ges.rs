//! Greedy equivalence search.

use gflowcausal_graph::Order;
use gflowcausal_score::{LocalScore, OrderScore};
use gflowcausal_search::{ConstrainedOrderScore, FoundClass, Ges};

use super::{Discover, Found, Run, Step, Task};
use crate::{Config, Error, ScoringModel};

/// From class to class of equivalent graphs: insertions, deletions and, if wanted, turns.
pub(super) struct Equivalence;

impl Discover for Equivalence {
    fn name(&self) -> &'static str {
        "ges"
    }

    fn about(&self) -> &'static str {
        "greedy equivalence search: the best edge in, then the best edge out, from class to class"
    }

    fn settings(&self) -> &'static [&'static str] {
        &["score", "penalty", "turning"]
    }

    fn check(&self, model: &ScoringModel, _config: &Config) -> Result<(), Error> {
        local_score(model).map(|_| ())
    }

    fn discover(&self, task: &Task<'_>, run: &mut Run<'_>) -> Result<Found, Error> {
        let Task { model, config, .. } = *task;
        let search = Ges::new(local_score(model)?, model.constraints(), config.turning)?;
        let FoundClass { class, member } = search.search(|| {
            run.tell(Step::Searching);
            run.is_stopped()
        });
        Ok(Found::class(model, class, member))
    }
}

/// An order of a member of the class that the search comes to, where the score is cheap and the same for equivalent
/// graphs, and knowledge allows the order.
pub(super) fn order(task: &Task<'_>, run: &Run<'_>) -> Option<Order> {
    let model = task.model;
    let score = local_score(model).ok().filter(|_| model.is_cheap())?;
    let found = Ges::new(score, model.constraints(), false).ok()?.search(|| run.is_stopped());
    let order = found.member.topological_order();
    let constrained = ConstrainedOrderScore { score: model.order_score(), constraints: model.constraints() };
    constrained.score(&order).is_finite().then_some(order)
}

fn local_score(model: &ScoringModel) -> Result<&dyn LocalScore, Error> {
    let equivalent = model.local_score().filter(LocalScore::is_score_equivalent);
    let score = model.score_name().name();
    equivalent.ok_or(Error::NeedsEquivalence { method: "ges", score })
}
