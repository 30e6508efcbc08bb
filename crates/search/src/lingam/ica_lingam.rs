//! ICA-LiNGAM: independent components matched to variables, then the order nearest to their mixing matrix.

use gflowcausal_determinism::{StopFlag, cancellation_point};
use gflowcausal_graph::{Constraints, Edge, Order};

use super::fast_ica::fast_ica;
use super::linear_sum_assignment::linear_sum_assignment;

/// Why no order can be read from the components.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LingamError {
    /// Columns that others determine.
    #[error("some columns are sums of others: there are fewer independent components than columns")]
    Dependent,
}

/// The causal order of linear, non-Gaussian variables: complete columns of equal length, one for each of the constraints'
/// variables.
///
/// ICA-LiNGAM (Shimizu et al. 2006): FastICA, the assignment that keeps small weights off the diagonal, then the weakest
/// effects set to zero until the rest has an order. Effects that knowledge forbids are zero from the start, required ones
/// to the end. Once `stop` is true, components are taken as they are.
///
/// # Errors
/// Columns that are linearly dependent.
pub fn ica_lingam(
    columns: &[&[f64]],
    constraints: &Constraints,
    seed: u64,
    stop: &StopFlag,
) -> Result<Order, LingamError> {
    let nodes = columns.len();
    let unmixing = fast_ica(columns, seed, stop)?;
    let costs: Vec<f64> = (0..nodes * nodes)
        .map(|k| unmixing[(k / nodes, k % nodes)].abs().max(f64::MIN_POSITIVE).recip())
        .collect();
    let variable_of = linear_sum_assignment(nodes, &costs);
    let mut effects = vec![0.0; nodes * nodes];
    for (component, &to) in variable_of.iter().enumerate() {
        let own = unmixing[(component, to)];
        for from in (0..nodes).filter(|&from| from != to) {
            effects[to * nodes + from] = (unmixing[(component, from)] / own).abs();
        }
    }
    Ok(order_of(nodes, effects, constraints))
}

/// The order left when the weakest of `effects` (row by row: on the row's variable, of the column's) are set to zero, the
/// fewest that will do after the first `d(d+1)/2`.
fn order_of(nodes: usize, mut effects: Vec<f64>, constraints: &Constraints) -> Order {
    for (k, effect) in effects.iter_mut().enumerate() {
        let edge = Edge { from: k % nodes, to: k / nodes };
        if constraints.required(edge.to).contains(edge.from) {
            *effect = f64::INFINITY;
        } else if !constraints.allows(edge) {
            *effect = 0.0;
        }
    }
    let mut weakest: Vec<usize> = (0..effects.len()).collect();
    weakest.sort_by(|&a, &b| effects[a].total_cmp(&effects[b]));
    let (first, others) = weakest.split_at(nodes * (nodes + 1) / 2);
    first.iter().for_each(|&k| effects[k] = 0.0);
    let mut others = others.iter();
    loop {
        cancellation_point();
        if let Some(order) = strict_order(nodes, &effects) {
            return order;
        }
        let next = *others.next().expect("without effects any order will do");
        effects[next] = 0.0;
    }
}

/// The order in which each variable is free of effects of later ones, if there is one; of several, the smallest index
/// goes first.
fn strict_order(nodes: usize, effects: &[f64]) -> Option<Order> {
    let mut left: Vec<usize> = (0..nodes).collect();
    let mut sequence = Vec::with_capacity(nodes);
    while !left.is_empty() {
        let is_free = |&node: &usize| left.iter().all(|&other| effects[node * nodes + other] == 0.0);
        let place = left.iter().position(is_free)?;
        sequence.push(left.remove(place));
    }
    Order::new(sequence).ok()
}
