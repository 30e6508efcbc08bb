//! The searches that come first: annealed insertions or BOSS, and GES.

use gflowcausal_graph::{Dag, Order};
use gflowcausal_search::best_order;

use super::{MethodInput, Phase, RunContext, StopFlags, boss, ges};
use crate::local_search::{Effort, LocalSearch};
use crate::{Config, Error};

/// How many random orders of many variables are searched from.
const STARTS: usize = 2;

/// What the searches found.
pub(super) struct Found {
    /// The best order and the graph it gives.
    pub(super) order: Order,
    /// Where each search ended.
    pub(super) orders: Vec<Order>,
    /// The graphs of all ends, the best first, each once.
    pub(super) graphs: Vec<Dag>,
}

/// Runs the searches, within the first half of the time where that is limited.
///
/// # Errors
/// When no search gives an order.
pub(super) fn run(input: &MethodInput<'_>, context: &mut RunContext<'_>) -> Result<Found, Error> {
    let model = input.model;
    context.report(Phase::Searching);
    let orders = orders(input, context);
    let (best, _) = best_order(model.order_score(), orders.iter().cloned()).ok_or(Error::NothingFound)?;
    let order = local_search(input, context.search_stop()).climb(best);
    let mut graphs = vec![model.graph_of(&order)];
    for end in &orders {
        let graph = model.graph_of(end);
        if !graphs.contains(&graph) {
            graphs.push(graph);
        }
    }
    Ok(Found { order, orders, graphs })
}

/// Where annealed insertions end, or with many variables those of BOSS from random orders; and the end of a search over
/// classes, which gets where orders do not where variables nearly copy each other.
fn orders(input: &MethodInput<'_>, context: &RunContext<'_>) -> Vec<Order> {
    let model = input.model;
    let stop = context.search_stop();
    let search = local_search(input, stop);
    let mut orders = if model.is_large() {
        boss::starts(input, stop, 0..STARTS)
    } else {
        search.anneal(Effort::by_size(model.constraints().nodes()))
    };
    orders.extend(ges::order(input, stop).map(|order| search.climb(order)));
    orders
}

fn local_search<'a>(input: &MethodInput<'a>, stop: StopFlags<'a>) -> LocalSearch<'a> {
    let MethodInput { model, config, .. } = *input;
    LocalSearch::new(model.order_score(), model.constraints(), target(config), stop)
}

/// The temperature that local search cools down to, and its seed.
pub(super) fn target(config: &Config) -> (f64, u64) {
    (config.temperature, config.seed)
}
