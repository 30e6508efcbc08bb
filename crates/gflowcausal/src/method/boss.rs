//! Best order score search with restarts.

use std::ops::Range;

use gflowcausal_determinism::{StopFlag, Stream, interruptible, map, stream};
use gflowcausal_graph::Order;
use gflowcausal_score::OrderScore;
use gflowcausal_search::{ConstrainedOrderScore, best_order, boss};

use super::option_groups::{OptionGroups, PRUNING, SCORE};
use super::{Discover, MethodInput, MethodOutput, Phase, RunContext};
use crate::Error;
use crate::options::option;

/// How many starts run side by side before the clock is asked.
const BATCH: usize = 4;

/// Insertions of one variable at a time into random orders, until none helps.
pub(super) struct Boss;

impl Discover for Boss {
    fn name(&self) -> &'static str {
        "boss"
    }

    fn about(&self) -> &'static str {
        "best order score search: best insertions over grow-shrink trees, with restarts"
    }

    fn family_limit(&self) -> usize {
        usize::MAX
    }

    fn options(&self) -> OptionGroups {
        &[SCORE, &[option::interventions, option::restarts], PRUNING]
    }

    /// The best order of all starts; one that a stop cut short counts too.
    fn discover(&self, input: &MethodInput<'_>, context: &mut RunContext<'_>) -> Result<MethodOutput, Error> {
        let MethodInput { model, config, .. } = *input;
        let restarts = config.restarts.unwrap_or_else(|| by_size(model.constraints().nodes()));
        let mut orders: Vec<Order> = Vec::new();
        while orders.len() < restarts {
            context.report(Phase::Searching);
            if context.is_stopped() && !orders.is_empty() {
                break;
            }
            let done = orders.len();
            orders.extend(starts(input, &context.deadlines.stop, done..restarts.min(done + BATCH)));
        }
        let order = best_in_time(input, context, orders)?;
        let graph = context.graph_of(model, &order);
        Ok(MethodOutput::single(context, model, order, graph))
    }
}

/// What the starts with these numbers come to.
pub(super) fn starts(input: &MethodInput<'_>, stop: &StopFlag, numbers: Range<usize>) -> Vec<Order> {
    let MethodInput { model, config, .. } = *input;
    let constrained = |score| ConstrainedOrderScore { score, constraints: model.constraints() };
    let screening = model.screening_score();
    let (screening, score) = (constrained(&screening), constrained(model.order_score()));
    map(numbers.len(), |k| {
        let mut rng = stream(config.seed, Stream::Restart { k: (numbers.start + k) as u64 });
        boss(&screening, &score, &mut rng, stop)
    })
}

/// The best of `orders`. Where there is no time to evaluate any, what linear regression makes of the first.
///
/// # Errors
/// When there are none.
pub(super) fn best_in_time(
    input: &MethodInput<'_>,
    context: &RunContext<'_>,
    orders: Vec<Order>,
) -> Result<Order, Error> {
    let score = InTime { score: input.model.order_score(), stop: &context.deadlines.result };
    let (order, value) = best_order(&score, orders).ok_or(Error::NothingFound)?;
    Ok(if value == f64::NEG_INFINITY { input.model.quick_order(order) } else { order })
}

/// A score of orders that is −∞ where there is no time to compute it.
struct InTime<'a> {
    score: &'a dyn OrderScore,
    stop: &'a StopFlag,
}

impl OrderScore for InTime<'_> {
    fn score(&self, order: &Order) -> f64 {
        interruptible(self.stop, || self.score.score(order)).unwrap_or(f64::NEG_INFINITY)
    }
}

/// From how many orders the search starts unless something else is asked for: a minute or two at 500 variables.
fn by_size(nodes: usize) -> usize {
    if nodes <= 200 { 10 } else { 3 }
}
