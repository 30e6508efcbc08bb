//! The searches that come first: annealed insertions or BOSS, and GES.

use gflowcausal_determinism::StopFlag;
use gflowcausal_graph::{Dag, Order};

use super::{MethodInput, Phase, RunContext, boss, ges};
use crate::local_search::{Effort, LocalSearch};
use crate::{Config, Error};

/// Up to how many variables insertions are annealed: with more, BOSS gets as far in a fraction of the time.
const MOST_ANNEALED: usize = 40;

/// How many orders BOSS starts from where nothing is annealed, and with very many variables.
const STARTS: usize = 4;
const STARTS_OF_VERY_MANY: usize = 2;

/// What the searches found.
pub(super) struct SearchResult {
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
pub(super) fn run(input: &MethodInput<'_>, context: &mut RunContext<'_>) -> Result<SearchResult, Error> {
    let model = input.model;
    context.report(Phase::Searching);
    let orders = orders(input, context);
    let best = boss::best_in_time(input, context, orders.clone())?;
    let order = local_search(input, context.search_stop()).hill_climb(best);
    let mut graphs = vec![context.graph_of(model, &order)];
    for end in &orders {
        let Some(graph) = context.until_stop(|| model.graph_of(end)) else { break };
        if !graphs.contains(&graph) {
            graphs.push(graph);
        }
    }
    Ok(SearchResult { order, orders, graphs })
}

/// Where BOSS ends, GES, which gets where orders do not where variables nearly copy each other, and annealed insertions. The
/// quickest come first: what a short budget leaves out is the annealing.
fn orders(input: &MethodInput<'_>, context: &RunContext<'_>) -> Vec<Order> {
    let model = input.model;
    let stop = context.search_stop();
    let search = local_search(input, stop);
    let nodes = model.constraints().nodes();
    let starts = match nodes {
        _ if model.is_large() => STARTS_OF_VERY_MANY,
        ..=MOST_ANNEALED => 1,
        _ => STARTS,
    };
    let mut orders = boss::starts(input, stop, 0..starts);
    orders.extend(ges::order(input, stop).map(|order| search.hill_climb(order)));
    if nodes <= MOST_ANNEALED {
        orders.extend(search.anneal(Effort::by_size(nodes)));
    }
    orders
}

fn local_search<'a>(input: &MethodInput<'a>, stop: &'a StopFlag) -> LocalSearch<'a> {
    let MethodInput { model, config, .. } = *input;
    LocalSearch::new(model.order_score(), model.constraints(), target(config), stop)
}

/// The temperature that local search cools down to, and its seed.
pub(super) fn target(config: &Config) -> (f64, u64) {
    (config.temperature, config.seed)
}
